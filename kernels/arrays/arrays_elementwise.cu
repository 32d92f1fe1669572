// arrays_elementwise.cu: chooses the kernel of an operation on single elements
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays.cuh"
#include "arrays/arrays_types.h"
#include "arrays_ask.cuh"

//------------------------------------------------------------------------------
// arrays without gaps from one precision to the other
//------------------------------------------------------------------------------

namespace
{

enum { THREADS = 256, ROUNDS = 2, PACK = 4 };

template <class R> struct alignas (16) pack {
  R e[PACK];
};

// A thread has PACK contiguous numbers, 16 bytes of the single ones, ROUNDS times, a block's width
// apart. It reads all of them before it writes. The first block has the numbers after the last
// pack.
template <class From, class To>
__global__ void __launch_bounds__ (THREADS) convert_kernel (const From *x, To *to, int64_t n)
{
  const int64_t packs = n / PACK, first = (int64_t)blockIdx.x * ROUNDS * THREADS + threadIdx.x;
  pack<From> in[ROUNDS];
#pragma unroll
  for (int k = 0; k < ROUNDS; k++)
    if (first + k * THREADS < packs)
      in[k] = reinterpret_cast<const pack<From> *> (x)[first + k * THREADS];
#pragma unroll
  for (int k = 0; k < ROUNDS; k++)
    if (first + k * THREADS < packs) {
      pack<To> out;
#pragma unroll
      for (int j = 0; j < PACK; j++)
        out.e[j] = (To)in[k].e[j];
      reinterpret_cast<pack<To> *> (to)[first + k * THREADS] = out;
    }
  const int64_t last = packs * PACK + threadIdx.x;
  if (blockIdx.x == 0 && last < n)
    to[last] = (To)x[last];
}

template <class From, class To>
cudaError_t convert (const void *x, void *to, int64_t n, cudaStream_t stream)
{
  const int64_t packs = n / PACK, of_block = ROUNDS * THREADS;
  const unsigned blocks = (unsigned)((packs + of_block - 1) / of_block) + (packs == 0);
  convert_kernel<<<blocks, THREADS, 0, stream>>> (static_cast<const From *> (x),
                                                  static_cast<To *> (to), n);
  return cudaGetLastError ();
}

} // namespace

cudaError_t nd_to_single (const double *x, float *to, int64_t n, cudaStream_t stream)
{
  return convert<double, float> (x, to, n, stream);
}

cudaError_t nd_to_double (const float *x, double *to, int64_t n, cudaStream_t stream)
{
  return convert<float, double> (x, to, n, stream);
}

//------------------------------------------------------------------------------
// single elements
//------------------------------------------------------------------------------

namespace
{

// The three arrays with the same sizes; adjacent dimensions that are one for all are merged.
struct together {
  int dims;
  int64_t size[GLA_ND_DIMS];
  nd_operand to, x, y;
};

nd_operand operand_of (const gla_nd *a)
{
  nd_operand o = {};
  o.type = GLA_TYPE_S;
  if (a == nullptr)
    return o;
  o.data = a->data;
  o.type = a->type;
  o.value[0] = a->value[0];
  o.value[1] = a->value[1];
  return o;
}

bool continues (const nd_operand &o, int before, int64_t size, int64_t step)
{
  return step == o.step[before] * size;
}

int64_t step_of (const gla_nd *a, int d)
{
  return a == nullptr || a->data == nullptr || d >= a->dims ? 0 : a->step[d];
}

together merged (const gla_nd *to, const gla_nd *x, const gla_nd *y)
{
  together t = {0, {}, operand_of (to), operand_of (x), operand_of (y)};
  for (int d = 0; d < to->dims; d++) {
    const int64_t size = to->size[d], steps[] = {step_of (to, d), step_of (x, d), step_of (y, d)};
    const int last = t.dims - 1;
    if (size == 1)
      continue;
    if (last >= 0 && continues (t.to, last, t.size[last], steps[0]) &&
        continues (t.x, last, t.size[last], steps[1]) &&
        continues (t.y, last, t.size[last], steps[2])) {
      t.size[last] *= size;
      continue;
    }
    t.size[t.dims] = size;
    t.to.step[t.dims] = steps[0];
    t.x.step[t.dims] = steps[1];
    t.y.step[t.dims++] = steps[2];
  }
  return t;
}

// Returns the type in which the operation is computed.
gla_type type_of_operation (gla_nd_op op, const gla_nd *to, const gla_nd *x, const gla_nd *y)
{
  if (op == GLA_ND_COPY && to->type != GLA_LOGICAL)
    return (gla_type)to->type;
  // functions of real arrays may be complex
  bool single = false, complex = nd_kind_of (op) == ND_FUNCTION && gla_nd_is_complex (to->type);
  const gla_nd *const all[] = {x, y};
  for (const gla_nd *a : all) {
    if (a == nullptr)
      continue;
    complex = complex || gla_nd_is_complex (a->type);
    single = single || (a->data != nullptr && (a->type == GLA_TYPE_S || a->type == GLA_TYPE_C));
  }
  return single ? (complex ? GLA_TYPE_C : GLA_TYPE_S) : complex ? GLA_TYPE_Z : GLA_TYPE_D;
}

bool aligned (const void *data)
{
  return reinterpret_cast<uintptr_t> (data) % 16 == 0;
}

bool is_flat_operand (const nd_operand &o, gla_type type)
{
  return o.data == nullptr || o.step[0] == 0 ||
         (o.step[0] == 1 && o.type == type && aligned (o.data));
}

template <class T> int letter_of ()
{
  if (is_complex_v<T>)
    return sizeof (T) == 8 ? GLA_TYPE_C : GLA_TYPE_Z;
  return sizeof (T) == 4 ? GLA_TYPE_S : GLA_TYPE_D;
}

template <class T> cudaError_t launch_pieces (together t, int op, int *outside, cudaStream_t stream)
{
  while (t.dims > 1 && t.size[t.dims - 1] == 1) // may be 1 after division into halves
    t.dims--;
  nd_elements a = {};
  a.dims = t.dims;
  a.op = op;
  a.outside = outside;
  a.to = t.to;
  a.x = t.x;
  a.y = t.y;
  int64_t n = 1;
  for (int d = 0; d < t.dims; d++)
    n *= t.size[d];
  if (n >= (int64_t)1 << 31) { // two halves
    const int last = t.dims - 1;
    together second = t;
    t.size[last] /= 2;
    second.size[last] -= t.size[last];
    nd_operand *const parts[] = {&second.to, &second.x, &second.y};
    for (nd_operand *o : parts)
      if (o->data != nullptr)
        o->data = static_cast<const char *> (o->data) +
                  t.size[last] * o->step[last] * (int64_t)gla_nd_bytes (o->type);
    const cudaError_t error = launch_pieces<T> (t, op, outside, stream);
    return error == cudaSuccess ? launch_pieces<T> (second, op, outside, stream) : error;
  }
  a.n = (uint32_t)n;
  a.plain = t.x.data != nullptr && t.x.type == letter_of<T> () &&
            (t.y.data == nullptr || t.y.type == letter_of<T> ());
  for (int d = 0; d < t.dims; d++)
    a.size[d] = nd_divisor_of (t.size[d]);
  return nd_launch<T> (a, stream);
}

template <class T> cudaError_t launch (const together &t, int op, int *outside, cudaStream_t stream)
{
  if (t.dims > 1)
    return launch_pieces<T> (t, op, outside, stream);
  const gla_type type = sizeof (T) == 4    ? GLA_TYPE_S
                        : sizeof (T) == 16 ? GLA_TYPE_Z
                        : is_complex_v<T>  ? GLA_TYPE_C
                                           : GLA_TYPE_D;
  const bool converts = op == GLA_ND_COPY && t.to.type != type;
  const bool one = t.dims == 0; // a single element
  if (converts || (!one && t.to.step[0] != 1) || !aligned (t.to.data) ||
      !is_flat_operand (t.x, type) || !is_flat_operand (t.y, type))
    return launch_pieces<T> (t, op, outside, stream);
  nd_flat a = {one ? 1 : t.size[0], const_cast<void *> (t.to.data), t.x, t.y, op, outside};
  return nd_launch_flat<T> (a, stream);
}

//------------------------------------------------------------------------------
// copies
//------------------------------------------------------------------------------

// Whether the copy transposes dimensions, so that tiles of it pay. `with` becomes the dimension in
// which x is contiguous.
bool turns (const together &t, gla_nd_op op, int *with)
{
  if ((op != GLA_ND_COPY && op != GLA_ND_CONJ) || t.x.data == nullptr || t.x.type != t.to.type ||
      t.dims < 2 || t.to.step[0] != 1 || t.x.step[0] == 1)
    return false;
  for (*with = 1; *with < t.dims; ++*with)
    if (t.x.step[*with] == 1)
      return t.size[0] >= 24 && t.size[*with] >= 24;
  return false;
}

cudaError_t turn (const together &t, gla_nd_op op, int with, cudaStream_t stream)
{
  nd_transpose a = {};
  a.x = t.x.data;
  a.to = const_cast<void *> (t.to.data);
  a.n[0] = t.size[0];
  a.n[1] = t.size[with];
  a.x_cross = t.x.step[0];
  a.to_cross = t.to.step[with];
  a.flip = op == GLA_ND_CONJ && gla_nd_is_complex (t.x.type);
  for (int d = 1; d < t.dims; d++) {
    if (d == with)
      continue;
    a.size[a.dims] = nd_divisor_of (t.size[d]);
    a.x_step[a.dims] = t.x.step[d];
    a.to_step[a.dims++] = t.to.step[d];
  }
  return nd_launch_transpose (a, gla_nd_bytes (t.x.type), stream);
}

bool is_plain_copy (const together &t, gla_nd_op op)
{
  return op == GLA_ND_COPY && t.x.data != nullptr && t.x.type == t.to.type &&
         (t.dims == 0 || (t.dims == 1 && t.to.step[0] == 1 && t.x.step[0] == 1));
}

// Whether the copy is from one precision to the other, both real or both complex, without gaps.
bool is_conversion (const together &t, gla_nd_op op)
{
  const bool types = gla_nd_is_complex (t.x.type) == gla_nd_is_complex (t.to.type) &&
                     gla_nd_is_single (t.x.type) != gla_nd_is_single (t.to.type) &&
                     t.x.type != GLA_LOGICAL && t.to.type != GLA_LOGICAL;
  return op == GLA_ND_COPY && types && t.x.data != nullptr && t.dims == 1 && t.to.step[0] == 1 &&
         t.x.step[0] == 1 && aligned (t.x.data) && aligned (t.to.data);
}

cudaError_t convert (const together &t, cudaStream_t stream)
{
  const int64_t n = t.size[0] * (1 + gla_nd_is_complex (t.x.type));
  void *to = const_cast<void *> (t.to.data);
  return gla_nd_is_single (t.to.type) ? nd_to_single (static_cast<const double *> (t.x.data),
                                                      static_cast<float *> (to), n, stream)
                                      : nd_to_double (static_cast<const float *> (t.x.data),
                                                      static_cast<double *> (to), n, stream);
}

cudaError_t choose (const together &t, gla_nd_op op, gla_type type, int *outside,
                    cudaStream_t stream)
{
  int with = 0;
  if (is_plain_copy (t, op))
    return cudaMemcpyAsync (const_cast<void *> (t.to.data), t.x.data,
                            (size_t)(t.dims == 0 ? 1 : t.size[0]) * gla_nd_bytes (t.to.type),
                            cudaMemcpyDeviceToDevice, stream);
  if (turns (t, op, &with))
    return turn (t, op, with, stream);
  if (is_conversion (t, op))
    return convert (t, stream);
  // bytes are copied unchanged; other numbers become 0 or 1
  switch (type) {
  case GLA_TYPE_S:
    return launch<float> (t, op, outside, stream);
  case GLA_TYPE_C:
    return launch<cx<float>> (t, op, outside, stream);
  case GLA_TYPE_Z:
    return launch<cx<double>> (t, op, outside, stream);
  default:
    return launch<double> (t, op, outside, stream);
  }
}

} // namespace

gla_status nd_elementwise (gla_engine *engine, gla_nd_op op, const gla_nd *to, const gla_nd *x,
                           const gla_nd *y, int *outside)
{
  cuda_engine *e = engine_of (engine);
  const together t = merged (to, x, y);
  const gla_type type = type_of_operation (op, to, x, y);
  if (outside == nullptr)
    return engine_status (choose (t, op, type, nullptr, e->slots[0].stream));
  int64_t elements = 1;
  for (int d = 0; d < t.dims; d++)
    elements *= t.size[d];
  return nd_ask (e, elements, outside, [&] (int *word) {
    return engine_status (choose (t, op, type, word, e->slots[0].stream));
  });
}

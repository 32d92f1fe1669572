// arrays_elements_types.cu: kernels for single elements, of one type
// SPDX-License-Identifier: GPL-3.0-or-later
//
// There is one kernel for a type and a kind of result. A switch inside chooses the operation, with
// the same branch for all threads: memory is slower than that, and a kernel for each operation
// would make the library many times larger.

#include "arrays_functions.cuh"
#include "common/type.cuh"

namespace
{

enum { ND_THREADS = 256, ND_EACH = 4 };

template <class T, int kind> struct nd_result {
  typedef T type;
};
template <class T> struct nd_result<T, ND_REAL> {
  typedef real_t<T> type;
};
template <class T> struct nd_result<T, ND_LOGICAL> {
  typedef unsigned char type;
};

template <class T, int kind>
GLA_DEVICE typename nd_result<T, kind>::type nd_apply (int op, T x, T y, bool x_real, bool y_real,
                                                       bool &out)
{
  if constexpr (kind == ND_SAME)
    return nd_same (op, x, y, x_real, y_real);
  else if constexpr (kind == ND_REAL)
    return nd_real (op, x);
  else if constexpr (kind == ND_LOGICAL) {
    out = out || nd_nan_as_logical (op, x, y);
    return nd_logical (op, x, y, x_real, y_real);
  } else {
    out = out || nd_leaves (op, x, y);
    return nd_function (op, x, y, x_real, y_real);
  }
}

// The places of element i in the three arrays.
struct nd_place {
  int64_t to, x, y;
};
GLA_DEVICE nd_place nd_place_of (const nd_elements &a, uint32_t i)
{
  nd_place at = {0, 0, 0};
  uint32_t rest = i;
  for (int d = 0; d < a.dims; d++) {
    const uint32_t q = d + 1 < a.dims ? nd_divide (rest, a.size[d]) : 0;
    const uint32_t here = rest - q * a.size[d].d;
    at.to += here * a.to.step[d];
    at.x += here * a.x.step[d];
    at.y += here * a.y.step[d];
    rest = q;
  }
  return at;
}

// A thread has ND_EACH elements, a block's width apart, so that the loads of a warp are contiguous
// if the arrays are.
template <class T, int kind>
__global__ void __launch_bounds__ (ND_THREADS) nd_kernel (nd_elements a)
{
  typedef typename nd_result<T, kind>::type out_type;
  const bool x_real = nd_is_real (a.x), y_real = nd_is_real (a.y);
  out_type *result = const_cast<out_type *> (static_cast<const out_type *> (a.to.data));
  const uint32_t first = blockIdx.x * ND_EACH * ND_THREADS + threadIdx.x;
  bool out = false;
  if (a.plain && first + (ND_EACH - 1) * ND_THREADS < a.n) {
    // all loads come before the first store
    nd_place at[ND_EACH];
    T x[ND_EACH], y[ND_EACH];
#pragma unroll
    for (int k = 0; k < ND_EACH; k++) {
      at[k] = nd_place_of (a, first + k * ND_THREADS);
      x[k] = static_cast<const T *> (a.x.data)[at[k].x];
      y[k] = a.y.data != nullptr ? static_cast<const T *> (a.y.data)[at[k].y]
                                 : nd_convert<T> (cx<double>{a.y.value[0], a.y.value[1]});
    }
#pragma unroll
    for (int k = 0; k < ND_EACH; k++)
      result[at[k].to] = nd_apply<T, kind> (a.op, x[k], y[k], x_real, y_real, out);
  } else {
#pragma unroll 1
    for (int k = 0; k < ND_EACH; k++) {
      if (first + k * ND_THREADS >= a.n)
        break;
      const nd_place at = nd_place_of (a, first + k * ND_THREADS);
      result[at.to] = nd_apply<T, kind> (a.op, nd_load<T> (a.x, at.x), nd_load<T> (a.y, at.y),
                                         x_real, y_real, out);
    }
  }
  nd_answer (out, a.outside);
}

template <class T, int count> struct alignas (sizeof (T) * count) nd_pack {
  T e[count];
};

template <class T, int count>
GLA_DEVICE nd_pack<T, count> nd_load_pack (const nd_operand &o, int64_t at)
{
  if (o.data != nullptr && o.step[0] != 0)
    return static_cast<const nd_pack<T, count> *> (o.data)[at];
  const T number = nd_load<T> (o, 0);
  nd_pack<T, count> p;
#pragma unroll
  for (int k = 0; k < count; k++)
    p.e[k] = number;
  return p;
}

// A thread has 16 bytes of each operand at a time, twice; elements are contiguous.
template <class T, int kind>
__global__ void __launch_bounds__ (ND_THREADS) nd_flat_kernel (nd_flat a)
{
  typedef typename nd_result<T, kind>::type out_type;
  constexpr int count = 16 / sizeof (T);
  const bool x_real = nd_is_real (a.x), y_real = nd_is_real (a.y);
  const int64_t packs = a.n / count, first = (int64_t)blockIdx.x * 2 * ND_THREADS + threadIdx.x;
  out_type *to = static_cast<out_type *> (a.to);
  bool out = false;
  nd_pack<T, count> x[2], y[2];
#pragma unroll
  for (int k = 0; k < 2; k++)
    if (first + k * ND_THREADS < packs) {
      x[k] = nd_load_pack<T, count> (a.x, first + k * ND_THREADS);
      y[k] = nd_load_pack<T, count> (a.y, first + k * ND_THREADS);
    }
#pragma unroll
  for (int k = 0; k < 2; k++)
    if (first + k * ND_THREADS < packs) {
      nd_pack<out_type, count> z;
#pragma unroll
      for (int j = 0; j < count; j++)
        z.e[j] = nd_apply<T, kind> (a.op, x[k].e[j], y[k].e[j], x_real, y_real, out);
      reinterpret_cast<nd_pack<out_type, count> *> (to)[first + k * ND_THREADS] = z;
    }
  // the last elements, fewer than a pack
  const int64_t last = packs * count + threadIdx.x;
  if (blockIdx.x == 0 && last < a.n)
    to[last] = nd_apply<T, kind> (a.op, nd_load<T> (a.x, last * a.x.step[0]),
                                  nd_load<T> (a.y, last * a.y.step[0]), x_real, y_real, out);
  nd_answer (out, a.outside);
}

// A copy to logical has the kind of a comparison.
template <class T> int kind_of (int op, int to_type)
{
  return op == GLA_ND_COPY && to_type == GLA_LOGICAL ? ND_LOGICAL : nd_kind_of (op);
}

} // namespace

template <class T> cudaError_t nd_launch (const nd_elements &a, cudaStream_t stream)
{
  const unsigned blocks = (a.n + ND_THREADS * ND_EACH - 1) / (ND_THREADS * ND_EACH);
  switch (kind_of<T> (a.op, a.to.type)) {
  case ND_SAME:
    nd_kernel<T, ND_SAME><<<blocks, ND_THREADS, 0, stream>>> (a);
    break;
  case ND_REAL:
    nd_kernel<T, ND_REAL><<<blocks, ND_THREADS, 0, stream>>> (a);
    break;
  case ND_LOGICAL:
    nd_kernel<T, ND_LOGICAL><<<blocks, ND_THREADS, 0, stream>>> (a);
    break;
  default:
    nd_kernel<T, ND_FUNCTION><<<blocks, ND_THREADS, 0, stream>>> (a);
  }
  return cudaGetLastError ();
}

template <class T> cudaError_t nd_launch_flat (const nd_flat &a, cudaStream_t stream)
{
  const int64_t packs = a.n / (16 / (int64_t)sizeof (T));
  const unsigned blocks =
      (unsigned)((packs + 2 * ND_THREADS - 1) / (2 * ND_THREADS)) + (packs == 0);
  switch (nd_kind_of (a.op)) {
  case ND_SAME:
    nd_flat_kernel<T, ND_SAME><<<blocks, ND_THREADS, 0, stream>>> (a);
    break;
  case ND_REAL:
    nd_flat_kernel<T, ND_REAL><<<blocks, ND_THREADS, 0, stream>>> (a);
    break;
  case ND_LOGICAL:
    nd_flat_kernel<T, ND_LOGICAL><<<blocks, ND_THREADS, 0, stream>>> (a);
    break;
  default:
    nd_flat_kernel<T, ND_FUNCTION><<<blocks, ND_THREADS, 0, stream>>> (a);
  }
  return cudaGetLastError ();
}

template cudaError_t nd_launch<T> (const nd_elements &a, cudaStream_t stream);
template cudaError_t nd_launch_flat<T> (const nd_flat &a, cudaStream_t stream);

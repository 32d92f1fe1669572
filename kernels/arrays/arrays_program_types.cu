// arrays_program_types.cu: the kernel of arrays_program.cuh for one type of values
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_functions.cuh"
#include "arrays_program.cuh"
#include "common/type.cuh"

namespace
{

template <class T> GLA_DEVICE T nd_same_or_function (const nd_instruction &s, T x, T y, bool &out)
{
  if (s.kind == ND_SAME)
    return nd_same (s.op, x, y, s.x_real, s.y_real);
  out = out || nd_leaves (s.op, x, y);
  return nd_function (s.op, x, y, s.x_real, s.y_real);
}

// Does the operation of a step. Values without imaginary part are computed as real ones, so that
// the bits are those of real arrays. It is not inlined: it is long, and called for each element.
template <class R> __device__ __noinline__ R nd_step (nd_instruction s, R x, R y, bool &out)
{
  if (s.kind == ND_REAL)
    return nd_real (s.op, x);
  if (s.kind == ND_LOGICAL) {
    out = out || nd_nan_as_logical (s.op, x, y);
    return nd_logical (s.op, x, y, true, true);
  }
  return nd_same_or_function (s, x, y, out);
}
template <class R>
__device__ __noinline__ cx<R> nd_step (nd_instruction s, cx<R> x, cx<R> y, bool &out)
{
  if (s.x_real && s.y_real)
    return {nd_step (s, x.x, y.x, out), 0};
  if (s.kind == ND_REAL)
    return {nd_real (s.op, x), 0};
  if (s.kind == ND_LOGICAL) {
    out = out || nd_nan_as_logical (s.op, x, y);
    return {(R)nd_logical (s.op, x, y, s.x_real, s.y_real), 0};
  }
  return nd_same_or_function (s, x, y, out);
}

GLA_DEVICE int64_t nd_program_place (const nd_program &p, const nd_program_array &a, uint32_t i)
{
  if (p.flat)
    return i * a.step[0];
  int64_t at = 0;
  uint32_t rest = i;
  for (int d = 0; d < p.dims; d++) {
    const uint32_t q = d + 1 < p.dims ? nd_divide (rest, p.size[d]) : 0;
    at += (rest - q * p.size[d].d) * a.step[d];
    rest = q;
  }
  return at;
}

template <class T> GLA_DEVICE T nd_program_load (const nd_program_array &a, int64_t at)
{
  return nd_load<T> (nd_operand{a.data, a.type, {0, 0}, {}}, at);
}

template <class T> GLA_DEVICE void nd_program_store (const nd_program_array &a, int64_t at, T v)
{
  void *data = const_cast<void *> (a.data);
  switch (a.type) {
  case GLA_TYPE_S:
    static_cast<float *> (data)[at] = (float)re (v);
    break;
  case GLA_TYPE_D:
    static_cast<double *> (data)[at] = (double)re (v);
    break;
  case GLA_TYPE_C:
    static_cast<cx<float> *> (data)[at] = nd_convert<cx<float>> (v);
    break;
  case GLA_TYPE_Z:
    static_cast<cx<double> *> (data)[at] = nd_convert<cx<double>> (v);
    break;
  default:
    static_cast<unsigned char *> (data)[at] = re (v) != 0;
  }
}

// The elements of one thread. An instruction is decoded once for all of them; elements beyond the
// last are computed, but neither loaded nor stored.
template <class T> struct nd_thread {
  static constexpr int each = nd_program_each<T>;
  typedef T values[each];

  const nd_program &p;
  T *slots; // of this thread: element k of slot s is slots[(s * each + k) * threads]
  uint32_t first;
  values before; // the results of the previous operation
  bool out;

  GLA_DEVICE bool exists (int k) const { return first + k * ND_PROGRAM_THREADS < p.n; }

  GLA_DEVICE void fetch (int from, values &x) const
  {
    if (from == ND_BEFORE) {
#pragma unroll
      for (int k = 0; k < each; k++)
        x[k] = before[k];
    } else if (from < ND_NUMBER) {
#pragma unroll
      for (int k = 0; k < each; k++)
        x[k] = slots[(from * each + k) * ND_PROGRAM_THREADS];
    } else {
      const double *number = p.number[from - ND_NUMBER];
      const T value = nd_convert<T> (cx<double>{number[0], number[1]});
#pragma unroll
      for (int k = 0; k < each; k++)
        x[k] = value;
    }
  }

  GLA_DEVICE void keep (int to, const values &x)
  {
    if (to == ND_NOWHERE)
      return;
#pragma unroll
    for (int k = 0; k < each; k++)
      slots[(to * each + k) * ND_PROGRAM_THREADS] = x[k];
  }

  GLA_DEVICE void load (const nd_instruction &s)
  {
    const nd_program_array &a = p.in[s.x];
    values x;
#pragma unroll
    for (int k = 0; k < each; k++)
      x[k] = exists (k)
                 ? nd_program_load<T> (a, nd_program_place (p, a, first + k * ND_PROGRAM_THREADS))
                 : from_real<T> (1);
    keep (s.to, x);
  }

  GLA_DEVICE void store (const nd_instruction &s)
  {
    const nd_program_array &a = p.out[s.to];
    values x;
    fetch (s.x, x);
#pragma unroll
    for (int k = 0; k < each; k++)
      if (exists (k))
        nd_program_store (a, nd_program_place (p, a, first + k * ND_PROGRAM_THREADS), x[k]);
  }

  // Does operations on real values that take less time than a call; false: it is none of them.
  GLA_DEVICE bool is_short (const nd_instruction &s, const values &x, const values &y)
  {
    if constexpr (is_complex_v<T>)
      return false;
    else {
      if (s.kind != ND_SAME || s.op > GLA_ND_MUL || s.op < GLA_ND_ADD)
        return false;
#pragma unroll
      for (int k = 0; k < each; k++)
        before[k] = s.op == GLA_ND_MUL ? rounded_product (x[k], y[k])
                                       : rounded_sum (x[k], s.op == GLA_ND_SUB ? -y[k] : y[k]);
      return true;
    }
  }

  GLA_DEVICE void compute (const nd_instruction &s)
  {
    values x, y;
    fetch (s.x, x);
    fetch (s.y, y);
    if (s.kind == ND_CHOOSE) {
      values mask;
      fetch (s.z, mask);
#pragma unroll
      for (int k = 0; k < each; k++)
        before[k] = is_zero (mask[k]) ? y[k] : x[k];
    } else if (!is_short (s, x, y)) {
#pragma unroll
      for (int k = 0; k < each; k++) {
        bool outside = false;
        before[k] = nd_step (s, x[k], y[k], outside);
        out = out || (outside && exists (k));
      }
    }
    keep (s.to, before);
  }
};

// A block has ND_PROGRAM_THREADS * each elements in sequence, and a thread every
// ND_PROGRAM_THREADS-th of them. All threads take the instructions in the same order.
template <class T>
__global__ void __launch_bounds__ (ND_PROGRAM_THREADS)
    nd_interpret (const __grid_constant__ nd_program p)
{
  extern __shared__ __align__ (16) unsigned char nd_program_memory[];
  constexpr int each = nd_program_each<T>;
  nd_thread<T> t = {p,
                    reinterpret_cast<T *> (nd_program_memory) + threadIdx.x,
                    blockIdx.x * each * ND_PROGRAM_THREADS + threadIdx.x,
                    {},
                    false};
#pragma unroll 1
  for (int i = 0; i < p.length; i++) {
    const nd_instruction s = p.code[i];
    if (s.kind == ND_LOAD)
      t.load (s);
    else if (s.kind == ND_STORE)
      t.store (s);
    else
      t.compute (s);
  }
  nd_answer (t.out, p.outside);
}

} // namespace

template <class T> cudaError_t nd_launch_program (const nd_program &p, cudaStream_t stream)
{
  constexpr int each = nd_program_each<T>;
  const unsigned blocks = (p.n + ND_PROGRAM_THREADS * each - 1) / (ND_PROGRAM_THREADS * each);
  const size_t shared = (size_t)p.slots * ND_PROGRAM_THREADS * each * sizeof (T);
  nd_interpret<T><<<blocks, ND_PROGRAM_THREADS, shared, stream>>> (p);
  return cudaGetLastError ();
}

template cudaError_t nd_launch_program<T> (const nd_program &p, cudaStream_t stream);

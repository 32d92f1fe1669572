// nd_interpret.cuh: the kernel of nd_program.cuh for one type of values
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_ND_INTERPRET_CUH
#define GPULINALG_ND_INTERPRET_CUH

#include "nd_functions.cuh"
#include "nd_program.cuh"

namespace
{

template <class T> GLA_DEVICE T nd_same_or_function (const nd_instruction &s, T x, T y, bool &out)
{
  if (s.kind == ND_SAME)
    return nd_same (s.op, x, y, s.x_real, s.y_real);
  out = out || nd_leaves (s.op, x, y);
  return nd_function (s.op, x, y, s.x_real, s.y_real);
}

// The operation of a step. Values without imaginary part are computed with as real ones, so that
// the bits are those of real arrays. Not inlined: it is long, and called for each element.
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

// Those of real values that take less time than a call.
template <class T> GLA_DEVICE T nd_step_inline (const nd_instruction &s, T x, T y, bool &out)
{
  if constexpr (!is_complex_v<T>) {
    if (s.kind == ND_SAME && s.op == GLA_ND_ADD)
      return rounded_sum (x, y);
    if (s.kind == ND_SAME && s.op == GLA_ND_SUB)
      return rounded_sum (x, -y);
    if (s.kind == ND_SAME && s.op == GLA_ND_MUL)
      return rounded_product (x, y);
  }
  return nd_step (s, x, y, out);
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

// The values of the elements of one thread.
template <class T> struct nd_values {
  static constexpr int each = nd_program_each<T>;
  T *slots;       // of this thread: element k of slot s is slots[(s * each + k) * threads]
  T before[each]; // the result of the instruction before

  GLA_DEVICE T get (const nd_program &p, int from, int k) const
  {
    if (from == ND_BEFORE)
      return before[k];
    if (from >= ND_NUMBER)
      return nd_convert<T> (
          cx<double>{p.number[from - ND_NUMBER][0], p.number[from - ND_NUMBER][1]});
    return slots[(from * each + k) * ND_PROGRAM_THREADS];
  }
  GLA_DEVICE void put (int to, int k, T v) { slots[(to * each + k) * ND_PROGRAM_THREADS] = v; }
  GLA_DEVICE void set (int to, int k, T v)
  {
    before[k] = v;
    if (to != ND_NOWHERE)
      put (to, k, v);
  }
};

template <class T>
__global__ void __launch_bounds__ (ND_PROGRAM_THREADS) nd_interpret (nd_program p)
{
  extern __shared__ __align__ (16) unsigned char nd_program_memory[];
  constexpr int each = nd_program_each<T>;
  nd_values<T> v;
  v.slots = reinterpret_cast<T *> (nd_program_memory) + threadIdx.x;
  const uint32_t first = blockIdx.x * each * ND_PROGRAM_THREADS + threadIdx.x;
  bool out = false;
#pragma unroll
  for (int k = 0; k < each; k++)
    v.before[k] = from_real<T> (0);
#pragma unroll 1
  for (int i = 0; i < p.length; i++) {
    const nd_instruction s = p.code[i];
#pragma unroll
    for (int k = 0; k < each; k++) {
      const uint32_t e = first + k * ND_PROGRAM_THREADS;
      if (e >= p.n)
        break;
      if (s.kind == ND_LOAD)
        v.put (s.to, k, nd_program_load<T> (p.in[s.x], nd_program_place (p, p.in[s.x], e)));
      else if (s.kind == ND_STORE)
        nd_program_store (p.out[s.to], nd_program_place (p, p.out[s.to], e), v.get (p, s.x, k));
      else if (s.kind == ND_CHOOSE)
        v.set (s.to, k, is_zero (v.get (p, s.z, k)) ? v.get (p, s.y, k) : v.get (p, s.x, k));
      else
        v.set (s.to, k, nd_step_inline (s, v.get (p, s.x, k), v.get (p, s.y, k), out));
    }
  }
  if (out && p.outside != nullptr)
    *p.outside = 1;
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

#endif

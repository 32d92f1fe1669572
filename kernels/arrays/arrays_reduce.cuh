// arrays_reduce.cuh: sums, products and extremes of slices: kernels for one type of elements, and
// their steps
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A slice of n elements is cut into segments of 256. A segment has 8 partial results; number l has
// the elements l, l+8, l+16, .. in their order, and the partial results are combined in pairs: 0
// with 4, 1 with 5, 2 with 6, 3 with 7, and so on. The results of the segments form a shorter
// slice, which is reduced in the same way until one element is left. So the order depends on n
// alone.
//
// If slices are interleaved (inner > 1), two lanes of a warp have a segment, four partial results
// each, and 16 consecutive lanes have neighbouring slices; if that would leave most of the GPU
// idle, eight lanes have a segment, a partial result each, and four lanes neighbouring slices. A
// lane reads eight elements before it adds. If a slice is contiguous, eight lanes have a segment, a
// partial result each.

#ifndef GPULINALG_ARRAYS_REDUCE_CUH
#define GPULINALG_ARRAYS_REDUCE_CUH

#include "arrays_math.cuh"
#include "engine/heap.cuh"

// REDUCE_FEW: segments with two lanes each that fill about a quarter of a large GPU.
enum { SEGMENT_LENGTH = 256, PARTS = 8, REDUCE_THREADS = 256, REDUCE_FEW = 32768 };

// Arguments of one step: x is inner x n x outer, to is inner x segments x outer.
struct nd_reduction {
  const void *x;
  void *to;
  const double *index; // of the elements of x, from 1; NULL: their own positions
  double *to_index;    // NULL: not wanted
  int64_t inner, n, outer, segments;
  bool smaller, finish; // MIN; the last step
};

namespace
{

// What is accumulated: `of` makes it from an element, `join` from two, and `next` from one and a
// later element. After the first step the elements already have the type A.
template <class A> struct joined_sum {
  typedef A type;
  static GLA_DEVICE A start () { return from_real<A> (0); }
  static GLA_DEVICE A join (A a, A b, bool) { return add (a, b, false); }
  static GLA_DEVICE A next (A a, A b, bool) { return add (a, b, false); }
};
template <class A> struct joined_product {
  typedef A type;
  static GLA_DEVICE A start () { return from_real<A> (1); }
  static GLA_DEVICE A join (A a, A b, bool) { return multiply (a, b, false, false); }
  static GLA_DEVICE A next (A a, A b, bool) { return multiply (a, b, false, false); }
};
struct joined_any {
  typedef unsigned char type;
  static GLA_DEVICE type start () { return 0; }
  static GLA_DEVICE type join (type a, type b, bool) { return a | b; }
  static GLA_DEVICE type next (type a, type b, bool) { return a | b; }
};
struct joined_all {
  typedef unsigned char type;
  static GLA_DEVICE type start () { return 1; }
  static GLA_DEVICE type join (type a, type b, bool) { return a & b; }
  static GLA_DEVICE type next (type a, type b, bool) { return a & b; }
};

// An extreme and its position; position 0: there is none yet.
template <class T> struct extreme {
  T value;
  double at;
};
template <class T> struct joined_extreme {
  typedef extreme<T> type;
  static GLA_DEVICE type start () { return {from_real<T> (0), 0}; }
  // NaN is replaced by everything; of equal elements the first one stays.
  static GLA_DEVICE type join (type a, type b, bool smaller)
  {
    if (a.at == 0 || b.at == 0)
      return a.at == 0 ? b : a;
    if (is_nan (a.value) || is_nan (b.value)) {
      if (is_nan (a.value) && is_nan (b.value))
        return a.at < b.at ? a : b;
      return is_nan (a.value) ? b : a;
    }
    if (smaller ? less (b.value, a.value) : less (a.value, b.value))
      return b;
    if (smaller ? less (a.value, b.value) : less (b.value, a.value))
      return a;
    return a.at < b.at ? a : b;
  }
  static GLA_DEVICE type next (type a, type b, bool smaller)
  {
    if constexpr (is_complex_v<T>)
      return join (a, b, smaller);
    else {
      const bool better = smaller ? b.value < a.value : b.value > a.value;
      return better || a.at == 0 || (is_nan (a.value) && !is_nan (b.value)) ? b : a;
    }
  }
};

// element -> what is accumulated
struct read_plain {
  template <class A, class S> static GLA_DEVICE A of (S s, double) { return nd_convert<A> (s); }
};
struct read_square {
  template <class A, class S> static GLA_DEVICE A of (S s, double)
  {
    const A x = (A)re (s), y = (A)im (s);
    return is_complex_v<S> ? rounded_sum (rounded_product (x, x), rounded_product (y, y))
                           : rounded_product (x, x);
  }
};
struct read_nonzero {
  template <class A, class S> static GLA_DEVICE A of (S s, double) { return !is_zero (s); }
};
struct read_byte {
  template <class A, class S> static GLA_DEVICE A of (S s, double) { return s != 0; }
};
struct read_extreme {
  template <class A, class S> static GLA_DEVICE A of (S s, double at) { return {s, at}; }
};

GLA_DEVICE unsigned char shuffled (unsigned char a, int mask)
{
  return (unsigned char)__shfl_xor_sync (0xffffffffu, (int)a, mask);
}
GLA_DEVICE float shuffled (float a, int mask)
{
  return shuffle_xor (a, mask);
}
GLA_DEVICE double shuffled (double a, int mask)
{
  return shuffle_xor (a, mask);
}
template <class R> GLA_DEVICE cx<R> shuffled (cx<R> a, int mask)
{
  return shuffle_xor (a, mask);
}
template <class T> GLA_DEVICE extreme<T> shuffled (extreme<T> a, int mask)
{
  return {shuffled (a.value, mask), shuffled (a.at, mask)};
}

template <class O, class A> GLA_DEVICE void reduce_store (const nd_reduction &r, int64_t at, A a)
{
  O *to = static_cast<O *> (r.to);
  if constexpr (is_complex_v<A> && !is_complex_v<O>)
    to[at] = (O)a.x;
  else
    to[at] = nd_convert<O> (a);
}
template <class O> GLA_DEVICE void reduce_store (const nd_reduction &r, int64_t at, unsigned char a)
{
  static_cast<unsigned char *> (r.to)[at] = a;
}
template <class O, class T>
GLA_DEVICE void reduce_store (const nd_reduction &r, int64_t at, extreme<T> a)
{
  static_cast<T *> (r.to)[at] = a.value;
  if (r.to_index != nullptr)
    r.to_index[at] = a.at;
}

template <class J, class F, class S>
GLA_DEVICE typename J::type reduce_read (const nd_reduction &r, int64_t at, int64_t j)
{
  typedef typename J::type A;
  const double position = r.index != nullptr ? r.index[at] : (double)(j + 1);
  return F::template of<A> (static_cast<const S *> (r.x)[at], position);
}

// Does a lane's part of a segment: its partial results are number `lane`, lane + LANES and so on.
template <class J, class F, class S, int LANES>
GLA_DEVICE typename J::type reduce_segment (const nd_reduction &r, int64_t first, int64_t last,
                                            int64_t base, int lane)
{
  typedef typename J::type A;
  constexpr int OWN = PARTS / LANES;
  A part[OWN];
#pragma unroll
  for (int l = 0; l < OWN; l++)
    part[l] = J::start ();
  int64_t j = first + lane;
  // all of LANES rounds are read before the first is joined
  for (; j + (LANES - 1) * PARTS + (OWN - 1) * LANES < last; j += LANES * PARTS) {
    A x[LANES][OWN];
#pragma unroll
    for (int k = 0; k < LANES; k++)
#pragma unroll
      for (int l = 0; l < OWN; l++) {
        const int64_t at = j + k * PARTS + l * LANES;
        x[k][l] = reduce_read<J, F, S> (r, base + at * r.inner, at);
      }
#pragma unroll
    for (int k = 0; k < LANES; k++)
#pragma unroll
      for (int l = 0; l < OWN; l++)
        part[l] = J::next (part[l], x[k][l], r.smaller);
  }
  for (; j < last; j += PARTS)
#pragma unroll
    for (int l = 0; l < OWN; l++) {
      const int64_t at = j + l * LANES;
      if (at < last)
        part[l] = J::next (part[l], reduce_read<J, F, S> (r, base + at * r.inner, at), r.smaller);
    }
#pragma unroll
  for (int half = OWN / 2; half > 0; half /= 2)
#pragma unroll
    for (int l = 0; l < half; l++)
      part[l] = J::join (part[l], part[l + half], r.smaller);
  return part[0];
}

// Slices are interleaved. The lanes of a segment are 32 / LANES lanes of the warp apart.
template <class J, class F, class S, class O, int LANES>
__global__ void __launch_bounds__ (REDUCE_THREADS) reduce_beside (nd_reduction r)
{
  typedef typename J::type A;
  constexpr int BESIDE = 32 / LANES;
  const int lane = threadIdx.x % 32 / BESIDE;
  const int64_t warp = ((int64_t)blockIdx.x * REDUCE_THREADS + threadIdx.x) / 32;
  const int64_t slot = warp * BESIDE + threadIdx.x % BESIDE;
  const int64_t i = slot % r.inner, rest = slot / r.inner;
  const int64_t segment = rest % r.segments, o = rest / r.segments;
  const bool here = o < r.outer;
  const int64_t first = segment * SEGMENT_LENGTH;
  const int64_t last = first + SEGMENT_LENGTH < r.n ? first + SEGMENT_LENGTH : r.n;
  A part =
      reduce_segment<J, F, S, LANES> (r, first, here ? last : first, o * r.n * r.inner + i, lane);
#pragma unroll
  for (int half = LANES / 2; half > 0; half /= 2) {
    const A other = shuffled (part, half * BESIDE);
    part = (lane & half) ? J::join (other, part, r.smaller) : J::join (part, other, r.smaller);
  }
  if (here && lane == 0)
    reduce_store<O> (r, (o * r.segments + segment) * r.inner + i, part);
}

// Slices are contiguous. Each PARTS = 8 lanes of a warp have one segment, a partial result each;
// groups of lanes have the segments in their order.
template <class J, class F, class S, class O>
__global__ void __launch_bounds__ (REDUCE_THREADS) reduce_contiguous (nd_reduction r)
{
  typedef typename J::type A;
  const int lane = threadIdx.x % PARTS;
  const int64_t slot = ((int64_t)blockIdx.x * REDUCE_THREADS + threadIdx.x) / PARTS;
  const int64_t segment = slot % r.segments, o = slot / r.segments;
  const bool here = o < r.outer;
  const int64_t first = segment * SEGMENT_LENGTH, base = o * r.n;
  int64_t last = first + SEGMENT_LENGTH < r.n ? first + SEGMENT_LENGTH : r.n;
  if (!here)
    last = 0;
  A part = J::start ();
  int64_t j = first + lane;
  for (; j + 3 * PARTS < last; j += 4 * PARTS) {
    A x[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
      x[k] = reduce_read<J, F, S> (r, base + j + k * PARTS, j + k * PARTS);
#pragma unroll
    for (int k = 0; k < 4; k++)
      part = J::next (part, x[k], r.smaller);
  }
  for (; j < last; j += PARTS)
    part = J::next (part, reduce_read<J, F, S> (r, base + j, j), r.smaller);
#pragma unroll
  for (int half = PARTS / 2; half > 0; half /= 2) {
    const A other = shuffled (part, half);
    part = (lane & half) ? J::join (other, part, r.smaller) : J::join (part, other, r.smaller);
  }
  if (here && lane == 0)
    reduce_store<O> (r, o * r.segments + segment, part);
}

template <class J, class F, class S, class O>
cudaError_t reduce_launch (const nd_reduction &r, cudaStream_t stream)
{
  const int64_t results = r.segments * r.outer * r.inner;
  const auto blocks = [results] (int lanes) {
    return (unsigned)((results * lanes + REDUCE_THREADS - 1) / REDUCE_THREADS);
  };
  if (r.inner == 1)
    reduce_contiguous<J, F, S, O><<<blocks (PARTS), REDUCE_THREADS, 0, stream>>> (r);
  else if (results < REDUCE_FEW)
    reduce_beside<J, F, S, O, PARTS><<<blocks (PARTS), REDUCE_THREADS, 0, stream>>> (r);
  else
    reduce_beside<J, F, S, O, 2><<<blocks (2), REDUCE_THREADS, 0, stream>>> (r);
  return cudaGetLastError ();
}

// The first step reads elements S and writes accumulators A, and the last one writes the type O of
// the result.
template <class J, class F, class S, class O>
cudaError_t reduce_step (const nd_reduction &r, bool first, cudaStream_t stream)
{
  typedef typename J::type A;
  if (first)
    return r.finish ? reduce_launch<J, F, S, O> (r, stream) : reduce_launch<J, F, S, A> (r, stream);
  return r.finish ? reduce_launch<J, read_plain, A, O> (r, stream)
                  : reduce_launch<J, read_plain, A, A> (r, stream);
}
template <class J, class F, class S>
cudaError_t reduce_bytes (const nd_reduction &r, bool first, cudaStream_t stream)
{
  return first ? reduce_launch<J, F, S, unsigned char> (r, stream)
               : reduce_launch<J, read_byte, unsigned char, unsigned char> (r, stream);
}

template <class T> struct accumulated {
  typedef double type;
};
template <class R> struct accumulated<cx<R>> {
  typedef cx<double> type;
};

// Reduces floating point elements.
template <class T>
cudaError_t reduce_type (gla_reduction op, const nd_reduction &r, bool first, cudaStream_t stream)
{
  typedef typename accumulated<T>::type A;
  switch (op) {
  case GLA_REDUCE_SUM:
    return reduce_step<joined_sum<A>, read_plain, T, T> (r, first, stream);
  case GLA_REDUCE_PROD:
    return reduce_step<joined_product<A>, read_plain, T, T> (r, first, stream);
  case GLA_REDUCE_SUMSQ:
    return reduce_step<joined_sum<double>, read_square, T, real_t<T>> (r, first, stream);
  case GLA_REDUCE_ANY:
    return reduce_bytes<joined_any, read_nonzero, T> (r, first, stream);
  case GLA_REDUCE_ALL:
    return reduce_bytes<joined_all, read_nonzero, T> (r, first, stream);
  default:
    return reduce_launch<joined_extreme<T>, read_extreme, T, T> (r, stream);
  }
}

} // namespace

// Do what reduce_type does for elements of one type; also of logical ones ('b').
cudaError_t nd_reduce_s (gla_reduction op, const nd_reduction &r, bool first, cudaStream_t stream);
cudaError_t nd_reduce_d (gla_reduction op, const nd_reduction &r, bool first, cudaStream_t stream);
cudaError_t nd_reduce_c (gla_reduction op, const nd_reduction &r, bool first, cudaStream_t stream);
cudaError_t nd_reduce_z (gla_reduction op, const nd_reduction &r, bool first, cudaStream_t stream);
cudaError_t nd_reduce_b (gla_reduction op, const nd_reduction &r, bool first, cudaStream_t stream);

//------------------------------------------------------------------------------
// reductions and scans of slices, with the memory that they need
//------------------------------------------------------------------------------

// Does a step of a reduction of elements of this type; after the first step `type` is still that of
// the first.
cudaError_t nd_reduce_step (gla_reduction op, int type, const nd_reduction &r, bool first,
                            cudaStream_t stream);
// `to` may be the array itself if its type is that of the sums.
gla_status nd_scan (cuda_engine *e, gla_reduction op, const gla_slices *x, void *to);

#endif

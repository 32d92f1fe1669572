// fun_small.cu: functions of Hermitian pages up to order 32, by one kernel
// SPDX-License-Identifier: GPL-3.0-or-later

#include "fun.cuh"

namespace
{

enum { THREADS = 256 };

// Adds x*conj (y) in two parts. Parts that an element and its mirror image have in common have the
// same bits, also if y is x with another sign: so the result is exactly Hermitian where all values
// are real.
template <class R> GLA_DEVICE void add (R x, R y, R &a, R &)
{
  a += x * y;
}
template <class R> GLA_DEVICE void add (R x, cx<R> y, cx<R> &a, cx<R> &)
{
  a.x += x * y.x;
  a.y -= x * y.y;
}
template <class R> GLA_DEVICE void add (cx<R> x, cx<R> y, cx<R> &a, cx<R> &b)
{
  a.x += x.x * y.x;
  a.y += x.y * y.x;
  b.x += x.y * y.y;
  b.y -= x.x * y.y;
}
GLA_DEVICE float total (float a, float)
{
  return a;
}
GLA_DEVICE double total (double a, double)
{
  return a;
}
template <class R> GLA_DEVICE cx<R> total (cx<R> a, cx<R> b)
{
  return a + b;
}

// Threads along a side of a page, each with 2x2 elements, and the pages of a block.
__host__ __device__ int side_of (int n)
{
  return (n + 1) / 2;
}
__host__ __device__ int pages_in_block (int n)
{
  return THREADS / (side_of (n) * side_of (n));
}

// The shared memory of a block: values, for each page the first value that is not finite and
// its state, Y and X.
template <class T, class E> struct shared_part {
  fun_value *values;
  int *first, *state;
  E *Y;
  T *X;
  size_t bytes;
  __host__ __device__ shared_part (char *base, int n)
  {
    const size_t pages = pages_in_block (n), elements = pages * n * n;
    size_t at = 0;
    values = reinterpret_cast<fun_value *> (base);
    at += (pages * n * sizeof (fun_value) + 15) / 16 * 16;
    first = reinterpret_cast<int *> (base + at);
    state = first + pages;
    at += (2 * pages * sizeof (int) + 15) / 16 * 16;
    Y = reinterpret_cast<E *> (base + at);
    at += (elements * sizeof (E) + 15) / 16 * 16;
    X = reinterpret_cast<T *> (base + at);
    bytes = at + elements * sizeof (T);
  }
};

// Finds the values of the block's pages, the first that is not finite of each, and whether one is
// not real.
template <class T, class E>
GLA_DEVICE void find_values (const fun_args<T, E> &a, const shared_part<T, E> &s, int64_t page0,
                             int pages)
{
  const int n = a.rule.n;
  for (int p = threadIdx.x; p < pages; p += THREADS) {
    s.first[p] = n;
    s.state[p] = 0;
  }
  __syncthreads ();
  for (int k = threadIdx.x; k < pages * n; k += THREADS) {
    const int p = k / n, j = k % n;
    const fun_value f = fun_of_page (a.rule, a.lambda + (page0 + p) * n, page0 + p, j);
    s.values[k] = f;
    if (!fun_is_finite (a.rule.is_single, f))
      atomicMin (&s.first[p], j);
    if (f.im != 0)
      atomicOr (&s.state[p], FUN_NOT_REAL);
  }
  __syncthreads ();
  for (int p = threadIdx.x; p < pages; p += THREADS) {
    const fun_verdict v =
        fun_judge (a.rule, a.info[page0 + p], s.first[p], s.state[p] & FUN_NOT_REAL);
    a.info[page0 + p] = v.info;
    s.state[p] = (v.state & FUN_FAILED) != 0 ? v.info : 0; // from here on the page's info
  }
}

// Finds X and Y of the block's pages, whose eigenvectors are contiguous.
template <class T, class E>
GLA_DEVICE void find_factors (const fun_args<T, E> &a, const shared_part<T, E> &s, int64_t page0,
                              int pages)
{
  typedef real_t<T> R;
  const int n = a.rule.n, n2 = n * n;
  const T *V = a.V + page0 * n2;
  for (int k = threadIdx.x; k < pages * n2; k += THREADS) {
    const fun_value f = s.values[k / n];
    const T x = scale ((R)f.root, V[k]);
    s.X[k] = x;
    s.Y[k] = fun_turn (x, (R)f.re, (R)f.im, E ());
  }
}

// A block has some pages whose eigenvectors are contiguous: one page of order 23 to 32, 256 pages
// of order 1 or 2. The threads first share the values, then the elements of X and Y, which they put
// in shared memory. Then each has 2x2 elements of one page's product in its registers: rows i and i
// + side, so that neighbours read neighbouring elements, and columns k and k + side.
template <class T, class E>
__global__ void __launch_bounds__ (THREADS) fun_small_kernel (fun_args<T, E> a)
{
  extern __shared__ __align__ (16) char memory[];
  const int n = a.rule.n, side = side_of (n), in_block = pages_in_block (n);
  const int64_t page0 = (int64_t)blockIdx.x * in_block;
  const int pages = (int)(a.pages - page0 < in_block ? a.pages - page0 : in_block);
  const shared_part<T, E> s (memory, n);
  find_values (a, s, page0, pages);
  find_factors (a, s, page0, pages);
  __syncthreads ();
  const int p = threadIdx.x / (side * side), tile = threadIdx.x % (side * side);
  if (p >= pages)
    return;
  const int i = tile % side, k = tile / side;
  const int i1 = i + side < n ? i + side : i, k1 = k + side < n ? k + side : k;
  const T *X = s.X + p * n * n;
  const E *Y = s.Y + p * n * n;
  E sums[4] = {}, turned[4] = {};
  for (int j = 0; j < n; j++, X += n, Y += n) {
    const T x[2] = {X[i], X[i1]};
    const E y[2] = {Y[k], Y[k1]};
#pragma unroll
    for (int e = 0; e < 4; e++)
      add (x[e % 2], y[e / 2], sums[e], turned[e]);
  }
  E *F = a.F + (page0 + p) * a.page_f;
  const int32_t info = s.state[p];
  const E fill =
      fun_element<E> (fun_fill (a.rule, info, s.values[p * n + (s.first[p] < n ? s.first[p] : 0)]));
#pragma unroll
  for (int e = 0; e < 4; e++)
    if (i + e % 2 * side < n && k + e / 2 * side < n)
      F[(k + e / 2 * side) * a.ldf + i + e % 2 * side] =
          info != 0 ? fill : total (sums[e], turned[e]);
}

} // namespace

template <class T, class E> cudaError_t fun_small (const fun_args<T, E> &a)
{
  const shared_part<T, E> s (nullptr, a.rule.n);
  const int64_t in_block = pages_in_block (a.rule.n), blocks = (a.pages + in_block - 1) / in_block;
  fun_small_kernel<T, E><<<(unsigned)blocks, THREADS, s.bytes, a.stream>>> (a);
  return cudaGetLastError ();
}

template cudaError_t fun_small (const fun_args<float, float> &);
template cudaError_t fun_small (const fun_args<double, double> &);
template cudaError_t fun_small (const fun_args<cx<float>, cx<float>> &);
template cudaError_t fun_small (const fun_args<cx<double>, cx<double>> &);
template cudaError_t fun_small (const fun_args<float, cx<float>> &);
template cudaError_t fun_small (const fun_args<double, cx<double>> &);

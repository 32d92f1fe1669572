// diag.cu: diagonals and traces of pages
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All kernels are bound by memory. For diagonals and matrices a thread has an element of the
// result, and neighbouring threads of a row (threadIdx.x) have neighbouring elements of a page, so
// that they write whole lines. threadIdx.y and blockIdx.y count pages; blockIdx.x counts the blocks
// of a page. For traces a thread has a page, because its sum is formed in order; eight loads are
// issued before their sums.

#include "diag.cuh"

namespace
{

enum { THREADS = 128, GRID_MAX = 65535 };

// Returns element `at` of the result of a page, counted along its columns.
template <class T> GLA_DEVICE T element_of (const diag_args<T> &a, const T *A, int64_t at)
{
  if (a.what == GLA_DIAG_TAKE)
    return A[at * a.step];
  // a 32-bit division takes a fifth of the time
  const bool narrow = at <= UINT32_MAX && a.rows <= UINT32_MAX;
  const int64_t j = narrow ? (uint32_t)at / (uint32_t)a.rows : at / a.rows;
  const int64_t i = at - j * a.rows, q = j - a.column;
  return q >= 0 && q < a.n && i - a.row == q ? A[q * a.step] : T{};
}

// A thread has an element of the result; blockIdx.x counts blocks of a page, threadIdx.y and
// blockIdx.y count pages.
template <class T> __global__ void __launch_bounds__ (THREADS) element_kernel (diag_args<T> a)
{
  const int64_t count = a.rows * a.columns;
  const bool gaps = a.columns > 1 && a.ld > a.rows; // after the columns of D
  for (int64_t p = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; p < a.pages;
       p += (int64_t)gridDim.y * blockDim.y)
    for (int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; at < count;
         at += (int64_t)gridDim.x * blockDim.x) {
      const int64_t to = gaps ? at + at / a.rows * (a.ld - a.rows) : at;
      a.D[p * a.D_page + to] = element_of (a, a.A + p * a.A_page, at);
    }
}

GLA_DEVICE float plus (float x, float y)
{
  return __fadd_rn (x, y);
}
GLA_DEVICE double plus (double x, double y)
{
  return __dadd_rn (x, y);
}
template <class R> GLA_DEVICE cx<R> plus (cx<R> x, cx<R> y)
{
  return {plus (x.x, y.x), plus (x.y, y.y)};
}

// A thread has a page, in a grid-stride loop.
template <class T> __global__ void __launch_bounds__ (THREADS) trace_kernel (diag_args<T> a)
{
  for (int64_t p = (int64_t)blockIdx.x * THREADS + threadIdx.x; p < a.pages;
       p += (int64_t)gridDim.x * THREADS) {
    T sum = {};
#pragma unroll 8
    for (int64_t q = 0; q < a.n; q++)
      sum = plus (sum, a.A[p * a.A_page + q * a.step]);
    a.D[p * a.D_page] = sum;
  }
}

unsigned blocks_for (int64_t work, int64_t threads)
{
  const int64_t blocks = (work - 1) / threads + 1;
  return (unsigned)(blocks < GRID_MAX ? blocks : GRID_MAX);
}

} // namespace

template <class T> cudaError_t diag_pages (const diag_args<T> &a, cudaStream_t stream)
{
  if (a.what == GLA_DIAG_TRACE) {
    trace_kernel<T><<<blocks_for (a.pages, THREADS), THREADS, 0, stream>>> (a);
    return cudaGetLastError ();
  }
  const int64_t count = a.rows * a.columns;
  unsigned wide = 1;
  while (wide < THREADS && wide < count)
    wide *= 2;
  const dim3 threads (wide, THREADS / wide);
  const dim3 blocks (blocks_for (count, threads.x), blocks_for (a.pages, threads.y));
  element_kernel<T><<<blocks, threads, 0, stream>>> (a);
  return cudaGetLastError ();
}

template cudaError_t diag_pages<float> (const diag_args<float> &, cudaStream_t);
template cudaError_t diag_pages<double> (const diag_args<double> &, cudaStream_t);
template cudaError_t diag_pages<cx<float>> (const diag_args<cx<float>> &, cudaStream_t);
template cudaError_t diag_pages<cx<double>> (const diag_args<cx<double>> &, cudaStream_t);

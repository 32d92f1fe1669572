// norm.cu: norms of pages, a thread block for each page that is not small
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sums are formed in double precision and in an order that depends on the sizes alone.

#include "common/reduce.cuh"
#include "norm.cuh"

namespace
{

enum { THREADS = 128, WARPS = THREADS / 32 };

// The lanes of a warp share a column.
template <class T> GLA_DEVICE double norm_one (const norm_args<T> &a, const T *A, double *work)
{
  double most = 0;
  for (int64_t j = threadIdx.x / 32; j < a.n; j += WARPS) {
    double sum = 0;
    for (int64_t i = threadIdx.x % 32; i < a.m; i += 32)
      sum += magnitude (A[j * a.ld + i]);
    for (int mask = 16; mask > 0; mask /= 2)
      sum += shuffle_xor (sum, mask);
    most = larger (most, sum);
  }
  return over_block<THREADS, true> (most, work);
}

// A thread has a row.
template <class T> GLA_DEVICE double norm_inf (const norm_args<T> &a, const T *A, double *work)
{
  double most = 0;
  for (int64_t i = threadIdx.x; i < a.m; i += THREADS) {
    double sum = 0;
    for (int64_t j = 0; j < a.n; j++)
      sum += magnitude (A[j * a.ld + i]);
    most = larger (most, sum);
  }
  return over_block<THREADS, true> (most, work);
}

// Scales by a power of 2, so that no square overflows or underflows.
template <class T>
GLA_DEVICE double norm_frobenius (const norm_args<T> &a, const T *A, double *work)
{
  double most = 0, squares = 0;
  for (int64_t k = threadIdx.x; k < a.m * a.n; k += THREADS)
    most = larger (most, (double)absmax (A[k / a.m * a.ld + k % a.m]));
  most = over_block<THREADS, true> (most, work);
  if (!(most > 0 && most <= DBL_MAX))
    return most;
  const int exponent = max (ilogb (most), -1000);
  const double down = times_power (1.0, -exponent);
  for (int64_t k = threadIdx.x; k < a.m * a.n; k += THREADS) {
    const T element = A[k / a.m * a.ld + k % a.m];
    const double x = (double)re (element) * down, y = (double)im (element) * down;
    squares = fma (x, x, fma (y, y, squares));
  }
  return times_power (sqrt (over_block<THREADS, false> (squares, work)), exponent);
}

// A block has a page, in a grid-stride loop over the pages. Its warps have columns for the 1-norm,
// its threads rows for the Inf-norm and elements for the Frobenius norm.
template <class T> __global__ void __launch_bounds__ (THREADS) norm_kernel (norm_args<T> a)
{
  __shared__ double work[WARPS];
  for (int64_t page = blockIdx.x; page < a.pages; page += gridDim.x) {
    const T *A = a.A + page * a.page;
    double norm = a.norm == GLA_NORM_ONE   ? norm_one (a, A, work)
                  : a.norm == GLA_NORM_INF ? norm_inf (a, A, work)
                                           : norm_frobenius (a, A, work);
    if (threadIdx.x == 0)
      a.norms[page * a.norm_stride] = (real_t<T>)norm;
  }
}

} // namespace

template <class T> cudaError_t norm_pages (const norm_args<T> &a, cudaStream_t stream)
{
  if (norm_is_small (a.m, a.n))
    return norm_small_pages (a, stream);
  const unsigned blocks = (unsigned)(a.pages < NORM_GRID_MAX ? a.pages : NORM_GRID_MAX);
  norm_kernel<T><<<blocks, THREADS, 0, stream>>> (a);
  return cudaGetLastError ();
}

template cudaError_t norm_pages<float> (const norm_args<float> &, cudaStream_t);
template cudaError_t norm_pages<double> (const norm_args<double> &, cudaStream_t);
template cudaError_t norm_pages<cx<float>> (const norm_args<cx<float>> &, cudaStream_t);
template cudaError_t norm_pages<cx<double>> (const norm_args<cx<double>> &, cudaStream_t);

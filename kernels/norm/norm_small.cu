// norm_small.cu: norms of small pages, some lanes of a warp for each page
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A group of 4, 8, 16 or 32 neighbouring lanes has a page: at most 8 elements a lane while the page
// has fewer than 256. The groups of a block have neighbouring pages, so that a warp reads
// neighbouring memory. Lanes have elements cyclically for the Frobenius norm, rows for the
// Inf-norm, and columns for the 1-norm. The size of the group depends on m and n alone, and so does
// the order of all sums.

#include "norm.cuh"

namespace
{

enum { THREADS = 128 };

// Returns the sum, or the largest, over the lanes of a group.
template <int LANES, bool LARGEST> GLA_DEVICE double over_group (double a)
{
#pragma unroll
  for (int mask = LANES / 2; mask > 0; mask /= 2) {
    const double other = shuffle_xor (a, mask);
    a = LARGEST ? larger (a, other) : a + other;
  }
  return a;
}

// A lane adds the magnitudes of its rows (`inner` steps over columns) or of its columns.
template <int LANES, class T>
GLA_DEVICE double largest_sum (const T *A, int lane, int outer, int inner, int64_t outer_step,
                               int64_t inner_step)
{
  double most = 0;
  for (int i = lane; i < outer; i += LANES) {
    double sum = 0;
    for (int j = 0; j < inner; j++)
      sum += magnitude (A[i * outer_step + j * inner_step]);
    most = larger (most, sum);
  }
  return over_group<LANES, true> (most);
}

// Sums the squares of the elements times 2^-exponent.
template <int LANES, class T>
GLA_DEVICE double sum_of_squares (const T *A, int lane, int m, int n, int64_t ld, int exponent)
{
  const double down = times_power (1.0, -exponent);
  double squares = 0;
  for (int k = lane; k < m * n; k += LANES) {
    const T element = A[k / m * ld + k % m];
    const double x = (double)re (element) * down, y = (double)im (element) * down;
    squares = fma (x, x, fma (y, y, squares));
  }
  return over_group<LANES, false> (squares);
}

template <int LANES, class T>
GLA_DEVICE double frobenius (const T *A, int lane, int m, int n, int64_t ld)
{
  double most = 0;
  for (int k = lane; k < m * n; k += LANES)
    most = larger (most, (double)absmax (A[k / m * ld + k % m]));
  most = over_group<LANES, true> (most);
  const bool scalable = most > 0 && most <= DBL_MAX;
  const int exponent = scalable ? max (ilogb (most), -1000) : 0;
  const double squares = sum_of_squares<LANES> (A, lane, m, n, ld, exponent);
  return scalable ? times_power (sqrt (squares), exponent) : most;
}

// Groups without a page compute the last one again and write nothing: all lanes of a warp take part
// in its shuffles.
template <int LANES, class T>
__global__ void __launch_bounds__ (THREADS) small_norm_kernel (norm_args<T> a)
{
  const int lane = threadIdx.x % LANES, groups = THREADS / LANES;
  const int m = (int)a.m, n = (int)a.n;
  for (int64_t first = (int64_t)blockIdx.x * groups; first < a.pages;
       first += (int64_t)gridDim.x * groups) {
    const int64_t page = first + threadIdx.x / LANES;
    const T *A = a.A + (page < a.pages ? page : a.pages - 1) * a.page;
    const double norm = a.norm == GLA_NORM_ONE   ? largest_sum<LANES> (A, lane, n, m, a.ld, 1)
                        : a.norm == GLA_NORM_INF ? largest_sum<LANES> (A, lane, m, n, 1, a.ld)
                                                 : frobenius<LANES> (A, lane, m, n, a.ld);
    if (lane == 0 && page < a.pages)
      a.norms[page * a.norm_stride] = (real_t<T>)norm;
  }
}

template <int LANES, class T> cudaError_t launch (const norm_args<T> &a, cudaStream_t stream)
{
  const int64_t groups = THREADS / LANES, blocks = (a.pages + groups - 1) / groups;
  const unsigned grid = (unsigned)(blocks < NORM_GRID_MAX ? blocks : NORM_GRID_MAX);
  small_norm_kernel<LANES, T><<<grid, THREADS, 0, stream>>> (a);
  return cudaGetLastError ();
}

} // namespace

template <class T> cudaError_t norm_small_pages (const norm_args<T> &a, cudaStream_t stream)
{
  const int64_t elements = a.m * a.n;
  return elements <= 32    ? launch<4> (a, stream)
         : elements <= 64  ? launch<8> (a, stream)
         : elements <= 128 ? launch<16> (a, stream)
                           : launch<32> (a, stream);
}

template cudaError_t norm_small_pages<float> (const norm_args<float> &, cudaStream_t);
template cudaError_t norm_small_pages<double> (const norm_args<double> &, cudaStream_t);
template cudaError_t norm_small_pages<cx<float>> (const norm_args<cx<float>> &, cudaStream_t);
template cudaError_t norm_small_pages<cx<double>> (const norm_args<cx<double>> &, cudaStream_t);

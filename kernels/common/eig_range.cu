// eig_range.cu: the wanted part of the spectrum out of all eigenvalues and eigenvectors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Called by eig_chunk.cu and pairs_engine.cu, after all eigenvalues are known.

#include "eig_range.cuh"

#include <cmath>

namespace
{

enum { GRID_MAX = 65536, LARGE_PAGE = 2048, LARGE_BLOCKS = 256 };

// Counts the eigenvalues of the page that are at most x; NaN is not. All threads of the block call.
template <class R> __device__ int at_most (const R *lambda, int n, double x)
{
  int found = 0;
  for (int first = 0; first < n; first += blockDim.x) {
    int i = first + threadIdx.x;
    found += __syncthreads_count (i < n && (double)lambda[i] <= x);
  }
  return found;
}

template <class R> __device__ void set_nan (R *to)
{
  *to = (R)NAN;
}

template <class R> __device__ void set_nan (cx<R> *to)
{
  *to = {(R)NAN, 0};
}

// A block has one page, in a grid-stride loop over the pages; of large pages the blocks with the
// same page share the elements of the columns, which are contiguous in V. The threads of every
// block count eigenvalues.
template <class T> __global__ void take_range_kernel (eig_range_args<T> a)
{
  typedef real_t<T> R;
  for (int64_t page = blockIdx.x; page < a.pages; page += gridDim.x) {
    const R *lambda = a.lambda + page * a.n;
    const bool known = a.spans != nullptr;
    int first = known ? a.spans[page].first : a.interval ? at_most (lambda, a.n, a.vl) : a.first;
    int count = known        ? a.spans[page].count
                : a.interval ? at_most (lambda, a.n, a.vu) - first
                             : a.columns;
    if (!a.interval && count > 0 && lambda[first] != lambda[first])
      count = 0; // of a page that failed
    int stored = count < a.columns ? count : a.columns;
    if (threadIdx.x == 0)
      a.count[page] = count;
    for (int j = threadIdx.x; j < a.columns; j += blockDim.x) {
      R *to = a.to_lambda + page * a.page_lambda + j * a.inc_lambda;
      if (j < stored)
        *to = lambda[first + j];
      else
        set_nan (to);
    }
    const T *V = a.V + (page * a.n + first) * a.n;
    int elements = a.V != nullptr ? a.n * a.columns : 0; // n is at most 32768
    for (int k = blockIdx.y * blockDim.x + threadIdx.x; k < elements; k += gridDim.y * blockDim.x) {
      int j = k / a.n, i = k - j * a.n;
      T *to = a.to_V + page * a.page_v + j * a.ldv + i;
      if (j < stored)
        *to = V[k];
      else
        set_nan (to);
    }
  }
}

} // namespace

template <class T> cudaError_t eig_take_range (const eig_range_args<T> &a)
{
  unsigned blocks = (unsigned)(a.pages < GRID_MAX ? a.pages : GRID_MAX);
  unsigned of_page = a.n > LARGE_PAGE ? LARGE_BLOCKS : 1;
  int threads = a.n <= 8 ? 32 : a.n <= 16 ? 64 : 256;
  take_range_kernel<T><<<dim3 (blocks, of_page), threads, 0, a.stream>>> (a);
  return cudaGetLastError ();
}

template cudaError_t eig_take_range (const eig_range_args<float> &);
template cudaError_t eig_take_range (const eig_range_args<double> &);
template cudaError_t eig_take_range (const eig_range_args<cx<float>> &);
template cudaError_t eig_take_range (const eig_range_args<cx<double>> &);

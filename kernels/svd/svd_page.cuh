// svd_page.cuh: the entries of a page that a block has, and the power of two that scales it
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_PAGE_CUH
#define GPULINALG_SVD_PAGE_CUH

#include "common/scalar.cuh"
#include "common/svd_args.cuh"

// Element (i, j) of the page from A: with `flip` it is the transposed one, whose values are the
// same. f (i, j, a) by all threads.
template <class T, class F> GLA_DEVICE void for_page (const svd_args<T> &a, F f)
{
  const T *A = a.A.data + (int64_t)blockIdx.x * a.A.page;
  const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const int across = a.flip ? a.rows : a.columns, down = a.flip ? a.columns : a.rows;
  for (int c = threadIdx.x / 32; c < across; c += warps)
    for (int r = lane; r < down; r += 32)
      f (a.flip ? c : r, a.flip ? r : c, A[r + (int64_t)c * a.A.ld]);
}

// The exponent of the largest entry, or INT_MAX where one is not finite.
template <class T> GLA_DEVICE int exponent_of_page (const svd_args<T> &a)
{
  __shared__ double work[32];
  double most = 0;
  for_page (a, [&] (int, int, T x) {
    const double here = (double)absmax (x);
    most = here > most || here != here ? here : most;
  });
  for (int mask = 16; mask > 0; mask /= 2) {
    const double other = shuffle_xor (most, mask);
    most = other > most || other != other ? other : most;
  }
  if (threadIdx.x % 32 == 0)
    work[threadIdx.x / 32] = most;
  __syncthreads ();
  for (int w = 0; w < (int)blockDim.x / 32; w++)
    most = work[w] > most || work[w] != work[w] ? work[w] : most;
  return !(most <= DBL_MAX) ? INT_MAX : most > 0 ? ilogb (most) : 0;
}

#endif

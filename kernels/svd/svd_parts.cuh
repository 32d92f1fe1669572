// svd_parts.cuh: pages that are shared by some blocks of threads, for the kernels of svd_polar*.cu
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each page is shared by `parts` blocks of threads: block (x, y) is part x of pages y, y +
// gridDim.y, .. A part of a page is what its threads meet when they take every parts-th run of
// POLAR_THREADS entries. Sums of a page are added in the same order by every block that needs them.

#ifndef GPULINALG_SVD_PARTS_CUH
#define GPULINALG_SVD_PARTS_CUH

#include "common/reduce.cuh"
#include "svd_polar.cuh"

enum { POLAR_THREADS = 256, POLAR_GRID_MOST = 65535 };

template <class T> dim3 polar_grid (const polar_args<T> &a, unsigned across)
{
  return dim3 (across, (unsigned)(a.pages < POLAR_GRID_MOST ? a.pages : POLAR_GRID_MOST));
}

// f (i, j) for the entries of this block's part.
template <class F> GLA_DEVICE void for_entries (int n, int parts, F f)
{
  const int64_t all = (int64_t)n * n;
  for (int64_t k = (int64_t)blockIdx.x * POLAR_THREADS + threadIdx.x; k < all;
       k += (int64_t)parts * POLAR_THREADS)
    f ((int)(k % n), (int)(k / n));
}

GLA_DEVICE double sum_of_parts (const double *sum, int parts)
{
  double all = 0;
  for (int part = 0; part < parts; part++)
    all += sum[part];
  return all;
}

template <class T> GLA_DEVICE double square_of (T x)
{
  const double r = (double)re (x), i = (double)im (x);
  return fma (r, r, i * i);
}

#endif

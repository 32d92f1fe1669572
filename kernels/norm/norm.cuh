// norm.cuh: the kernel of page norms
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_NORM_CUH
#define GPULINALG_NORM_CUH

#include <cuda_runtime.h>

#include "common/scalar.cuh"
#include "gpulinalg.h"

// Pages on the device: element (i, j) of page p is A[p*page + j*ld + i].
template <class T> struct norm_args {
  const T *A;
  int64_t m, n, ld, page, pages;
  real_t<T> *norms;
  int64_t norm_stride;
  gla_norm norm;
};

template <class T> cudaError_t norm_pages (const norm_args<T> &a, cudaStream_t stream);

// Does the same for small pages; some lanes of a warp have a page (norm_small.cu).
template <class T> cudaError_t norm_small_pages (const norm_args<T> &a, cudaStream_t stream);

enum { NORM_SMALL = 1024, NORM_GRID_MAX = 65535 };

inline bool norm_is_small (int64_t m, int64_t n)
{
  return m <= NORM_SMALL && n <= NORM_SMALL && m * n <= NORM_SMALL;
}

//------------------------------------------------------------------------------
// what norms are made of
//------------------------------------------------------------------------------

// Returns NaN if a part is NaN; hypot alone gives Inf for Inf and NaN.
template <class T> GLA_DEVICE double magnitude (T a)
{
  const double x = (double)re (a), y = (double)im (a);
  if (!is_complex_v<T>)
    return fabs (x);
  return x != x || y != y ? x + y : hypot (x, y);
}

// Returns NaN if one is NaN.
GLA_DEVICE double larger (double a, double b)
{
  return b > a || b != b ? b : a;
}

#endif

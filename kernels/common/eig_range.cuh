// eig_range.cuh: the wanted part of the spectrum out of all eigenvalues and eigenvectors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Called by eig_chunk.cu and pairs_engine.cu.

#ifndef GPULINALG_EIG_RANGE_CUH
#define GPULINALG_EIG_RANGE_CUH

#include <cuda_runtime.h>
#include "common/scalar.cuh"

// The eigenvalues of a page, in ascending order, that lie in an interval: where they begin, how
// many of them the result can hold, and how many there are. All are 0 for a page that failed.
struct eig_span {
  int first, stored, count;
};

template <class T> struct eig_range_args {
  typedef real_t<T> R;

  int n, columns; // columns of V and rows of lambda that are returned
  int64_t pages;
  int interval; // nonzero: those in (vl, vu], else those from `first` on, counted from 0
  int first;
  double vl, vu;
  const eig_span *spans; // where they are known for each page, else NULL
  cudaStream_t stream;

  // all eigenvalues, packed, ascending, or at least the returned ones from `first` on; V is NULL
  // where only eigenvalues are wanted
  const R *lambda;
  const T *V;

  // the returned part; sizes are in elements
  R *to_lambda;
  int64_t inc_lambda, page_lambda;
  T *to_V;
  int64_t ldv, page_v;
  int64_t *count; // 1 a page: eigenvalues in the range, 0 where lambda is NaN
};

// Copies the wanted part of every page, and NaN into the columns behind it.
template <class T> cudaError_t eig_take_range (const eig_range_args<T> &a);

#endif

// svd_args.cuh: arguments of the kernels that decompose pages by singular values
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_ARGS_CUH
#define GPULINALG_SVD_ARGS_CUH

#include "pages.cuh"

// The pages have rows >= columns. With `flip` they stand in A as their adjoints, U and V are those
// of the other side, and the phase is that of U.
//
// info[p]: 0; columns+1 where A holds NaN or Inf; else the columns that were rotated in the last of
// maxit sweeps. Where it is not 0, the results are NaN.
template <class T> struct svd_args {
  page_matrix<const T> A;
  page_matrix<T> U, V; // both have NULL data: values alone; one of the two may be NULL
  real_t<T> *S;
  int64_t row_s, page_s; // distances of values, and of pages
  int rows, columns;
  int flip;
  int values, u_columns, v_columns; // that are written
  int64_t pages;
  double tol;
  int maxit;
  int32_t *info;
  int *any;            // memory of the host: becomes 1 where a page has info
  const int32_t *only; // of svd_lanes, where not NULL: pages of which it is 0 are passed over
};

// Pages of at most SVD_LANES_MAX rows.
enum { SVD_LANES_MAX = 64, SVD_LANES_WARP = 32 }; // to SVD_LANES_WARP rows by a warp or two

#endif

// diag.cuh: the kernels of diagonals
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_DIAG_CUH
#define GPULINALG_DIAG_CUH

#include <cuda_runtime.h>
#include "gpulinalg.h"
#include "common/scalar.cuh"

// Element q of the diagonal of page p is A[p*A_page + q*step]; element (i, j) of its result is
// D[p*D_page + j*ld + i].
template <class T> struct diag_args {
  const T *A;
  T *D;
  int64_t step, A_page, ld, D_page, pages;
  gla_diag what;
  int64_t n, row, column, rows, columns; // as in the job
};

template <class T> cudaError_t diag_pages (const diag_args<T> &a, cudaStream_t stream);

#endif

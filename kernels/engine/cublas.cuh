// cublas.cuh: matrix products by cuBLAS, which is loaded at run time
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The library is loaded once, when it is first needed; the package works without it. The few
// declarations that are needed are repeated here, so that building does not need it either.

#ifndef GPULINALG_CUBLAS_CUH
#define GPULINALG_CUBLAS_CUH

#include <cuda_runtime.h>
#include "gpulinalg.h"
#include "common/pages.cuh"

// Whether there is a cuBLAS on this machine.
bool gpu_blas_available ();
// The same for predictions: true as long as no GPU is open, because loading cuBLAS takes time.
bool gpu_blas_expected ();

// One stream of an engine has one handle; one thread uses it.
struct gpu_blas {
  void *handle;
};
gla_status gpu_blas_open (gpu_blas *b);
void gpu_blas_close (gpu_blas *b);

// Sets C := alpha op(A) op(B) + beta C on every page; op is the adjoint for 'C' instead of 'N'. C
// is m x n, k the inner size. Sizes of 0 are allowed. It goes page by page: a batched product would
// choose its kernel by the number of pages, so that a page would not have the same bits in every
// batch.
template <class T>
gla_status gpu_gemm (gpu_blas *b, cudaStream_t stream, char op_a, char op_b, int64_t m, int64_t n,
                     int64_t k, real_t<T> alpha, page_matrix<const T> A, page_matrix<const T> B,
                     real_t<T> beta, page_matrix<T> C, int64_t pages);

#endif

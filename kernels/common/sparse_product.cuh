// sparse_product.cuh: products with a prepared sparse matrix, for topics other than spmv
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Implemented in kernels/spmv, called by kernels/lanczos.

#ifndef GPULINALG_SPARSE_PRODUCT_CUH
#define GPULINALG_SPARSE_PRODUCT_CUH

#include <cuda_runtime.h>
#include "scalar.cuh"

struct gpu_sparse;

// The matrix that spmv_prepare returned.
const gpu_sparse *spmv_matrix_of (const void *prepared);

// y = M*x, or conj (M)*x, for b = 1, 2, 4 or 8 vectors side by side: element (i, k) of x
// at x[i*b + k]. Every sum has a fixed order.
template <class T>
cudaError_t spmv_multiply (const gpu_sparse &M, bool conjugate, const T *x, T *y, int b,
                           cudaStream_t stream);

// y = M*x for each part of the rows of one matrix. The bits are those of spmv_multiply, with fewer
// launches.
enum { SPMV_PARTS = 8 };
template <class T> struct spmv_parts {
  int count;
  struct {
    const gpu_sparse *M;
    T *y;
  } of[SPMV_PARTS];
};
template <class T>
cudaError_t spmv_multiply_parts (const spmv_parts<T> &parts, bool conjugate, const T *x, int b,
                                 cudaStream_t stream);

#endif

// svd.cuh: the kernels of batchsvd for pages of up to 64 rows, and what tall pages need besides
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_CUH
#define GPULINALG_SVD_CUH

#include <cuda_runtime.h>
#include "backend.h"
#include "common/svd_args.cuh"

template <class T> cudaError_t svd_lanes (const svd_args<T> &a, cudaStream_t stream);

// For pages with more rows, before and after: to = A', of rows x columns.
template <class T>
cudaError_t svd_adjoint (page_matrix<T> to, page_matrix<const T> A, int64_t rows, int64_t columns,
                         int64_t pages, cudaStream_t stream);
// The largest element of each column of U (rows x columns) becomes real and positive; the column of
// V (v_rows x columns, or NULL) is turned by as much.
template <class T>
cudaError_t svd_fix_phase (page_matrix<T> U, int64_t rows, page_matrix<T> V, int64_t v_rows,
                           int64_t columns, int64_t pages, cudaStream_t stream);

#endif

// svd_values.cuh: arguments of the kernels that find singular values alone, by a bidiagonal matrix
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_VALUES_CUH
#define GPULINALG_SVD_VALUES_CUH

#include "svd.cuh"

// Columns of pages that go this way, at least so many in single and in double precision. To
// SVD_WARP_MOST a page has a warp or less of it, and what svd_warp_values marks goes by svd_lanes;
// as fewer columns do.
enum { SVD_WARP_LEAST = 5, SVD_WARP_DOUBLE = 9, SVD_WARP_MOST = SVD_LANES_WARP };
enum { SVD_VALUES_MOST = 512 };

// a.U and a.V are not used, nor are a.tol and a.maxit. rows is at most SVD_VALUES_MOST in
// svd_bidiagonal, and SVD_TOGETHER_MOST in svd_together.
template <class T> struct svd_values_args {
  svd_args<T> a;
  T *rest;        // rows x columns of each page: what does not fit in shared memory
  real_t<T> *d;   // columns of each page: the diagonal
  real_t<T> *e;   // columns of each page: what is right of it
  int32_t *scale; // of each page: it was divided by 2^scale
  cudaStream_t stream;
};

// Whether pages of this size need `rest`.
template <class T> bool svd_bidiagonal_rest (int rows, int columns, int smem_limit);
// Whether a block has the shared memory for what the kernel keeps there always: pages of complex
// double precision take more than the 64 KB of compute capability 7.5 from 332 columns on.
bool svd_bidiagonal_fits (int64_t type_size, int rows, int columns, int smem_limit);
// d, e and scale from A; info as svd_args says.
template <class T> cudaError_t svd_bidiagonal (const svd_values_args<T> &v, int smem_limit);
// S and info of pages of at most SVD_WARP_MOST rows, but for those of which scale becomes 1: their
// small values may be worth more digits. All others have 0 there. The same of all pages of at most
// SVD_LANES_MAX rows, but for complex ones of double precision. d, e and rest are not used.
template <class T> cudaError_t svd_warp_values (const svd_values_args<T> &v);
// S from d, e and scale.
template <class T> cudaError_t svd_bisect (const svd_values_args<T> &v);

#endif

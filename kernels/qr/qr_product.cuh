// qr_product.cuh: products of small matrices, for many pages in one launch
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_QR_PRODUCT_CUH
#define GPULINALG_QR_PRODUCT_CUH

#include "qr_kernels.cuh"

// C := alpha op(A) B + beta C of every page: C m x n, op(A) m x k, B k x n. C must not overlap A
// and B.
template <class T> struct qr_product {
  int m, n, k;
  bool adjoint; // op(A) = A', otherwise A
  real_t<T> alpha, beta;
  page_matrix<const T> A, B;
  page_matrix<T> C;
  bool upper = false;      // only the upper triangle of C is wanted, more of it may be written
  bool triangular = false; // B is upper triangular
  bool upper_a = false;    // A is, with zeros below
  // where set, B - S R takes B's place, S the diagonal matrix of a page's signs (A not adjoint)
  const int *sign = nullptr;
  int64_t sign_page = 0;
  page_matrix<const T> R = {nullptr, 0, 0};
};

// Shared memory that a block must be able to have.
size_t qr_product_shared ();

// A page has the same bits whatever the number of pages.
template <class T>
cudaError_t qr_multiply (const qr_product<T> &p, int64_t pages, cudaStream_t stream);

#endif

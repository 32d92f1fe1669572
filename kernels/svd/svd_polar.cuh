// svd_polar.cuh: arguments of the kernels that find singular values by way of A = X*H
// SPDX-License-Identifier: GPL-3.0-or-later
//
// X'*X = I, and H is Hermitian without negative eigenvalues: with H = V*S*V' the left singular
// vectors are X*V (Higham and Papadimitriou 1994; Nakatsukasa and Higham 2013). X is the limit of
//
//   X = (z*X + inv (X)'/z)/2, z = sqrt (|inv (X)|/|X|) in the Frobenius norm (Higham 1986),
//
// whose singular values are at least 1 after one step. Where they are at most POLAR_LARGEST, which
// takes one step for most random pages and at most POLAR_STEPS, products go on:
//
//   X = X*(3*s*I - s^3*X'*X)/2, with s by the least singular value that is possible (Chen and Chow
//   2014), POLAR_PRODUCTS times in double precision, once less in single.
//
// From 1/80 the least singular value then is 1 - 8e-18, or 1 - 5e-9.
// Each page goes through the same steps in every batch. A is scaled by a power of two, and
// eps*|A|/4 is added to its diagonal in X, so that singular pages have an inverse; H = X'*A has A
// itself. Where X'*A is not Hermitian to rounding, because the first inverse of a nearly singular A
// was not accurate, the page fails, and is done again with A = Q*R before (svd_chunk.cuh).

#ifndef GPULINALG_SVD_POLAR_CUH
#define GPULINALG_SVD_POLAR_CUH

#include <cuda_runtime.h>
#include "backend.h"
#include "common/pages.cuh"

enum { POLAR_LARGEST = 80, POLAR_STEPS = 5, POLAR_PRODUCTS = 9, POLAR_PARTS = 256 };

template <class T> constexpr int polar_products = POLAR_PRODUCTS - (sizeof (real_t<T>) == 4);

// What entries of X'*X - I may be before the last product.
const double POLAR_NEAR = 1e-3;

// Numbers of one page; the last one on pages that go by steps.
struct polar_page {
  double norm;    // |A| after it was scaled, in the Frobenius norm; 0 where A is 0
  double largest; // bound of the singular values of X after the inverses
  int exponent;   // A was divided by 2^exponent
  int active;     // whether the next inverse is wanted; by steps the polar_step that comes next
  int failed;     // 1: not finite, 2: no accurate result
  double least;   // of the singular values of X, as a part of what is enough for products
};

// Matrices of work are packed, n x n. Each page is shared by `parts` blocks of threads, whose sums
// stand in sum[page*parts ..]: of squares of A, then of X.
template <class T> struct polar_args {
  int n, parts;
  int64_t pages;
  page_matrix<const T> A;
  T *scaled, *X, *Y;
  double *sum, *sum_new;
  polar_page *page;
  int32_t *pending; // info of the inverse; not 0 before it where the inverse is wanted
  double2 *weights; // x and y of each product, POLAR_PRODUCTS times those of all pages
  int32_t *far;     // whether X'*X was not near I in the last product; NULL by steps
  cudaStream_t stream;
};

// Pages with more columns go by the steps of svd_polar_steps.cuh.
__host__ __device__ constexpr int64_t polar_inverted (bool is_complex)
{
  return is_complex ? 96 : 112;
}
__host__ __device__ constexpr bool polar_by_steps (int64_t n, bool is_complex)
{
  return n > polar_inverted (is_complex);
}

// Whether products of the steps may be cuBLAS's.
constexpr bool polar_needs_blas (int64_t n)
{
  return n > 256;
}

constexpr int polar_parts (int64_t n, bool is_complex)
{
  const int64_t wanted = n * n / (polar_by_steps (n, is_complex) ? 2048 : 16384);
  return wanted < 1 ? 1 : wanted > POLAR_PARTS ? (int)POLAR_PARTS : (int)wanted;
}

// `scaled` and X from A.
template <class T> cudaError_t polar_start (const polar_args<T> &a);
// X from X and its inverse in Y.
template <class T> cudaError_t polar_newton (const polar_args<T> &a, bool last);
// a.weights: X is multiplied by x*I + y*X'*X; a.far becomes 0.
template <class T> cudaError_t polar_weights (const polar_args<T> &a);
// X unitary and Y = H from X after the inverses, of pages of at most so many columns.
template <class T> int polar_small_most (int smem_limit);
template <class T> cudaError_t polar_small_h (const polar_args<T> &a);
// Y = X'*A becomes H.
template <class T> cudaError_t polar_hermitian (const polar_args<T> &a);

// Values and vectors from the eigenvalues `lambda` and eigenvectors W of H, packed: S descending,
// the first `columns` of V, where wanted, and VS, which has V with the signs of the eigenvalues.
template <class T> struct polar_results {
  const real_t<T> *lambda;
  const int32_t *eig_info;
  const T *W;
  real_t<T> *S;
  int64_t row_s, page_s;
  int values, v_columns, vs_columns;
  page_matrix<T> V, VS;
  int32_t *order; // n of each page: the column that comes next, -1-column where its sign changes
  int32_t *info;  // as in svd_args
  int *any;
};
template <class T> cudaError_t polar_finish (const polar_args<T> &a, const polar_results<T> &r);

#endif

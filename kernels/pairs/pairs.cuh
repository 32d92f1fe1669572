// pairs.cuh: Hermitian-definite pairs (A, B) on a GPU: arguments of the kernels
// SPDX-License-Identifier: GPL-3.0-or-later
//
// B = L*L', M = inv (L); C = M*A*M', or L'*A*L with `product`; X = M'*Y, or L*Y with `times`, from
// the eigenvectors Y of C.
//
// Rows and columns of B with a diagonal far from 1 are scaled by powers of two, and the page of A
// by one power of two, so that no number leaves the range; M and L are those of B itself.

#ifndef GPULINALG_PAIRS_CUH
#define GPULINALG_PAIRS_CUH

#include <cuda_runtime.h>
#include "pairs/job.h"
#include "common/eig_range.cuh"
#include "common/pages.cuh"
#include "common/scalar.cuh"

// Up to this order one kernel does all of a page before its eigenvalues, if C = M*A*M': by a warp
// up to PENCIL_SMALL, or PENCIL_WARP_COMPLEX of complex pages, and by a block up to PENCIL_PAGE, if
// the page fits into shared memory. Other pages are read by one kernel, B is factored by others,
// and C is formed by the page products.
enum { PENCIL_SMALL = 32, PENCIL_WARP_COMPLEX = 24, PENCIL_PAGE = 128 };

// What the entries of a page show, gathered by several blocks; 0 before. Numbers are stored as
// bits.
struct pencil_page_facts {
  unsigned long long largest, apart; // as in pencil_facts
  int bad, exponent;                 // exponent: PENCIL_EXPONENT more than it is; 0: none
};
enum { PENCIL_EXPONENT = 1 << 20 };

// Work arrays are packed. There are as many pages of B as of A, or one for all (b_step is 0 then).
template <class T> struct pencil_args {
  int n;
  int64_t pages, b_pages;
  int b_step;
  gla_triangle triangle;
  bool product, times;
  page_matrix<const T> A, B;

  T *C; // n*n: A as it is read, scaled; then C
  T *M; // n*n of each page of B, zeros above the diagonal; NaN where the page fails
  T *L; // B as it is read, scaled, until it is factored; then with `product` the same
  T *W; // n*n: between two products; then the eigenvectors of C

  int *exponent;   // the page of A was divided by 2^exponent
  int32_t *info;   // of the pair
  double *skew;    // of the pair, as in gla_eigpairs_chunk
  double *skew_b;  // of each page of B: largest |B - B'| where it is not Hermitian, else 0
  int32_t *info_b; // of each page of B

  // n of each page of B
  int *row;                             // rows of B were divided by 2^row
  double *before;                       // the diagonal of B, scaled
  int *scaled;                          // of each page of B: whether `row` has a nonzero number
  pencil_page_facts *facts_a, *facts_b; // of each page
  double *norm;                         // of each page of B: its 1-norm

  int smem_limit;
  cudaStream_t stream;
};

// Finds C (its lower triangle), M, exponent, info and skew, n <= PENCIL_SMALL, not `product`.
template <class T> cudaError_t pencil_small (const pencil_args<T> &a);
// Does the same for larger pages that fit into shared memory.
template <class T> bool pencil_page_fits (int n, int smem_limit);
template <class T> cudaError_t pencil_page_reduce (const pencil_args<T> &a);
// Replaces Y by X for the same pages.
template <class T> cudaError_t pencil_small_back (const pencil_args<T> &a, const page_matrix<T> &V);

// Gives the eigenvectors of the pairs their phase: some columns of V, or of these the spans of the
// pages where they are known, else NULL.
struct pencil_columns {
  int first, count;
};
template <class T>
cudaError_t pencil_phase (const pencil_args<T> &a, const page_matrix<T> &V,
                          const pencil_columns &columns, const eig_span *spans);

// Reads B for any n: L, row, before, scaled, info_b and skew_b.
template <class T> cudaError_t pencil_read_b (const pencil_args<T> &a);
// Reads A, after B is factored: C (both triangles), exponent, info and skew.
template <class T> cudaError_t pencil_read_a (const pencil_args<T> &a);

// Whether a block factors pages of this order.
template <class T> bool pencil_factor_fits (int n, int smem_limit);
// Finds M and L in rows and columns at, .., at+size-1, and info_b. WHOLE pages are scaled back, and
// filled with NaN if they fail.
template <class T>
cudaError_t pencil_factor (const pencil_args<T> &a, int at, int size, bool whole);

// Updates rows from `at` on of the `size` columns from `at` on of larger pages: the part of the
// square on the diagonal in W is subtracted from L; below it L becomes W - L. If `at` is 0, W is 0.
template <class T> cudaError_t pencil_subtract (const pencil_args<T> &a, int at, int size);
// Copies blocks of -L below the squares of `size` rows on the diagonal from M to L, as L.
template <class T> cudaError_t pencil_keep (const pencil_args<T> &a, int size);
// Scales M and L back, and fills pages that failed with NaN.
template <class T> cudaError_t pencil_unscale (const pencil_args<T> &a);

// Multiplies eigenvalues by 2^exponent, if they are not `multiplied` yet; info becomes that of C if
// the pair had none.
template <class T>
cudaError_t pencil_values (const pencil_args<T> &a, const gla_array &lambda, const int32_t *info_c,
                           bool multiplied);

// Finds norm, before B is overwritten.
template <class T> cudaError_t pencil_norm (const pencil_args<T> &a);
// Finds 1/(|B|*|inv (B)|) in the 1-norm, with inv (B) in W; NaN if a page of B failed.
template <class T> cudaError_t pencil_rcond (const pencil_args<T> &a, const gla_array &rcond);

#endif

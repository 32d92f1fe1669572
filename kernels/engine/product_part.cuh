// product_part.cuh: products of pages as a part of an operation's work on a chunk (product/)
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PRODUCT_PART_CUH
#define GPULINALG_PRODUCT_PART_CUH

#include <cuda_runtime.h>
#include "common/pages.cuh"

// The type of a product: complex if one of the factors is.
template <class TA, class TB> struct product_of {
  typedef TA type;
};
template <class R> struct product_of<R, cx<R>> {
  typedef cx<R> type;
};
template <class TA, class TB> using product_t = typename product_of<TA, TB>::type;

// Computes C = op (A)*op (B) of m x k and k x n on every page, all on the device. Element (i, j) of
// page p of C is C[p*page + j*ld + i]. 1 <= m, n < 2^30, 0 <= k < 2^30.
template <class TA, class TB> struct product_args {
  page_operand<TA> A;
  page_operand<TB> B;
  product_t<TA, TB> *C;
  int64_t ldc, page;
  int64_t pages;
  int m, n, k;
  bool transpose_a, transpose_b; // the page of A is k x m, that of B n x k
  bool conjugate_a, conjugate_b;
  bool hermitian; // op (A)*op (B) is: op (B) is op (A)', or both are Hermitian and commute
  bool upper;     // of Hermitian products: op (A) is upper triangular, op (B) lower, with zeros
  // For Hermitian products, or NULL: C = x*I + y*op (A)*op (B) with (x, y) of each page. far, or
  // NULL: becomes 1 if an entry of op (A)*op (B) - I is above PRODUCT_NEAR.
  const double2 *weights;
  int32_t *far;
};

const double PRODUCT_NEAR = 1e-3;

// What one launch does: pages first .. first+pages-1, or of one page some tiles and some terms.
struct product_piece {
  int64_t first_page, pages;
  int64_t first_tile, tiles; // of a page, 0 .. all but where pages is 1
  int first_term, terms;     // of the sums; where first_term is not 0 they are added to C
  int multiprocessors;       // of the device
};

// Launches a piece.
template <class TA, class TB>
cudaError_t product_pages (const product_args<TA, TB> &a, const product_piece &piece,
                           cudaStream_t stream);
// Returns the tiles that a page can be divided into; 0: it is not divided, nor are its sums.
template <class TA, class TB> int64_t product_tiles (int m, int n, int k);

#endif

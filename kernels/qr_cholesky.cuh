// qr_cholesky.cuh: economy QR of well conditioned matrices by way of A'A
// SPDX-License-Identifier: GPL-3.0-or-later
//
// R is the Cholesky factor of A'A and Q = A R^-1, all by products of matrices: about half of what
// Householder's reflectors take, without their chain of columns. Q is orthogonal to
// eps |D R^-1|^2, D the norms of R's columns; a page where that norm is large, or where A'A is not
// positive definite, not finite or near the ends of the range, says so, and its results are
// to be made again by reflectors. The signs are those of LAPACK's R, as Q - [S; 0] has
// an LU factorisation without pivoting, whose pivots give them one by one (Ballard, Demmel,
// Grigori, Jacquelin, Nguyen, Solomonik: Reconstructing Householder vectors from TSQR, 2014): here
// of (Q - [S; 0]) R = A - [S R; 0], of which the first n rows are enough.

#ifndef GPULINALG_QR_CHOLESKY_CUH
#define GPULINALG_QR_CHOLESKY_CUH

#include "qr_plan.cuh"

// LEAF: columns that one block of threads factors. LIMIT: what |D R^-1|_F^2 / n may be; random
// matrices of m = 2n have 2 to 8, tall ones 1 to 4, and the worst that LIMIT lets pass is
// orthogonal to about LIMIT n eps / 2.
enum { QR_LEAF = 64, QR_GRAM_BLOCK = 64, QR_CHOLESKY_LIMIT = 10 };

// Whether a job's pages are tried this way: shape and outputs alone decide.
bool qr_cholesky_serves (const gla_qr_job &job);

template <class T> struct qr_cholesky {
  int64_t m, n, pages;
  qr_matrix<T> G; // n x n: A'A, from which R^-1 grows
  qr_matrix<T> R; // n x n, its diagonal positive
  qr_matrix<T> M; // n x n: A - S R, and inverses of its blocks
  qr_matrix<T> W, side_W;
  void *parts;      // of tall matrices' A'A
  double *diagonal; // n per page: squares of the norms of A's columns
  double *norms;    // n per page: of the columns of D R^-1, squared
  int *sign;        // n per page: 1 or -1
  int *failed;      // per page
  int *failures;    // how many pages

  qr_cholesky (const gla_qr_job &job, int64_t pages, carver &c);
};

// R (rows x n; not wanted: NULL data) and Q (m x n; likewise) of every page, and what failed.
template <class T>
gla_status qr_by_cholesky (const qr_cholesky<T> &c, qr_matrix<const T> A, qr_matrix<T> R,
                           int64_t rows, qr_matrix<T> Q, const qr_streams &streams,
                           const qr_pause &pause);

//------------------------------------------------------------------------------
// kernels
//------------------------------------------------------------------------------

// G := A'A, its upper triangle at least; work has qr_gram_work (m, n) numbers of 16 bytes (real: 8)
// for each page.
int64_t qr_gram_work (int64_t m, int64_t n);
template <class T>
cudaError_t qr_gram (qr_matrix<const T> A, int64_t m, int64_t n, qr_matrix<T> G, void *work,
                     int64_t pages, cudaStream_t stream);

// Keeps the diagonal of G; pages whose diagonal is out of range have failed, the others not yet.
template <class T> cudaError_t qr_gram_diagonal (const qr_cholesky<T> &c, cudaStream_t stream);

// The block of `count` columns from J on: the Cholesky factor to R, its inverse over G's diagonal
// block, zeros left of that.
template <class T>
cudaError_t qr_cholesky_leaf (const qr_cholesky<T> &c, int64_t J, int count, cudaStream_t stream);

// The same block of M: signs, and the inverse of M - S R over it.
template <class T>
cudaError_t qr_signs_leaf (const qr_cholesky<T> &c, int64_t J, int count, cudaStream_t stream);

// To := M - S R for `rows` rows from J on and `columns` columns from K on.
template <class T>
cudaError_t qr_signs_right (const qr_cholesky<T> &c, int64_t J, int64_t K, int64_t rows,
                            int64_t columns, qr_matrix<T> to, cudaStream_t stream);

// R with its signs, and zeros below, to `to` (rows x n) where wanted; columns of the inverse get
// theirs; norms; which pages have failed.
template <class T>
cudaError_t qr_cholesky_finish (const qr_cholesky<T> &c, qr_matrix<T> to, int64_t rows,
                                cudaStream_t stream);

#endif

// qr_cholesky.cuh: economy QR of well conditioned matrices by Cholesky's factor of A'A
// SPDX-License-Identifier: GPL-3.0-or-later
//
// R is the Cholesky factor of A'A and Q = A R^-1, all by products of matrices, without
// the chain of columns of Householder's reflectors. Q is orthogonal to eps |D R^-1|^2, D the
// norms of R's columns. A page is marked, and computed again by reflectors, where that norm is
// large or where A'A is not positive definite, not finite, or near the ends of the range. Signs are
// those of LAPACK's R: Q - [S; 0] has an LU factorisation without pivoting whose pivots give them
// one by one (Ballard, Demmel, Grigori, Jacquelin, Nguyen, Solomonik: Reconstructing Householder
// vectors from TSQR, 2014). Here the LU factorisation of (Q - [S; 0]) R = A - [S R; 0] gives them;
// its first n rows are enough.

#ifndef GPULINALG_QR_CHOLESKY_CUH
#define GPULINALG_QR_CHOLESKY_CUH

#include "common/mma_tiles.cuh"
#include "common/scalar.cuh"
#include "qr_kernels.cuh"
#include "qr_plan.cuh"

//------------------------------------------------------------------------------
// 64 x 64 matrices in the registers of a block of threads; entries of products
//------------------------------------------------------------------------------

// Products are computed in double on the FP64 tensor cores, of single precision, too.

enum {
  QR_TILE = 64,
  QR_TILE_THREADS = 256,
  QR_TILE_SIDE = 16,
  QR_TILE_OWN = QR_TILE / QR_TILE_SIDE
};

// Rows or columns that an elimination takes at a time, as registers allow.
template <class T> constexpr int qr_tile_steps = is_complex_v<T> ? 2 : 4;

// 1 / a for an a > 0 that is far from the ends of the range, to an ulp or so.
GLA_DEVICE float qr_reciprocal (float a)
{
  return 1 / a;
}
GLA_DEVICE double qr_reciprocal (double a)
{
  double x;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(x) : "d"(a));
  for (int i = 0; i < 2; i++)
    x = fma (x, fma (-a, x, 1.0), x);
  return x;
}

// The 4 x 4 entries that a thread holds in registers: rows x + 16 p, columns y + 16 q.
struct qr_tile_place {
  int x, y;
  GLA_DEVICE qr_tile_place () : x (threadIdx.x % QR_TILE_SIDE), y (threadIdx.x / QR_TILE_SIDE) {}
  GLA_DEVICE int row (int p) const { return x + QR_TILE_SIDE * p; }
  GLA_DEVICE int column (int q) const { return y + QR_TILE_SIDE * q; }
};

//------------------------------------------------------------------------------
// products of small matrices, for many pages in one launch
//------------------------------------------------------------------------------

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

//------------------------------------------------------------------------------
// economy QR of well conditioned matrices by way of A'A
//------------------------------------------------------------------------------

// LIMIT: the largest |D R^-1|_F^2 / n allowed; random matrices of m = 2n have 2 to 8, tall ones 1
// to 4. The error of Q'Q is that of A'A, about eps sqrt (rows) / 8 of the columns' norms for sums
// of so many rows one after the other, times |D R^-1|_2^2; norm_most bounds the latter so that the
// error is at most 3.5 n eps. Both norms are estimated from R^-1 times random VECTORS (Kenney,
// Laub, SIAM J. Sci. Comput. 15, 1994), or from R^-1 itself if it has no more columns.
enum { QR_GRAM_BLOCK = 64, QR_CHOLESKY_LIMIT = 10, QR_CHOLESKY_VECTORS = 16 };

// Columns that one block of threads factors.
enum { QR_LEAF = 64 };

// True if a job's pages are tried this way: shape and outputs alone decide.
bool qr_cholesky_serves (const gla_qr_job &job);

// True if all of its products are our own, so that no call of cuBLAS is needed for each page.
bool qr_cholesky_own_products (const gla_qr_job &job);
// True if a product of this size is our own.
bool qr_own_product (int64_t m, int64_t n, int64_t k);
// Columns of the left half of so many: whole leaves, or all columns of a single leaf.
int64_t qr_left_half (int64_t columns);

template <class T> struct qr_cholesky {
  int64_t m, n, pages;
  int64_t strip; // columns that are factored at a time
  bool panels;   // leaf by leaf, with products for all that is right of one, not by halves
  bool early;    // Q is formed while signs are sought, and gets them afterwards
  bool signs;    // wanted; else nothing from M on is needed but `failed`
  page_matrix<T>
      G; // n x n: A'A; inverses of the strips' blocks on the diagonal of R take its place
  page_matrix<T> R; // n x n, its diagonal positive before it gets its signs
  page_matrix<T> M; // n x n: A - S R, and inverses of its blocks
  page_matrix<T> W, side_W;
  page_matrix<T> V, X; // random vectors, and R^-1 V
  void *parts;         // of tall matrices' A'A
  double *norms;       // n per page: of R's columns
  double2 *squares;    // per page: of X = R^-1 V and the norms, qr_cholesky_squares
  int *sign;           // n per page: 1 or -1
  int *failed;         // per page
  int *failures;       // behind them: how many pages
  double norm_most;    // what |D R^-1|_2^2 may be

  // bare: for qr_cholesky_bare, where R is the caller's, and G, too, if the job has Q.
  qr_cholesky (const gla_qr_job &job, int64_t pages, carver &c, bool bare = false);
  // For qr_cholesky_inverse: G and R are the caller's.
  qr_cholesky (page_matrix<T> G, page_matrix<T> R, int64_t n, int64_t pages, carver &c);
};

// R (rows x n; not wanted: NULL data) and Q (m x n; likewise) of every page, and what failed.
template <class T>
gla_status qr_by_cholesky (const qr_cholesky<T> &c, page_matrix<const T> A, page_matrix<T> R,
                           int64_t rows, page_matrix<T> Q, const qr_streams &streams,
                           const qr_pause &pause);

// Makes R, inv (R) with zeros below in G, and marks what failed. R has a positive diagonal; below
// it only blocks of 64 columns on the diagonal are set to zero.
template <class T>
gla_status qr_cholesky_bare (const qr_cholesky<T> &c, page_matrix<const T> A,
                             const qr_streams &streams, const qr_pause &pause);

// The Cholesky factors R of positive definite pages of which G has the upper triangle at least, and
// inverses of R, with zeros below, in the place of G.
template <class T>
gla_status qr_cholesky_inverse (const qr_cholesky<T> &c, const qr_streams &streams,
                                const qr_pause &pause);

//------------------------------------------------------------------------------
// kernels
//------------------------------------------------------------------------------

// True if qr_cholesky_bare makes A'A in double precision as a product of pages, which gives a page
// to one block of threads: many pages keep more multiprocessors busy than shares of rows do.
bool qr_page_gram_serves (int64_t m, int64_t n);
// Whether this kernel is for A'A of so many rows and columns.
bool qr_gram_serves (int64_t m, int64_t n);
// The number of rows that are summed one after the other, or an equivalent for the accuracy.
int64_t qr_gram_chain (int64_t m, int64_t n);
// G := A'A, its upper triangle at least; work has qr_gram_work (m, n) numbers of 16 bytes (real: 8)
// for each page.
int64_t qr_gram_work (int64_t m, int64_t n);
template <class T>
cudaError_t qr_gram (page_matrix<const T> A, int64_t m, int64_t n, page_matrix<T> G, void *work,
                     int64_t pages, cudaStream_t stream);

// No page has failed yet; V := random vectors, or, of no more columns than VECTORS, the identity.
template <class T> cudaError_t qr_cholesky_start (const qr_cholesky<T> &c, cudaStream_t stream);

// The block of `count` columns from J on: the Cholesky factor to R, its inverse over G's diagonal
// block, zeros left of that.
template <class T>
cudaError_t qr_cholesky_leaf (const qr_cholesky<T> &c, int64_t J, int count, cudaStream_t stream);

// The same block of M: signs, and, where wanted, the inverse of M - S R over it.
template <class T>
cudaError_t qr_signs_leaf (const qr_cholesky<T> &c, int64_t J, int count, bool inverse,
                           cudaStream_t stream);

// To := M - S R for `rows` rows from J on and `columns` columns from K on.
template <class T>
cudaError_t qr_signs_right (const qr_cholesky<T> &c, int64_t J, int64_t K, int64_t rows,
                            int64_t columns, page_matrix<T> to, cudaStream_t stream);

// Norms of R's columns; pages where those are out of range have failed.
template <class T> cudaError_t qr_cholesky_norms (const qr_cholesky<T> &c, cudaStream_t stream);

// R gets its signs, and goes with zeros below to `to` (rows x n) where wanted; columns of Q (m x n)
// get theirs, where it is not NULL, otherwise columns of the inverses and rows of V.
template <class T>
cudaError_t qr_cholesky_results (const qr_cholesky<T> &c, page_matrix<T> to, int64_t rows,
                                 page_matrix<T> Q, cudaStream_t stream);

// What QR_SQUARE_ROWS rows of D X each add to (D X)'(D X), to c.squares.
enum { QR_SQUARE_ROWS = 64 };
int64_t qr_square_blocks (int64_t n);
template <class T> cudaError_t qr_cholesky_squares (const qr_cholesky<T> &c, cudaStream_t stream);

// Which pages have failed.
template <class T> cudaError_t qr_cholesky_verdict (const qr_cholesky<T> &c, cudaStream_t stream);

#endif

// gsvd_kernels.cuh: the kernels of gla_gsvd, as the plan launches them
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All work is done in double precision: T is double or cx<double>, and the kernels that load and
// store convert single precision. Working matrices are column-major; leading dimensions are
// multiples of 16, columns are padded to whole blocks, and the padding is zero. The shape of a
// launch depends on sizes and types alone, so that a page has the same bits whatever the number of
// pages.

#ifndef GPULINALG_GSVD_KERNELS_CUH
#define GPULINALG_GSVD_KERNELS_CUH

#include <cuda_runtime.h>
#include "gsvd/job.h"

#include "common/pages.cuh"
#include "common/scalar.cuh"

// The state of a page.
struct gsvd_state {
  unsigned long long rotations; // of the current sweep
  // of the current sweep: squares of the largest cosine that was rotated away, and of the largest
  // angle, as bits of doubles; nonzero if columns missed each other
  unsigned long long cosine2, angle2;
  int unseen;
  int done; // converged, or not to be solved
  int info;
  int sweeps;
  int zeros; // columns of U that are zero, the first ones
  int near;  // nonzero: columns of B are nearly dependent
};

//------------------------------------------------------------------------------
// sweeps
//------------------------------------------------------------------------------

// The places of blocks of columns. The first `blocks` blocks begin at column first[0] of the
// memory, the others at first[1]. filled[0] and filled[1] of their columns exist; the others are
// padding.
struct gsvd_seat {
  int blocks, first[2], filled[2];
};

// A step of a sweep: disjoint pairs of blocks of `width` columns, 16 or 32. It works on F and G,
// with F'F and G'G made diagonal together (Hari-Zimmermann), or on F alone, while G gathers the
// rotations (one-sided Jacobi).
template <class T> struct gsvd_step {
  page_matrix<T> F, G;
  int64_t rows_f, rows_g; // multiples of 16
  bool both;              // Hari-Zimmermann
  gsvd_seat seat;
  int width, pairs;
  int splits;                 // row groups that a Gram matrix is summed from
  const short2 *blocks;       // the pairs of this step
  const unsigned char *inner; // rounds of 2*width columns: two bytes for each of `width` pairs
  int rounds, inner_sweeps;
  double tol;  // cosines up to it count as zero
  T *gram;     // gsvd_gram_size elements per page
  T *V;        // pairs of 2*width x 2*width, per page
  int *active; // a flag for each pair of a page
  gsvd_state *state;
  int64_t pages;
};

// Bytes of shared memory that steps with blocks of `width` columns need.
size_t gsvd_shared (bool complex, int width);
// Returns the row groups that a Gram matrix of so many rows is summed from if a step has so many
// pairs. For large pairs, which several devices may share, the number of pairs has no influence.
int gsvd_splits (int64_t rows, int pairs);
// Elements of step.gram for one page.
int64_t gsvd_gram_size (int splits, bool both, int width, int pairs);

// Forms the Gram matrices of all pairs of the step.
template <class T> cudaError_t gsvd_gram (const gsvd_step<T> &s, cudaStream_t stream);
// Finds transformations that make them diagonal, or nearly so.
template <class T> cudaError_t gsvd_inner (const gsvd_step<T> &s, cudaStream_t stream);
// Multiplies the columns of F and G by the transformations.
template <class T> cudaError_t gsvd_update (const gsvd_step<T> &s, cudaStream_t stream);
// Ends a sweep: its counts go to `history` (sweeps_max per page); *left becomes the number of pages
// that need another one. It was the last if all cosines were of the size of tol, or if the largest
// cosine times the largest angle, which may remain in some pair, is below tol / p.
cudaError_t gsvd_sweep_done (gsvd_state *state, double tol, int p, unsigned long long *history,
                             int sweeps_max, int *left, int64_t pages, cudaStream_t stream);

//------------------------------------------------------------------------------
// before
//------------------------------------------------------------------------------

// Exponents of the norms of the columns of A and B, and how they are scaled: A(:, j) by
// 2^-(page_a + column(j)), B(:, j) by 2^-(page_b + column(j)).
struct gsvd_scaling {
  int *norm_a, *norm_b; // p per page
  int *column;          // p per page
  int *page;            // page_a and page_b
};

// Between two columns the quotient of the norms in A and in B may change by two to this power:
// beyond it squares of products overflow, and the page is irregular.
enum { GSVD_RANGE = 450 };

// norm: exponents of the norms of the n columns of a page, GSVD_ZERO for zero columns, GSVD_BAD for
// columns with NaN or Inf. S is the type of the array.
enum { GSVD_ZERO = -1000000, GSVD_BAD = 1000000 };
template <class S>
cudaError_t gsvd_column_norms (page_matrix<const S> A, int64_t m, int64_t n, int *norm,
                               int64_t pages, cudaStream_t stream);
// Fills in the rest of s; sets info of pages with NaN or Inf, and of those where B has zero
// columns. by_a: columns of A get norms near 1, else those of B.
cudaError_t gsvd_choose_scaling (const gsvd_scaling &s, int p, bool by_a, gsvd_state *state,
                                 int64_t pages, cudaStream_t stream);
// to (rows x columns, zeros outside of A) := A (m x n) with column j scaled by 2^-(page_which +
// column(j)), which is 0 for A and 1 for B; pages that are done already become zero.
template <class S, class T> struct gsvd_load_args {
  page_matrix<T> to;
  int64_t rows, columns;
  page_matrix<const S> A;
  int64_t m, n;
  int which;
};
template <class S, class T>
cudaError_t gsvd_load (const gsvd_load_args<S, T> &a, const gsvd_scaling &s,
                       const gsvd_state *state, int64_t pages, cudaStream_t stream);
// to(:, j) := from(:, jpvt(j)); jpvt NULL: in order. Rows and columns beyond p become zero.
template <class T>
cudaError_t gsvd_gather (page_matrix<T> to, int64_t rows, int64_t columns,
                         page_matrix<const T> from, int p, const int64_t *jpvt, int64_t pages,
                         cudaStream_t stream);
// Sets the identity in rows and columns up to p, and zeros up to rows and columns.
template <class T>
cudaError_t gsvd_identity (page_matrix<T> to, int64_t rows, int64_t columns, int p, int64_t pages,
                           cudaStream_t stream);
// Marks pages where R (p x p, upper triangular) has a column that depends, or nearly so, on those
// before it.
template <class T>
cudaError_t gsvd_check_rank (page_matrix<const T> R, int p, gsvd_state *state, int64_t pages,
                             cudaStream_t stream);
// Multiplies F(:, first..first+count-1) by the inverse of R's diagonal block there; count <= 64.
template <class T>
cudaError_t gsvd_solve (page_matrix<T> F, page_matrix<const T> R, int64_t rows, int first,
                        int count, int64_t pages, cudaStream_t stream);
// Sets F := F0, G := R for pages that are not near, and G := the identity for the others. All are
// rows x columns.
template <class T> struct gsvd_start_args {
  page_matrix<T> F, G;
  page_matrix<const T> F0, R;
  int64_t rows, columns;
  int p;
};
template <class T>
cudaError_t gsvd_choose_start (const gsvd_start_args<T> &a, const gsvd_state *state, int64_t pages,
                               cudaStream_t stream);
// Scales columns of F to at most about 2^400, by one power of two for the page, stored in exponent.
template <class T>
cudaError_t gsvd_level (page_matrix<T> F, int64_t rows, int p, int *exponent, gsvd_state *state,
                        int64_t pages, cudaStream_t stream);

//------------------------------------------------------------------------------
// after
//------------------------------------------------------------------------------

// Norms of the columns of F and G, p of each per page. Norms of F below 2^-500 count as zero:
// columns that depend on others shrink to there from sweep to sweep, with no direction of their
// own. `place` has the places of their quotients in ascending order; U and V are multiplied by the
// cosines and sines.
struct gsvd_values {
  double *norm_f, *norm_g;
  int *place;
  double *alpha, *beta; // in ascending order, those of the scaled pair
};

template <class T> struct gsvd_values_args {
  page_matrix<const T> F, G;
  int64_t rows_f, rows_g;
  int p;
  bool both;
  const int *level; // of gsvd_level
};
template <class T>
cudaError_t gsvd_find_values (const gsvd_values_args<T> &a, const gsvd_values &v, gsvd_state *state,
                              int64_t pages, cudaStream_t stream);
// Sets *count to the number of pages where U has zero columns, or else of those that are near.
cudaError_t gsvd_count (const gsvd_state *state, bool zeros, int *count, int64_t pages,
                        cudaStream_t stream);
// Sets to(:, place(j)) := from(:, j) / norm(j) and scaled := that times factor(place(j)), rows x p.
// One of them may have NULL data.
template <class T> struct gsvd_place_args {
  page_matrix<T> to, scaled;
  page_matrix<const T> from;
  int64_t rows;
  int p;
  const double *norm, *factor;
  const int *place;
};
template <class T>
cudaError_t gsvd_place (const gsvd_place_args<T> &a, int64_t pages, cudaStream_t stream);
// Takes the first `zeros` columns of U, which are zero, from the last columns of Q. flip writes U's
// columns in reverse order to Q, so that the QR factorisation of Q has them at the end.
template <class T>
cudaError_t gsvd_flip (page_matrix<T> to, page_matrix<const T> U, int p, int64_t pages,
                       cudaStream_t stream);
template <class T>
cudaError_t gsvd_fill_zeros (page_matrix<T> U, page_matrix<const T> Q, int p,
                             const gsvd_state *state, int64_t pages, cudaStream_t stream);
// Results are NaN where info > 0, and not written where it is below 0.

// alpha and beta of the original pair; and the factor of each column of X, as a number and an
// exponent. S is the real type of the arrays.
template <class S> struct gsvd_store_values_args {
  page_matrix<S> alpha, beta;
  double *factor;
  int *exponent;
  int p;
};
template <class S>
cudaError_t gsvd_store_values (const gsvd_store_values_args<S> &a, const gsvd_values &v,
                               const gsvd_scaling &s, const gsvd_state *state, int64_t pages,
                               cudaStream_t stream);
// Sets X(jpvt(i), j) := from(i, j) * factor(j) * 2^(exponent(j) + column(jpvt(i))).
template <class S, class T> struct gsvd_store_x_args {
  page_matrix<S> X;
  page_matrix<const T> from;
  int p;
  const int64_t *jpvt;
  const double *factor;
  const int *exponent;
};
template <class S, class T>
cudaError_t gsvd_store_x (const gsvd_store_x_args<S, T> &a, const gsvd_scaling &s,
                          const gsvd_state *state, int64_t pages, cudaStream_t stream);
// Sets to := from, converted.
template <class S, class T>
cudaError_t gsvd_store (page_matrix<S> to, page_matrix<const T> from, int64_t rows, int64_t columns,
                        const gsvd_state *state, int64_t pages, cudaStream_t stream);

//------------------------------------------------------------------------------
// products of small matrices
//------------------------------------------------------------------------------

// C := beta C + alpha op(A) B, on every page at once; C is m x n, k the inner size; op is the
// adjoint where `adjoint`.
template <class T> struct gsvd_product_args {
  bool adjoint;
  int64_t m, n, k;
  double alpha;
  page_matrix<const T> A, B;
  double beta;
  page_matrix<T> C;
};
template <class T>
cudaError_t gsvd_product (const gsvd_product_args<T> &a, int64_t pages, cudaStream_t stream);

//------------------------------------------------------------------------------
// "tangent" for pairs of up to 64 columns, three kernels for all pairs
//------------------------------------------------------------------------------

// One block of threads does each pair. The first kernel reduces: scaling, pivoted QR of B and F = A
// P R^-1, all in shared memory. The second is the one-sided Jacobi of batchsvd, in registers. The
// third finds the values, X, U and V. The host waits only at the end.

enum { GSVD_SMALL = 64 }; // columns at most

// How a block of THREADS threads divides a matrix of up to P x P: SHARES neighbouring threads have
// a column, with rows part, part + SHARES, .. each. With the leading dimension LD their accesses to
// shared memory use different banks.
template <class T, int P> struct small_shape {
  static constexpr int SHARES = P == 8 || P == 64 ? 4 : 2;
  static constexpr int THREADS = P * SHARES, LD = P + SHARES;
  static constexpr int MATRIX = P * LD; // elements
};

// What the reduction reads and writes, p x p. `scaled`: gsvd_load and QR factorisations have made A
// and B, and state and scaling are set. R is upper triangular with the reflectors of B = Q R below
// its diagonal; column k of F, F0 and R is that of column perm[k] of A and B.
template <class S> struct gsvd_small_reduction {
  typedef wide<S> T;
  page_matrix<const S> A, B;
  bool scaled;
  int p;
  page_matrix<T> F, F0, R;
  T *tau;
  int *perm;
  gsvd_scaling scaling; // column and page
  int *level;           // F is divided by 2^level
  gsvd_state *state;
};
template <class S>
cudaError_t gsvd_small_reduce (const gsvd_small_reduction<S> &a, int64_t pages,
                               cudaStream_t stream);

// F = U diag (sigma) Y', sigma in descending order; rotations of sweep s of page k go to history at
// s*pages + k. If U and Y have NULL data, only values are found.
template <class T> struct gsvd_small_sweeps_args {
  page_matrix<const T> F;
  page_matrix<T> U, Y;
  double *sigma;
  int p;
  double tol;
  int sweeps_max;
  unsigned long long *history;
  int *info; // of each page, 0 where it converged
  int *any;  // becomes 1 where one did not
  gsvd_state *state;
  int64_t pages;
};
template <class T>
cudaError_t gsvd_small_sweeps (const gsvd_small_sweeps_args<T> &a, cudaStream_t stream);

// The results; U and V go to the arrays, or U and V = Q Y, p x p, go to matrices of T. Data that is
// NULL is not wanted.
template <class S> struct gsvd_small_results_args {
  typedef wide<S> T;
  int p;
  page_matrix<const T> U, Y, F0, R;
  const T *tau;
  const int *perm;
  const double *sigma;
  const int *level, *info;
  gsvd_scaling scaling;
  gsvd_state *state; // info of pages that did not converge is set
  page_matrix<real_t<S>> alpha, beta;
  page_matrix<S> to_u, to_v, X;
  page_matrix<T> wide_u, wide_v;
};
template <class S>
cudaError_t gsvd_small_results (const gsvd_small_results_args<S> &a, int64_t pages,
                                cudaStream_t stream);

// Bytes of shared memory that the kernels need at most.
size_t gsvd_small_shared (bool complex, int p);

// Calls f (integral_constant) for the least of P = 8, 16, 32 and 64 that holds p columns.
template <int P> struct small_size {
  static constexpr int value = P;
};
template <class F> auto with_small_size (int p, F f)
{
  return p <= 8    ? f (small_size<8> ())
         : p <= 16 ? f (small_size<16> ())
         : p <= 32 ? f (small_size<32> ())
                   : f (small_size<64> ());
}

#endif

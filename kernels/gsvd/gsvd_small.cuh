// gsvd_small.cuh: "tangent" for pairs of up to 64 columns, three kernels for all pairs
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each pair belongs to one block of threads. The first kernel reduces: scaling, pivoted QR of B,
// F = A P R^-1, all in shared memory. The second one is the one-sided Jacobi of batchsvd, in
// registers. The third one has the values, X, U and V. Nothing waits for the host in between.

#ifndef GPULINALG_GSVD_SMALL_CUH
#define GPULINALG_GSVD_SMALL_CUH

#include "common/scalar.cuh"
#include "gsvd_kernels.cuh"

enum { GSVD_SMALL = 64 }; // columns at most

// How a block of THREADS threads divides a matrix of up to P x P: SHARES neighbouring threads have
// a column, rows part, part + SHARES, .. each. With the leading dimension LD their accesses to
// shared memory meet in no bank.
template <class T, int P> struct small_shape {
  static constexpr int SHARES = P == 8 || P == 64 ? 4 : 2;
  static constexpr int THREADS = P * SHARES, LD = P + SHARES;
  static constexpr int MATRIX = P * LD; // elements
};

// What the reduction reads and writes, p x p. `scaled`: A and B are what gsvd_load and QR
// factorisations left, and state and scaling are there. R is upper triangular with the reflectors
// of B = Q R below its diagonal; column k of F, F0 and R is that of column perm[k] of A and B.
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
// s*pages + k. U and Y with NULL data: values alone.
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

// The results; U and V go to the arrays, or as U p x p and V = Q Y p x p to matrices of T. NULL
// data: not wanted.
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

// Of P = 8, 16, 32 and 64 the least that holds p columns: f (integral_constant).
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

// gsvd_plan.cuh: the generalized SVD of the pairs of a chunk
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_GSVD_PLAN_CUH
#define GPULINALG_GSVD_PLAN_CUH

#include "common/qr_factor.cuh"
#include "gsvd_kernels.cuh"

// What the host has to know during the sweeps, and how it waits for it.
struct gsvd_host {
  int *count; // pinned
  // Until the stream has done its work so far; the other one only where much has been launched.
  gla_status (*wait) (void *user);
  gla_status (*throttle) (void *user);
  void (*swept) (void *user, int sweeps); // all pages have had so many sweeps
  void *user;
};

// Pairs of blocks, and of the columns of two blocks, in the order of a sweep.
struct gsvd_tables {
  short2 *blocks;
  unsigned char *columns;
  gsvd_tables (const gla_gsvd_job &job, carver &c);
};

// Pairs with m, n >= p. A and B are reduced to triangles if they are tall; B = V1 R P' with column
// pivoting. "tangent": one-sided Jacobi on F = A P R^-1, G gathers the rotations. "hz":
// Hari-Zimmermann on F = A P and G = R, or on A P R^-1 and the identity where columns of B are
// nearly dependent, which Gram matrices of R would not resolve. S is the type of the arrays, T
// the same in double precision.
template <class T> struct gsvd_plan {
  int64_t m, n, pages, ld, columns, u_columns, v_columns;
  int p, width, blocks, splits, steps, rounds, inner_sweeps;
  bool both, lean, small;
  gla_gsvd_ordering ordering;
  gsvd_tables tables; // the plan's memory begins with them
  qr_plan<T> tall_a, tall_b, pivoted, square;
  page_matrix<T> F, G, F0, R, U, UC, V, VS, Q, product;
  gsvd_state *state;
  gsvd_scaling scaling;
  gsvd_values values;
  T *small_tau; // of small pairs, p per page
  int *level, *exponent, *left, *active, *small_info;
  double *factor;
  unsigned long long *history;
  T *gram, *step_v;

  // Takes memory; with a NULL carver base it only counts.
  gsvd_plan (const gla_gsvd_job &job, int64_t pages, carver &c);
  bool is_tall_a () const { return m > p; }
  bool is_tall_b () const { return n > p; }
};

// The method that serves a job, and the columns of a block.
gla_gsvd_method gsvd_method_of (const gla_gsvd_job &job);
int gsvd_width_of (const gla_gsvd_job &job);
int gsvd_blocks_of (const gla_gsvd_job &job);
// Whether the kernels of gsvd_small.cuh take the job, of which every pair is regular.
bool gsvd_is_small (const gla_gsvd_job &job);
// Seconds of their kernels on a GPU of FITTED_MULTIPROCESSORS.
double gsvd_small_seconds (const gla_gsvd_job &job, double pages);
// The tables on the host, and their size. With a team the pairs are those of one of its members.
size_t gsvd_table_bytes (const gla_gsvd_job &job);
gla_status gsvd_fill_tables (const gla_gsvd_job &job, char *tables);

// A and B to F, G and what is kept beside them.
template <class S, class T>
gla_status gsvd_reduce (const gsvd_plan<T> &g, page_matrix<const S> A, page_matrix<const S> B,
                        const gsvd_host &host, const qr_streams &streams, const qr_pause &pause);
// What all steps of its sweeps have in common.
template <class T> gsvd_step<T> gsvd_step_of (const gsvd_plan<T> &g);
template <class T>
gla_status gsvd_sweeps (const gsvd_plan<T> &g, const gsvd_host &host, cudaStream_t stream);

// U, V and X with NULL data are not wanted.
template <class S> struct gsvd_wanted {
  page_matrix<real_t<S>> alpha, beta;
  page_matrix<S> U, V, X;
};

// All of a small plan.
template <class S, class T>
gla_status gsvd_small_pairs (const gsvd_plan<T> &g, page_matrix<const S> A, page_matrix<const S> B,
                             const gsvd_wanted<S> &to, const qr_streams &streams,
                             const qr_pause &pause);

// Products with the factors of tall pairs: from U and V of the triangles, U in plan.U, V in
// plan.VS.
template <class S, class T>
gla_status gsvd_store_tall_u (const gsvd_plan<T> &g, page_matrix<S> U, const qr_streams &streams,
                              const qr_pause &pause);
template <class S, class T>
gla_status gsvd_store_tall_v (const gsvd_plan<T> &g, page_matrix<S> V, const qr_streams &streams,
                              const qr_pause &pause);

template <class S, class T>
gla_status gsvd_results (const gsvd_plan<T> &g, const gsvd_wanted<S> &to, const gsvd_host &host,
                         const qr_streams &streams, const qr_pause &pause);

#endif

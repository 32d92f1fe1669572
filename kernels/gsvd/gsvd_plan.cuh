// gsvd_plan.cuh: a GSVD on one GPU or on a team of them: its plan, who works on it, and the team
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_GSVD_PLAN_CUH
#define GPULINALG_GSVD_PLAN_CUH

#include "common/qr_factor.cuh"
#include "common/runtime.cuh"
#include "engine/cublas.cuh"
#include "engine/engine.cuh"
#include "gsvd/gsvd_team.h"
#include "gsvd/job.h"
#include "gsvd_kernels.cuh"

// The current job.
inline gla_gsvd_job &kept_gsvd_job (const cuda_engine *e)
{
  return kept_job<gla_gsvd_job> (e, GLA_BATCH_GSVD);
}

//------------------------------------------------------------------------------
// the generalized SVD of the pairs of a chunk
//------------------------------------------------------------------------------

// What the host must know during the sweeps, and how it waits for that.
struct gsvd_host {
  int *count; // pinned
  // wait: until the stream has done its work so far; throttle: only if much has been launched.
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

// Pairs with m, n >= p. Tall A and B are reduced to triangles; B = V1 R P' with column pivoting.
// "tangent": one-sided Jacobi on F = A P R^-1, while G gathers the rotations. "hz": Hari-Zimmermann
// on F = A P and G = R, or on A P R^-1 and the identity if columns of B are nearly dependent, which
// Gram matrices of R would not resolve. S is the type of the arrays, T the same in double
// precision.
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

// Return the method that serves a job, and the columns of a block.
gla_gsvd_method gsvd_method_of (const gla_gsvd_job &job);
int gsvd_width_of (const gla_gsvd_job &job);
int gsvd_blocks_of (const gla_gsvd_job &job);
// Whether the kernels of gsvd_kernels.cuh take the job, of which every pair is regular.
bool gsvd_is_small (const gla_gsvd_job &job);
// Returns the seconds of their kernels on a GPU of FITTED_MULTIPROCESSORS.
double gsvd_small_seconds (const gla_gsvd_job &job, double pages);
// The tables on the host, and their size. With a team the pairs are those of one of its members.
size_t gsvd_table_bytes (const gla_gsvd_job &job);
gla_status gsvd_fill_tables (const gla_gsvd_job &job, char *tables);

// Reduces A and B to F, G and what is stored with them.
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

// Does all of a small plan.
template <class S, class T>
gla_status gsvd_small_pairs (const gsvd_plan<T> &g, page_matrix<const S> A, page_matrix<const S> B,
                             const gsvd_wanted<S> &to, const qr_streams &streams,
                             const qr_pause &pause);

// Form products with the factors of tall pairs, from U of the triangles in plan.U and V in plan.VS.
template <class S, class T>
gla_status gsvd_store_tall_u (const gsvd_plan<T> &g, page_matrix<S> U, const qr_streams &streams,
                              const qr_pause &pause);
template <class S, class T>
gla_status gsvd_store_tall_v (const gsvd_plan<T> &g, page_matrix<S> V, const qr_streams &streams,
                              const qr_pause &pause);

template <class S, class T>
gla_status gsvd_results (const gsvd_plan<T> &g, const gsvd_wanted<S> &to, const gsvd_host &host,
                         const qr_streams &streams, const qr_pause &pause);

//------------------------------------------------------------------------------
// pieces of the work of a generalized SVD, on the stream of a chunk
//------------------------------------------------------------------------------

// Up to so many columns products are our own, of all pages at once.
enum { GSVD_OWN_PRODUCTS = 256 };
enum { GSVD_SOLVE_COLUMNS = 64 };

template <class T> struct gsvd_worker {
  const gsvd_plan<T> &g;
  const qr_streams &streams;
  cudaStream_t stream;

  gsvd_worker (const gsvd_plan<T> &g, const qr_streams &streams)
      : g (g), streams (streams), stream (streams.main)
  {
  }

  // C := beta C + alpha op(A) B
  gla_status multiply (bool adjoint, int64_t m, int64_t n, int64_t k, double alpha,
                       page_matrix<T> A, page_matrix<T> B, double beta, page_matrix<T> C) const
  {
    if (g.p <= GSVD_OWN_PRODUCTS)
      return engine_status (gsvd_product<T> (
          {adjoint, m, n, k, alpha, as_const (A), as_const (B), beta, C}, g.pages, stream));
    return gpu_gemm<T> (streams.blas, stream, adjoint ? 'C' : 'N', 'N', m, n, k, alpha,
                        as_const (A), as_const (B), beta, C, g.pages);
  }

  gla_status copy (page_matrix<T> to, page_matrix<T> from, const int64_t *jpvt) const
  {
    return engine_status (
        gsvd_gather<T> (to, g.ld, g.columns, as_const (from), g.p, jpvt, g.pages, stream));
  }

  // Reads into *host.count how many pages have zero columns, or else are near.
  gla_status count (const gsvd_host &host, bool zeros) const
  {
    GLA_TRY (gsvd_count (g.state, zeros, g.left, g.pages, stream));
    GLA_TRY (copy_to_host (host.count, g.left, sizeof (int), stream));
    return host.wait (host.user);
  }

  // Moves columns of U and of V to their places, with and without cosines and sines; one of them
  // may have NULL data and is then not wanted.
  gla_status place_u (page_matrix<T> U, page_matrix<T> UC) const
  {
    const gsvd_values &v = g.values;
    return engine_status (gsvd_place<T> (
        {U, UC, as_const (g.F), g.p, g.p, v.norm_f, v.alpha, v.place}, g.pages, stream));
  }
  gla_status place_v (page_matrix<T> V, page_matrix<T> VS) const
  {
    const gsvd_values &v = g.values;
    return engine_status (gsvd_place<T> (
        {V, VS, as_const (g.G), g.p, g.p, v.norm_g, v.beta, v.place}, g.pages, stream));
  }

  // Copies the triangle of a factorisation, p x p.
  gla_status triangle (const qr_plan<T> &q, page_matrix<T> to) const
  {
    return engine_status (qr_store_r<T> (q, to, g.p, stream));
  }

  // F := F R^-1
  gla_status solve () const
  {
    for (int j = 0; j < g.p; j += GSVD_SOLVE_COLUMNS) {
      int count = g.p - j < GSVD_SOLVE_COLUMNS ? g.p - j : (int)GSVD_SOLVE_COLUMNS;
      if (j > 0)
        GLA_TRY (multiply (false, g.p, count, j, -1, g.F, g.R.at (0, j), 1, g.F.at (0, j)));
      GLA_TRY (gsvd_solve<T> (g.F, as_const (g.R), g.p, j, count, g.pages, stream));
    }
    return GLA_OK;
  }
};

//------------------------------------------------------------------------------
// the sweeps of one pair on several GPUs
//------------------------------------------------------------------------------

template <class T> struct gsvd_member {
  int device;
  cudaStream_t stream;
  // sent: after all copies to other members so far; paced: after the work that is waited for
  cudaEvent_t sent, paced;
  char *memory; // NULL: in the plan's
  size_t bytes;
  gsvd_step<T> step; // F and G have GLA_TEAM_PLACES places, one behind the other
  const short2 *blocks;
  int launched; // steps since it was waited for
};

// The first member is the GPU of the plan: F and G come from there and return to it. Its places are
// in U and UC, which are not needed before the results. The others have their own memory, stream
// and events, from `open` to `close`.
template <class T> struct gsvd_team {
  cuda_engine *e;
  int slot;
  const gsvd_plan<T> &plan;
  const gsvd_host &host;
  gla_gsvd_team *team; // NULL: there is none
  int share_blocks, opened;
  int64_t share_columns;
  gsvd_member<T> members[GLA_TEAM_MOST];
  gla_team_state state;

  gsvd_team (cuda_engine *e, int slot, const gsvd_plan<T> &plan, const gsvd_host &host);
  ~gsvd_team () { close (); }
  gsvd_team (const gsvd_team &) = delete;
  gsvd_team &operator= (const gsvd_team &) = delete;

  // Takes what the members need, and gives them access to each other's memory if possible. *alone:
  // another member has too little memory, so the first GPU must do the pair.
  gla_status open (bool *alone);
  // Replaces gsvd_sweeps, with the same bits.
  gla_status sweeps ();
  // Waits for all members and frees what they have.
  void close ();

  // for the driver (gsvd/gsvd_team.h)
  gla_status work (int k, const gla_team_seat *seat, int first, int count);
  gla_status swap (const gla_team_move *moves);
  gla_status agree (gla_team_finding *found);

  gla_status enter (int k);                 // makes its GPU the current one
  gla_status of (int k, cudaError_t error); // a status; notes whose GPU failed
  gla_status wait (int k);                  // until it has come to its `paced`
  gla_status pace (int k);                  // bounds what is launched ahead
  gla_status open_member (int k);
  gla_status take_memory (int k);
  gla_status scatter ();
  gla_status gather ();
  gla_status send_share (int k, page_matrix<T> from, int peer, page_matrix<T> to);
};

#endif

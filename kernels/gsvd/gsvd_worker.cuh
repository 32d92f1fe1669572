// gsvd_worker.cuh: pieces of the work of a generalized SVD, on the stream of a chunk
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_GSVD_WORKER_CUH
#define GPULINALG_GSVD_WORKER_CUH

#include "common/runtime.cuh"
#include "engine/cublas.cuh"
#include "gsvd_plan.cuh"

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

  // To *host.count, how many pages have zero columns, or else are near.
  gla_status count (const gsvd_host &host, bool zeros) const
  {
    GLA_TRY (gsvd_count (g.state, zeros, g.left, g.pages, stream));
    GLA_TRY (copy_to_host (host.count, g.left, sizeof (int), stream));
    return host.wait (host.user);
  }

  // Columns of U and of V in their places, and times cosines and sines; one of them with NULL data
  // is not wanted.
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

  // The triangle of a factorisation, p x p.
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

#endif

// gsvd_small.cu: the order of work for pairs of up to 64 columns
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gsvd_kernels.cuh"
#include "gsvd_plan.cuh"

namespace
{

// Pairs with more rows than columns: both matrices are scaled and become triangles first, A's in
// F0, B's in R. A matrix that is not tall is only scaled.
template <class S, class T>
gla_status reduce_tall (const gsvd_worker<T> &w, page_matrix<const S> A, page_matrix<const S> B,
                        const qr_streams &streams, const qr_pause &pause)
{
  const gsvd_plan<T> &g = w.g;
  cudaStream_t stream = w.stream;
  const int64_t pages = g.pages;
  bool tall_a = g.is_tall_a (), tall_b = g.is_tall_b ();
  page_matrix<T> a = tall_a ? g.tall_a.Y : g.F0, b = tall_b ? g.tall_b.Y : g.R;
  GLA_TRY (gsvd_column_norms<S> (A, g.m, g.p, g.scaling.norm_a, pages, stream));
  GLA_TRY (gsvd_column_norms<S> (B, g.n, g.p, g.scaling.norm_b, pages, stream));
  GLA_TRY (gsvd_choose_scaling (g.scaling, g.p, true, g.state, pages, stream));
  GLA_TRY (gsvd_load<S, T> ({a, a.ld, g.p, A, g.m, g.p, 0}, g.scaling, g.state, pages, stream));
  GLA_TRY (gsvd_load<S, T> ({b, b.ld, g.p, B, g.n, g.p, 1}, g.scaling, g.state, pages, stream));
  if (tall_a) {
    GLA_TRY (qr_factor<T> (g.tall_a, as_const (g.tall_a.Y), streams, pause));
    GLA_TRY (w.triangle (g.tall_a, g.F0));
  }
  if (tall_b) {
    GLA_TRY (qr_factor<T> (g.tall_b, as_const (g.tall_b.Y), streams, pause));
    GLA_TRY (w.triangle (g.tall_b, g.R));
  }
  return GLA_OK;
}

// Calls the reduction for pages of type N.
template <class N, class T>
gla_status reduce (const gsvd_plan<T> &g, page_matrix<const N> A, page_matrix<const N> B,
                   bool scaled, cudaStream_t stream)
{
  const gsvd_small_reduction<N> to = {
      A, B, scaled, g.p, g.F, g.F0, g.R, g.small_tau, g.values.place, g.scaling, g.level, g.state};
  return engine_status (gsvd_small_reduce<N> (to, g.pages, stream));
}

} // namespace

// Fitted to 4 x 4 .. 64 x 64, d and z, with the host's work for each pair; a sweep is a sequence of
// rotations.
double gsvd_small_seconds (const gla_gsvd_job &job, double pages)
{
  double p = (double)job.p, m = (double)job.m, n = (double)job.n;
  bool complex = gla_type_is_complex (job.head.type), tall = m > p || n > p;
  double page = 1e-7 + (complex ? 3.2e-11 : 1.5e-11) * p * p * p;
  double reduce = (complex ? 4 : 1) * 4 * (m + n) * p * p / 1e13;
  return 1.2e-5 * p + pages * page + (tall ? 1e-5 * p + pages * reduce : 0);
}

template <class S, class T>
gla_status gsvd_small_pairs (const gsvd_plan<T> &g, page_matrix<const S> A, page_matrix<const S> B,
                             const gsvd_wanted<S> &to, const qr_streams &streams,
                             const qr_pause &pause)
{
  gsvd_worker<T> w (g, streams);
  cudaStream_t stream = w.stream;
  const size_t rotations = g.pages * GLA_GSVD_MAX_SWEEPS * sizeof *g.history;
  GLA_TRY (cudaMemsetAsync (g.state, 0, g.pages * sizeof (gsvd_state), stream));
  GLA_TRY (cudaMemsetAsync (g.history, 0, rotations, stream));
  if (g.is_tall_a () || g.is_tall_b ()) {
    GLA_TRY (reduce_tall<S> (w, A, B, streams, pause));
    GLA_TRY (reduce<T> (g, as_const (g.F0), as_const (g.R), true, stream));
  } else
    GLA_TRY (reduce<S> (g, A, B, false, stream));
  const page_matrix<T> none = {nullptr, 0, 0};
  const page_matrix<S> nothing = {nullptr, 0, 0};
  bool u = to.U.data != nullptr, v = to.V.data != nullptr;
  gsvd_small_sweeps_args<T> sweeps = {};
  sweeps.F = as_const (g.F);
  sweeps.U = g.U; // values must not depend on whether vectors are wanted
  sweeps.Y = g.V;
  sweeps.sigma = g.values.norm_f;
  sweeps.p = g.p;
  sweeps.tol = sqrt ((double)g.p) * DBL_EPSILON;
  sweeps.sweeps_max = GLA_GSVD_MAX_SWEEPS;
  sweeps.history = g.history;
  sweeps.info = g.small_info;
  sweeps.any = g.left;
  sweeps.state = g.state;
  sweeps.pages = g.pages;
  GLA_TRY (gsvd_small_sweeps (sweeps, stream));
  gsvd_small_results_args<S> r = {};
  r.p = g.p;
  r.U = as_const (g.U);
  r.Y = as_const (g.V);
  r.F0 = as_const (g.F0);
  r.R = as_const (g.R);
  r.tau = g.small_tau;
  r.perm = g.values.place;
  r.sigma = g.values.norm_f;
  r.level = g.level;
  r.info = g.small_info;
  r.scaling = g.scaling;
  r.state = g.state;
  r.alpha = to.alpha;
  r.beta = to.beta;
  r.X = to.X;
  r.to_u = g.is_tall_a () ? nothing : to.U;
  r.to_v = g.is_tall_b () ? nothing : to.V;
  r.wide_u = u && g.is_tall_a () ? g.U : none;
  r.wide_v = v && g.is_tall_b () ? g.VS : none;
  GLA_TRY (gsvd_small_results<S> (r, g.pages, stream));
  if (r.wide_u.data != nullptr)
    GLA_TRY (gsvd_store_tall_u<S> (g, to.U, streams, pause));
  return r.wide_v.data == nullptr ? GLA_OK : gsvd_store_tall_v<S> (g, to.V, streams, pause);
}

#define GLA_INSTANTIATE(S, T)                                                                      \
  template gla_status gsvd_small_pairs (const gsvd_plan<T> &, page_matrix<const S>,                \
                                        page_matrix<const S>, const gsvd_wanted<S> &,              \
                                        const qr_streams &, const qr_pause &);
GLA_INSTANTIATE (float, double)
GLA_INSTANTIATE (double, double)
GLA_INSTANTIATE (cx<float>, cx<double>)
GLA_INSTANTIATE (cx<double>, cx<double>)

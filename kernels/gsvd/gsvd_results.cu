// gsvd_results.cu: values, X, U and V of a generalized SVD after the sweeps
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gsvd_plan.cuh"

namespace
{

// Replaces zero columns of U by the orthogonal complement of the others.
template <class T>
gla_status complete_u (const gsvd_worker<T> &w, const qr_streams &streams, const qr_pause &pause)
{
  const gsvd_plan<T> &g = w.g;
  GLA_TRY (gsvd_flip<T> (g.square.Y, as_const (g.U), g.p, g.pages, w.stream));
  GLA_TRY (qr_factor<T> (g.square, as_const (g.square.Y), streams, pause));
  GLA_TRY (qr_form_q<T> (g.square, g.Q, g.p, streams, pause));
  GLA_TRY (gsvd_fill_zeros<T> (g.U, as_const (g.Q), g.p, g.state, g.pages, w.stream));
  return GLA_OK;
}

// Sets to := Q1 * small, where Q1 has `rows` rows and the small matrix p; then appends the columns
// of Q beyond p.
template <class S, class T>
gla_status store_product (const gsvd_worker<T> &w, page_matrix<S> to, int64_t rows, int64_t columns,
                          page_matrix<T> small)
{
  const gsvd_plan<T> &g = w.g;
  GLA_TRY (w.multiply (false, rows, g.p, g.p, 1, g.Q, small, 0, g.product));
  GLA_TRY (gsvd_store<S, T> (to, as_const (g.product), rows, g.p, g.state, g.pages, w.stream));
  if (columns > g.p)
    GLA_TRY (gsvd_store<S, T> (to.at (0, g.p), as_const (g.Q.at (0, g.p)), rows, columns - g.p,
                               g.state, g.pages, w.stream));
  return GLA_OK;
}

template <class S, class T>
gla_status store_u (const gsvd_worker<T> &w, page_matrix<S> U, const qr_streams &streams,
                    const qr_pause &pause)
{
  const gsvd_plan<T> &g = w.g;
  if (!g.is_tall_a ())
    return engine_status (
        gsvd_store<S, T> (U, as_const (g.U), g.p, g.p, g.state, g.pages, w.stream));
  return gsvd_store_tall_u<S> (g, U, streams, pause);
}

// V includes the factor of B's triangle.
template <class S, class T>
gla_status store_v (const gsvd_worker<T> &w, page_matrix<S> V, const qr_streams &streams,
                    const qr_pause &pause)
{
  const gsvd_plan<T> &g = w.g;
  GLA_TRY (qr_form_q<T> (g.pivoted, g.Q, g.p, streams, pause));
  if (!g.is_tall_b ())
    return store_product<S> (w, V, g.p, g.p, g.V);
  GLA_TRY (w.multiply (false, g.p, g.p, g.p, 1, g.Q, g.V, 0, g.VS)); // VS is free here
  return gsvd_store_tall_v<S> (g, V, streams, pause);
}

} // namespace

template <class S, class T>
gla_status gsvd_store_tall_u (const gsvd_plan<T> &g, page_matrix<S> U, const qr_streams &streams,
                              const qr_pause &pause)
{
  gsvd_worker<T> w (g, streams);
  GLA_TRY (qr_form_q<T> (g.tall_a, g.Q, g.u_columns, streams, pause));
  return store_product<S> (w, U, g.m, g.u_columns, g.U);
}

template <class S, class T>
gla_status gsvd_store_tall_v (const gsvd_plan<T> &g, page_matrix<S> V, const qr_streams &streams,
                              const qr_pause &pause)
{
  gsvd_worker<T> w (g, streams);
  GLA_TRY (qr_form_q<T> (g.tall_b, g.Q, g.v_columns, streams, pause));
  return store_product<S> (w, V, g.n, g.v_columns, g.VS);
}

template <class S, class T>
gla_status gsvd_results (const gsvd_plan<T> &g, const gsvd_wanted<S> &to, const gsvd_host &host,
                         const qr_streams &streams, const qr_pause &pause)
{
  typedef real_t<S> R;
  gsvd_worker<T> w (g, streams);
  cudaStream_t stream = w.stream;
  const gsvd_values &v = g.values;
  GLA_TRY (gsvd_find_values<T> ({as_const (g.F), as_const (g.G), g.p, g.p, g.p, g.both, g.level}, v,
                                g.state, g.pages, stream));
  GLA_TRY (gsvd_store_values<R> ({to.alpha, to.beta, g.factor, g.exponent, g.p}, v, g.scaling,
                                 g.state, g.pages, stream));
  bool u = to.U.data != nullptr, x = to.X.data != nullptr, right = to.V.data != nullptr;
  page_matrix<T> none = {nullptr, 0, 0}, sum = g.lean ? g.UC : g.F;
  if (!g.lean && (u || x))
    GLA_TRY (w.place_u (g.U, g.UC));
  if (!g.lean && (right || x))
    GLA_TRY (w.place_v (g.V, g.VS));
  // X = F' U C + R' V S
  if (x) {
    if (g.lean)
      GLA_TRY (w.place_u (none, g.U));
    GLA_TRY (w.multiply (true, g.p, g.p, g.p, 1, g.F0, g.lean ? g.U : g.UC, 0, sum));
    if (g.lean)
      GLA_TRY (w.place_v (none, g.V));
    GLA_TRY (w.multiply (true, g.p, g.p, g.p, 1, g.R, g.lean ? g.V : g.VS, 1, sum));
    GLA_TRY (gsvd_store_x<S, T> (
        {to.X, as_const (sum), g.p, g.pivoted.pivots.jpvt, g.factor, g.exponent}, g.scaling,
        g.state, g.pages, stream));
  }
  if (u) {
    if (g.lean)
      GLA_TRY (w.place_u (g.U, none));
    GLA_TRY (w.count (host, true));
    if (*host.count > 0)
      GLA_TRY (complete_u (w, streams, pause));
    GLA_TRY (store_u<S> (w, to.U, streams, pause));
  }
  if (right && g.lean)
    GLA_TRY (w.place_v (g.V, none));
  return right ? store_v<S> (w, to.V, streams, pause) : GLA_OK;
}

#define GLA_INSTANTIATE(S, T)                                                                      \
  template gla_status gsvd_store_tall_u (const gsvd_plan<T> &, page_matrix<S>, const qr_streams &, \
                                         const qr_pause &);                                        \
  template gla_status gsvd_store_tall_v (const gsvd_plan<T> &, page_matrix<S>, const qr_streams &, \
                                         const qr_pause &);                                        \
  template gla_status gsvd_results (const gsvd_plan<T> &, const gsvd_wanted<S> &,                  \
                                    const gsvd_host &, const qr_streams &, const qr_pause &);
GLA_INSTANTIATE (float, double)
GLA_INSTANTIATE (double, double)
GLA_INSTANTIATE (cx<float>, cx<double>)
GLA_INSTANTIATE (cx<double>, cx<double>)

// gsvd_plan.cu: the order of work of a generalized SVD
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gsvd_plan.cuh"
#include "../src/orderings.h"
#include "cluster.cuh"
#include "host_array.cuh"

namespace
{

// Up to so many columns blocks have 16 of them: shorter chains of rotations, more launches.
enum { NARROW_COLUMNS = 1024, NARROW = 16, WIDE = 32 };
// Up to so many columns products are our own, of all pages at once.
enum { OWN_PRODUCTS = 256 };
enum { INNER_SWEEPS = 30, SOLVE_COLUMNS = 64, STEPS_AHEAD = 64 };

gla_status status_of (cudaError_t error)
{
  if (error == cudaSuccess)
    return GLA_OK;
  cudaGetLastError ();
  return error == cudaErrorMemoryAllocation ? GLA_OUT_OF_MEMORY : GLA_DEVICE_FAILURE;
}

int64_t round_up (int64_t a, int64_t to)
{
  return (a + to - 1) / to * to;
}

int blocks_of (const gla_gsvd_job &job)
{
  return (int)round_up ((job.p + gsvd_width_of (job) - 1) / gsvd_width_of (job), 2);
}

template <class T> qr_matrix<const T> read (qr_matrix<T> a)
{
  return {a.data, a.ld, a.page};
}

// A QR factorisation inside of the job; of nothing where it is not needed.
gla_qr_job qr_part (const gla_gsvd_job &job, bool needed, int64_t m, int64_t q_columns, bool pivot)
{
  gla_qr_job part = {};
  part.type = gla_type_is_complex (job.type) ? GLA_Z : GLA_D;
  part.m = needed ? m : 1;
  part.n = needed ? job.p : 1;
  part.q_columns = needed ? q_columns : 1;
  part.r_rows = part.n;
  part.pivot = pivot && needed;
  return part;
}

template <class T> qr_matrix<T> take (carver &c, int64_t pages, int64_t ld, int64_t columns)
{
  return {c.take<T> (pages * ld * columns), ld, ld * columns};
}

} // namespace

gla_gsvd_method gsvd_method_of (const gla_gsvd_job &job)
{
  return job.options.method == GLA_GSVD_HZ ? GLA_GSVD_HZ : GLA_GSVD_TANGENT;
}

int gsvd_width_of (const gla_gsvd_job &job)
{
  int64_t wanted = job.options.block > 0     ? job.options.block
                   : job.p <= NARROW_COLUMNS ? NARROW
                                             : WIDE;
  bool fits = gsvd_shared (gla_type_is_complex (job.type), WIDE) <= block_shared_most ();
  return wanted <= NARROW || !fits ? NARROW : WIDE;
}

gsvd_tables::gsvd_tables (const gla_gsvd_job &job, carver &c)
{
  int players = blocks_of (job), inner = 2 * gsvd_width_of (job);
  gla_gsvd_ordering kind = job.options.ordering;
  blocks = c.take<short2> ((int64_t)gla_ordering_steps (kind, players) * players / 2);
  columns = c.take<unsigned char> ((int64_t)gla_ordering_steps (kind, inner) * inner);
}

size_t gsvd_table_bytes (const gla_gsvd_job &job)
{
  carver c = {nullptr, 0};
  gsvd_tables unused (job, c);
  return c.used;
}

gla_status gsvd_fill_tables (const gla_gsvd_job &job, char *tables)
{
  carver c = {tables, 0};
  gsvd_tables to (job, c);
  gla_gsvd_ordering kind = job.options.ordering;
  for (int level = 0; level < 2; level++) {
    int players = level == 0 ? blocks_of (job) : 2 * gsvd_width_of (job);
    int64_t count = (int64_t)gla_ordering_steps (kind, players) * players;
    host_array<int32_t> pairs (count);
    if (pairs.data == nullptr)
      return GLA_OUT_OF_MEMORY;
    gla_ordering_fill (kind, players, pairs.data);
    for (int64_t k = 0; k < count; k++)
      if (level == 1)
        to.columns[k] = (unsigned char)pairs[k];
      else if (k % 2 == 0)
        to.blocks[k / 2] = make_short2 ((short)pairs[k], (short)pairs[k + 1]);
  }
  return GLA_OK;
}

template <class T>
gsvd_plan<T>::gsvd_plan (const gla_gsvd_job &job, int64_t pages, carver &c)
    : m (job.m), n (job.n), pages (pages), u_columns (job.u_columns), v_columns (job.v_columns),
      p ((int)job.p), width (gsvd_width_of (job)), blocks (blocks_of (job)),
      both (gsvd_method_of (job) == GLA_GSVD_HZ), ordering (job.options.ordering), tables (job, c),
      tall_a (qr_part (job, job.m > job.p, job.m, job.u_columns, false), pages,
              round_up (job.m, 16), c),
      tall_b (qr_part (job, job.n > job.p, job.n, job.v_columns, false), pages,
              round_up (job.n, 16), c),
      pivoted (qr_part (job, true, job.p, job.p, true), pages, round_up (job.p, 16), c),
      square (qr_part (job, job.u_columns > 0, job.p, job.p, false), pages, round_up (job.p, 16), c)
{
  ld = round_up (p, 16);
  columns = (int64_t)blocks * width;
  steps = gla_ordering_steps (ordering, blocks);
  rounds = gla_ordering_steps (ordering, 2 * width);
  inner_sweeps = job.options.blocking == GLA_FULL_BLOCK ? INNER_SWEEPS : 1;
  tall_a.Y.data = c.take<T> (m > p ? pages * tall_a.Y.page : 0);
  tall_b.Y.data = c.take<T> (n > p ? pages * tall_b.Y.page : 0);
  pivoted.Y.data = c.take<T> (pages * pivoted.Y.page);
  square.Y.data = c.take<T> (u_columns > 0 ? pages * square.Y.page : 0);
  F = take<T> (c, pages, ld, columns);
  G = take<T> (c, pages, ld, columns);
  F0 = take<T> (c, pages, ld, columns);
  R = take<T> (c, pages, ld, columns);
  U = take<T> (c, pages, ld, p);
  UC = take<T> (c, pages, ld, p);
  V = take<T> (c, pages, ld, p);
  VS = take<T> (c, pages, ld, p);
  // Q: explicit factors, one after the other; product: U or V of tall matrices
  int64_t q_rows = ld, q_columns = p;
  if (m > p && u_columns > 0)
    q_rows = round_up (m, 16), q_columns = u_columns;
  if (n > p && v_columns > 0) {
    q_rows = round_up (n, 16) > q_rows ? round_up (n, 16) : q_rows;
    q_columns = v_columns > q_columns ? v_columns : q_columns;
  }
  Q = take<T> (c, pages, q_rows, q_columns);
  product = take<T> (c, pages, q_rows, p);
  int64_t numbers = pages * p;
  state = c.take<gsvd_state> (pages);
  scaling = {c.take<int> (numbers), c.take<int> (numbers), c.take<int> (numbers),
             c.take<int> (2 * pages)};
  values = {c.take<double> (numbers), c.take<double> (numbers), c.take<int> (numbers),
            c.take<double> (numbers), c.take<double> (numbers)};
  level = c.take<int> (pages);
  exponent = c.take<int> (numbers);
  left = c.take<int> (1);
  active = c.take<int> (pages * blocks / 2);
  factor = c.take<double> (numbers);
  history = c.take<unsigned long long> (pages * GLA_GSVD_SWEEPS);
  gram = c.take<T> (pages * gsvd_gram_size (ld, ld, both, width, blocks / 2));
  step_v = c.take<T> (pages * blocks / 2 * 4 * width * width);
}

namespace
{

template <class T> struct worker {
  const gsvd_plan<T> &g;
  const qr_streams &streams;
  cudaStream_t stream;

  worker (const gsvd_plan<T> &g, const qr_streams &streams)
      : g (g), streams (streams), stream (streams.main)
  {
  }

  // C := beta C + alpha op(A) B
  gla_status multiply (bool adjoint, int64_t m, int64_t n, int64_t k, double alpha, qr_matrix<T> A,
                       qr_matrix<T> B, double beta, qr_matrix<T> C) const
  {
    if (g.p <= OWN_PRODUCTS)
      return status_of (
          gsvd_product<T> (adjoint, m, n, k, alpha, read (A), read (B), beta, C, g.pages, stream));
    return gpu_gemm<T> (streams.blas, stream, adjoint ? 'C' : 'N', 'N', m, n, k, alpha, read (A),
                        read (B), beta, C, g.pages);
  }

  gla_status copy (qr_matrix<T> to, qr_matrix<T> from, const int64_t *jpvt) const
  {
    return status_of (
        gsvd_gather<T> (to, g.ld, g.columns, read (from), g.p, jpvt, g.pages, stream));
  }

  // To *host.count, how many pages have zero columns, or else are near.
  gla_status count (const gsvd_host &host, bool zeros) const
  {
    gla_status status = status_of (gsvd_count (g.state, zeros, g.left, g.pages, stream));
    if (status == GLA_OK)
      status = status_of (
          cudaMemcpyAsync (host.count, g.left, sizeof (int), cudaMemcpyDeviceToHost, stream));
    return status == GLA_OK ? host.wait (host.user) : status;
  }

  // The triangle of a factorisation, p x p.
  gla_status triangle (const qr_plan<T> &q, qr_matrix<T> to) const
  {
    return status_of (qr_store_r<T> (to, read (q.Y), read (q.blocks), g.p, g.p, g.p, q.block,
                                     q.exponent, g.pages, stream));
  }

  // F := F R^-1
  gla_status solve () const
  {
    gla_status status = GLA_OK;
    for (int j = 0; j < g.p && status == GLA_OK; j += SOLVE_COLUMNS) {
      int count = g.p - j < SOLVE_COLUMNS ? g.p - j : (int)SOLVE_COLUMNS;
      if (j > 0)
        status = multiply (false, g.p, count, j, -1, g.F, g.R.at (0, j), 1, g.F.at (0, j));
      if (status == GLA_OK)
        status = status_of (gsvd_solve<T> (g.F, read (g.R), g.p, j, count, g.pages, stream));
    }
    return status;
  }
};

} // namespace

template <class S, class T>
gla_status gsvd_reduce (const gsvd_plan<T> &g, qr_matrix<const S> A, qr_matrix<const S> B,
                        const gsvd_host &host, const qr_streams &streams, const qr_pause &pause)
{
  worker<T> w (g, streams);
  cudaStream_t stream = w.stream;
  int64_t pages = g.pages;
  // by powers of two
  gla_status status =
      status_of (gsvd_column_norms<S> (A, g.m, g.p, g.scaling.norm_a, pages, stream));
  if (status == GLA_OK)
    status = status_of (gsvd_column_norms<S> (B, g.n, g.p, g.scaling.norm_b, pages, stream));
  if (status == GLA_OK)
    status = status_of (gsvd_choose_scaling (g.scaling, g.p, !g.both, g.state, pages, stream));
  bool tall_a = g.is_tall_a (), tall_b = g.is_tall_b ();
  qr_matrix<T> a = tall_a ? g.tall_a.Y : g.F0, b = tall_b ? g.tall_b.Y : g.pivoted.Y;
  if (status == GLA_OK)
    status = status_of (gsvd_load<S, T> (a, a.ld, tall_a ? g.p : g.columns, A, g.m, g.p, g.scaling,
                                         0, g.state, pages, stream));
  if (status == GLA_OK)
    status = status_of (
        gsvd_load<S, T> (b, b.ld, g.p, B, g.n, g.p, g.scaling, 1, g.state, pages, stream));
  // to triangles
  if (status == GLA_OK && tall_a)
    status = qr_factor<T> (g.tall_a, read (g.tall_a.Y), streams, pause);
  if (status == GLA_OK && tall_a)
    status = w.triangle (g.tall_a, g.F0);
  if (status == GLA_OK && tall_b)
    status = qr_factor<T> (g.tall_b, read (g.tall_b.Y), streams, pause);
  if (status == GLA_OK && tall_b)
    status = w.triangle (g.tall_b, g.pivoted.Y);
  if (status == GLA_OK)
    status = qr_factor<T> (g.pivoted, read (g.pivoted.Y), streams, pause);
  if (status == GLA_OK)
    status = w.triangle (g.pivoted, g.R);
  if (status == GLA_OK)
    status = status_of (gsvd_check_rank<T> (read (g.R), g.p, g.state, pages, stream));
  // F and G of the sweeps; F0 in the order of R's columns
  if (status == GLA_OK)
    status = w.copy (g.F, g.F0, g.pivoted.pivots.jpvt);
  if (status == GLA_OK)
    status = w.copy (g.F0, g.F, nullptr);
  if (status == GLA_OK && g.both)
    status = w.count (host, false);
  if (g.both && (status != GLA_OK || *host.count == 0))
    return status == GLA_OK ? w.copy (g.G, g.R, nullptr) : status;
  if (status == GLA_OK)
    status = w.solve ();
  if (status == GLA_OK && g.both)
    status = status_of (gsvd_choose_start<T> (g.F, g.G, read (g.F0), read (g.R), g.ld, g.columns,
                                              g.p, g.state, pages, stream));
  if (status == GLA_OK)
    status = status_of (gsvd_level<T> (g.F, g.p, g.p, g.level, g.state, pages, stream));
  if (status == GLA_OK && !g.both)
    status = status_of (gsvd_identity<T> (g.G, g.ld, g.columns, g.p, pages, stream));
  return status;
}

// A sweep is launched without waiting for anything; then the host asks how many pages are left.
template <class T>
gla_status gsvd_sweeps (const gsvd_plan<T> &g, const gsvd_host &host, cudaStream_t stream)
{
  gsvd_step<T> s = {};
  s.F = g.F;
  s.G = g.G;
  s.rows_f = s.rows_g = g.ld;
  s.both = g.both;
  s.p = g.p;
  s.width = g.width;
  s.pairs = g.blocks / 2;
  s.inner = g.tables.columns;
  s.rounds = g.rounds;
  s.inner_sweeps = g.inner_sweeps;
  s.tol = sqrt ((double)g.ld) * 0x1p-53;
  s.gram = g.gram;
  s.V = g.step_v;
  s.active = g.active;
  s.state = g.state;
  s.pages = g.pages;
  gla_status status = GLA_OK;
  for (int sweep = 0; sweep < GLA_GSVD_SWEEPS && status == GLA_OK; sweep++) {
    for (int step = 0; step < g.steps && status == GLA_OK; step++) {
      s.blocks = g.tables.blocks + (int64_t)step * s.pairs;
      cudaError_t error = gsvd_gram (s, stream);
      if (error == cudaSuccess)
        error = gsvd_inner (s, stream);
      if (error == cudaSuccess)
        error = gsvd_update (s, stream);
      status = status_of (error);
      if (status == GLA_OK && step % STEPS_AHEAD == STEPS_AHEAD - 1)
        status = host.throttle (host.user);
    }
    if (status == GLA_OK)
      status = status_of (gsvd_sweep_done (g.state, s.tol, g.p, g.history, GLA_GSVD_SWEEPS, g.left,
                                           g.pages, stream));
    if (status == GLA_OK)
      status = status_of (
          cudaMemcpyAsync (host.count, g.left, sizeof (int), cudaMemcpyDeviceToHost, stream));
    if (status == GLA_OK)
      status = host.wait (host.user);
    if (status == GLA_OK)
      host.swept (host.user, sweep + 1);
    if (status == GLA_OK && *host.count == 0)
      break;
  }
  return status;
}

namespace
{

// Columns of U that are zero become the orthogonal complement of the others.
template <class T>
gla_status complete_u (const worker<T> &w, const qr_streams &streams, const qr_pause &pause)
{
  const gsvd_plan<T> &g = w.g;
  gla_status status = status_of (gsvd_flip<T> (g.square.Y, read (g.U), g.p, g.pages, w.stream));
  if (status == GLA_OK)
    status = qr_factor<T> (g.square, read (g.square.Y), streams, pause);
  if (status == GLA_OK)
    status = qr_form_q<T> (g.square, g.Q, g.p, streams, pause);
  if (status == GLA_OK)
    status = status_of (gsvd_fill_zeros<T> (g.U, read (g.Q), g.p, g.state, g.pages, w.stream));
  return status;
}

// to := Q1 * small, where Q1 has `rows` rows and the small matrix p; then the columns of Q beyond
// p.
template <class S, class T>
gla_status store_product (const worker<T> &w, qr_matrix<S> to, int64_t rows, int64_t columns,
                          qr_matrix<T> small)
{
  const gsvd_plan<T> &g = w.g;
  gla_status status = w.multiply (false, rows, g.p, g.p, 1, g.Q, small, 0, g.product);
  if (status == GLA_OK)
    status =
        status_of (gsvd_store<S, T> (to, read (g.product), rows, g.p, g.state, g.pages, w.stream));
  if (status == GLA_OK && columns > g.p)
    status = status_of (gsvd_store<S, T> (to.at (0, g.p), read (g.Q.at (0, g.p)), rows,
                                          columns - g.p, g.state, g.pages, w.stream));
  return status;
}

template <class S, class T>
gla_status store_u (const worker<T> &w, qr_matrix<S> U, const qr_streams &streams,
                    const qr_pause &pause)
{
  const gsvd_plan<T> &g = w.g;
  if (!g.is_tall_a ())
    return status_of (gsvd_store<S, T> (U, read (g.U), g.p, g.p, g.state, g.pages, w.stream));
  gla_status status = qr_form_q<T> (g.tall_a, g.Q, g.u_columns, streams, pause);
  return status == GLA_OK ? store_product<S> (w, U, g.m, g.u_columns, g.U) : status;
}

// B's triangle had a factor of its own.
template <class S, class T>
gla_status store_v (const worker<T> &w, qr_matrix<S> V, const qr_streams &streams,
                    const qr_pause &pause)
{
  const gsvd_plan<T> &g = w.g;
  gla_status status = qr_form_q<T> (g.pivoted, g.Q, g.p, streams, pause);
  if (status == GLA_OK && !g.is_tall_b ())
    return store_product<S> (w, V, g.p, g.p, g.V);
  if (status == GLA_OK)
    status = w.multiply (false, g.p, g.p, g.p, 1, g.Q, g.V, 0, g.VS); // VS has served
  if (status == GLA_OK)
    status = qr_form_q<T> (g.tall_b, g.Q, g.v_columns, streams, pause);
  return status == GLA_OK ? store_product<S> (w, V, g.n, g.v_columns, g.VS) : status;
}

} // namespace

template <class S, class T>
gla_status gsvd_results (const gsvd_plan<T> &g, qr_matrix<real_t<S>> alpha,
                         qr_matrix<real_t<S>> beta, qr_matrix<S> U, qr_matrix<S> V, qr_matrix<S> X,
                         const gsvd_host &host, const qr_streams &streams, const qr_pause &pause)
{
  typedef real_t<S> R;
  worker<T> w (g, streams);
  cudaStream_t stream = w.stream;
  const gsvd_values &v = g.values;
  gla_status status = status_of (gsvd_find_values<T> (read (g.F), read (g.G), g.p, g.p, g.p, g.both,
                                                      g.level, v, g.state, g.pages, stream));
  if (status == GLA_OK)
    status = status_of (gsvd_store_values<R> (alpha, beta, g.factor, g.exponent, g.p, v, g.scaling,
                                              g.state, g.pages, stream));
  bool u = U.data != nullptr, x = X.data != nullptr;
  if (status == GLA_OK && (u || x))
    status = status_of (gsvd_place<T> (g.U, g.UC, read (g.F), g.p, g.p, v.norm_f, v.alpha, v.place,
                                       g.pages, stream));
  if (status == GLA_OK && (V.data != nullptr || x))
    status = status_of (gsvd_place<T> (g.V, g.VS, read (g.G), g.p, g.p, v.norm_g, v.beta, v.place,
                                       g.pages, stream));
  // X = F' U C + R' V S, in place of F
  if (status == GLA_OK && x)
    status = w.multiply (true, g.p, g.p, g.p, 1, g.F0, g.UC, 0, g.F);
  if (status == GLA_OK && x)
    status = w.multiply (true, g.p, g.p, g.p, 1, g.R, g.VS, 1, g.F);
  if (status == GLA_OK && x)
    status = status_of (gsvd_store_x<S, T> (X, read (g.F), g.p, g.pivoted.pivots.jpvt, g.factor,
                                            g.exponent, g.scaling, g.state, g.pages, stream));
  if (status == GLA_OK && u)
    status = w.count (host, true);
  if (status == GLA_OK && u && *host.count > 0)
    status = complete_u (w, streams, pause);
  if (status == GLA_OK && u)
    status = store_u<S> (w, U, streams, pause);
  if (status == GLA_OK && V.data != nullptr)
    status = store_v<S> (w, V, streams, pause);
  return status;
}

#define GLA_INSTANTIATE(S, T)                                                                      \
  template gla_status gsvd_reduce (const gsvd_plan<T> &, qr_matrix<const S>, qr_matrix<const S>,   \
                                   const gsvd_host &, const qr_streams &, const qr_pause &);       \
  template gla_status gsvd_results (                                                               \
      const gsvd_plan<T> &, qr_matrix<real_t<S>>, qr_matrix<real_t<S>>, qr_matrix<S>,              \
      qr_matrix<S>, qr_matrix<S>, const gsvd_host &, const qr_streams &, const qr_pause &);
GLA_INSTANTIATE (float, double)
GLA_INSTANTIATE (double, double)
GLA_INSTANTIATE (cx<float>, cx<double>)
GLA_INSTANTIATE (cx<double>, cx<double>)

#define GLA_INSTANTIATE_WIDE(T)                                                                    \
  template gsvd_plan<T>::gsvd_plan (const gla_gsvd_job &, int64_t, carver &);                      \
  template gla_status gsvd_sweeps (const gsvd_plan<T> &, const gsvd_host &, cudaStream_t);
GLA_INSTANTIATE_WIDE (double)
GLA_INSTANTIATE_WIDE (cx<double>)

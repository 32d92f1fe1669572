// gsvd_plan.cu: the order of work of a generalized SVD
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gsvd_kernels.cuh"
#include "gsvd_plan.cuh"
#include "common/orderings.h"
#include "common/cluster.cuh"
#include "common/pages.cuh"

namespace
{

// Up to so many columns blocks have 16 of them: shorter sequences of rotations, more launches.
enum { NARROW_COLUMNS = 1024, NARROW = 16, WIDE = 32 };
// Pairs with so many blocks reuse memory that is no longer needed. For real ones "hz" also takes
// less time than "tangent", because it needs fewer sweeps.
enum { LARGE_BLOCKS = 64 };
enum { INNER_SWEEPS = 30, STEPS_AHEAD = 64 };

int64_t round_up (int64_t a, int64_t to)
{
  return (a + to - 1) / to * to;
}

// The QR factorisation within the job; it is empty if not needed.
gla_qr_job qr_part (const gla_gsvd_job &job, bool needed, int64_t m, int64_t q_columns, bool pivot)
{
  gla_qr_job part = {};
  part.head.type = gla_type_is_complex (job.head.type) ? GLA_TYPE_Z : GLA_TYPE_D;
  part.m = needed ? m : 1;
  part.n = needed ? job.p : 1;
  part.q_columns = needed ? q_columns : 1;
  part.r_rows = part.n;
  part.pivot = pivot && needed ? (int)QR_PIVOT_BLOCKS : 0;
  return part;
}

template <class T> page_matrix<T> take (carver &c, int64_t pages, int64_t ld, int64_t columns)
{
  return {c.take<T> (pages * ld * columns), ld, ld * columns};
}

} // namespace

gla_gsvd_method gsvd_method_of (const gla_gsvd_job &job)
{
  if (job.options.method != GLA_GSVD_METHOD_AUTO)
    return job.options.method;
  bool hz = gsvd_blocks_of (job) >= LARGE_BLOCKS && !gla_type_is_complex (job.head.type) &&
            job.options.blocking == GLA_GSVD_BLOCKING_ORIENTED;
  return hz ? GLA_GSVD_METHOD_HZ : GLA_GSVD_METHOD_TANGENT;
}

int gsvd_width_of (const gla_gsvd_job &job)
{
  int64_t wanted = job.options.block > 0     ? job.options.block
                   : job.p <= NARROW_COLUMNS ? NARROW
                                             : WIDE;
  bool fits = gsvd_shared (gla_type_is_complex (job.head.type), WIDE) <= block_shared_most ();
  return wanted <= NARROW || !fits ? NARROW : WIDE;
}

int gsvd_blocks_of (const gla_gsvd_job &job)
{
  int width = gsvd_width_of (job);
  return gla_ordering_blocks ((int)round_up ((job.p + width - 1) / width, 2));
}

// The small kernels ignore a wish for another order.
bool gsvd_is_small (const gla_gsvd_job &job)
{
  const gla_gsvd_options &o = job.options;
  bool plain = o.block == 0 && o.ordering == GLA_GSVD_ORDERING_ME &&
               o.blocking == GLA_GSVD_BLOCKING_ORIENTED && job.team == nullptr;
  return plain && job.p <= GSVD_SMALL && gsvd_method_of (job) == GLA_GSVD_METHOD_TANGENT &&
         gsvd_small_shared (gla_type_is_complex (job.head.type), (int)job.p) <=
             block_shared_most ();
}

gsvd_tables::gsvd_tables (const gla_gsvd_job &job, carver &c)
{
  int players = gsvd_blocks_of (job), inner = 2 * gsvd_width_of (job);
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
    int players = level == 0 ? gsvd_blocks_of (job) : 2 * gsvd_width_of (job);
    int members = level == 0 && job.team != nullptr ? job.team->count : 1;
    int64_t count = (int64_t)gla_ordering_steps (kind, players) * (players / members);
    host_array<int32_t> pairs (count);
    if (pairs.data == nullptr)
      return GLA_ERROR_OUT_OF_MEMORY;
    if (level == 0)
      gla_ordering_shared (kind, players, members, pairs.data);
    else
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
      p ((int)job.p), width (gsvd_width_of (job)), blocks (gsvd_blocks_of (job)),
      both (gsvd_method_of (job) == GLA_GSVD_METHOD_HZ), ordering (job.options.ordering),
      tables (job, c), tall_a (qr_part (job, job.m > job.p, job.m, job.u_columns, false), pages,
                               round_up (job.m, 16), c),
      tall_b (qr_part (job, job.n > job.p, job.n, job.v_columns, false), pages,
              round_up (job.n, 16), c),
      pivoted (qr_part (job, !gsvd_is_small (job), job.p, job.p, true), pages, round_up (job.p, 16),
               c),
      square (qr_part (job, job.u_columns > 0 && !gsvd_is_small (job), job.p, job.p, false), pages,
              round_up (job.p, 16), c)
{
  small = gsvd_is_small (job);
  ld = round_up (p, 16);
  columns = (int64_t)blocks * width;
  splits = gsvd_splits (ld, blocks / 2);
  steps = gla_ordering_steps (ordering, blocks);
  rounds = gla_ordering_steps (ordering, 2 * width);
  inner_sweeps = job.options.blocking == GLA_GSVD_BLOCKING_FULL ? INNER_SWEEPS : 1;
  tall_a.Y.data = c.take<T> (m > p ? pages * tall_a.Y.page : 0);
  tall_b.Y.data = c.take<T> (n > p ? pages * tall_b.Y.page : 0);
  pivoted.Y.data = c.take<T> (!small ? pages * pivoted.Y.page : 0);
  lean = blocks >= LARGE_BLOCKS;
  square.Y.data = c.take<T> (u_columns > 0 && !lean && !small ? pages * square.Y.page : 0);
  F = take<T> (c, pages, ld, columns);
  G = small ? F : take<T> (c, pages, ld, columns);
  F0 = take<T> (c, pages, ld, columns);
  R = take<T> (c, pages, ld, columns);
  U = take<T> (c, pages, ld, p);
  UC = small ? U : take<T> (c, pages, ld, p);
  // a lean plan has U and V in one matrix, one after the other, when X is formed; F is free then
  V = lean ? U : take<T> (c, pages, ld, p);
  VS = lean ? F : take<T> (c, pages, ld, p);
  // Q: explicit factors, one after the other; product: U or V of tall matrices
  int64_t q_rows = ld, q_columns = p;
  if (m > p && u_columns > 0)
    q_rows = round_up (m, 16), q_columns = u_columns;
  if (n > p && v_columns > 0) {
    q_rows = round_up (n, 16) > q_rows ? round_up (n, 16) : q_rows;
    q_columns = v_columns > q_columns ? v_columns : q_columns;
  }
  bool in_place = (lean || small) && m == p && n == p;
  Q = in_place ? F0 : take<T> (c, pages, q_rows, q_columns);
  product = in_place ? F : take<T> (c, pages, q_rows, p);
  if (lean)
    square.Y = {F.data, ld, F.page};
  int64_t numbers = pages * p;
  state = c.take<gsvd_state> (pages);
  scaling = {c.take<int> (numbers), c.take<int> (numbers), c.take<int> (numbers),
             c.take<int> (2 * pages)};
  values = {c.take<double> (numbers), c.take<double> (numbers), c.take<int> (numbers),
            c.take<double> (numbers), c.take<double> (numbers)};
  level = c.take<int> (pages);
  exponent = c.take<int> (numbers);
  left = c.take<int> (1);
  factor = c.take<double> (numbers);
  history = c.take<unsigned long long> (pages * GLA_GSVD_MAX_SWEEPS);
  small_tau = c.take<T> (small ? numbers : 0);
  small_info = c.take<int> (small ? pages : 0);
  const int64_t pairs = small ? 0 : pages * blocks / 2; // that have Gram matrices
  active = c.take<int> (pairs);
  gram = c.take<T> (small ? 0 : pages * gsvd_gram_size (splits, both, width, blocks / 2));
  step_v = c.take<T> (pairs * 4 * width * width);
}

template <class S, class T>
gla_status gsvd_reduce (const gsvd_plan<T> &g, page_matrix<const S> A, page_matrix<const S> B,
                        const gsvd_host &host, const qr_streams &streams, const qr_pause &pause)
{
  gsvd_worker<T> w (g, streams);
  cudaStream_t stream = w.stream;
  int64_t pages = g.pages;
  // by powers of two
  GLA_TRY (gsvd_column_norms<S> (A, g.m, g.p, g.scaling.norm_a, pages, stream));
  GLA_TRY (gsvd_column_norms<S> (B, g.n, g.p, g.scaling.norm_b, pages, stream));
  GLA_TRY (gsvd_choose_scaling (g.scaling, g.p, !g.both, g.state, pages, stream));
  bool tall_a = g.is_tall_a (), tall_b = g.is_tall_b ();
  page_matrix<T> a = tall_a ? g.tall_a.Y : g.F0, b = tall_b ? g.tall_b.Y : g.pivoted.Y;
  GLA_TRY (gsvd_load<S, T> ({a, a.ld, tall_a ? g.p : g.columns, A, g.m, g.p, 0}, g.scaling, g.state,
                            pages, stream));
  GLA_TRY (gsvd_load<S, T> ({b, b.ld, g.p, B, g.n, g.p, 1}, g.scaling, g.state, pages, stream));
  // to triangles
  if (tall_a) {
    GLA_TRY (qr_factor<T> (g.tall_a, as_const (g.tall_a.Y), streams, pause));
    GLA_TRY (w.triangle (g.tall_a, g.F0));
  }
  if (tall_b) {
    GLA_TRY (qr_factor<T> (g.tall_b, as_const (g.tall_b.Y), streams, pause));
    GLA_TRY (w.triangle (g.tall_b, g.pivoted.Y));
  }
  GLA_TRY (qr_factor<T> (g.pivoted, as_const (g.pivoted.Y), streams, pause));
  GLA_TRY (w.triangle (g.pivoted, g.R));
  GLA_TRY (gsvd_check_rank<T> (as_const (g.R), g.p, g.state, pages, stream));
  // F and G of the sweeps; F0 in the order of R's columns
  GLA_TRY (w.copy (g.F, g.F0, g.pivoted.pivots.jpvt));
  GLA_TRY (w.copy (g.F0, g.F, nullptr));
  if (g.both)
    GLA_TRY (w.count (host, false));
  if (g.both && *host.count == 0)
    return w.copy (g.G, g.R, nullptr);
  GLA_TRY (w.solve ());
  if (g.both)
    GLA_TRY (gsvd_choose_start<T> (
        {g.F, g.G, as_const (g.F0), as_const (g.R), g.ld, g.columns, g.p}, g.state, pages, stream));
  GLA_TRY (gsvd_level<T> (g.F, g.p, g.p, g.level, g.state, pages, stream));
  if (!g.both)
    GLA_TRY (gsvd_identity<T> (g.G, g.ld, g.columns, g.p, pages, stream));
  return GLA_OK;
}

template <class T> gsvd_step<T> gsvd_step_of (const gsvd_plan<T> &g)
{
  gsvd_step<T> s = {};
  s.F = g.F;
  s.G = g.G;
  s.rows_f = s.rows_g = g.ld;
  s.both = g.both;
  s.seat = {g.blocks, {0, 0}, {g.p, 0}};
  s.width = g.width;
  s.pairs = g.blocks / 2;
  s.splits = g.splits;
  s.inner = g.tables.columns;
  s.rounds = g.rounds;
  s.inner_sweeps = g.inner_sweeps;
  s.tol = sqrt ((double)g.ld) * 0x1p-53;
  s.gram = g.gram;
  s.V = g.step_v;
  s.active = g.active;
  s.state = g.state;
  s.pages = g.pages;
  return s;
}

// Launches a sweep without a wait; then the host reads how many pages have not converged.
template <class T>
gla_status gsvd_sweeps (const gsvd_plan<T> &g, const gsvd_host &host, cudaStream_t stream)
{
  gsvd_step<T> s = gsvd_step_of (g);
  for (int sweep = 0; sweep < GLA_GSVD_MAX_SWEEPS; sweep++) {
    for (int step = 0; step < g.steps; step++) {
      s.blocks = g.tables.blocks + (int64_t)step * s.pairs;
      GLA_TRY (gsvd_gram (s, stream));
      GLA_TRY (gsvd_inner (s, stream));
      GLA_TRY (gsvd_update (s, stream));
      if (step % STEPS_AHEAD == STEPS_AHEAD - 1)
        GLA_TRY (host.throttle (host.user));
    }
    GLA_TRY (gsvd_sweep_done (g.state, s.tol, g.p, g.history, GLA_GSVD_MAX_SWEEPS, g.left, g.pages,
                              stream));
    GLA_TRY (copy_to_host (host.count, g.left, sizeof (int), stream));
    GLA_TRY (host.wait (host.user));
    host.swept (host.user, sweep + 1);
    if (*host.count == 0)
      break;
  }
  return GLA_OK;
}

#define GLA_INSTANTIATE(S, T)                                                                      \
  template gla_status gsvd_reduce (const gsvd_plan<T> &, page_matrix<const S>,                     \
                                   page_matrix<const S>, const gsvd_host &, const qr_streams &,    \
                                   const qr_pause &);
GLA_INSTANTIATE (float, double)
GLA_INSTANTIATE (double, double)
GLA_INSTANTIATE (cx<float>, cx<double>)
GLA_INSTANTIATE (cx<double>, cx<double>)

#define GLA_INSTANTIATE_WIDE(T)                                                                    \
  template gsvd_plan<T>::gsvd_plan (const gla_gsvd_job &, int64_t, carver &);                      \
  template gsvd_step<T> gsvd_step_of (const gsvd_plan<T> &);                                       \
  template gla_status gsvd_sweeps (const gsvd_plan<T> &, const gsvd_host &, cudaStream_t);
GLA_INSTANTIATE_WIDE (double)
GLA_INSTANTIATE_WIDE (cx<double>)

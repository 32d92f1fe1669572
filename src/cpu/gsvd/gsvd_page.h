// gsvd_page_template.h: one pair of any size and rank: scaling, preparation, the core
// SPDX-License-Identifier: GPL-3.0-or-later

//------------------------------------------------------------------------------
// solve
//------------------------------------------------------------------------------

static int32_t N (solve_core) (const gla_cpu_gsvd_task *task, int forced, N (gsvd) * w)
{
  w->stats = (gla_gsvd_stats){.method = GLA_GSVD_AUTO};
  w->result = (N (core_result)){.sigma = w->core.sigma};
  if (w->pair.columns == 0)
    return 0;
  if (task->plan->method == GLA_GSVD_HZ)
    return N (solve_hz) (task, &w->pair, forced, &w->core, w->copy, &w->chain_f, w->offset_f,
                         &w->chain_g, w->offset_g, &w->stats, &w->result);
  return N (solve_tangent) (task, &w->pair, forced, &w->core, w->copy, &w->chain_f, w->offset_f,
                            &w->chain_g, w->offset_g, &w->stats, &w->result);
}

// What is as good as nothing in each column.
static void N (set_thresholds) (const N (pair) * a)
{
  const GLA_REAL ef = GLA_EPS * (GLA_REAL)gla_more (a->rows_f, a->columns);
  const GLA_REAL eg = GLA_EPS * (GLA_REAL)gla_more (a->rows_g, a->columns);
  for (int64_t j = 0; j < a->columns; j++) {
    a->threshold_f[j] = ef * N (column_norm) (a->rows_f, a->f + j * a->ldf * GLA_PARTS);
    a->threshold_g[j] = eg * N (column_norm) (a->rows_g, a->g + j * a->ldg * GLA_PARTS);
  }
}

// Splits off the null space of B, where sigma is Inf, and for Hari-Zimmermann also that of A.
static int N (split) (const gla_cpu_gsvd_task *task, N (gsvd) * w)
{
  N (pair) *a = &w->pair;
  N (set_thresholds) (a);
  const int64_t k = N (deflate) (task, a, &w->first, &w->rank, &w->chain_f, 0, &w->chain_g, 0);
  if (k < 0)
    return 0;
  w->offset_f = k;
  if (task->plan->method == GLA_GSVD_HZ && a->columns > 0) {
    N (pair)
    swapped = {a->g,      a->f,       a->threshold_g, a->threshold_f, a->rows_g,
               a->rows_f, a->columns, a->ldg,         a->ldf};
    const int64_t zeros = N (deflate) (task, &swapped, &w->second, &w->rank, &w->chain_g,
                                       w->offset_g, &w->chain_f, w->offset_f);
    if (zeros < 0)
      return 0;
    w->offset_g = zeros;
    a->rows_f = swapped.rows_g, a->ldf = swapped.ldg;
    a->rows_g = swapped.rows_f, a->ldg = swapped.ldf;
    a->columns = swapped.columns;
  }
  N (equilibrate) (a);
  return 1;
}

static void N (solve) (gla_cpu_gsvd_task *task, int64_t page)
{
  const gla_gsvd_job *job = task->job;
  const gla_gsvd_chunk *c = task->chunk;
  N (gsvd) w;
  N (gsvd_layout) (task->work, job, task->plan, task->team, &w);
  w.rank.lapack.task = w.core.lapack.task = task;
  int32_t info = N (look_at) (c, page, &w) ? N (core_irregular) : (int32_t)job->p + 1;
  if (info == N (core_irregular) && w.rows.fits && N (solve_rows) (task, page, &w))
    return;
  const int both = task->plan->method == GLA_GSVD_HZ;
  if (info == N (core_irregular) && w.n >= w.p && (!both || w.m >= w.p)) {
    N (load_pair) (c, page, &w);
    info = N (solve_core) (task, 0, &w);
  }
  if (info == N (core_irregular)) {
    N (load_pair) (c, page, &w);
    info = N (split) (task, &w) ? N (solve_core) (task, 1, &w) : 1;
  }
  c->info[page] = info;
  if (c->stats)
    c->stats[page] = w.stats;
  if (info == 0)
    N (store) (task, page, &w);
  else
    N (store_nan) (c, page);
}

// gsvd_kernels.c: the kernels of the generalized SVD of one type for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type and instruction set, with -DGLA_T=<type> -DGLA_ISA=<set>.

#include "common/types.h"
#include "cpu/common/lanes.h"
#include "cpu/common/minmax.h"
#include "gsvd.h"
#include "gsvd_core.h"
#include "gsvd_load.h"
#include "gsvd_rank.h"
#include "gsvd_results.h"
#include "gsvd_rows_page.h"
#include "gsvd_shared.h"
#include "gsvd_work.h"

//------------------------------------------------------------------------------
// one pair of any size and rank: scaling, preparation, the core
//------------------------------------------------------------------------------

//------------------------------------------------------------------------------
// solve
//------------------------------------------------------------------------------

static int32_t solve_core (const gla_cpu_gsvd_task *task, int forced, gsvd *w)
{
  w->stats = (gla_gsvd_stats){.method = GLA_GSVD_METHOD_AUTO};
  w->result = (core_result){.sigma = w->core.sigma};
  if (w->pair.columns == 0)
    return 0;
  const core_problem problem = {.task = task,
                                .pair = &w->pair,
                                .forced = forced,
                                .work = &w->core,
                                .copy = w->copy,
                                .chain_f = &w->chain_f,
                                .chain_g = &w->chain_g,
                                .offset_f = w->offset_f,
                                .offset_g = w->offset_g,
                                .stats = &w->stats};
  return task->plan->method == GLA_GSVD_METHOD_HZ ? solve_hz (&problem, &w->result)
                                                  : solve_tangent (&problem, &w->result);
}

// Sets what is negligible in each column.
static void set_thresholds (const matrix_pair *a)
{
  const real ef = GLA_EPS * (real)gla_max (a->rows_f, a->columns);
  const real eg = GLA_EPS * (real)gla_max (a->rows_g, a->columns);
  for (int64_t j = 0; j < a->columns; j++) {
    a->threshold_f[j] = ef * column_norm (a->rows_f, a->f + j * a->ldf * GLA_PARTS);
    a->threshold_g[j] = eg * column_norm (a->rows_g, a->g + j * a->ldg * GLA_PARTS);
  }
}

// Splits off the null space of B, where sigma is Inf, and for Hari-Zimmermann also that of A.
static int split (const gla_cpu_gsvd_task *task, gsvd *w)
{
  matrix_pair *a = &w->pair;
  set_thresholds (a);
  const int64_t k = deflate (task, a, &w->first, &w->rank, &w->chain_f, 0, &w->chain_g, 0);
  if (k < 0)
    return 0;
  w->offset_f = k;
  if (task->plan->method == GLA_GSVD_METHOD_HZ && a->columns > 0) {
    matrix_pair swapped = {a->g,      a->f,       a->threshold_g, a->threshold_f, a->rows_g,
                           a->rows_f, a->columns, a->ldg,         a->ldf};
    const int64_t zeros = deflate (task, &swapped, &w->second, &w->rank, &w->chain_g, w->offset_g,
                                   &w->chain_f, w->offset_f);
    if (zeros < 0)
      return 0;
    w->offset_g = zeros;
    a->rows_f = swapped.rows_g, a->ldf = swapped.ldg;
    a->rows_g = swapped.rows_f, a->ldg = swapped.ldf;
    a->columns = swapped.columns;
  }
  equilibrate (a);
  return 1;
}

// Whether the values are numbers.
static int has_values (const core_result *r)
{
  for (int64_t j = 0; j < r->rank; j++)
    if (isnan (r->sigma[j]))
      return 0;
  return 1;
}

static void solve (gla_cpu_gsvd_task *task, int64_t page)
{
  const gla_gsvd_job *job = task->job;
  const gla_gsvd_chunk *c = task->chunk;
  gsvd w;
  gsvd_layout (task->work, job, task->plan, task->team, &w);
  w.rank.lapack.task = w.core.lapack.task = task;
  int32_t info = find_exponents (c, page, &w) ? CORE_IRREGULAR : (int32_t)job->p + 1;
  if (info == CORE_IRREGULAR && !is_in_range (&w))
    info = 1;
  if (info == CORE_IRREGULAR && w.rows.fits && solve_rows (task, page, &w))
    return;
  const int both = task->plan->method == GLA_GSVD_METHOD_HZ;
  if (info == CORE_IRREGULAR && w.n >= w.p && (!both || w.m >= w.p)) {
    load_pair (c, page, &w);
    info = solve_core (task, 0, &w);
  }
  if (info == CORE_IRREGULAR) {
    load_pair (c, page, &w);
    info = split (task, &w) ? solve_core (task, 1, &w) : 1;
  }
  if (info == 0 && !has_values (&w.result))
    info = 1;
  c->info[page] = info;
  if (c->stats)
    c->stats[page] = w.stats;
  if (info == 0)
    store (task, page, &w);
  else
    store_nan (c, page);
}

//------------------------------------------------------------------------------
// a rank's part in the sweeps of a pair that rank 0 has
//------------------------------------------------------------------------------

static size_t serve_layout (char *base, const gla_gsvd_job *job, const gla_cpu_gsvd_plan *plan,
                            int team, core_work *w)
{
  size_t at = 0;
  memset (w, 0, sizeof *w);
  blocks_layout (base, &at, plan, team, job->p, w);
  return at;
}

static size_t serve_workspace (const gla_gsvd_job *job, const gla_cpu_gsvd_plan *plan, int team)
{
  core_work w;
  return serve_layout (NULL, job, plan, team, &w);
}

static void serve (gla_cpu_gsvd_task *task)
{
  const gla_gsvd_ranks *r = task->job->ranks;
  gla_gsvd_stats stats;
  core_work w;
  (void)serve_layout (task->work, task->job, task->plan, task->team, &w);
  const iteration it = {.task = task,
                        .hz = task->plan->method == GLA_GSVD_METHOD_HZ,
                        .columns = r->columns,
                        .f = w.m,
                        .g = r->rows_g > 0 ? w.vectors : NULL,
                        .rows_f = r->rows_f,
                        .rows_g = r->rows_g,
                        .members = w.members,
                        .member_bytes = w.member_bytes,
                        .records = w.records,
                        .owners = w.owners,
                        .stats = &stats};
  task->chunk->info[0] = iterate_shared (&it);
}

//------------------------------------------------------------------------------
// the table
//------------------------------------------------------------------------------

static size_t workspace (const gla_gsvd_job *job, const gla_cpu_gsvd_plan *plan, int team)
{
  gsvd w;
  return gsvd_layout (NULL, job, plan, team, &w);
}

const gla_cpu_gsvd_kernel GLA_KERNEL_TABLE (gsvd) = {GLA_LANES, workspace, solve, serve_workspace,
                                                     serve};

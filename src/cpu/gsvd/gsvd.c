// gsvd.c: GSVD jobs on the CPU: choice of the method, threads, workspace
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gsvd.h"

#include <limits.h>
#include <string.h>

#include "../blas.h"
#include "../orderings.h"
#include "engine.h"

static int type_index (gla_type type)
{
  return type == GLA_S ? 0 : type == GLA_D ? 1 : type == GLA_C ? 2 : 3;
}

//------------------------------------------------------------------------------
// choice of the method
//------------------------------------------------------------------------------

// Columns up to which they are paired one by one; columns of a block above, and at most. Elements
// of a page up to which it stays with one thread.
enum { SINGLE_COLUMNS = 192, BLOCK = 32, BLOCK_MOST = 64, PAGE_IN_THREAD = 192 * 192 };

// "auto" is the tangent algorithm: as accurate as the other in every class, with fewer sweeps on
// one matrix instead of two.
gla_cpu_gsvd_plan gla_cpu_gsvd_plan_of (const gla_gsvd_job *job)
{
  const int64_t p = job->p, rows = job->m > job->n ? job->m : job->n;
  const int asked = job->options.block;
  gla_cpu_gsvd_plan plan = {.method = job->options.method};
  if (plan.method == GLA_GSVD_AUTO)
    plan.method = GLA_GSVD_TANGENT;
  const int width = asked == 0 ? BLOCK : asked < BLOCK_MOST ? asked : BLOCK_MOST;
  plan.width = (asked == 0 && p <= SINGLE_COLUMNS) || p <= 2 * width ? 0 : width;
  plan.in_threads = rows <= PAGE_IN_THREAD / p;
  return plan;
}

int gla_cpu_gsvd_supports (const gla_gsvd_job *job)
{
  const int64_t largest = sizeof (gla_blas_int) > 4 ? INT64_MAX : INT_MAX;
  const int64_t strides = largest / 128; // LAPACK counts workspace in its integers, too
  return job->m <= largest / 8 && job->n <= largest / 8 && job->p <= strides && !job->device_arrays;
}

int64_t gla_cpu_gsvd_chunk_pages (gla_engine *engine, const gla_gsvd_job *job, int64_t pages)
{
  (void)engine, (void)job;
  return pages;
}

//------------------------------------------------------------------------------
// workspace
//------------------------------------------------------------------------------

// Players of the orderings: columns, or those of two blocks; and blocks.
static void set_orders (gla_cpu_gsvd_order *columns, gla_cpu_gsvd_order *blocks,
                        const gla_gsvd_job *job, const gla_cpu_gsvd_plan *plan)
{
  const int64_t width = plan->width;
  const int64_t alone = width > 0 ? 2 * width : job->p,
                count = width > 0 ? (job->p - 1) / width + 1 : 0;
  columns->players = (int)(alone + alone % 2);
  blocks->players = (int)(count + count % 2);
  columns->steps = gla_ordering_steps (job->options.ordering, columns->players);
  blocks->steps = count > 0 ? gla_ordering_steps (job->options.ordering, blocks->players) : 0;
}

static size_t order_bytes (const gla_cpu_gsvd_order *o)
{
  return ((size_t)o->steps * (size_t)o->players * sizeof *o->pairs + 63) / 64 * 64;
}

gla_status gla_cpu_gsvd_begin (gla_engine *engine, const gla_gsvd_job *job, int64_t pages)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const gla_cpu_gsvd_kernel *kernel = &e->gsvd_kernels[type_index (job->type)];
  const gla_cpu_gsvd_plan plan = gla_cpu_gsvd_plan_of (job);
  e->gsvd_job = *job;
  e->gsvd_plan = plan;
  e->group = 1;
  e->threads =
      plan.in_threads ? gla_cpu_threads_for (e, pages, gla_cpu_gsvd_alone (job, pages)) : 1;
  e->team = plan.in_threads ? 1 : e->threads_max;
  e->work_bytes = (kernel->workspace (job, &plan, e->team) + 63) / 64 * 64;
  set_orders (&e->gsvd_columns, &e->gsvd_blocks, job, &plan);
  const size_t work = (size_t)e->threads * e->work_bytes, columns = order_bytes (&e->gsvd_columns);
  const gla_status status = gla_cpu_engine_take (e, work + columns + order_bytes (&e->gsvd_blocks));
  if (status != GLA_OK)
    return status;
  e->gsvd_columns.pairs = (int32_t *)(void *)(e->work + work);
  e->gsvd_blocks.pairs = (int32_t *)(void *)(e->work + work + columns);
  gla_ordering_fill (job->options.ordering, e->gsvd_columns.players, e->gsvd_columns.pairs);
  if (plan.width > 0)
    gla_ordering_fill (job->options.ordering, e->gsvd_blocks.players, e->gsvd_blocks.pairs);
  return GLA_OK;
}

//------------------------------------------------------------------------------
// threads
//------------------------------------------------------------------------------

int gla_cpu_gsvd_stopped (const gla_cpu_gsvd_task *task)
{
  return gla_cpu_crew_stopped (task->crew, task->thread);
}

void gla_cpu_gsvd_swept (const gla_cpu_gsvd_task *task, int sweeps)
{
  if (!task->plan->in_threads || task->chunk->A.pages == 1)
    task->job->swept (task->job->monitor.user, sweeps);
}

typedef struct {
  const gla_cpu_engine *e;
  const gla_gsvd_chunk *chunk;
  gla_cpu_crew *crew;
  int team;
} pages_work;

static void solve_page (void *user, int64_t page, int slot)
{
  const pages_work *w = user;
  const gla_cpu_engine *e = w->e;
  gla_cpu_gsvd_task task = {.job = &e->gsvd_job,
                            .chunk = w->chunk,
                            .plan = &e->gsvd_plan,
                            .columns = &e->gsvd_columns,
                            .blocks = &e->gsvd_blocks,
                            .crew = w->crew,
                            .thread = slot,
                            .team = w->team,
                            .work = e->work + (size_t)slot * e->work_bytes};
  if (gla_cpu_gsvd_stopped (&task))
    return;
  e->gsvd_kernels[type_index (e->gsvd_job.type)].solve (&task, page);
  atomic_fetch_add (&w->crew->done, 1);
}

gla_status gla_cpu_gsvd_submit (gla_engine *engine, int slot, const gla_gsvd_chunk *chunk)
{
  (void)slot;
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const int held = gla_blas_enter (e->threads * e->team);
  if (held == 0)
    return GLA_OUT_OF_MEMORY;
  gla_cpu_crew crew;
  pages_work w = {e, chunk, &crew, e->team < held ? e->team : held};
  gla_cpu_crew_start (&crew, &e->gsvd_job.monitor);
  if (w.team == 1)
    gla_cpu_crew_for (&crew, chunk->A.pages, held, solve_page, &w);
  for (int64_t p = 0; w.team > 1 && p < chunk->A.pages; p++)
    solve_page (&w, p, 0); // a page whose work is shared is no piece of work itself
  gla_blas_leave (held);
  return gla_cpu_crew_end (&crew);
}

gla_status gla_cpu_gsvd_finish (gla_engine *engine, int slot)
{
  (void)engine, (void)slot;
  return GLA_OK;
}

void gla_cpu_gsvd_end (gla_engine *engine)
{
  (void)engine;
}

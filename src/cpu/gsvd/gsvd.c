// gsvd.c: GSVD jobs on the CPU: threads, workspace
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gsvd.h"

#include <limits.h>

#include "common/blas.h"
#include "common/orderings.h"
#include "common/status.h"
#include "cpu/engine.h"

GLA_KERNEL_LIST (gsvd);

// A job as the engine keeps it.
typedef struct {
  gla_gsvd_job job; // must stay first
  gla_cpu_gsvd_plan plan;
  gla_column_order columns, blocks; // in the workspace
} kept_job;
_Static_assert(sizeof (kept_job) <= GLA_CPU_JOB_BYTES, "");

static const gla_cpu_gsvd_kernel *kernel_of (const gla_cpu_engine *e, const gla_gsvd_job *job)
{
  return gla_cpu_gsvd_kernels[e->isa][gla_cpu_type_index (job->head.type)];
}

static int supports (const gla_job *head)
{
  const gla_gsvd_job *job = (const gla_gsvd_job *)head;
  const int64_t largest = sizeof (gla_blas_int) > 4 ? INT64_MAX : INT_MAX;
  const int64_t strides = largest / 128; // LAPACK counts workspace in its integers, too
  return job->m <= largest / 8 && job->n <= largest / 8 && job->p <= strides &&
         !head->device_arrays;
}

//------------------------------------------------------------------------------
// workspace
//------------------------------------------------------------------------------

// Sets the players of the orderings: columns, or those of two blocks; and blocks.
static void set_orders (gla_column_order *columns, gla_column_order *blocks,
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

static size_t order_bytes (const gla_column_order *o)
{
  return ((size_t)o->steps * (size_t)o->players * sizeof *o->pairs + 63) / 64 * 64;
}

//------------------------------------------------------------------------------
// run
//------------------------------------------------------------------------------

int gla_cpu_gsvd_stopped (const gla_cpu_gsvd_task *task)
{
  return gla_cpu_parallel_stopped (task->region, task->thread);
}

void gla_cpu_gsvd_swept (const gla_cpu_gsvd_task *task, int sweeps)
{
  if (!task->plan->in_threads || task->chunk->A.pages == 1)
    task->job->swept (task->job->head.monitor.user, sweeps);
}

// Whether another rank has the pair.
static int serves (const gla_gsvd_job *job)
{
  return job->ranks != NULL && job->ranks->rank > 0;
}

static void solve (const gla_cpu_worker *w, int64_t first, int count)
{
  (void)count; // one
  const kept_job *kept = w->job;
  gla_cpu_gsvd_task task = {.job = &kept->job,
                            .chunk = w->chunk,
                            .plan = &kept->plan,
                            .columns = &kept->columns,
                            .blocks = &kept->blocks,
                            .region = w->region,
                            .thread = w->thread,
                            .team = w->team,
                            .work = w->work};
  const gla_cpu_gsvd_kernel *kernel = kernel_of (w->engine, task.job);
  if (serves (task.job))
    kernel->serve (&task);
  else
    kernel->solve (&task, first);
}

static gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const gla_gsvd_job *job = (const gla_gsvd_job *)head;
  const gla_cpu_gsvd_kernel *kernel = kernel_of (e, job);
  const gla_cpu_gsvd_plan plan = gla_cpu_gsvd_plan_of (job);
  gla_cpu_batch *b = &e->batch;
  kept_job *kept = (void *)e->job;
  *kept = (kept_job){.job = *job, .plan = plan};
  b->job = kept;
  b->solve = solve;
  b->group = 1;
  b->threads =
      plan.in_threads ? gla_cpu_threads_for (e, pages, gla_cpu_gsvd_alone (job, pages)) : 1;
  b->team = plan.in_threads ? 1 : e->threads_max;
  b->blas = 1;
  const size_t bytes = serves (job) ? kernel->serve_workspace (job, &plan, b->team)
                                    : kernel->workspace (job, &plan, b->team);
  b->work_bytes = (bytes + 63) / 64 * 64;
  set_orders (&kept->columns, &kept->blocks, job, &plan);
  const size_t work = (size_t)b->threads * b->work_bytes, columns = order_bytes (&kept->columns);
  GLA_TRY (gla_cpu_engine_take (e, work + columns + order_bytes (&kept->blocks)));
  kept->columns.pairs = (int32_t *)(void *)(e->work + work);
  kept->blocks.pairs = (int32_t *)(void *)(e->work + work + columns);
  gla_ordering_fill (job->options.ordering, kept->columns.players, kept->columns.pairs);
  if (plan.width > 0)
    gla_ordering_fill (job->options.ordering, kept->blocks.players, kept->blocks.pairs);
  return GLA_OK;
}

const gla_batch_ops gla_cpu_gsvd_ops = {
    .supports = supports,
    .seconds = gla_cpu_gsvd_seconds,
    .chunk_pages = gla_cpu_batch_pages,
    .begin = begin,
    .submit = gla_cpu_batch_submit,
    .finish = gla_cpu_batch_finish,
    .end = gla_cpu_batch_end,
};

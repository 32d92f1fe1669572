// pairs.c: steps on Hermitian pencils on the CPU: threads and predicted time
// SPDX-License-Identifier: GPL-3.0-or-later

#include <string.h>

#include "cpu/engine.h"
#include "pairs.h"

GLA_KERNEL_LIST (pairs);
_Static_assert(sizeof (gla_pencil_job) <= GLA_CPU_JOB_BYTES, "");

static const gla_cpu_pairs_kernel *kernel_of (const gla_cpu_engine *e, const gla_pencil_job *job)
{
  return gla_cpu_pairs_kernels[e->isa][gla_cpu_type_index (job->head.type)];
}

// A rough model of the seconds of one thread for a page; it decides how many threads work.
static double page_seconds (const gla_pencil_job *job)
{
  const double n = (double)job->n, single = gla_type_real (job->head.type) == GLA_TYPE_S ? 2 : 1;
  const double parts = 1 + gla_type_is_complex (job->head.type);
  const double steps = job->factor * 0.33 + job->reduce * 1.5 + job->back * 1.0;
  return 1e-8 + steps * n * n * n * parts * parts / (1e10 * single) + n * n * parts * 2e-9;
}

static int supports (const gla_job *head)
{
  const gla_pencil_job *job = (const gla_pencil_job *)head;
  return !head->device_arrays && job->n >= 1 && job->n <= gla_cpu_largest_order ();
}

static double seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_cpu_engine *e = (const gla_cpu_engine *)engine;
  const double alone = page_seconds ((const gla_pencil_job *)head) * (double)pages;
  return alone / gla_cpu_threads_for (e, pages, alone);
}

int gla_cpu_pencil_stopped (const gla_cpu_pencil_task *task)
{
  return gla_cpu_parallel_stopped (task->region, task->thread);
}

static void solve (const gla_cpu_worker *w, int64_t first, int count)
{
  const gla_pencil_job *job = w->job;
  const gla_cpu_pencil_task task = {job, w->chunk, w->region, w->thread, w->work};
  kernel_of (w->engine, job)->solve (&task, first, count);
}

static gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const gla_pencil_job *job = (const gla_pencil_job *)head;
  const gla_cpu_pairs_kernel *kernel = kernel_of (e, job);
  const int lanes = job->n <= kernel->lanes_max ? kernel->lanes : 1;
  const double page = page_seconds (job);
  memcpy (e->job, job, sizeof *job);
  e->batch = (gla_cpu_batch){.job = e->job,
                             .solve = solve,
                             .group = gla_cpu_group_of (page, lanes),
                             .blas = 1}; // pages in lanes may be left to it
  return gla_cpu_batch_deal (e, pages, page * (double)pages, kernel->workspace (job));
}

const gla_batch_ops gla_cpu_pencil_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = gla_cpu_batch_pages,
    .begin = begin,
    .submit = gla_cpu_batch_submit,
    .finish = gla_cpu_batch_finish,
    .end = gla_cpu_batch_end,
};

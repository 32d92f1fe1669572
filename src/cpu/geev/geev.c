// geev.c: general eigenproblems on the CPU: threads and predicted time
// SPDX-License-Identifier: GPL-3.0-or-later

#include <string.h>

#include "cpu/engine.h"
#include "geev.h"

GLA_KERNEL_LIST (geev);
_Static_assert(sizeof (gla_geev_job) <= GLA_CPU_JOB_BYTES, "");

static const gla_cpu_geev_kernel *kernel_of (const gla_cpu_engine *e, const gla_geev_job *job)
{
  return gla_cpu_geev_kernels[e->isa][gla_cpu_type_index (job->head.type)];
}

static int lanes_of (const gla_cpu_engine *e, const gla_geev_job *job)
{
  return job->n <= GLA_CPU_GEEV_LANES_MAX ? kernel_of (e, job)->lanes : 1;
}

// A rough model of the seconds of one thread for a page; it decides how many threads work.
static double page_seconds (const gla_geev_job *job)
{
  const double n = (double)job->n, vectors = (job->right + job->left) / 2.;
  const double small = 1e-7 + 2e-8 * n * n + 8e-10 * n * n * n;
  const double large = 1e-5 + 4e-9 * n * n * n;
  const double complex = gla_type_is_complex (job->head.type) ? 2 : 1;
  return (job->n <= GLA_CPU_GEEV_LANES_MAX ? small : large) * complex * (0.5 + 0.6 * vectors);
}

static int supports (const gla_job *head)
{
  const gla_geev_job *job = (const gla_geev_job *)head;
  return !head->device_arrays && job->n <= gla_cpu_largest_order ();
}

static double seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const double alone = page_seconds ((const gla_geev_job *)head) * (double)pages;
  return 2e-5 + alone / gla_cpu_threads_for ((const gla_cpu_engine *)engine, pages, alone);
}

int gla_cpu_geev_stopped (const gla_cpu_geev_task *task)
{
  return gla_cpu_parallel_stopped (task->region, task->thread);
}

static void solve (const gla_cpu_worker *w, int64_t first, int count)
{
  const gla_geev_job *job = w->job;
  const gla_cpu_geev_task task = {job, w->chunk, w->region, w->thread, w->work};
  kernel_of (w->engine, job)->solve (&task, first, count);
}

static gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const gla_geev_job *job = (const gla_geev_job *)head;
  const double page = page_seconds (job);
  memcpy (e->job, job, sizeof *job);
  e->batch = (gla_cpu_batch){.job = e->job,
                             .solve = solve,
                             .group = gla_cpu_group_of (page, lanes_of (e, job)),
                             .blas = 1}; // pages in lanes may be left to it
  return gla_cpu_batch_deal (e, pages, page * (double)pages, kernel_of (e, job)->workspace (job));
}

const gla_batch_ops gla_cpu_geev_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = gla_cpu_batch_pages,
    .begin = begin,
    .submit = gla_cpu_batch_submit,
    .finish = gla_cpu_batch_finish,
    .end = gla_cpu_batch_end,
};

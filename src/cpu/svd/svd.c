// svd.c: SVD jobs on the CPU: threads, workspace
// SPDX-License-Identifier: GPL-3.0-or-later

#include <limits.h>

#include "common/blas.h"
#include "cpu/engine.h"
#include "svd.h"

GLA_KERNEL_LIST (svd);

// A job as the engine keeps it.
typedef struct {
  gla_svd_job job; // must stay first
  gla_cpu_svd_path path;
} kept_job;
_Static_assert(sizeof (kept_job) <= GLA_CPU_JOB_BYTES, "");

const gla_cpu_svd_kernel *gla_cpu_svd_kernel_of (const gla_cpu_engine *e, const gla_svd_job *job)
{
  return gla_cpu_svd_kernels[e->isa][gla_cpu_type_index (job->head.type)];
}

// Supports sizes that LAPACK can count in its integers, workspace included.
static int supports (const gla_job *head)
{
  const gla_svd_job *job = (const gla_svd_job *)head;
  const int64_t k = job->m < job->n ? job->m : job->n, m = job->m + job->n - k;
  const int64_t largest = sizeof (gla_blas_int) > 4 ? INT64_MAX : INT_MAX;
  return !head->device_arrays && m <= largest / 256 && k <= largest / 256 &&
         k <= gla_cpu_largest_order () / 2;
}

int gla_cpu_svd_stopped (const gla_cpu_svd_task *task)
{
  return gla_cpu_parallel_stopped (task->region, task->thread);
}

static void solve (const gla_cpu_worker *w, int64_t first, int count)
{
  const kept_job *kept = w->job;
  gla_cpu_svd_task task = {.job = &kept->job,
                           .chunk = w->chunk,
                           .region = w->region,
                           .path = kept->path,
                           .thread = w->thread,
                           .work = w->work};
  gla_cpu_svd_kernel_of (w->engine, &kept->job)->solve (&task, first, count);
}

static gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const gla_svd_job *job = (const gla_svd_job *)head;
  const gla_cpu_svd_kernel *kernel = gla_cpu_svd_kernel_of (e, job);
  const gla_cpu_svd_path path = gla_cpu_svd_path_of (job);
  kept_job *kept = (void *)e->job;
  *kept = (kept_job){*job, path};
  e->batch = (gla_cpu_batch){.job = kept,
                             .solve = solve,
                             .group = gla_cpu_svd_group (e, job, pages),
                             .blas = path != GLA_CPU_SVD_LANES};
  return gla_cpu_batch_deal (e, pages, gla_cpu_svd_alone (e, job, pages),
                             kernel->workspace (job, path));
}

const gla_batch_ops gla_cpu_svd_ops = {
    .supports = supports,
    .seconds = gla_cpu_svd_seconds,
    .chunk_pages = gla_cpu_batch_pages,
    .begin = begin,
    .submit = gla_cpu_batch_submit,
    .finish = gla_cpu_batch_finish,
    .end = gla_cpu_batch_end,
};

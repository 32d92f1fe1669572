// svd.c: SVD jobs on the CPU: threads, workspace
// SPDX-License-Identifier: GPL-3.0-or-later

#include <limits.h>

#include "common/blas.h"
#include "cpu/engine.h"

// Sizes that LAPACK can count in its integers, workspace included.
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
  const gla_cpu_engine *e = w->engine;
  gla_cpu_svd_task task = {.job = &e->svd_job,
                           .chunk = w->chunk,
                           .region = w->region,
                           .path = e->svd_path,
                           .thread = w->thread,
                           .work = w->work};
  e->svd_kernels[gla_cpu_type_index (e->svd_job.head.type)]->solve (&task, first, count);
}

static gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const gla_svd_job *job = (const gla_svd_job *)head;
  const gla_cpu_svd_kernel *kernel = e->svd_kernels[gla_cpu_type_index (head->type)];
  gla_cpu_batch *b = &e->batch;
  e->svd_job = *job;
  e->svd_path = gla_cpu_svd_path_of (job);
  b->job = &e->svd_job.head;
  b->solve = solve;
  b->group = gla_cpu_svd_group (e, job, pages);
  b->threads =
      gla_cpu_threads_for (e, (pages + b->group - 1) / b->group, gla_cpu_svd_alone (e, job, pages));
  b->team = 1;
  b->blas = e->svd_path == GLA_CPU_SVD_PAGE || e->svd_path == GLA_CPU_SVD_JACOBI;
  b->work_bytes = (kernel->workspace (job, e->svd_path) + 63) / 64 * 64;
  return gla_cpu_engine_take (e, (size_t)b->threads * b->work_bytes);
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

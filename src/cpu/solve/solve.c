// solve.c: page solves on the CPU: threads, groups of pages, predicted time
// SPDX-License-Identifier: GPL-3.0-or-later

#include <limits.h>
#include <string.h>

#include "common/blas.h"
#include "cpu/engine.h"
#include "solve.h"

GLA_KERNEL_LIST (solve);
_Static_assert(sizeof (gla_pagesolve_job) <= GLA_CPU_JOB_BYTES, "");

static const gla_cpu_solve_kernel *kernel_of (const gla_cpu_engine *e, const gla_pagesolve_job *job)
{
  const gla_type real_type = gla_type_real (job->head.type);
  const gla_type complex_type = real_type == GLA_TYPE_S ? GLA_TYPE_C : GLA_TYPE_Z;
  return gla_cpu_solve_kernels[e->isa]
                              [gla_cpu_type_index (job->a_complex ? complex_type : real_type)];
}

int64_t gla_cpu_lu_shared (const gla_pagesolve_job *job, int64_t *b_step)
{
  int64_t count = 1;
  *b_step = 0;
  for (int d = 0; d < job->dims; d++) {
    const int64_t step = job->inverse ? 0 : job->b_step[d];
    if (job->dim_size[d] == 1)
      continue;
    if (job->a_step[d] != 0 || (count > 1 && step != count * *b_step))
      break;
    *b_step = count == 1 ? step : *b_step;
    count *= job->dim_size[d];
  }
  return count;
}

//------------------------------------------------------------------------------
// predicted time
//------------------------------------------------------------------------------

// Rough models of the seconds of one thread for the factors of a page, and for all columns of its
// X: operations, and bytes moved. They decide how many threads work; they were not fitted to a
// machine.
static double rate_of (const gla_pagesolve_job *job)
{
  const double n = (double)job->n;
  const double rate = gla_type_real (job->head.type) == GLA_TYPE_S ? 4e10 : 2e10;
  return rate * n / (n + 100);
}

static double factor_seconds (const gla_pagesolve_job *job)
{
  const double n = (double)job->n, size = (double)gla_type_size (job->head.type);
  const double multiplications = job->a_complex ? 4 : 1;
  return 5e-8 + multiplications * n * n * n / 1.5 / rate_of (job) + size * n * n / 5e9;
}

static double columns_seconds (const gla_pagesolve_job *job)
{
  const double n = (double)job->n, r = (double)job->rhs;
  const double size = (double)gla_type_size (job->head.type);
  const double multiplications = (1 + job->a_complex) * (1 + job->b_complex);
  return 2 * multiplications * n * n * r / rate_of (job) + 2 * size * n * r / 5e9 +
         size * n * n / 1e10;
}

// Returns the time of all pages by one thread, with one factorisation for the pages that share A.
static double alone_seconds (const gla_pagesolve_job *job, int64_t pages)
{
  int64_t b_step;
  const double shared = (double)gla_cpu_lu_shared (job, &b_step);
  return (double)pages * (factor_seconds (job) / shared + columns_seconds (job));
}

// Returns the time of the pages of one system.
static double system_seconds (const gla_pagesolve_job *job)
{
  int64_t b_step;
  const int64_t shared = gla_cpu_lu_shared (job, &b_step);
  return factor_seconds (job) + (double)shared * columns_seconds (job);
}

// All threads share one large page if there are fewer than twice as many systems as threads and one
// takes longer than the first; and always if it takes longer than the second, so that not every
// thread needs memory for such a page.
static const double SHARED_SECONDS = 5e-4, LONG_SECONDS = 0.5;

static int is_shared (const gla_cpu_engine *e, const gla_pagesolve_job *job, int64_t pages)
{
  int64_t b_step;
  const int64_t systems = pages / gla_cpu_lu_shared (job, &b_step);
  const double seconds = system_seconds (job);
  if (job->n <= LU_ALONE_MAX)
    return 0;
  return seconds > LONG_SECONDS || (seconds > SHARED_SECONDS && systems < 2 * e->threads_max);
}

static double seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_cpu_engine *e = (const gla_cpu_engine *)engine;
  const gla_pagesolve_job *job = (const gla_pagesolve_job *)head;
  const double alone = alone_seconds (job, pages);
  const int64_t most = e->threads_max;
  const int64_t pieces = pages < most && !is_shared (e, job, pages) ? pages : most;
  return alone / gla_cpu_threads_for (e, pieces, alone);
}

//------------------------------------------------------------------------------
// run
//------------------------------------------------------------------------------

// LAPACK counts workspace in its integers, too.
static int supports (const gla_job *head)
{
  const gla_pagesolve_job *job = (const gla_pagesolve_job *)head;
  const int64_t largest = sizeof (gla_blas_int) > 4 ? INT64_MAX : INT_MAX;
  return job->n <= largest / 1024 && !head->device_arrays;
}

static int64_t bounded (double x, int64_t least, int64_t most)
{
  return x < (double)least ? least : x < (double)most ? (int64_t)x : most;
}

// Returns the pages that a thread takes at a time: some 20 us of work and a multiple of the lanes.
// Of pages that share A, each thread takes its whole share, so that it makes the factors once; but
// not more than take ten times as long as the factors, or 10 ms, because the user can stop between
// them.
static int64_t group_of (const gla_cpu_engine *e, const gla_pagesolve_job *job, int64_t pages)
{
  const int64_t lanes = job->n > LU_ALONE_MAX ? 1 : kernel_of (e, job)->lanes;
  const double factors = factor_seconds (job), columns = columns_seconds (job);
  int64_t b_step;
  if (gla_cpu_lu_shared (job, &b_step) == 1)
    return gla_cpu_group_of (factors + columns, (int)lanes);
  const double most = 10 * factors > 1e-2 ? 10 * factors / columns : 1e-2 / columns;
  const double alone = alone_seconds (job, pages);
  const int threads = is_shared (e, job, pages) ? 1 : gla_cpu_threads_for (e, pages, alone);
  return bounded (most, 1, (pages + threads - 1) / threads);
}

int gla_cpu_lu_stopped (const gla_cpu_lu_task *task, int member)
{
  return gla_cpu_parallel_stopped (task->region, task->thread + member);
}

void gla_cpu_lu_for (const gla_cpu_lu_task *task, int64_t pieces, gla_pool_work work, void *user)
{
  gla_cpu_parallel_for (task->region, pieces, task->team, work, user);
}

static void solve (const gla_cpu_worker *w, int64_t first, int count)
{
  const gla_pagesolve_job *job = w->job;
  const gla_cpu_lu_task task = {.job = job,
                                .chunk = w->chunk,
                                .region = w->region,
                                .thread = w->thread,
                                .team = w->team,
                                .work = w->work};
  kernel_of (w->engine, job)->solve (&task, first, count);
}

static gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const gla_pagesolve_job *job = (const gla_pagesolve_job *)head;
  gla_cpu_batch *b = &e->batch;
  memcpy (e->job, job, sizeof *job);
  b->job = e->job;
  b->solve = solve;
  b->group = (int)group_of (e, job, pages);
  const int share = is_shared (e, job, pages);
  const int64_t units = (pages + b->group - 1) / b->group;
  b->threads = share ? 1 : gla_cpu_threads_for (e, units, alone_seconds (job, pages));
  b->team = share ? e->threads_max : 1;
  b->blas = 1;
  b->work_bytes = (kernel_of (e, job)->workspace (job, b->group, b->team) + 63) / 64 * 64;
  return gla_cpu_engine_take (e, (size_t)b->threads * b->work_bytes);
}

const gla_batch_ops gla_cpu_pagesolve_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = gla_cpu_batch_pages,
    .begin = begin,
    .submit = gla_cpu_batch_submit,
    .finish = gla_cpu_batch_finish,
    .end = gla_cpu_batch_end,
};

// least_squares.c: pages on the host are finished by threads of the CPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "least_squares.h"

#include "common/status.h"
#include "cpu/engine.h"

GLA_KERNEL_LIST (least_squares);

static const gla_cpu_least_squares_kernel *kernel_of (const gla_cpu_engine *e, gla_type type)
{
  return gla_cpu_least_squares_kernels[e->isa][gla_cpu_type_index (type)];
}

// Seconds of one thread for a page, within a factor of 2 on an AMD EPYC with AVX2.
static double page_seconds (const gla_pages_job *job)
{
  const double n = (double)job->X.rows, r = (double)job->X.columns;
  const double parts = gla_type_is_complex (job->head.type) ? 4 : 1;
  switch (job->work) {
  case GLA_PAGES_SOLVE:
    return 3e-8 + 5e-10 * parts * n * (n / 2 + n * r);
  case GLA_PAGES_LEAST_NORM:
    return 1e-5 + 5e-10 * parts * (double)job->A.rows * n * (4 * n + 4 * r);
  case GLA_PAGES_BALANCE:
    return 3e-8 + 5e-10 * parts * n * r;
  case GLA_PAGES_INVERSE:
    return 3e-8 + 5e-10 * parts * n * r * r;
  }
  return 0;
}

// The work here follows a call that kept all cores busy, and is short compared with that: another
// thread pays if it saves so many times what it must save elsewhere.
enum { WORTH = 4 };

static void finish_group (const gla_cpu_worker *w, int64_t first, int count)
{
  const gla_pages_job *job = w->job;
  kernel_of (w->engine, job->head.type)->pages (job, first, first + count, w->work);
}

gla_status gla_cpu_finish_pages (gla_engine *engine, const gla_pages_job *job)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const gla_cpu_least_squares_kernel *kernel = kernel_of (e, job->head.type);
  const double seconds = page_seconds (job);
  gla_cpu_batch *b = &e->batch;
  b->job = job;
  b->solve = finish_group;
  b->group = gla_cpu_group_of (seconds, 1);
  const int64_t groups = (job->X.pages + b->group - 1) / b->group;
  b->threads = gla_cpu_threads_for (e, groups, seconds * (double)job->X.pages / WORTH);
  b->team = 1;
  b->blas = 1;
  b->work_bytes = (kernel->workspace (job) + 63) / 64 * 64;
  GLA_TRY (gla_cpu_engine_take (e, (size_t)b->threads * b->work_bytes));
  return gla_cpu_batch_run (e, job, job->X.pages);
}

// solve.c: pages on the host are finished by threads of the CPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve.h"

#include "../blas_threads.h"
#include "engine.h"

// Seconds of one thread for a page, within a factor of 2 on an AMD EPYC with AVX2.
static double page_seconds (const gla_pages_job *job)
{
  const double n = (double)job->X.rows, r = (double)job->X.columns;
  const double parts = gla_type_is_complex (job->type) ? 4 : 1;
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

// What is done here follows a call that kept all cores busy, and is short beside it: a thread more
// is worth its start where it saves so many times what it must save elsewhere.
enum { WORTH = 4 };

// Pages that a thread takes at a time: some 20 us of work, so that taking them costs nothing.
static int64_t group_of (double seconds)
{
  const double pages = 2e-5 / seconds;
  return pages > 1 ? (int64_t)pages : 1;
}

typedef struct {
  const gla_pages_job *job;
  const gla_cpu_solve_kernel *kernel;
  gla_cpu_crew *crew;
  int64_t group;
  char *work; // of all threads
  size_t work_bytes;
} shared;

static void finish_group (void *user, int64_t group, int slot)
{
  const shared *s = user;
  const int64_t pages = s->job->X.pages, first = group * s->group;
  const int64_t end = first + s->group < pages ? first + s->group : pages;
  if (gla_cpu_crew_stopped (s->crew, slot))
    return;
  s->kernel->pages (s->job, first, end, s->work + (size_t)slot * s->work_bytes);
  atomic_fetch_add (&s->crew->done, end - first);
}

gla_status gla_cpu_finish_pages (gla_engine *engine, const gla_pages_job *job)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const int type = job->type == GLA_S ? 0 : job->type == GLA_D ? 1 : job->type == GLA_C ? 2 : 3;
  const double seconds = page_seconds (job);
  gla_cpu_crew crew;
  shared s = {.job = job, .kernel = &e->solve_kernels[type], .crew = &crew};
  s.group = group_of (seconds);
  s.work_bytes = (s.kernel->workspace (job) + 63) / 64 * 64;
  const int64_t groups = (job->X.pages + s.group - 1) / s.group;
  const int threads = gla_cpu_threads_for (e, groups, seconds * (double)job->X.pages / WORTH);
  const gla_status status = gla_cpu_engine_take (e, (size_t)threads * s.work_bytes);
  if (status != GLA_OK)
    return status;
  s.work = e->work;
  gla_cpu_crew_start (&crew, &job->monitor);
  const int held = gla_blas_enter (threads);
  if (held == 0)
    return GLA_OUT_OF_MEMORY;
  gla_cpu_crew_for (&crew, groups, held, finish_group, &s);
  gla_blas_leave (held);
  return gla_cpu_crew_end (&crew);
}

// norm.c: norms of pages on the CPU: threads and predicted time
// SPDX-License-Identifier: GPL-3.0-or-later

#include <string.h>

#include "cpu/engine.h"
#include "norm.h"

_Static_assert(sizeof (gla_pagenorm_job) <= GLA_CPU_JOB_BYTES, "");

// Returns the seconds of one thread for a page that is read from memory.
static double page_seconds (const gla_pagenorm_job *job)
{
  return 5e-8 + (double)job->m * (double)job->n * (double)gla_type_size (job->head.type) / 4e9;
}

static int supports (const gla_job *job)
{
  return !job->device_arrays;
}

static double seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const double alone = page_seconds ((const gla_pagenorm_job *)head) * (double)pages;
  return 2e-5 + alone / gla_cpu_threads_for ((const gla_cpu_engine *)engine, pages, alone);
}

static void solve (const gla_cpu_worker *w, int64_t first, int count)
{
  static const gla_cpu_norm norms[4] = {gla_cpu_norm_s, gla_cpu_norm_d, gla_cpu_norm_c,
                                        gla_cpu_norm_z};
  const gla_pagenorm_job *job = w->job;
  norms[gla_cpu_type_index (job->head.type)](job, w->chunk, first, count,
                                             (double *)(void *)w->work);
}

static gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const gla_pagenorm_job *job = (const gla_pagenorm_job *)head;
  const double page = page_seconds (job);
  memcpy (e->job, job, sizeof *job);
  e->batch = (gla_cpu_batch){.job = e->job, .solve = solve, .group = gla_cpu_group_of (page, 1)};
  return gla_cpu_batch_deal (e, pages, page * (double)pages, (size_t)job->m * sizeof (double));
}

const gla_batch_ops gla_cpu_pagenorm_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = gla_cpu_batch_pages,
    .begin = begin,
    .submit = gla_cpu_batch_submit,
    .finish = gla_cpu_batch_finish,
    .end = gla_cpu_batch_end,
};

// diag.c: diagonals of pages on the CPU: threads and predicted time
// SPDX-License-Identifier: GPL-3.0-or-later

#include <string.h>

#include "cpu/engine.h"
#include "diag.h"

_Static_assert(sizeof (gla_pagediag_job) <= GLA_CPU_JOB_BYTES, "");

// Returns the seconds of one thread for a page: a line of memory for each element of A, and all of
// D.
static double page_seconds (const gla_pagediag_job *job)
{
  const double bytes =
      (double)job->rows * (double)job->columns * (double)gla_type_size (job->head.type);
  return 2e-8 + (64 * (double)job->n + bytes) / 4e9;
}

static int supports (const gla_job *job)
{
  return !job->device_arrays;
}

static double seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const double alone = page_seconds ((const gla_pagediag_job *)head) * (double)pages;
  return 2e-5 + alone / gla_cpu_threads_for ((const gla_cpu_engine *)engine, pages, alone);
}

static void solve (const gla_cpu_worker *w, int64_t first, int count)
{
  static const gla_cpu_diag diags[4] = {gla_cpu_diag_s, gla_cpu_diag_d, gla_cpu_diag_c,
                                        gla_cpu_diag_z};
  const gla_pagediag_job *job = w->job;
  diags[gla_cpu_type_index (job->head.type)](job, w->chunk, first, count);
}

static gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const gla_pagediag_job *job = (const gla_pagediag_job *)head;
  const double page = page_seconds (job);
  memcpy (e->job, job, sizeof *job);
  e->batch = (gla_cpu_batch){.job = e->job, .solve = solve, .group = gla_cpu_group_of (page, 1)};
  return gla_cpu_batch_deal (e, pages, page * (double)pages, 0);
}

const gla_batch_ops gla_cpu_pagediag_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = gla_cpu_batch_pages,
    .begin = begin,
    .submit = gla_cpu_batch_submit,
    .finish = gla_cpu_batch_finish,
    .end = gla_cpu_batch_end,
};

// gsvd_plan.c: how a GSVD job is done on the CPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gsvd.h"

#include "gsvd/gsvd_blocks.h"

// Elements of a page up to which it stays with one thread.
enum { PAGE_IN_THREAD = 192 * 192 };

// "auto" is the tangent algorithm: as accurate as the other in every class, with fewer sweeps on
// one matrix instead of two.
gla_cpu_gsvd_plan gla_cpu_gsvd_plan_of (const gla_gsvd_job *job)
{
  const int64_t p = job->p, rows = job->m > job->n ? job->m : job->n;
  gla_cpu_gsvd_plan plan = {.method = job->options.method};
  if (plan.method == GLA_GSVD_METHOD_AUTO)
    plan.method = GLA_GSVD_METHOD_TANGENT;
  plan.width = gla_gsvd_width (p, job->options.block);
  plan.in_threads = rows <= PAGE_IN_THREAD / p;
  return plan;
}

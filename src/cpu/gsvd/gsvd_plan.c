// gsvd_plan.c: how a GSVD job is done on the CPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gsvd.h"

// Columns up to which they are paired one by one; columns of a block above, and at most. Elements
// of a page up to which it stays with one thread.
enum { SINGLE_COLUMNS = 192, BLOCK = 32, BLOCK_MOST = 64, PAGE_IN_THREAD = 192 * 192 };

// "auto" is the tangent algorithm: as accurate as the other in every class, with fewer sweeps on
// one matrix instead of two.
gla_cpu_gsvd_plan gla_cpu_gsvd_plan_of (const gla_gsvd_job *job)
{
  const int64_t p = job->p, rows = job->m > job->n ? job->m : job->n;
  const int wanted = job->options.block;
  gla_cpu_gsvd_plan plan = {.method = job->options.method};
  if (plan.method == GLA_GSVD_METHOD_AUTO)
    plan.method = GLA_GSVD_METHOD_TANGENT;
  const int width = wanted == 0 ? BLOCK : wanted < BLOCK_MOST ? wanted : BLOCK_MOST;
  plan.width = (wanted == 0 && p <= SINGLE_COLUMNS) || p <= 2 * width ? 0 : width;
  plan.in_threads = rows <= PAGE_IN_THREAD / p;
  return plan;
}

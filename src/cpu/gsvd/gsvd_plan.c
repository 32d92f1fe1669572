// gsvd_plan.c: how a GSVD job is done on the CPU, and how long it takes
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cpu/engine.h"
#include "gsvd.h"
#include "gsvd/gsvd_blocks.h"

// Pages up to so many elements stay with one thread.
enum { PAGE_IN_THREAD = 192 * 192 };

// "auto" is the tangent algorithm: it is as accurate as the other in every class, and takes fewer
// sweeps on one matrix instead of two.
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

//------------------------------------------------------------------------------
// how long a GSVD job takes on the CPU
//------------------------------------------------------------------------------

// Returns the operations of the preparation, of the sweeps and of the vectors, counted as in
// products of matrices.
static double operations (const gla_gsvd_job *job, const gla_cpu_gsvd_plan *plan)
{
  const double m = (double)job->m, n = (double)job->n, p = (double)job->p;
  const double sweep = (plan->method == GLA_GSVD_METHOD_HZ ? 16 : 12) * p * p * p;
  const double sweeps = plan->method == GLA_GSVD_METHOD_HZ ? 11 : 7;
  double f = 4 * (m + n) * p * p + sweeps * sweep;
  f += 4 * p * (m * (double)job->u_columns + n * (double)job->v_columns);
  if (job->x)
    f += 2 * p * p * (m + n);
  return gla_type_is_complex (job->head.type) ? 4 * f : f;
}

// Fitted, to within a factor of 1.6 for square pairs of 16 to 512 columns, to one core of an AMD
// EPYC with AVX2 and OpenBLAS 0.3.21 that others used at the same time.
double gla_cpu_gsvd_alone (const gla_gsvd_job *job, int64_t pages)
{
  const gla_cpu_gsvd_plan plan = gla_cpu_gsvd_plan_of (job);
  const double p = (double)job->p, rate = 30e9 * p / (p + 40);
  const double page = 2e-6 + operations (job, &plan) / rate;
  return (double)pages * (gla_type_real (job->head.type) == GLA_TYPE_S ? 0.6 * page : page);
}

double gla_cpu_gsvd_seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_gsvd_job *job = (const gla_gsvd_job *)head;
  const gla_cpu_engine *e = (const gla_cpu_engine *)engine;
  const double alone = gla_cpu_gsvd_alone (job, pages);
  // pages for each thread, or threads for each page
  if (!gla_cpu_gsvd_plan_of (job).in_threads)
    return 2e-5 + alone / e->threads_max;
  const int threads = gla_cpu_threads_for (e, pages, alone);
  return 2e-5 + gla_cpu_gsvd_alone (job, (pages + threads - 1) / threads);
}

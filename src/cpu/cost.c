// cost.c: how long an eigenvalue job takes on the CPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "engine.h"

// Seconds of one thread for a page, fitted to bench/results/cpu-2core.tsv (within a factor of two
// from n = 4 to 512): an n^2 part for the QL iteration, an n^3 part for the rest.
static double page_seconds (const gla_eig_job *job)
{
  double n = (double)job->n;
  double seconds = 1e-7 + 4e-8 * n * n + 1.2e-9 * n * n * n;
  if (!gla_type_is_complex (job->type))
    seconds *= 0.55;
  if (gla_type_real (job->type) == GLA_S)
    seconds *= 0.6;
  if (job->method == GLA_METHOD_JACOBI && n > 32)
    seconds *= 15; // one-sided block Jacobi
  return job->vectors ? seconds : 0.3 * seconds;
}

double gla_cpu_eig_seconds (gla_engine *engine, const gla_eig_job *job, int64_t pages)
{
  const gla_cpu_engine *e = (const gla_cpu_engine *)engine;
  double together = (double)pages < e->threads_max ? (double)pages : e->threads_max;
  return 2e-5 + (double)pages * page_seconds (job) / together;
}

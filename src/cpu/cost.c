// cost.c: how long an eigenvalue job takes on the CPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "engine.h"
double gla_cpu_eig_seconds (gla_engine *engine, const gla_eig_job *job, int64_t pages)
{
  (void)engine;
  return 1e-9 * (double)(job->n * job->n * job->n * pages);
}

// gsvd_serve.h: a rank's part in the sweeps of a pair that rank 0 has
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_GSVD_GSVD_SERVE_H
#define GPULINALG_CPU_GSVD_GSVD_SERVE_H

#include "common/types.h"

#include "gsvd.h"
#include "gsvd_shared.h"
#include "gsvd_work.h"

static size_t serve_layout (char *base, const gla_gsvd_job *job, const gla_cpu_gsvd_plan *plan,
                            int team, core_work *w)
{
  size_t at = 0;
  memset (w, 0, sizeof *w);
  blocks_layout (base, &at, plan, team, job->p, w);
  return at;
}

static size_t serve_workspace (const gla_gsvd_job *job, const gla_cpu_gsvd_plan *plan, int team)
{
  core_work w;
  return serve_layout (NULL, job, plan, team, &w);
}

static void serve (gla_cpu_gsvd_task *task)
{
  const gla_gsvd_ranks *r = task->job->ranks;
  gla_gsvd_stats stats;
  core_work w;
  (void)serve_layout (task->work, task->job, task->plan, task->team, &w);
  const iteration it = {.task = task,
                        .hz = task->plan->method == GLA_GSVD_METHOD_HZ,
                        .columns = r->columns,
                        .f = w.m,
                        .g = r->rows_g > 0 ? w.vectors : NULL,
                        .rows_f = r->rows_f,
                        .rows_g = r->rows_g,
                        .members = w.members,
                        .member_bytes = w.member_bytes,
                        .records = w.records,
                        .owners = w.owners,
                        .stats = &stats};
  task->chunk->info[0] = iterate_shared (&it);
}

#endif

// geev_kernels.c: general eigenproblems of one type for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type and instruction set, with -DGLA_T=<type> -DGLA_ISA=<set>.

#include "cpu/common/lanes.h"

#include "geev.h"
#include "geev_page.h"

static size_t workspace (const gla_geev_job *job)
{
  page_work page;
  return page_layout (NULL, job, &page);
}

static void solve (const gla_cpu_geev_task *task, int64_t first, int64_t count)
{
  page_work page;
  page_layout (task->work, task->job, &page);
  for (int64_t p = first; p < first + count && !gla_cpu_geev_stopped (task); p++)
    solve_page (task, &page, p);
}

const gla_cpu_geev_kernel GLA_KERNEL_TABLE (geev) = {GLA_LANES, workspace, solve};

// svd_kernels.c: the kernels of the SVD of one type for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type and instruction set, with -DGLA_T=<type> -DGLA_ISA=<set>.

#include "cpu/common/lanes.h"

#include "svd.h"
#include "svd_jacobi_page.h"
#include "svd_lanes_page.h"
#include "svd_long.h"
#include "svd_page.h"

static size_t workspace (const gla_svd_job *job, gla_cpu_svd_path path)
{
  lanes_page lanes;
  long_work long_pages;
  page_work page;
  jacobi_work jacobi;
  switch (path) {
  case GLA_CPU_SVD_LANES:
    return (size_t)svd_registers (job) * lanes_page_layout (NULL, job->m, job->n, &lanes);
  case GLA_CPU_SVD_LONG:
    return long_layout (NULL, job, &long_pages);
  case GLA_CPU_SVD_PAGE:
    return page_layout (NULL, job, &page);
  case GLA_CPU_SVD_JACOBI:
    return jacobi_layout (NULL, job, &jacobi);
  }
  return 0;
}

static void solve (gla_cpu_svd_task *task, int64_t first, int count)
{
  switch (task->path) {
  case GLA_CPU_SVD_LANES:
    solve_svd_lanes (task, first, count);
    break;
  case GLA_CPU_SVD_LONG:
    solve_svd_long (task, first, count);
    break;
  case GLA_CPU_SVD_PAGE:
    solve_svd_page (task, first);
    break;
  case GLA_CPU_SVD_JACOBI:
    solve_svd_jacobi (task, first);
    break;
  }
}

const gla_cpu_svd_kernel GLA_KERNEL_TABLE (svd) = {GLA_LANES, workspace, solve};

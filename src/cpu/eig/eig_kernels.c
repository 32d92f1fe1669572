// eig_kernels.c: the eigenvalue kernels of one type for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type and instruction set, with -DGLA_T=<type> -DGLA_ISA=<set>.

#include "cpu/common/lanes.h"

#include "block_jacobi.h"
#include "eig.h"
#include "lanes_solve.h"
#include "page_solve.h"

static size_t workspace (const gla_eig_job *job, gla_cpu_eig_path path, int pages, int team)
{
  lanes_work lanes;
  page_work page;
  block_work block;
  switch (path) {
  case GLA_CPU_EIG_LANES_JACOBI:
  case GLA_CPU_EIG_LANES_QR:
    return lanes_layout (NULL, job, path == GLA_CPU_EIG_LANES_JACOBI, pages, &lanes);
  case GLA_CPU_EIG_PAGE_QR:
  case GLA_CPU_EIG_PAGE_DC:
    return page_layout (NULL, job, path == GLA_CPU_EIG_PAGE_DC, team, &page);
  case GLA_CPU_EIG_BLOCK_JACOBI:
    return block_layout (NULL, job, &block);
  }
  return 0;
}

static void solve (gla_cpu_eig_task *task, gla_cpu_eig_path path, int64_t first, int count)
{
  switch (path) {
  case GLA_CPU_EIG_LANES_JACOBI:
    solve_lanes_jacobi (task, first, count);
    break;
  case GLA_CPU_EIG_LANES_QR:
    solve_lanes_qr (task, first, count);
    break;
  case GLA_CPU_EIG_PAGE_QR:
  case GLA_CPU_EIG_PAGE_DC:
    solve_page (task, path == GLA_CPU_EIG_PAGE_DC, first);
    break;
  case GLA_CPU_EIG_BLOCK_JACOBI:
    solve_block (task, first);
    break;
  }
}

const gla_cpu_eig_kernel GLA_KERNEL_TABLE (eig) = {GLA_LANES, workspace, solve};

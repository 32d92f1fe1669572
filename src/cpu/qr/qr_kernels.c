// qr_kernels.c: the QR kernels of one type for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type and instruction set, with -DGLA_T=<type> -DGLA_ISA=<set>.

#include "cpu/common/lanes.h"

#include "qr.h"
#include "qr_block.h"
#include "qr_block_results.h"
#include "qr_lanes.h"
#include "qr_page.h"
#include "qr_tall.h"
#include "qr_tall_results.h"

static size_t workspace (const gla_qr_job *job, gla_cpu_qr_path path, int team)
{
  lanes_work lanes;
  rows_work rows;
  tall_tree tall;
  block_space blocks;
  switch (path) {
  case GLA_CPU_QR_LANES:
    return lanes_layout (NULL, job, &lanes);
  case GLA_CPU_QR_ROWS:
    return rows_layout (NULL, job, &rows);
  case GLA_CPU_QR_TALL:
    return tall_layout (NULL, job, team, &tall);
  case GLA_CPU_QR_BLOCKS:
    return block_layout (NULL, job, block_size (job), job->rhs > 0, team, &blocks);
  }
  return 0;
}

static void solve (gla_cpu_qr_task *task, int64_t first, int count)
{
  switch (task->path) {
  case GLA_CPU_QR_LANES:
    solve_lanes (task, first, count);
    break;
  case GLA_CPU_QR_ROWS:
    solve_rows (task, first);
    break;
  case GLA_CPU_QR_TALL:
    solve_tall (task, first);
    break;
  case GLA_CPU_QR_BLOCKS:
    solve_blocks (task, first);
    break;
  }
}

const gla_cpu_qr_kernel GLA_KERNEL_TABLE (qr) = {GLA_LANES, workspace, solve};

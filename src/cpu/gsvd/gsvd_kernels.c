// gsvd_kernels.c: the kernels of the generalized SVD of one type for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type and instruction set, with -DGLA_T=<type> -DGLA_ISA=<set>.

#include "cpu/common/lanes.h"

#include "gsvd.h"
#include "gsvd_page.h"
#include "gsvd_serve.h"
#include "gsvd_work.h"

static size_t workspace (const gla_gsvd_job *job, const gla_cpu_gsvd_plan *plan, int team)
{
  gsvd w;
  return gsvd_layout (NULL, job, plan, team, &w);
}

const gla_cpu_gsvd_kernel GLA_KERNEL_TABLE (gsvd) = {GLA_LANES, workspace, solve, serve_workspace,
                                                     serve};

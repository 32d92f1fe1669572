// eig_template.h: the eigenvalue kernels of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "types_begin.h"
#include "lanes_template.h"
#include "exponent_template.h"
#include "scale_template.h"
#include "jacobi_template.h"
#include "tridiagonal_template.h"
#include "ql_template.h"
#include "ql_lanes_template.h"
#include "lanes_load_template.h"
#include "lanes_solve_template.h"
#include "page_solve_template.h"
#include "block_jacobi_template.h"

enum { N (lanes) = GLA_LANES };

static size_t N (workspace) (const gla_eig_job *job, gla_cpu_eig_path path, int pages)
{
  N (lanes_work) lanes;
  N (page_work) page;
  N (block_work) block;
  switch (path) {
  case GLA_CPU_LANES_JACOBI:
  case GLA_CPU_LANES_QR:
    return N (lanes_layout) (NULL, job, path == GLA_CPU_LANES_JACOBI, pages, &lanes);
  case GLA_CPU_PAGE_QR:
  case GLA_CPU_PAGE_DC:
    return N (page_layout) (NULL, job, path == GLA_CPU_PAGE_DC, &page);
  case GLA_CPU_BLOCK_JACOBI:
    return N (block_layout) (NULL, job, &block);
  }
  return 0;
}

static void N (solve) (gla_cpu_task *task, gla_cpu_eig_path path, int64_t first, int count)
{
  switch (path) {
  case GLA_CPU_LANES_JACOBI:
    N (solve_lanes_jacobi) (task, first, count);
    break;
  case GLA_CPU_LANES_QR:
    N (solve_lanes_qr) (task, first, count);
    break;
  case GLA_CPU_PAGE_QR:
  case GLA_CPU_PAGE_DC:
    N (solve_page) (task, path == GLA_CPU_PAGE_DC, first);
    break;
  case GLA_CPU_BLOCK_JACOBI:
    N (solve_block) (task, first);
    break;
  }
}

#include "types_end.h"

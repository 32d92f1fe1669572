// qr_template.h: the QR kernels of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "types_begin.h"
#include "lanes_template.h"
#include "exponent_template.h"
#include "qr_element_template.h"
#include "qr_reflector_template.h"
#include "rows_template.h"
#include "qr_rows_template.h"
#include "qr_page_template.h"
#include "qr_lanes_template.h"
#include "blas_template.h"
#include "qr_panel_template.h"
#include "qr_pivot_template.h"
#include "qr_block_template.h"
#include "qr_block_results_template.h"
#include "qr_block_solve_template.h"
#include "qr_tall_template.h"
#include "qr_tall_results_template.h"

enum { N (lanes) = GLA_LANES };

static size_t N (workspace) (const gla_qr_job *job, gla_cpu_qr_path path, int team)
{
  N (lanes_work) lanes;
  N (rows_work) rows;
  N (tall) tall;
  N (blocks) blocks;
  switch (path) {
  case GLA_CPU_QR_LANES:
    return N (lanes_layout) (NULL, job, &lanes);
  case GLA_CPU_QR_ROWS:
    return N (rows_layout) (NULL, job, &rows);
  case GLA_CPU_QR_TALL:
    return N (tall_layout) (NULL, job, team, &tall);
  case GLA_CPU_QR_BLOCKS:
    return N (block_layout) (NULL, job, N (block_size) (job), job->rhs > 0, team, &blocks);
  }
  return 0;
}

static void N (solve) (gla_cpu_qr_task *task, int64_t first, int count)
{
  switch (task->path) {
  case GLA_CPU_QR_LANES:
    N (solve_lanes) (task, first, count);
    break;
  case GLA_CPU_QR_ROWS:
    N (solve_rows) (task, first);
    break;
  case GLA_CPU_QR_TALL:
    N (solve_tall) (task, first);
    break;
  case GLA_CPU_QR_BLOCKS:
    N (solve_blocks) (task, first);
    break;
  }
}

#include "types_end.h"

// gsvd_template.h: the kernels of the generalized SVD for one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "types_begin.h"
#include "lanes_template.h"
#include "exponent_template.h"
#include "qr_element_template.h"
#include "qr_reflector_template.h"
#include "rows_template.h"
#include "blas_template.h"
#include "gsvd_pair_template.h"
#include "gsvd_small_template.h"
#include "qr_pivot_template.h"
#include "gsvd_lapack_template.h"
#include "gsvd_sweeps_template.h"
#include "gsvd_rows_qr_template.h"
#include "gsvd_rows_sweeps_template.h"
#include "gsvd_rank_template.h"
#include "gsvd_core_template.h"
#include "gsvd_work_template.h"
#include "gsvd_load_template.h"
#include "gsvd_results_template.h"
#include "gsvd_rows_page_template.h"
#include "gsvd_page_template.h"

enum { N (lanes) = GLA_LANES };

static size_t N (workspace) (const gla_gsvd_job *job, const gla_cpu_gsvd_plan *plan, int team)
{
  N (gsvd) w;
  return N (gsvd_layout) (NULL, job, plan, team, &w);
}

#include "types_end.h"

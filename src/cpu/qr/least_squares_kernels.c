// least_squares_kernels.c: the kernels that finish pages of one type for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type and instruction set, with -DGLA_T=<type> -DGLA_ISA=<set>.

#include "common/types.h"

#include "least_squares.h"
#include "least_squares_inverse.h"
#include "least_squares_min_norm.h"
#include "least_squares_triangle.h"

static size_t workspace (const gla_pages_job *job)
{
  triangle_work triangle;
  least_norm least;
  switch (job->work) {
  case GLA_PAGES_SOLVE:
    return triangle_layout (NULL, job, &triangle);
  case GLA_PAGES_LEAST_NORM:
    return least_norm_layout (NULL, job, &least);
  case GLA_PAGES_BALANCE:
    return (size_t)job->X.rows * sizeof (bits);
  case GLA_PAGES_INVERSE:
    return 0;
  }
  return 0;
}

static void pages (const gla_pages_job *job, int64_t first, int64_t end, char *work)
{
  if (job->work == GLA_PAGES_SOLVE) {
    solve_pages (job, first, end, work);
    return;
  }
  for (int64_t page = first; page < end; page++)
    if (job->work == GLA_PAGES_LEAST_NORM)
      least_norm_page (job, page, work);
    else if (job->work == GLA_PAGES_BALANCE)
      balance_page (job, page, work);
    else
      inverse_page (job, page);
}

const gla_cpu_least_squares_kernel GLA_KERNEL_TABLE (least_squares) = {workspace, pages};

// solve_template.h: pages are finished, for one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "types_begin.h"
#include "exponent_template.h"
#include "qr_element_template.h"
#include "blas_template.h"
#include "solve_triangle_template.h"
#include "solve_least_norm_template.h"
#include "solve_inverse_template.h"

static size_t N (workspace) (const gla_pages_job *job)
{
  N (triangle_work) triangle;
  N (least_norm) least;
  switch (job->work) {
  case GLA_PAGES_SOLVE:
    return N (triangle_layout) (NULL, job, &triangle);
  case GLA_PAGES_LEAST_NORM:
    return N (least_norm_layout) (NULL, job, &least);
  case GLA_PAGES_BALANCE:
    return (size_t)job->X.rows * sizeof (GLA_BITS);
  case GLA_PAGES_INVERSE:
    return 0;
  }
  return 0;
}

static void N (pages) (const gla_pages_job *job, int64_t first, int64_t end, char *work)
{
  if (job->work == GLA_PAGES_SOLVE) {
    N (solve_pages) (job, first, end, work);
    return;
  }
  for (int64_t page = first; page < end; page++)
    if (job->work == GLA_PAGES_LEAST_NORM)
      N (least_norm_page) (job, page, work);
    else if (job->work == GLA_PAGES_BALANCE)
      N (balance_page) (job, page, work);
    else
      N (inverse_page) (job, page);
}

#include "types_end.h"

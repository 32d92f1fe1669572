// least_squares_kernels.c: the kernels that finish pages of one type for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type and instruction set, with -DGLA_T=<type> -DGLA_ISA=<set>.

#include <math.h>
#include <string.h>

#include "common/products.h"
#include "common/scalar.h"
#include "common/types.h"
#include "cpu/common/exponent.h"
#include "least_squares.h"
#include "least_squares_min_norm.h"
#include "least_squares_triangle.h"

//------------------------------------------------------------------------------
// rows of a page to one size, and Z = 2^e .* (Q / R')
//------------------------------------------------------------------------------

// Columns up to which a page is solved here and not by the BLAS.
enum { SMALL_INVERSE = 48 };

// Scales rows of X by 2^-e, so that their largest entries are about 1; all e are 0 if a row is zero
// or not finite.
static void balance_page (const gla_pages_job *job, int64_t page, char *work)
{
  const int64_t n = job->X.rows, columns = job->X.columns;
  int32_t *e = job->exponents + page * n;
  bits *largest = (bits *)(void *)work;
  memset (largest, 0, (size_t)n * sizeof *largest);
  for (int64_t j = 0; j < columns; j++) {
    const real *x = column_at (&job->X, page, j);
    for (int64_t i = 0; i < n; i++)
      largest[i] = largest_of (x + i * GLA_PARTS, GLA_PARTS, largest[i]);
  }
  int all = 1;
  for (int64_t i = 0; i < n; i++) {
    e[i] = exponent_of (largest[i]);
    all &= largest[i] != 0 && (int)(largest[i] >> GLA_FRACTION) <= 2 * GLA_BIAS;
  }
  if (!all)
    memset (e, 0, (size_t)n * sizeof *e);
  for (int64_t j = 0; all && j < columns; j++) {
    scalar *x = (scalar *)column_of (&job->X, page, j);
    for (int64_t i = 0; i < n; i++)
      x[i] = scalar_scale (power_of_two (-e[i]), x[i]);
  }
}

// Sets X = X / R', column by column from the last one on.
static void divide_adjoint (int64_t rows, int64_t n, const real *R, int64_t ldr, real *X,
                            int64_t ldx)
{
  for (int64_t k = n - 1; k >= 0; k--) {
    const real *c = R + k * ldr * GLA_PARTS, d = c[k * GLA_PARTS];
    real *x = X + k * ldx * GLA_PARTS;
    for (int64_t i = 0; i < rows * GLA_PARTS; i++)
      x[i] /= d;
    for (int64_t j = 0; j < k; j++)
      subtract (rows, scalar_conj (((const scalar *)c)[j]), x, X + j * ldx * GLA_PARTS);
  }
}

// X is Q on entry; it becomes NaN if info says that there is no inverse.
static void inverse_page (const gla_pages_job *job, int64_t page)
{
  const int64_t rows = job->X.rows, n = job->X.columns, ldx = job->X.column_stride;
  const int32_t *e = job->exponents + page * rows;
  const real *R = column_at (&job->R, page, 0);
  real *X = column_of (&job->X, page, 0);
  if (job->info[page] == 0 && n <= SMALL_INVERSE)
    divide_adjoint (rows, n, R, job->R.column_stride, X, ldx);
  else if (job->info[page] == 0)
    trsm ((triangle_form){"R", "U", "C", "N"}, rows, n, 1, R, job->R.column_stride, X, ldx);
  for (int64_t j = 0; j < n; j++) {
    scalar *x = (scalar *)(X + j * ldx * GLA_PARTS);
    for (int64_t i = 0; i < rows; i++)
      x[i] = job->info[page] != 0 ? scalar_make ((real)NAN, GLA_COMPLEX ? (real)NAN : 0)
                                  : scalar_scale (power_of_two (-e[i]), x[i]);
  }
}

//------------------------------------------------------------------------------
// the kernels that finish pages of one type for one instruction set
//------------------------------------------------------------------------------

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

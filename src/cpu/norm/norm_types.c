// norm_types.c: norms of the pages of one type on the CPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type, with -DGLA_T=<type>. All sums are formed in double. A page is first read
// unscaled. If squares may have overflowed or underflowed, it is read again, times a power of 2.

#include "common/types.h"

#include "norm.h"

#include <string.h>

// One page: column j begins at at + j*step, counted in real numbers.
typedef struct {
  const real *at;
  int64_t step, rows, columns;
  double times; // factor of every number
} norm_page;

// Returns NaN if one is NaN.
static double larger (double a, double b)
{
  return b > a || isnan (b) ? b : a;
}

static double magnitude (const real *x, int64_t i, double times)
{
#if GLA_COMPLEX
  const double re = (double)x[2 * i] * times, im = (double)x[2 * i + 1] * times;
  return sqrt (re * re + im * im);
#else
  return fabs ((double)x[i] * times);
#endif
}

//------------------------------------------------------------------------------
// the three norms
//------------------------------------------------------------------------------

enum { PARTS = 4 }; // sums that are formed at the same time

static double norm_one (const norm_page *a)
{
  double most = 0;
  for (int64_t j = 0; j < a->columns; j++) {
    const real *x = a->at + j * a->step;
    double part[PARTS] = {0};
    int64_t i = 0;
    for (; i + PARTS <= a->rows; i += PARTS)
      for (int k = 0; k < PARTS; k++)
        part[k] += magnitude (x, i + k, a->times);
    for (int k = 0; i < a->rows; i++, k++)
      part[k] += magnitude (x, i, a->times);
    most = larger (most, (part[0] + part[1]) + (part[2] + part[3]));
  }
  return most;
}

// rows: a->rows numbers of workspace
static double norm_inf (const norm_page *a, double *rows)
{
  double most = 0;
  memset (rows, 0, (size_t)a->rows * sizeof *rows);
  for (int64_t j = 0; j < a->columns; j++) {
    const real *x = a->at + j * a->step;
    for (int64_t i = 0; i < a->rows; i++)
      rows[i] += magnitude (x, i, a->times);
  }
  for (int64_t i = 0; i < a->rows; i++)
    most = larger (most, rows[i]);
  return most;
}

static double norm_frobenius (const norm_page *a)
{
  const int64_t count = a->rows * GLA_PARTS;
  double part[PARTS] = {0};
  for (int64_t j = 0; j < a->columns; j++) {
    const real *x = a->at + j * a->step;
    int64_t i = 0;
    for (; i + PARTS <= count; i += PARTS)
      for (int k = 0; k < PARTS; k++) {
        const double y = (double)x[i + k] * a->times;
        part[k] += y * y;
      }
    for (int k = 0; i < count; i++, k++) {
      const double y = (double)x[i] * a->times;
      part[k] += y * y;
    }
  }
  return sqrt ((part[0] + part[1]) + (part[2] + part[3]));
}

static double norm_of (const norm_page *a, gla_norm norm, double *work)
{
  return norm == GLA_NORM_ONE   ? norm_one (a)
         : norm == GLA_NORM_INF ? norm_inf (a, work)
                                : norm_frobenius (a);
}

//------------------------------------------------------------------------------
// the ends of the range
//------------------------------------------------------------------------------

// Whether no square has overflowed, and those that have underflowed do not matter beside the
// result. Squares of single numbers do neither in double.
static int is_safe (double norm, gla_norm kind)
{
  if (GLA_SINGLE || (!GLA_COMPLEX && kind != GLA_NORM_FRO))
    return 1;
  return norm > 1e-100 && norm < 1e150;
}

// Returns the largest real or imaginary part, NaN if there is one.
static double largest_part (const norm_page *a)
{
  double most = 0;
  for (int64_t j = 0; j < a->columns; j++)
    for (int64_t i = 0; i < a->rows * GLA_PARTS; i++)
      most = larger (most, fabs ((double)a->at[j * a->step + i]));
  return most;
}

static double scaled_norm (norm_page *a, gla_norm norm, double *work)
{
  const double most = largest_part (a);
  if (!(most > 0) || isinf (most))
    return most;
  const int exponent = ilogb (most) > -1000 ? ilogb (most) : -1000;
  a->times = ldexp (1, -exponent);
  return ldexp (norm_of (a, norm, work), exponent);
}

void GLA_NAME (gla_cpu_norm) (const gla_pagenorm_job *job, const gla_pagenorm_chunk *chunk,
                              int64_t first, int64_t count, double *work)
{
  const gla_array *A = &chunk->A, *norms = &chunk->norms;
  for (int64_t p = first; p < first + count; p++) {
    norm_page a = {.at = (const real *)A->data + p * A->page_stride * GLA_PARTS,
                   .step = A->column_stride * GLA_PARTS,
                   .rows = job->m,
                   .columns = job->n,
                   .times = 1};
    double norm = norm_of (&a, job->norm, work);
    if (!is_safe (norm, job->norm))
      norm = scaled_norm (&a, job->norm, work);
    ((real *)norms->data)[p * norms->page_stride] = (real)norm;
  }
}

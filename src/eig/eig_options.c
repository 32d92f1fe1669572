// eig_options.c: options of batcheig with and without B: checks, and parts of the spectrum
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/status.h"
#include "eig_options.h"
#include "arrays.h"

#include <math.h>
#include <string.h>

gla_status gla_check_triangle (gla_context *ctx, gla_triangle triangle)
{
  if (triangle == GLA_TRIANGLE_FULL || triangle == GLA_TRIANGLE_LOWER ||
      triangle == GLA_TRIANGLE_UPPER)
    return GLA_OK;
  return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "triangle = %d is not a gla_triangle",
                   (int)triangle);
}

gla_status gla_check_eig_options (gla_context *ctx, const gla_eig_options *o)
{
  if (o->method != GLA_EIG_METHOD_AUTO && o->method != GLA_EIG_METHOD_QR &&
      o->method != GLA_EIG_METHOD_JACOBI)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "method = %d is not a gla_eig_method",
                     (int)o->method);
  GLA_TRY (gla_check_triangle (ctx, o->triangle));
  if (o->phase != GLA_EIG_PHASE_MAX && o->phase != GLA_EIG_PHASE_NONE)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "phase = %d is not a gla_eig_phase",
                     (int)o->phase);
  if (!(o->tol >= 0 && o->tol < 1))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "tol = %g must be at least 0 and less than 1",
                     o->tol);
  if (o->maxit < 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "maxit = %d must not be negative", o->maxit);
  return GLA_OK;
}

static gla_status check_indices (gla_context *ctx, const gla_eig_options *o, int64_t n)
{
  if (o->il >= 1 && o->iu <= n && o->il <= o->iu + 1)
    return GLA_OK;
  return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                   "il = %lld and iu = %lld must be in 1 to %lld, and il at most iu+1",
                   (long long)o->il, (long long)o->iu, (long long)n);
}

static gla_status check_interval (gla_context *ctx, const gla_eig_options *o, int64_t n,
                                  const gla_array *lambda)
{
  if (!(o->vl < o->vu))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "vl = %g must be less than vu = %g", o->vl,
                     o->vu);
  if (lambda->rows >= 0 && lambda->rows <= n)
    return GLA_OK;
  return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "lambda has %lld rows, it must have 0 to %lld",
                   (long long)lambda->rows, (long long)n);
}

gla_status gla_check_range (gla_context *ctx, const gla_eig_options *o, int64_t n,
                            const gla_array *lambda, int64_t *columns)
{
  switch (o->range) {
  case GLA_EIG_ALL:
    *columns = n;
    return GLA_OK;
  case GLA_EIG_INDICES:
    *columns = o->iu - o->il + 1;
    return check_indices (ctx, o, n);
  case GLA_EIG_INTERVAL:
    *columns = lambda->rows;
    return check_interval (ctx, o, n, lambda);
  }
  return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "range = %d is not a gla_eig_range", (int)o->range);
}

static double value_at (const gla_array *lambda, int64_t page, int64_t i)
{
  return gla_get_number (lambda, page * lambda->page_stride + i * lambda->row_stride);
}

static int64_t at_most (const gla_array *lambda, int64_t page, double x)
{
  int64_t count = 0;
  for (int64_t i = 0; i < lambda->rows; i++)
    count += value_at (lambda, page, i) <= x;
  return count;
}

// Copies `count` numbers from element `at` of another array to element `to`, or NaN if that is
// NULL.
static void put (const gla_array *a, int64_t to, int64_t count, const gla_array *from, int64_t at)
{
  const size_t size = gla_type_size (a->type);
  if (from != NULL) {
    memcpy ((char *)a->data + (size_t)to * size, (const char *)from->data + (size_t)at * size,
            (size_t)count * size);
    return;
  }
  const int64_t parts = gla_type_is_complex (a->type) ? 2 : 1;
  for (int64_t k = parts * to; k < parts * (to + count); k++)
    gla_put_number (a, k, (double)NAN);
}

int64_t gla_take_part (const gla_eig_options *o, const gla_array *all_lambda,
                       const gla_array *all_V, const gla_array *lambda, const gla_array *V,
                       int64_t page)
{
  const int in_interval = o->range == GLA_EIG_INTERVAL;
  const int64_t first = in_interval ? at_most (all_lambda, page, o->vl) : o->il - 1;
  const int64_t count = in_interval ? at_most (all_lambda, page, o->vu) - first
                        : isnan (value_at (all_lambda, page, 0)) ? 0
                                                                 : lambda->rows;
  for (int64_t j = 0; j < lambda->rows; j++) {
    put (lambda, page * lambda->page_stride + j * lambda->row_stride, 1,
         j < count ? all_lambda : NULL,
         page * all_lambda->page_stride + (first + j) * all_lambda->row_stride);
    if (all_V->data != NULL)
      put (V, page * V->page_stride + j * V->column_stride, V->rows, j < count ? all_V : NULL,
           page * all_V->page_stride + (first + j) * all_V->column_stride);
  }
  return count;
}

int64_t gla_largest_count (const int64_t *count, int64_t pages)
{
  int64_t most = 0;
  for (int64_t p = 0; count != NULL && p < pages; p++)
    most = count[p] > most ? count[p] : most;
  return most;
}

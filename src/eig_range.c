// eig_range.c: parts of the spectrum, for batcheig with and without B
// SPDX-License-Identifier: GPL-3.0-or-later

#include "eig_range.h"

#include <math.h>
#include <string.h>

static gla_status check_indices (gla_context *ctx, const gla_eig_wanted *w, int64_t n)
{
  if (w->il >= 1 && w->iu <= n && w->il <= w->iu + 1)
    return GLA_OK;
  return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                   "il = %lld and iu = %lld must be in 1 to %lld, and il at most iu+1",
                   (long long)w->il, (long long)w->iu, (long long)n);
}

static gla_status check_interval (gla_context *ctx, const gla_eig_wanted *w, int64_t n,
                                  const gla_array *lambda)
{
  if (!(w->vl < w->vu))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "vl = %g must be less than vu = %g", w->vl,
                     w->vu);
  if (lambda->rows >= 0 && lambda->rows <= n)
    return GLA_OK;
  return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "lambda has %lld rows, it must have 0 to %lld",
                   (long long)lambda->rows, (long long)n);
}

gla_status gla_check_wanted (gla_context *ctx, const gla_eig_wanted *w, int64_t n,
                             const gla_array *lambda, int64_t *columns)
{
  switch (w->range) {
  case GLA_EIG_ALL:
    *columns = n;
    return GLA_OK;
  case GLA_EIG_INDICES:
    *columns = w->iu - w->il + 1;
    return check_indices (ctx, w, n);
  case GLA_EIG_INTERVAL:
    *columns = lambda->rows;
    return check_interval (ctx, w, n, lambda);
  }
  return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "range = %d is not a gla_eig_range", (int)w->range);
}

static double value_at (const gla_array *lambda, int64_t page, int64_t i)
{
  const int64_t at = page * lambda->page_stride + i * lambda->row_stride;
  return lambda->type == GLA_TYPE_S ? (double)((const float *)lambda->data)[at]
                                    : ((const double *)lambda->data)[at];
}

static int64_t at_most (const gla_array *lambda, int64_t page, double x)
{
  int64_t count = 0;
  for (int64_t i = 0; i < lambda->rows; i++)
    count += value_at (lambda, page, i) <= x;
  return count;
}

// `count` numbers of an array from element `to` on, from element `at` of another one, or NaN where
// that is NULL.
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
    if (gla_type_real (a->type) == GLA_TYPE_S)
      ((float *)a->data)[k] = NAN;
    else
      ((double *)a->data)[k] = (double)NAN;
}

int64_t gla_take_part (const gla_eig_wanted *w, const gla_array *all_lambda, const gla_array *all_V,
                       const gla_array *lambda, const gla_array *V, int64_t page)
{
  const int in_interval = w->range == GLA_EIG_INTERVAL;
  const int64_t first = in_interval ? at_most (all_lambda, page, w->vl) : w->il - 1;
  const int64_t count = in_interval ? at_most (all_lambda, page, w->vu) - first
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

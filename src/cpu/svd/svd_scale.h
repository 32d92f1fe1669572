// svd_scale.h: exact scaling of pages by powers of two, and results of pages that fail
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_SVD_SVD_SCALE_H
#define GPULINALG_CPU_SVD_SVD_SCALE_H

#include "cpu/common/columns.h"
#include "cpu/common/exponent.h"
#include "cpu/common/minmax.h"

#include "svd.h"

#include <math.h>
#include <string.h>

// The largest entry of a page becomes 2^GLA_SVD_TOP: squares of numbers from there down to
// 2^-GLA_SVD_TOP are in range.
enum { GLA_SVD_TOP = GLA_SINGLE ? 50 : 470 };

// Entries of a page are multiplied by down[0]*down[1], its values by up[0]*up[1]: two factors,
// because the powers themselves may be out of range.
typedef struct {
  int32_t info; // 0: solve it
  real down[2], up[2];
} svd_scale;

static bits largest_of_svd_page (const gla_array *A, int64_t page)
{
  if (A->column_stride == A->rows)
    return largest_of (column_of (A, page, 0), A->rows * A->columns * GLA_PARTS, 0);
  bits largest = 0;
  for (int64_t j = 0; j < A->columns; j++)
    largest = largest_of (column_of (A, page, j), A->rows * GLA_PARTS, largest);
  return largest;
}

// to: the exponent that the largest entry gets.
static svd_scale svd_scale_of (const gla_array *A, int64_t page, int to)
{
  svd_scale s = {0, {1, 1}, {1, 1}};
  const bits largest = largest_of_svd_page (A, page);
  real x;
  memcpy (&x, &largest, sizeof x);
  if (!(x <= GLA_MAX)) {
    s.info = (int32_t)gla_min (A->rows, A->columns) + 1;
    return s;
  }
  if (x == 0)
    return s;
  int e;
  (void)frexp (x, &e);
  const int shift = to - e + 1, half = shift / 2;
  s.down[0] = power_of_two (half);
  s.down[1] = power_of_two (shift - half);
  s.up[0] = power_of_two (-half);
  s.up[1] = power_of_two (half - shift);
  return s;
}

// S is no column but may be a diagonal.
static inline void store_value (const gla_svd_chunk *c, int64_t page, int64_t i, real x)
{
  ((real *)c->S.data)[page * c->S.page_stride + i * c->S.row_stride] = x;
}

static void store_failed (const gla_svd_chunk *c, int64_t page, int32_t info)
{
  c->info[page] = info;
  for (int64_t i = 0; i < c->S.rows; i++)
    store_value (c, page, i, (real)NAN);
  fill_nan (&c->U, page);
  fill_nan (&c->V, page);
}

#endif

// solve_page_rcond.h: 1-norms of one page and of its inverse
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_SOLVE_PAGE_RCOND_H
#define GPULINALG_CPU_SOLVE_PAGE_RCOND_H

#include "solve_page_columns.h"

#include <string.h>

static inline vec page_magnitude (num x)
{
#if GLA_COMPLEX
  return vec_sqrt (num_abs2 (x));
#else
  return vec_abs (x.re);
#endif
}

static inline real page_largest_lane (vec x)
{
  real r = x[0];
  for (int l = 1; l < GLA_LANES; l++)
    r = x[l] > r ? x[l] : r;
  return r;
}

// Whether numbers of this size have squares and reciprocals in range.
static int page_is_moderate (real size)
{
#if GLA_COMPLEX
  const real most = GLA_SINGLE ? (real)0x1p60 : (real)0x1p500;
#else
  const real most = GLA_MAX;
#endif
  return size <= most && size >= 1 / most;
}

// Returns the largest sum of a column, of |re| + |im| or of magnitudes; NaN if one is NaN or Inf.
static inline __attribute__ ((always_inline)) real page_norm (const page_factors *p, int sizes)
{
  vec largest = {0}, all = {0};
  for (int64_t j = 0; j < p->n; j += GLA_LANES) {
    vec sum[GLA_LANES];
    for (int l = 0; l < GLA_LANES; l++) {
      const num *a = p->a + (j + l) * p->stride;
      sum[l] = (vec){0};
      for (int64_t v = 0; v < p->registers; v++)
        sum[l] += sizes ? page_size (a[v]) : page_magnitude (a[v]);
    }
    const vec sums = sum_each (sum);
    largest = vec_select (sums > largest, sums, largest);
    all += sums;
  }
  const real zero = sum_lanes (all) * 0;
  return page_largest_lane (largest) + zero;
}

static real page_sum (const page_factors *p, const num *x)
{
  vec sum = {0};
  for (int64_t v = 0; v < p->registers; v++)
    sum += page_magnitude (x[v]);
  return sum_lanes (sum);
}

//------------------------------------------------------------------------------
// the inverse, formed for its norm alone
//------------------------------------------------------------------------------

// Stores columns j .. of the identity in V registers of columns; rows above `begin` stay unchanged.
static void page_identity (const page_factors *p, int V, int64_t j, int64_t begin)
{
  memset (p->rows + begin * V, 0, (size_t)((p->n + PAGE_ROWS - begin) * V) * sizeof (num));
  for (int64_t c = 0; c < V * GLA_LANES && j + c < p->n; c++)
    row_at (p->rows + (j + c) * V, c)[0] = 1;
}

// Properties of columns j .. of the inverse, in V registers: see page_solve_many.
typedef struct {
  int V;
  int64_t j, begin, first, end;
} page_strip;

static page_strip page_strip_at (const page_factors *p, int64_t j)
{
  const int64_t V = gla_min (PAGE_WIDTH, registers_for (p->n - j));
  page_strip s = {.V = (int)V, .j = j, .begin = j / PAGE_ROWS * PAGE_ROWS, .end = p->n};
  if (!p->lower)
    s.end = gla_min (p->n, j + V * GLA_LANES);
  if (!p->upper || p->definite)
    s.first = s.begin;
  return s;
}

// Adds the sums of the columns in the computed rows to those of each lane.
static real page_strip_norm (const page_factors *p, const page_strip *s)
{
  real largest = 0, all = 0;
  for (int v = 0; v < s->V; v++) {
    vec sum = {0};
    for (int64_t i = s->first; i < s->end; i++)
      sum += page_magnitude (p->rows[i * s->V + v]);
    const real most = page_largest_lane (sum);
    largest = most > largest ? most : largest;
    all += sum_lanes (sum);
  }
  return largest + all * 0;
}

// Returns NaN if an entry is not finite.
static real page_inverse_norm (page_factors *p)
{
  const int definite = p->definite;
  real norm = 0;
  p->definite = 0;
  for (int64_t j = 0; j < p->n; j += PAGE_WIDTH * GLA_LANES) {
    const page_strip s = page_strip_at (p, j);
    page_identity (p, s.V, j, 0);
    page_solve_many (p, s.V, s.begin, s.first, s.end);
    const real here = page_strip_norm (p, &s);
    norm = here <= norm ? norm : here;
    if (!(norm <= GLA_MAX))
      break;
  }
  p->definite = definite;
  return norm;
}

//------------------------------------------------------------------------------
// the norm estimated
//------------------------------------------------------------------------------

// Stores squares on the diagonal with their columns in lanes.
static void page_turn_squares (const page_factors *p)
{
  for (int64_t c = 0; c < p->registers; c++) {
    num x[GLA_LANES];
    for (int l = 0; l < GLA_LANES; l++)
      x[l] = p->a[(c * GLA_LANES + l) * p->stride + c];
    page_turn_num (x);
    for (int l = 0; l < GLA_LANES; l++)
      p->turned[c * GLA_LANES + l] = x[l];
  }
}

// Subtracts a'*x with the rows from register `from` to `to` of the columns of c from register c of
// x.
static num page_subtract_products (const page_factors *p, int64_t c, const num *x, int64_t from,
                                   int64_t to)
{
  vec re[GLA_LANES];
#if GLA_COMPLEX
  vec im[GLA_LANES];
#endif
  for (int l = 0; l < GLA_LANES; l++) {
    const num *a = p->a + (c * GLA_LANES + l) * p->stride;
    num sum = num_zero ();
    for (int64_t v = from; v < to; v++)
      sum = num_fmac (sum, a[v], x[v]);
    re[l] = sum.re;
#if GLA_COMPLEX
    im[l] = sum.im;
#endif
  }
  num r = x[c];
  r.re -= sum_each (re);
#if GLA_COMPLEX
  r.im -= sum_each (im);
#endif
  return r;
}

// Sets x = inv (U')*x, and then x = inv (L')*x.
static void page_adjoint_column (const page_factors *p, num *x)
{
  for (int64_t c = 0; c < p->registers; c++) {
    const num *square = p->turned + c * GLA_LANES;
    num sum = p->upper ? page_subtract_products (p, c, x, 0, c) : x[c];
#pragma GCC unroll 16
    for (int k = 0; k < GLA_LANES; k++) {
      if (c * GLA_LANES + k >= p->n)
        break;
      const num r = num_conj (num_broadcast (p->reciprocal[c * GLA_LANES + k]));
      const num y = num_mul (r, page_lane_of (sum, k));
      x[c] = num_select (page_lane (k), y, x[c]);
      if (p->upper)
        sum = num_fnmac (sum, square[k], y);
    }
  }
  for (int64_t c = p->registers - 1; c >= 0 && p->lower; c--) {
    const num *square = p->turned + c * GLA_LANES;
    num sum = page_subtract_products (p, c, x, c + 1, p->registers);
#pragma GCC unroll 16
    for (int k = GLA_LANES - 1; k >= 0; k--) {
      const num y = page_lane_of (sum, k);
      x[c] = num_select (page_lane (k), y, x[c]);
      sum = num_fnmac (sum, square[k], y);
    }
  }
}

static void page_solve_column (const page_factors *p, num *x)
{
  if (p->lower)
    page_forward_column (p, x);
  page_backward_column (p, x);
}

// Sets x / |x|, and 1 for numbers near 0. Returns whether all equal `before`, which they replace.
static int page_signs (const page_factors *p, num *x, num *before)
{
  int same = 1;
  for (int64_t i = 0; i < p->n; i++) {
    const scalar e = row_get (x, i);
#if GLA_COMPLEX
    const real size = real_sqrt (scalar_abs2 (e));
    row_set (x, i, size > GLA_TINY ? scalar_scale (1 / size, e) : 1);
    same = 0;
#else
    row_set (x, i, e < 0 ? -1 : 1);
#endif
    same &= row_get (x, i) == row_get (before, i);
    row_set (before, i, row_get (x, i));
  }
  return same;
}

static int64_t page_largest_row (const page_factors *p, const num *x)
{
  int64_t row = 0;
  real largest = -1;
  for (int64_t i = 0; i < p->n; i++) {
    const scalar e = row_get (x, i);
    const real size = GLA_COMPLEX ? real_sqrt (scalar_abs2 (e)) : real_abs (__real__ e);
    if (size > largest) {
      largest = size;
      row = i;
    }
  }
  return row;
}

// Uses Higham's estimate as in LAPACK's ?lacn2 (ACM TOMS 14, 1988).
static real page_estimated_norm (const page_factors *p)
{
  const size_t bytes = (size_t)p->registers * sizeof (num);
  num *x = p->column[0], *signs = p->column[1];
  page_turn_squares (p);
  memset (x, 0, bytes);
  memset (signs, 0, bytes);
  for (int64_t i = 0; i < p->n; i++)
    row_at (x, i)[0] = 1 / (real)p->n;
  page_solve_column (p, x);
  real norm = page_sum (p, x);
  page_signs (p, x, signs);
  page_adjoint_column (p, x);
  int64_t row = page_largest_row (p, x);
  for (int step = 0; step < 4; step++) {
    memset (x, 0, bytes);
    row_at (x, row)[0] = 1;
    page_solve_column (p, x);
    const real sum = page_sum (p, x);
    if (!(sum > norm) && step > 0) {
      norm = sum > norm ? sum : norm;
      break;
    }
    norm = sum;
    if (page_signs (p, x, signs))
      break;
    page_adjoint_column (p, x);
    const int64_t last = row;
    row = page_largest_row (p, x);
    if (row == last)
      break;
  }
  memset (x, 0, bytes);
  for (int64_t i = 0; i < p->n; i++)
    row_at (x, i)[0] = (i % 2 ? -1 : 1) * (1 + (real)i / (real)gla_max (1, p->n - 1));
  page_solve_column (p, x);
  const real other = 2 * page_sum (p, x) / (real)(3 * p->n);
  return other <= norm ? norm : other;
}

#endif

// gsvd_rows_qr.h: pivoted QR of one small matrix with rows in lanes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// It serves regular pairs (gsvd_rows_page.h). Products of a column with as many others as a
// register has lanes are summed together, and are then in lanes: a step does little work, so its
// time is the latency of dependent operations.

#ifndef GPULINALG_CPU_GSVD_GSVD_ROWS_QR_H
#define GPULINALG_CPU_GSVD_GSVD_ROWS_QR_H

#include "common/scalar.h"
#include "cpu/common/lanes.h"
#include "cpu/common/minmax.h"
#include "cpu/common/reflector.h"
#include "cpu/common/rows.h"

#include "gsvd.h"
#include "cpu/common/column_pairs.h"
#include "gsvd_lapack.h"

// Loops over registers are unrolled for columns of 1, 2 or 4 of them, as far as pairs often have so
// many rows.
#define GLA_ROWS_UNROLLED(rv) ((rv)*GLA_LANES <= 32)

// Squares of lengths below this would lose digits.
#define GLA_ROWS_LEAST GLA_QR_SMALL
#define GLA_ROWS_MOST (1 / GLA_QR_SMALL)

// A P = Q R: column k of A P is c[k] and becomes that of R, Q = H0 H1 .. with Hk = I - t[k] u u', u
// column k of `u`, zero before row k. Zero columns, with zeros in t, fill the last register of
// columns.
typedef struct {
  int64_t rv, columns; // registers of a column; columns
  num *c[SMALL], *u;
  real t[SMALL];
  int perm[SMALL];
} rows_qr;

// Lanes from this one on.
static inline mask lanes_from (int64_t lane)
{
  mask m;
  for (int l = 0; l < GLA_LANES; l++)
    m[l] = l;
  return m >= (mask){0} + (bits)lane;
}

static inline num keep (mask m, num x)
{
  return num_select (m, x, num_zero ());
}

// The sums of the lanes of x[l] into lane l.
static inline num sum_each_num (const num *x)
{
  vec part[GLA_LANES];
  num r;
  for (int l = 0; l < GLA_LANES; l++)
    part[l] = x[l].re;
  r.re = sum_each (part);
#if GLA_COMPLEX
  for (int l = 0; l < GLA_LANES; l++)
    part[l] = x[l].im;
  r.im = sum_each (part);
#endif
  return r;
}

// x_l'y into lane l for the columns x_l of `x`, registers from `first` on.
static inline __attribute__ ((always_inline)) num products_with (int64_t first, int64_t rv,
                                                                 const num *x, const num *y)
{
  num sum[GLA_LANES];
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++) {
    sum[l] = num_zero ();
#pragma GCC unroll 4
    for (int64_t i = first; i < rv; i++)
      sum[l] = num_fmac (sum[l], x[l * rv + i], y[i]);
  }
  return sum_each_num (sum);
}

//------------------------------------------------------------------------------
// factorisation
//------------------------------------------------------------------------------

// Returns the place of the largest of norm2[0..], whose last bits hold places.
static inline int place_of_largest (int64_t count, const vec *norm2)
{
  const bits places = 127;
  mask place;
  vec most = vec_broadcast (0);
  for (int l = 0; l < GLA_LANES; l++)
    place[l] = places - l;
  for (int64_t i = 0; i < count; i++) {
    const mask key = ((mask)norm2[i] & ~places) | (place - (bits)(i * GLA_LANES));
    most = vec_max ((vec)key, most);
  }
  most = vec_max (most, exchange_lanes (most, most, 1));
  if (GLA_LANES > 2)
    most = vec_max (most, exchange_lanes (most, most, 2));
  if (GLA_LANES > 4)
    most = vec_max (most, exchange_lanes (most, most, 4));
  if (GLA_LANES > 8)
    most = vec_max (most, exchange_lanes (most, most, 8));
  return (int)(places - (((mask)most)[0] & places));
}

// Makes H of the part of x from this lane of register `first` on, and applies it to x.
static inline __attribute__ ((always_inline)) void eliminate (int64_t rv, int64_t first, int lane,
                                                              real norm2, num *x, num *u, real *t)
{
  const scalar alpha = row_get (x + first, lane);
  const real norm = real_sqrt (norm2);
#if GLA_COMPLEX
  // divided by the length, because squares of small numbers lose their digits; less is negligible
  const scalar part = scalar_scale (1 / norm, alpha);
  const real part2 = scalar_abs2 (part), root = real_sqrt (part2), size = norm * root;
  const scalar phase = part2 >= GLA_QR_SMALL ? scalar_scale (1 / root, part) : scalar_make (1, 0);
#else
  const real size = real_abs (alpha), phase = alpha < 0 ? -1 : 1;
#endif
  const num beta = num_broadcast (scalar_scale (-norm, phase));
  const mask from = lanes_from (lane), at = from & ~lanes_from (lane + 1);
  *t = 1 / (norm * (norm + size));
  for (int64_t i = 0; i < first; i++)
    u[i] = num_zero ();
  u[first] = keep (from, num_sub (x[first], keep (at, beta)));
  x[first] = num_select (at, beta, keep (~from, x[first]));
  for (int64_t i = first + 1; i < rv; i++) {
    u[i] = x[i];
    x[i] = num_zero ();
  }
}

// Applies H to a full register of columns c, those of lanes `which`; returns the squares of their
// parts after this lane.
static inline __attribute__ ((always_inline)) vec eliminate_rest (int64_t rv, int64_t first,
                                                                  int lane, const num *u, real t,
                                                                  mask which, num *const *c)
{
  const mask behind = lanes_from (lane + 1);
  num sum[GLA_LANES];
  vec square[GLA_LANES];
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++) {
    sum[l] = num_zero ();
    for (int64_t i = first; i < rv; i++)
      sum[l] = num_fmac (sum[l], u[i], c[l][i]);
  }
  const num s = keep (which, num_scale (vec_broadcast (t), sum_each_num (sum)));
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++) {
    const num by = num_broadcast_lane (&s, l);
    num *y = c[l];
    y[first] = num_fnma (y[first], u[first], by);
    square[l] = num_abs2 (keep (behind, y[first]));
    for (int64_t i = first + 1; i < rv; i++) {
      y[i] = num_fnma (y[i], u[i], by);
      square[l] += num_abs2 (y[i]);
    }
  }
  return vec_select (which, sum_each (square), vec_broadcast (0));
}

static inline void exchange_places (rows_qr *q, int64_t i, int64_t j)
{
  num *const c = q->c[i];
  const int place = q->perm[i];
  q->c[i] = q->c[j], q->c[j] = c;
  q->perm[i] = q->perm[j], q->perm[j] = place;
}

// Returns 0 if a column that must be eliminated is out of range, or not longer than `least` times
// its initial length.
static inline __attribute__ ((always_inline)) int rows_factor_of (rows_qr *q, int64_t rv,
                                                                  real least)
{
  const int64_t registers = registers_for (q->columns);
  vec norm2[SMALL / GLA_LANES], whole[SMALL / GLA_LANES];
  for (int64_t j = 0; j < registers; j++) {
    vec square[GLA_LANES];
    for (int l = 0; l < GLA_LANES; l++) {
      square[l] = vec_broadcast (0);
      for (int64_t i = 0; i < rv; i++)
        square[l] += num_abs2 (q->c[j * GLA_LANES + l][i]);
    }
    norm2[j] = whole[j] = sum_each (square);
  }
  for (int64_t j = 0; j < q->columns; j++)
    q->perm[j] = (int)j;
#pragma GCC unroll 4
  for (int64_t first = 0; first < rv && first < registers; first++)
    for (int64_t k = first * GLA_LANES; k < gla_min (q->columns, (first + 1) * GLA_LANES); k++) {
      const int place = place_of_largest (registers - first, norm2 + first);
      const int64_t best = first * GLA_LANES + place;
      const real length2 = ((const real *)norm2)[best];
      exchange_places (q, k, best);
      if (!(length2 >= GLA_ROWS_LEAST && length2 <= GLA_ROWS_MOST &&
            length2 > least * least * ((const real *)whole)[q->perm[k]]))
        return 0;
      eliminate (rv, first, (int)(k % GLA_LANES), length2, q->c[k], q->u + k * rv, q->t + k);
      for (int64_t j = (k + 1) / GLA_LANES; j < registers; j++)
        norm2[j] =
            eliminate_rest (rv, first, (int)(k % GLA_LANES), q->u + k * rv, q->t[k],
                            lanes_from (j > first ? 0 : k % GLA_LANES + 1), q->c + j * GLA_LANES);
    }
  return 1;
}

static int rows_factor (rows_qr *q, real least)
{
  if (q->rv == 1)
    return rows_factor_of (q, 1, least);
  if (q->rv == 2)
    return rows_factor_of (q, 2, least);
  if (GLA_ROWS_UNROLLED (4) && q->rv == 4)
    return rows_factor_of (q, 4, least);
  return rows_factor_of (q, q->rv, least);
}

//------------------------------------------------------------------------------
// what the factors are for
//------------------------------------------------------------------------------

// Makes T with Hk .. H(k+GLA_LANES-1) = I - Y T Y', column by column, for their vectors Y.
static inline __attribute__ ((always_inline)) void
join_reflectors (int64_t first, int64_t rv, const num *y, const real *t, num *T)
{
  for (int b = 0; b < GLA_LANES; b++) {
    const num g = products_with (first, rv, y, y + b * rv);
    const mask from = lanes_from (b);
    num column = num_zero ();
    for (int a = 0; a < b; a++)
      column = num_fma (column, T[a], num_broadcast_lane (&g, a));
    column = num_scale (vec_broadcast (-t[b]), column);
    column.re = vec_select (from & ~lanes_from (b + 1), vec_broadcast (t[b]), column.re);
    T[b] = column;
  }
}

// Sets x = Q x for `count` columns.
static inline __attribute__ ((always_inline)) void rows_apply_of (const rows_qr *q, int64_t rv,
                                                                  int64_t count, num *x)
{
  num T[GLA_LANES], yT[GLA_LANES * (SMALL / GLA_LANES)];
#pragma GCC unroll 4
  for (int64_t first = rv - 1; first >= 0; first--) {
    if (first >= registers_for (q->columns))
      continue;
    const int64_t k = first * GLA_LANES;
    const num *y = q->u + k * rv;
    join_reflectors (first, rv, y, q->t + k, T);
    for (int l = 0; l < GLA_LANES; l++)
      for (int64_t i = first; i < rv; i++) {
        num sum = num_zero ();
        for (int a = 0; a <= l; a++)
          sum = num_fma (sum, y[a * rv + i], num_broadcast_lane (&T[l], a));
        yT[l * rv + i] = sum;
      }
    for (int64_t j = 0; j < count; j++) {
      num *to = x + j * rv;
      const num s = products_with (first, rv, y, to);
#pragma GCC unroll 16
      for (int l = 0; l < GLA_LANES; l++) {
        const num b = num_broadcast_lane (&s, l);
        for (int64_t i = first; i < rv; i++)
          to[i] = num_fnma (to[i], yT[l * rv + i], b);
      }
    }
  }
}

static void rows_apply (const rows_qr *q, int64_t count, num *x)
{
  if (q->rv == 1)
    rows_apply_of (q, 1, count, x);
  else if (q->rv == 2)
    rows_apply_of (q, 2, count, x);
  else if (GLA_ROWS_UNROLLED (4) && q->rv == 4)
    rows_apply_of (q, 4, count, x);
  else
    rows_apply_of (q, q->rv, count, x);
}

// Replaces the columns x[0], x[1], .. by those of X R^-1.
static inline __attribute__ ((always_inline)) void rows_divide_of (const rows_qr *q, int64_t rv,
                                                                   num *const *x)
{
  for (int64_t j = 0; j < q->columns; j++) {
    num *to = x[j];
    for (int64_t k = 0; k < j; k++) {
      const num r = num_broadcast (row_get (q->c[j], k));
      for (int64_t i = 0; i < rv; i++)
        to[i] = num_fnma (to[i], r, x[k][i]);
    }
    const num inverse = num_broadcast (scalar_inverse (row_get (q->c[j], j)));
    for (int64_t i = 0; i < rv; i++)
      to[i] = num_mul (inverse, to[i]);
  }
}

static void rows_divide (const rows_qr *q, int64_t rv, num *const *x)
{
  if (rv == 1)
    rows_divide_of (q, 1, x);
  else if (rv == 2)
    rows_divide_of (q, 2, x);
  else if (GLA_ROWS_UNROLLED (4) && rv == 4)
    rows_divide_of (q, 4, x);
  else
    rows_divide_of (q, rv, x);
}

#endif

// rows.h: columns of one page with rows in lanes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A column is an array of registers: row i is lane i % GLA_LANES of register i / GLA_LANES, and the
// lanes after the last row are zero.

#ifndef GPULINALG_CPU_COMMON_ROWS_H
#define GPULINALG_CPU_COMMON_ROWS_H

#include "common/scalar.h"

#include "lanes.h"

static inline real *row_at (num *column, int64_t i)
{
  return (real *)(column + i / GLA_LANES) + i % GLA_LANES;
}

static inline scalar row_get (const num *column, int64_t i)
{
  const real *x = (const real *)(column + i / GLA_LANES) + i % GLA_LANES;
  return scalar_make (x[0], GLA_COMPLEX ? x[GLA_COMPLEX * GLA_LANES] : 0);
}

static inline void row_set (num *column, int64_t i, scalar value)
{
  real *x = row_at (column, i);
  x[0] = __real__ value;
#if GLA_COMPLEX
  x[GLA_LANES] = __imag__ value;
#endif
}

static inline num num_broadcast (scalar x)
{
  num r;
  r.re = vec_broadcast (__real__ x);
#if GLA_COMPLEX
  r.im = vec_broadcast (__imag__ x);
#endif
  return r;
}

// The number in lane l of x.
static inline num num_broadcast_lane (const num *x, int l)
{
  num r;
  r.re = vec_broadcast (x->re[l]);
#if GLA_COMPLEX
  r.im = vec_broadcast (x->im[l]);
#endif
  return r;
}

// conj (a) b
static inline num num_mulc (num a, num b)
{
  num r;
  r.re = a.re * b.re;
#if GLA_COMPLEX
  r.re += a.im * b.im;
  r.im = a.re * b.im;
  r.im -= a.im * b.re;
#endif
  return r;
}

static inline real sum_lanes (vec x)
{
  real s = x[0];
  for (int l = 1; l < GLA_LANES; l++)
    s += x[l];
  return s;
}

static inline scalar sum_num (num x)
{
#if GLA_COMPLEX
  return scalar_make (sum_lanes (x.re), sum_lanes (x.im));
#else
  return sum_lanes (x.re);
#endif
}

static inline int64_t registers_for (int64_t rows)
{
  return (rows + GLA_LANES - 1) / GLA_LANES;
}

//------------------------------------------------------------------------------
// many sums at once
//------------------------------------------------------------------------------

// Returns lane l of a, or of b if bit d is set in l.
static inline __attribute__ ((always_inline)) vec mix_lanes (vec a, vec b, int d)
{
#ifdef __clang__
  vec r;
  for (int l = 0; l < GLA_LANES; l++)
    r[l] = l & d ? b[l] : a[l];
  return r;
#else
  mask from = {0};
  for (int l = 0; l < GLA_LANES; l++)
    from[l] = (l & d ? GLA_LANES : 0) + l;
  return __builtin_shuffle (a, b, from);
#endif
}

// Halves the number of x: each becomes the sum of two, which are in the lanes without and with bit
// d. It is inlined, because shuffles take many times as long if d is no constant.
static inline __attribute__ ((always_inline)) void fold_lanes (vec *x, int d)
{
#pragma GCC unroll 8
  for (int i = 0; i < GLA_LANES / 2 / d; i++)
    x[i] = mix_lanes (x[2 * i], x[2 * i + 1], d) + exchange_lanes (x[2 * i], x[2 * i + 1], d);
}

// Returns the sum of the lanes of x[l] in lane l, for all l; x is overwritten.
static inline __attribute__ ((always_inline)) vec sum_each (vec *x)
{
  fold_lanes (x, 1);
  if (GLA_LANES > 2)
    fold_lanes (x, 2);
  if (GLA_LANES > 4)
    fold_lanes (x, 4);
  if (GLA_LANES > 8)
    fold_lanes (x, 8);
  return x[0];
}

//------------------------------------------------------------------------------
// between arrays and lanes
//------------------------------------------------------------------------------

// Loads GLA_LANES contiguous rows.
static inline __attribute__ ((always_inline)) num load_register (const real *from)
{
  const vec x = (vec) * (const vec_anywhere *)from;
  num r;
#if GLA_COMPLEX
  const vec y = (vec) * (const vec_anywhere *)(from + GLA_LANES);
  r.re = every_second (x, y, 0);
  r.im = every_second (x, y, 1);
#else
  r.re = x;
#endif
  return r;
}

static inline __attribute__ ((always_inline)) void store_register (real *to, num x)
{
#if GLA_COMPLEX
  *(vec_anywhere *)to = (vec_anywhere)by_turns (x.re, x.im, 0);
  *(vec_anywhere *)(to + GLA_LANES) = (vec_anywhere)by_turns (x.re, x.im, GLA_LANES / 2);
#else
  *(vec_anywhere *)to = (vec_anywhere)x.re;
#endif
}

// Loads rows of one column, times `scale`, and zeros after them.
static inline void load_column (num *to, int64_t rows, const real *from, real scale)
{
  int64_t i = 0;
  for (; i + GLA_LANES <= rows; i += GLA_LANES)
    to[i / GLA_LANES] = num_scale (vec_broadcast (scale), load_register (from + GLA_PARTS * i));
  if (i == rows)
    return;
  to[i / GLA_LANES] = num_zero ();
  for (; i < rows; i++)
    row_set (to, i,
             scalar_make (from[GLA_PARTS * i] * scale,
                          GLA_COMPLEX ? from[GLA_PARTS * i + 1] * scale : 0));
}

static inline void store_rows (real *to, int64_t rows, const num *from)
{
  int64_t i = 0;
  for (; i + GLA_LANES <= rows; i += GLA_LANES)
    store_register (to + GLA_PARTS * i, from[i / GLA_LANES]);
  for (; i < rows; i++) {
    const scalar x = row_get (from, i);
    to[GLA_PARTS * i] = __real__ x;
#if GLA_COMPLEX
    to[2 * i + 1] = __imag__ x;
#endif
  }
}

#endif

// solve_page_move.h: copies elements of one page between the arrays of a call and registers
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A column may have its rows in lanes (common/rows.h), or become a lane of consecutive rows.
// Squares of registers are transposed if the rows of the array are contiguous; with other strides
// elements are copied one by one.

#ifndef GPULINALG_CPU_SOLVE_PAGE_MOVE_H
#define GPULINALG_CPU_SOLVE_PAGE_MOVE_H

#include "cpu/common/lanes.h"
#include "cpu/common/rows.h"

#include "solve_system.h"

static inline vec page_read (const real *at)
{
  return (vec) * (const vec_anywhere *)at;
}

static inline void page_write (real *at, vec x)
{
  *(vec_anywhere *)at = (vec_anywhere)x;
}

//------------------------------------------------------------------------------
// squares of registers, and pairs of real and imaginary parts
//------------------------------------------------------------------------------

// Returns lane l ^ d of the second register in lane l if bit d is set in l, else lane l of the
// first. With `high` it returns lane l of the second if bit d is set, else lane l ^ d of the first.
static inline __attribute__ ((always_inline)) vec page_mix (vec first, vec second, int d, int high)
{
#ifdef __clang__
  vec r;
  for (int l = 0; l < GLA_LANES; l++)
    r[l] = l & d ? second[high ? l : l ^ d] : first[high ? l ^ d : l];
  return r;
#else
  mask from = {0};
  for (int l = 0; l < GLA_LANES; l++)
    from[l] = l & d ? GLA_LANES + (high ? l : l ^ d) : (high ? l ^ d : l);
  return __builtin_shuffle (first, second, from);
#endif
}

static inline __attribute__ ((always_inline)) void page_turn_step (vec *x, int d)
{
#pragma GCC unroll 16
  for (int i = 0; i < GLA_LANES; i++) {
    if (i & d)
      continue;
    const vec a = x[i], b = x[i + d];
    x[i] = page_mix (a, b, d, 0);
    x[i + d] = page_mix (a, b, d, 1);
  }
}

// Exchanges lane l of x[i] with lane i of x[l].
static inline __attribute__ ((always_inline)) void page_turn (vec *x)
{
  page_turn_step (x, 1);
  if (GLA_LANES > 2)
    page_turn_step (x, 2);
  if (GLA_LANES > 4)
    page_turn_step (x, 4);
  if (GLA_LANES > 8)
    page_turn_step (x, 8);
}

static inline __attribute__ ((always_inline)) void page_turn_num (num *x)
{
  vec part[GLA_LANES];
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++)
    part[l] = x[l].re;
  page_turn (part);
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++)
    x[l].re = part[l];
#if GLA_COMPLEX
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++)
    part[l] = x[l].im;
  page_turn (part);
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++)
    x[l].im = part[l];
#endif
}

// Loads contiguous elements; `sign` is that of their imaginary parts.
static inline __attribute__ ((always_inline)) num page_load (const real *at, real sign)
{
  num x;
#if GLA_COMPLEX
  const vec a = page_read (at), b = page_read (at + GLA_LANES);
  x.re = every_second (a, b, 0);
  x.im = every_second (a, b, 1) * sign;
#else
  (void)sign;
  x.re = page_read (at);
#endif
  return x;
}

static inline __attribute__ ((always_inline)) void page_store (real *at, num x)
{
#if GLA_COMPLEX
  page_write (at, by_turns (x.re, x.im, 0));
  page_write (at + GLA_LANES, by_turns (x.re, x.im, GLA_LANES / 2));
#else
  page_write (at, x.re);
#endif
}

//------------------------------------------------------------------------------
// columns
//------------------------------------------------------------------------------

static inline scalar page_element (const lu_input *in, const real *at)
{
  return scalar_make (at[0], GLA_COMPLEX && in->parts > 1 ? at[GLA_COMPLEX] * in->sign : 0);
}

// Loads a column of n rows with its rows in lanes. Up to `spare` rows after the last one may be
// read, too.
static void page_load_column (const lu_input *in, const real *at, int64_t n, int64_t spare, num *to)
{
  int64_t i = 0;
  if (in->row == GLA_PARTS && in->parts == GLA_PARTS) {
    for (; i + GLA_LANES <= n; i += GLA_LANES)
      to[i / GLA_LANES] = page_load (at + i * GLA_PARTS, in->sign);
    if (i < n && spare >= GLA_LANES) {
      mask lane;
      for (int l = 0; l < GLA_LANES; l++)
        lane[l] = -(l < n - i);
      to[i / GLA_LANES] = num_select (lane, page_load (at + i * GLA_PARTS, in->sign), num_zero ());
      return;
    }
  }
  if (i < n)
    to[(n - 1) / GLA_LANES] = num_zero ();
  for (; i < n; i++)
    row_set (to, i, page_element (in, at + i * in->row));
}

static void page_store_column (const lu_output *out, real *at, int64_t n, const num *from)
{
  int64_t i = 0;
  if (out->row == GLA_PARTS)
    for (; i + GLA_LANES <= n; i += GLA_LANES)
      page_store (at + i * GLA_PARTS, from[i / GLA_LANES]);
  for (; i < n; i++) {
    const scalar x = row_get (from, i);
    at[i * out->row] = __real__ x;
#if GLA_COMPLEX
    at[i * out->row + 1] = __imag__ x;
#endif
  }
}

// Loads the matrix with contiguous rows and column j at to[j * step]; n is at least GLA_LANES.
static void page_load_turned (const lu_input *in, int64_t n, int64_t step, num *to)
{
  for (int64_t i = 0; i < n; i += GLA_LANES)
    for (int64_t b = 0; b < n; b += GLA_LANES) {
      // the last square begins earlier and ends with the last column
      const int64_t j = b + GLA_LANES <= n ? b : n - GLA_LANES;
      const real *at = in->at + i * in->row + j * in->column;
      num x[GLA_LANES];
      for (int l = 0; l < GLA_LANES; l++)
        x[l] = i + l < n ? page_load (at + l * in->row, in->sign) : num_zero ();
      page_turn_num (x);
      for (int l = 0; l < GLA_LANES; l++)
        to[(j + l) * step + i / GLA_LANES] = x[l];
    }
}

//------------------------------------------------------------------------------
// columns that become lanes
//------------------------------------------------------------------------------

// Loads row i of `count` columns, at column[0], column[1], .., to to[i * step]; zeros in other
// lanes.
static void page_load_lanes (const lu_input *in, const real *const *column, int count, int64_t n,
                             int64_t step, num *to)
{
  if (count == GLA_LANES && in->row == GLA_PARTS && in->parts == GLA_PARTS && n >= GLA_LANES) {
    for (int64_t b = 0; b < n; b += GLA_LANES) {
      // the last square begins earlier and ends with the last row
      const int64_t i = b + GLA_LANES <= n ? b : n - GLA_LANES;
      num x[GLA_LANES];
      for (int l = 0; l < GLA_LANES; l++)
        x[l] = page_load (column[l] + i * GLA_PARTS, in->sign);
      page_turn_num (x);
      for (int l = 0; l < GLA_LANES; l++)
        to[(i + l) * step] = x[l];
    }
    return;
  }
  for (int64_t i = 0; i < n; i++) {
    num *x = to + i * step;
    *x = num_zero ();
    for (int l = 0; l < count; l++)
      row_set (x, l, page_element (in, column[l] + i * in->row));
  }
}

// Stores them, where row i of the columns is from[where[i] * step].
static void page_store_lanes (const lu_output *out, real *const *column, int count, int64_t n,
                              int64_t step, const int32_t *where, const num *from)
{
  if (count == GLA_LANES && out->row == GLA_PARTS && n >= GLA_LANES) {
    for (int64_t b = 0; b < n; b += GLA_LANES) {
      const int64_t i = b + GLA_LANES <= n ? b : n - GLA_LANES;
      num x[GLA_LANES];
      for (int l = 0; l < GLA_LANES; l++)
        x[l] = from[where[i + l] * step];
      page_turn_num (x);
      for (int l = 0; l < GLA_LANES; l++)
        page_store (column[l] + i * GLA_PARTS, x[l]);
    }
    return;
  }
  for (int64_t i = 0; i < n; i++)
    for (int l = 0; l < count; l++) {
      const scalar x = row_get (from + where[i] * step, l);
      column[l][i * out->row] = __real__ x;
#if GLA_COMPLEX
      column[l][i * out->row + 1] = __imag__ x;
#endif
    }
}

// Loads `count` columns that are contiguous in memory.
static void page_load_rows (const lu_input *in, const real *at, int count, int64_t n, int64_t step,
                            num *to)
{
  for (int64_t i = 0; i < n; i++, at += in->row) {
    if (count == GLA_LANES && in->parts == GLA_PARTS) {
      to[i * step] = page_load (at, in->sign);
      continue;
    }
    to[i * step] = num_zero ();
    for (int l = 0; l < count; l++)
      row_set (to + i * step, l, page_element (in, at + l * in->parts));
  }
}

static void page_store_rows (const lu_output *out, real *at, int count, int64_t n, int64_t step,
                             const int32_t *where, const num *from)
{
  for (int64_t i = 0; i < n; i++, at += out->row) {
    const num *x = from + where[i] * step;
    if (count == GLA_LANES)
      page_store (at, *x);
    else
      store_rows (at, count, x);
  }
}

#endif

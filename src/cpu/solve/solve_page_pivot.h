// solve_page_pivot.h: pivots in one register of the rows of a page
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rows are transposed, so that the columns are in lanes: few comparisons find the largest entry
// of a row, and a step takes as many operations as there are rows. Columns keep their places until
// all rows of the register are done; results in columns that already have a pivot are not used.

#ifndef GPULINALG_CPU_SOLVE_PAGE_PIVOT_H
#define GPULINALG_CPU_SOLVE_PAGE_PIVOT_H

#include "solve_page_factor.h"

#if defined __SSE2__
#include <immintrin.h>
#endif

//------------------------------------------------------------------------------
// the largest entry of a row
//------------------------------------------------------------------------------

static inline vec page_max (vec a, vec b)
{
#if defined __AVX512F__ && GLA_VECTOR_BYTES == 64 && GLA_SINGLE
  return (vec)_mm512_max_ps ((__m512)a, (__m512)b);
#elif defined __AVX512F__ && GLA_VECTOR_BYTES == 64
  return (vec)_mm512_max_pd ((__m512d)a, (__m512d)b);
#elif defined __AVX__ && GLA_VECTOR_BYTES == 32 && GLA_SINGLE
  return (vec)_mm256_max_ps ((__m256)a, (__m256)b);
#elif defined __AVX__ && GLA_VECTOR_BYTES == 32
  return (vec)_mm256_max_pd ((__m256d)a, (__m256d)b);
#elif defined __SSE2__ && GLA_VECTOR_BYTES == 16 && GLA_SINGLE
  return (vec)_mm_max_ps ((__m128)a, (__m128)b);
#elif defined __SSE2__ && GLA_VECTOR_BYTES == 16
  return (vec)_mm_max_pd ((__m128d)a, (__m128d)b);
#else
  return vec_select (a > b, a, b);
#endif
}

// Sets bit l if lane l of a and b is the same.
static inline unsigned page_equal (vec a, vec b)
{
#if defined __AVX512F__ && GLA_VECTOR_BYTES == 64 && GLA_SINGLE
  return _mm512_cmp_ps_mask ((__m512)a, (__m512)b, _CMP_EQ_OQ);
#elif defined __AVX512F__ && GLA_VECTOR_BYTES == 64
  return _mm512_cmp_pd_mask ((__m512d)a, (__m512d)b, _CMP_EQ_OQ);
#elif defined __AVX__ && GLA_VECTOR_BYTES == 32 && GLA_SINGLE
  return (unsigned)_mm256_movemask_ps ((__m256)(a == b));
#elif defined __AVX__ && GLA_VECTOR_BYTES == 32
  return (unsigned)_mm256_movemask_pd ((__m256d)(a == b));
#else
  const mask m = a == b;
  unsigned r = 0;
  for (int l = 0; l < GLA_LANES; l++)
    r |= (unsigned)(m[l] & 1) << l;
  return r;
#endif
}

// Returns the largest lane in all lanes.
static inline vec page_max_lanes (vec x)
{
  x = page_max (x, exchange_lanes (x, x, 1));
  if (GLA_LANES > 2)
    x = page_max (x, exchange_lanes (x, x, 2 % GLA_LANES));
  if (GLA_LANES > 4)
    x = page_max (x, exchange_lanes (x, x, 4 % GLA_LANES));
  if (GLA_LANES > 8)
    x = page_max (x, exchange_lanes (x, x, 8 % GLA_LANES));
  return x;
}

// Returns the place of the largest of `sizes`, or -1.
static inline int64_t page_largest_of (const vec *sizes, int64_t registers, vec largest)
{
  for (int64_t b = 0; b < registers;) {
    uint64_t found = 0;
    for (int i = 0; i < 64 && b < registers; i += GLA_LANES, b++)
      found |= (uint64_t)page_equal (sizes[b], largest) << i;
    if (found)
      return (b - 1) * GLA_LANES / 64 * 64 + __builtin_ctzll (found);
  }
  return -1;
}

//------------------------------------------------------------------------------
// steps
//------------------------------------------------------------------------------

// Rows of register c of a page: row i of columns first + b*GLA_LANES .. is turned[b*GLA_LANES + i].
typedef struct {
  const page_factors *p;
  int64_t c, first, registers;
  int64_t pivot[GLA_LANES]; // columns of the pivots, counted from `first`
  num l[GLA_LANES];         // columns of L
  vec largest;              // of the next row, in all lanes
  real most;                // of all pivots
} page_panel;

// Returns the sizes of a row, 0 if the column already has its pivot.
static inline __attribute__ ((always_inline)) vec page_note (const page_panel *s, int64_t b, num x)
{
  const vec size = (vec)((mask)page_size (x) & s->p->open[b]);
  s->p->sizes[b] = size;
  return size;
}

static void page_turn_in (page_panel *s)
{
  const page_factors *p = s->p;
  vec largest = {0};
  for (int64_t b = 0; b < s->registers; b++) {
    const num *a = p->a + (s->first + b * GLA_LANES) * p->stride + s->c;
    num x[GLA_LANES];
    for (int l = 0; l < GLA_LANES; l++)
      x[l] = a[l * p->stride];
    page_turn_num (x);
    for (int l = 0; l < GLA_LANES; l++)
      p->turned[b * GLA_LANES + l] = x[l];
    p->open[b] = ~(mask){0};
    largest = page_max (largest, page_note (s, b, x[0]));
  }
  s->largest = page_max_lanes (largest);
}

// Finds the pivot of row k of the register, a constant where this is inlined. Returns 0 if it may
// be mere rounding error, so that LAPACK decides which pages are singular.
static inline __attribute__ ((always_inline)) int page_step (page_panel *s, int k)
{
  const page_factors *p = s->p;
  const real size = s->largest[0];
  const int64_t at = page_largest_of (p->sizes, s->registers, s->largest), lane = at % GLA_LANES;
  if (at < 0 || !(size > page_errors (p) * s->most))
    return 0;
  s->most = size > s->most ? size : s->most;
  s->pivot[k] = at;
  const num *column = p->turned + at / GLA_LANES * GLA_LANES;
  if (!page_reciprocal (row_get (column + k, lane), &p->reciprocal[s->first + k]))
    return 0;
  const num r = num_broadcast (p->reciprocal[s->first + k]);
  p->open[at / GLA_LANES] &= ~page_lane (lane);
  num l[GLA_LANES];
#pragma GCC unroll 16
  for (int i = k + 1; i < GLA_LANES; i++) {
    l[i] = num_mul (r, page_broadcast ((const real *)(column + i) + lane));
    row_set (&s->l[k], i, row_get (&l[i], 0));
  }
  if (k + 1 == GLA_LANES)
    return 1;
  vec largest = {0};
  for (int64_t b = 0; b < s->registers; b++) {
    num *x = p->turned + b * GLA_LANES;
    const num u = x[k];
#pragma GCC unroll 16
    for (int i = k + 1; i < GLA_LANES; i++)
      x[i] = num_fnma (x[i], l[i], u);
    largest = page_max (largest, page_note (s, b, x[k + 1]));
  }
  s->largest = page_max_lanes (largest);
  return 1;
}

static void page_turn_out (const page_panel *s, int steps)
{
  const page_factors *p = s->p;
  num *a = p->a + s->first * p->stride + s->c;
  for (int64_t b = 0; b < s->registers; b++) {
    num x[GLA_LANES];
    for (int l = 0; l < GLA_LANES; l++)
      x[l] = p->turned[b * GLA_LANES + l];
    page_turn_num (x);
    for (int l = 0; l < GLA_LANES; l++)
      a[(b * GLA_LANES + l) * p->stride] = x[l];
  }
  for (int k = 0; k < steps; k++) {
    num *x = a + s->pivot[k] * p->stride;
    *x = num_select (page_behind (k), s->l[k], *x);
  }
}

static void page_swap_columns (const page_factors *p, int64_t j, int64_t k)
{
  num *x = p->a + j * p->stride, *y = p->a + k * p->stride;
  for (int64_t v = 0; v < p->registers; v++) {
    const num t = x[v];
    x[v] = y[v];
    y[v] = t;
  }
  const int32_t t = p->order[j];
  p->order[j] = p->order[k];
  p->order[k] = t;
}

// Moves the columns of the pivots, in sequence, to the front.
static void page_sort_columns (page_panel *s, int steps)
{
  for (int k = 0; k < steps; k++) {
    if (s->pivot[k] == k)
      continue;
    page_swap_columns (s->p, s->first + k, s->first + s->pivot[k]);
    for (int i = k + 1; i < steps; i++)
      if (s->pivot[i] == k)
        s->pivot[i] = s->pivot[k];
  }
}

// Eliminates in register c of the rows. `most` is the largest pivot so far. Returns 0 if a row has
// none.
static int page_eliminate (const page_factors *p, int64_t c, real *most)
{
  page_panel s; // not cleared as a whole, which takes longer than a step
  s.p = p;
  s.c = c;
  s.first = c * GLA_LANES;
  s.registers = registers_for (p->n - s.first);
  s.most = *most;
  const int steps = (int)gla_min (GLA_LANES, p->n - s.first);
  for (int k = 0; k < steps; k++)
    s.l[k] = num_zero ();
  page_turn_in (&s);
#pragma GCC unroll 16
  for (int k = 0; k < GLA_LANES; k++)
    if (k < steps && !page_step (&s, k))
      return 0;
  page_turn_out (&s, steps);
  page_sort_columns (&s, steps);
  *most = s.most;
  return 1;
}

static int page_factor_general (page_factors *p)
{
  real most = 0;
  for (int64_t c = 0; c < p->registers; c++) {
    page_solve_rows (p, c);
    page_update_rows (p, c, c * GLA_LANES, p->columns);
    if (!page_eliminate (p, c, &most))
      return 0;
  }
  return 1;
}

#endif

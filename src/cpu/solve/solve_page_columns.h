// solve_page_columns.h: right-hand sides of one page, by the factors of solve_page_factor.h
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Several columns are in lanes, and tiles of rows and registers of them are done at a time; of few
// columns each has its rows in lanes. An element is the same sum in both: L*y = b in ascending
// order, U*x = y in descending order, times the reciprocal of the pivot. So the bits of a column do
// not depend on the columns beside it.

#ifndef GPULINALG_CPU_SOLVE_PAGE_COLUMNS_H
#define GPULINALG_CPU_SOLVE_PAGE_COLUMNS_H

#include "solve_page_factor.h"

//------------------------------------------------------------------------------
// many columns
//------------------------------------------------------------------------------

// Returns what a tile of PAGE_ROWS rows needs: rows i and so on of a column of L or U, relative to
// row i.
static inline __attribute__ ((always_inline)) int64_t page_tile_row (int x)
{
  return x / GLA_LANES * GLA_LANES * GLA_PARTS + x % GLA_LANES;
}

// Subtracts columns k, k + step, .. of L or U, `terms` of them, from rows i .. of `rows`.
static inline __attribute__ ((always_inline)) void page_subtract (const page_factors *p, int V,
                                                                  int64_t i, int64_t k, int step,
                                                                  int64_t terms,
                                                                  num (*sum)[PAGE_WIDTH])
{
  const int64_t next = p->stride * GLA_LANES * GLA_PARTS * step;
  const real *l = (const real *)(p->a + k * p->stride) + page_row (i);
  const num *y = p->rows + k * V;
  for (; terms > 0; terms--, l += next, y += step * V) {
#pragma GCC unroll 4
    for (int x = 0; x < PAGE_ROWS; x++) {
      const num e = page_broadcast (l + page_tile_row (x));
#pragma GCC unroll 4
      for (int v = 0; v < V; v++)
        sum[x][v] = num_fnma (sum[x][v], e, y[v]);
    }
  }
}

static inline __attribute__ ((always_inline)) num page_entry (const page_factors *p, int64_t i,
                                                              int64_t j)
{
  return page_broadcast ((const real *)(p->a + j * p->stride) + page_row (i));
}

// Solves L*Y = B in V registers of columns; rows above `first`, a multiple of PAGE_ROWS, are zero.
static inline __attribute__ ((always_inline)) void page_forward_tiles (const page_factors *p, int V,
                                                                       int64_t first)
{
  for (int64_t i = first; i < p->n; i += PAGE_ROWS) {
    const int here = (int)gla_min (PAGE_ROWS, p->n - i);
    num sum[PAGE_ROWS][PAGE_WIDTH];
#pragma GCC unroll 4
    for (int x = 0; x < PAGE_ROWS; x++)
#pragma GCC unroll 4
      for (int v = 0; v < V; v++)
        sum[x][v] = p->rows[(i + x) * V + v];
    page_subtract (p, V, i, first, 1, i - first, sum);
#pragma GCC unroll 4
    for (int x = 0; x < PAGE_ROWS; x++)
#pragma GCC unroll 4
      for (int y = x + 1; y < PAGE_ROWS; y++) {
        if (y >= here)
          continue;
        const num e = page_entry (p, i + y, i + x);
#pragma GCC unroll 4
        for (int v = 0; v < V; v++)
          sum[y][v] = num_fnma (sum[y][v], e, sum[x][v]);
      }
#pragma GCC unroll 4
    for (int x = 0; x < PAGE_ROWS; x++)
#pragma GCC unroll 4
      for (int v = 0; v < V; v++)
        p->rows[(i + x) * V + v] = sum[x][v];
  }
}

// Solves U*X = Y. Rows from `end` on are zero, rows above `first`, a multiple of PAGE_ROWS, not
// wanted.
static inline __attribute__ ((always_inline)) void
page_backward_tiles (const page_factors *p, int V, int64_t first, int64_t end)
{
  const int64_t top = (end - 1) / PAGE_ROWS * PAGE_ROWS;
  for (int64_t i = top; i >= first; i -= PAGE_ROWS) {
    const int64_t behind = i + PAGE_ROWS;
    const int here = (int)gla_min (PAGE_ROWS, p->n - i);
    num sum[PAGE_ROWS][PAGE_WIDTH];
#pragma GCC unroll 4
    for (int x = 0; x < PAGE_ROWS; x++)
#pragma GCC unroll 4
      for (int v = 0; v < V; v++)
        sum[x][v] = p->rows[(i + x) * V + v];
    if (p->upper)
      page_subtract (p, V, i, end - 1, -1, end - behind, sum);
#pragma GCC unroll 4
    for (int x = PAGE_ROWS - 1; x >= 0; x--) {
      if (x >= here)
        continue;
      const num r = num_broadcast (p->reciprocal[i + x]);
#pragma GCC unroll 4
      for (int v = 0; v < V; v++)
        sum[x][v] = num_mul (r, sum[x][v]);
      if (!p->upper)
        continue;
#pragma GCC unroll 4
      for (int y = 0; y < x; y++) {
        const num e = page_entry (p, i + y, i + x);
#pragma GCC unroll 4
        for (int v = 0; v < V; v++)
          sum[y][v] = num_fnma (sum[y][v], e, sum[x][v]);
      }
    }
#pragma GCC unroll 4
    for (int x = 0; x < PAGE_ROWS; x++)
#pragma GCC unroll 4
      for (int v = 0; v < V; v++)
        p->rows[(i + x) * V + v] = sum[x][v];
  }
}

static inline __attribute__ ((always_inline)) void
page_solve_tiles (const page_factors *p, int V, int64_t begin, int64_t first, int64_t end)
{
  if (p->lower)
    page_forward_tiles (p, V, begin);
  page_backward_tiles (p, V, first, end);
}

// Solves for the V registers of columns in `rows`: zero above row `begin`, wanted from row `first`
// on; with L = I zero from row `end` on, too.
static void page_solve_many (const page_factors *p, int V, int64_t begin, int64_t first,
                             int64_t end)
{
  switch (V) {
  case 1:
    page_solve_tiles (p, 1, begin, first, end);
    break;
  case 2:
    if (PAGE_WIDTH > 1)
      page_solve_tiles (p, 2, begin, first, end);
    break;
  case 3:
    if (PAGE_WIDTH > 2)
      page_solve_tiles (p, 3, begin, first, end);
    break;
  case 4:
    if (PAGE_WIDTH > 3)
      page_solve_tiles (p, 4, begin, first, end);
    break;
  }
}

//------------------------------------------------------------------------------
// one column
//------------------------------------------------------------------------------

static inline __attribute__ ((always_inline)) num page_lane_of (num x, int l)
{
  num r;
  r.re = vec_broadcast (x.re[l]);
#if GLA_COMPLEX
  r.im = vec_broadcast (x.im[l]);
#endif
  return r;
}

static void page_forward_column (const page_factors *p, num *x)
{
  for (int64_t c = 0; c < p->registers; c++) {
    const int64_t first = c * GLA_LANES;
    const int here = (int)gla_min (GLA_LANES, p->n - first);
    const num *l = p->a + first * p->stride;
    num y[GLA_LANES] = {0}, sum = x[c];
    // results of lanes that are done are not used
#pragma GCC unroll 16
    for (int k = 0; k < GLA_LANES; k++) {
      if (k >= here)
        break;
      y[k] = page_lane_of (sum, k);
      x[c] = num_select (page_lane (k), y[k], x[c]);
      sum = num_fnma (sum, l[k * p->stride + c], y[k]);
    }
    for (int64_t v = c + 1; v < p->registers; v++) {
      sum = x[v];
      for (int k = 0; k < GLA_LANES; k++)
        sum = num_fnma (sum, l[k * p->stride + v], y[k]);
      x[v] = sum;
    }
  }
}

static void page_backward_column (const page_factors *p, num *x)
{
  for (int64_t c = p->registers - 1; c >= 0; c--) {
    const int64_t first = c * GLA_LANES;
    const int here = (int)gla_min (GLA_LANES, p->n - first);
    const num *u = p->a + first * p->stride;
    num y[GLA_LANES] = {0}, sum = x[c];
#pragma GCC unroll 16
    for (int k = GLA_LANES - 1; k >= 0; k--) {
      if (k >= here)
        continue;
      y[k] = num_mul (num_broadcast (p->reciprocal[first + k]), page_lane_of (sum, k));
      x[c] = num_select (page_lane (k), y[k], x[c]);
      if (p->upper)
        sum = num_fnma (sum, u[k * p->stride + c], y[k]);
    }
    for (int64_t v = 0; v < c && p->upper; v++) {
      sum = x[v];
      for (int k = here - 1; k >= 0; k--)
        sum = num_fnma (sum, u[k * p->stride + v], y[k]);
      x[v] = sum;
    }
  }
}

#endif

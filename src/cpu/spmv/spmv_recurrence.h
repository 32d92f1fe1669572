// spmv_recurrence.h: products of some rows of a basis and a few long vectors, for one real type
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The BLAS copies both factors of a product before it multiplies them, which for a few vectors
// takes longer than the product. Here the basis is read once, in place, two columns at a time;
// meanwhile the vectors stay in a cache. The order of every sum depends on the rows alone.

#ifndef GPULINALG_CPU_SPMV_SPMV_RECURRENCE_H
#define GPULINALG_CPU_SPMV_SPMV_RECURRENCE_H

#include "cpu/common/lanes.h"

#include "cpu/common/sparse_product.h"

#include <string.h>

// Rows that stay in a cache; columns of V and W in a tile.
enum { ROWS_CACHED = 4096 / sizeof (real), TILE_V = 2, TILE_W = 4 };
// Columns of a large matrix may all begin at the same place of a cache; copies of the vectors' rows
// are this far apart instead.
enum { LDW = ROWS_CACHED + 2 * GLA_LANES };

// Prefetches row i of the columns that are read next (if there are any): the prefetching of the
// processor ends at the page of memory.
static inline __attribute__ ((always_inline)) void prefetch_columns (const real *next, int64_t n,
                                                                     int64_t i, int nv)
{
  if (next == NULL)
    return;
  for (int v = 0; v < nv; v++)
    __builtin_prefetch (next + v * n + i);
}

// Adds V'*W to out for nv x nw columns.
static inline __attribute__ ((always_inline)) void project_tile (const real *V, int64_t n,
                                                                 int64_t rows, int nv,
                                                                 const real *W, int nw, real *out,
                                                                 int64_t ldo, const real *next)
{
  vec_anywhere sum[TILE_V * TILE_W] = {{0}};
  int64_t i = 0;
  for (; i + GLA_LANES <= rows; i += GLA_LANES) {
    prefetch_columns (next, n, i, nv);
    for (int v = 0; v < nv; v++)
      for (int c = 0; c < nw; c++)
        sum[v + c * nv] +=
            *(const vec_anywhere *)(V + v * n + i) * *(const vec_anywhere *)(W + c * LDW + i);
  }
  for (int v = 0; v < nv; v++)
    for (int c = 0; c < nw; c++) {
      real all = 0;
      for (int l = 0; l < GLA_LANES; l++)
        all += sum[v + c * nv][l];
      for (int64_t r = i; r < rows; r++)
        all += V[v * n + r] * W[c * LDW + r];
      out[v + c * ldo] += all;
    }
}

// Subtracts V*F from W for nv x nw columns.
static inline __attribute__ ((always_inline)) void subtract_tile (const real *V, int64_t n,
                                                                  int64_t rows, int nv,
                                                                  const real *F, int64_t ldf,
                                                                  real *W, int nw, const real *next)
{
  int64_t i = 0;
  for (; i + GLA_LANES <= rows; i += GLA_LANES) {
    prefetch_columns (next, n, i, nv);
    for (int c = 0; c < nw; c++) {
      vec_anywhere *w = (vec_anywhere *)(W + c * LDW + i);
      vec_anywhere x = *w;
      for (int v = 0; v < nv; v++)
        x -= F[v + c * ldf] * *(const vec_anywhere *)(V + v * n + i);
      *w = x;
    }
  }
  for (; i < rows; i++)
    for (int c = 0; c < nw; c++)
      for (int v = 0; v < nv; v++)
        W[c * LDW + i] -= F[v + c * ldf] * V[v * n + i];
}

//------------------------------------------------------------------------------
// tiles of any number of columns
//------------------------------------------------------------------------------

static inline __attribute__ ((always_inline)) void
project_columns (const real *V, int64_t n, int64_t rows, int nv, const real *W, int64_t nw,
                 real *out, int64_t ldo, const real *next)
{
  for (; nw >= TILE_W; nw -= TILE_W, W += TILE_W * LDW, out += TILE_W * ldo) {
    project_tile (V, n, rows, nv, W, TILE_W, out, ldo, next);
    next = NULL;
  }
  switch (nw) {
  case 1:
    project_tile (V, n, rows, nv, W, 1, out, ldo, next);
    break;
  case 2:
    project_tile (V, n, rows, nv, W, 2, out, ldo, next);
    break;
  case 3:
    project_tile (V, n, rows, nv, W, 3, out, ldo, next);
    break;
  }
}

static inline __attribute__ ((always_inline)) void
subtract_columns (const real *V, int64_t n, int64_t rows, int nv, const real *F, int64_t ldf,
                  real *W, int64_t nw, const real *next)
{
  for (; nw >= TILE_W; nw -= TILE_W, W += TILE_W * LDW, F += TILE_W * ldf) {
    subtract_tile (V, n, rows, nv, F, ldf, W, TILE_W, next);
    next = NULL;
  }
  switch (nw) {
  case 1:
    subtract_tile (V, n, rows, nv, F, ldf, W, 1, next);
    break;
  case 2:
    subtract_tile (V, n, rows, nv, F, ldf, W, 2, next);
    break;
  case 3:
    subtract_tile (V, n, rows, nv, F, ldf, W, 3, next);
    break;
  }
}

//------------------------------------------------------------------------------
// the functions of the table
//------------------------------------------------------------------------------

// Returns the two columns that are read after column j, perhaps `down` rows below; NULL at the end.
static const real *after (const real *V, int64_t n, int64_t j, int64_t p, int64_t down)
{
  if (j + 2 * TILE_V <= p)
    return V + (j + TILE_V) * n;
  return down > 0 ? V + down : NULL;
}

// Copies columns from (leading dimension n) to W.
static void copy_rows (const real *from, int64_t n, int64_t rows, int width, real *W)
{
  for (int c = 0; c < width; c++)
    memcpy (W + c * LDW, from + c * n, (size_t)rows * sizeof *W);
}

static void project_rows (const void *basis, int64_t n, int64_t rows, int64_t p,
                          const void *vectors, int width, void *result)
{
  real *out = result;
  memset (out, 0, (size_t)(p * width) * sizeof *out);
  for (int64_t first = 0; first < rows; first += ROWS_CACHED) {
    const int64_t left = rows - first, here = left < ROWS_CACHED ? left : ROWS_CACHED;
    const real *V = (const real *)basis + first;
    real W[LDW * GLA_SPMV_WIDTH];
    int64_t j = 0;
    copy_rows ((const real *)vectors + first, n, here, width, W);
    for (; j + TILE_V <= p; j += TILE_V)
      project_columns (V + j * n, n, here, TILE_V, W, width, out + j, p,
                       after (V, n, j, p, first + here < rows ? here : 0));
    if (j < p)
      project_columns (V + j * n, n, here, 1, W, width, out + j, p, NULL);
  }
}

// Sets W = W*R^-1.
static void divide_rows (real *W, int64_t rows, const real *R, int width)
{
  for (int c = 0; c < width; c++) {
    const real factor = 1 / R[c + c * width];
    for (int v = 0; v < c; v++)
      subtract_tile (W + v * LDW, LDW, rows, 1, R + v + c * width, width, W + c * LDW, 1, NULL);
    for (int64_t i = 0; i < rows; i++)
      W[c * LDW + i] *= factor;
  }
}

static void subtract_rows (const void *basis, int64_t n, int64_t rows, int64_t p,
                           const void *factor, const void *R, void *vectors, int width)
{
  const real *F = factor;
  for (int64_t first = 0; first < rows; first += ROWS_CACHED) {
    const int64_t left = rows - first, here = left < ROWS_CACHED ? left : ROWS_CACHED;
    const real *V = (const real *)basis + first;
    real W[LDW * GLA_SPMV_WIDTH], *to = (real *)vectors + first;
    int64_t j = 0;
    copy_rows (to, n, here, width, W);
    for (; j + TILE_V <= p; j += TILE_V)
      subtract_columns (V + j * n, n, here, TILE_V, F + j, p, W, width,
                        after (V, n, j, p, first + here < rows ? here : 0));
    if (j < p)
      subtract_columns (V + j * n, n, here, 1, F + j, p, W, width, NULL);
    if (R != NULL)
      divide_rows (W, here, R, width);
    for (int c = 0; c < width; c++)
      memcpy (to + c * n, W + c * LDW, (size_t)here * sizeof *W);
  }
}

#endif

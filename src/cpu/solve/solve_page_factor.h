// solve_page_factor.h: the factors of one page: A*P = L*U, or A = L*D*L'
// SPDX-License-Identifier: GPL-3.0-or-later
//
// L has a unit diagonal. Rows are in lanes, so it is cheapest to exchange columns: pivots are
// sought along a row, which is partial pivoting of the transposed page. The page is done one
// register of rows after the other. Products with the rows above are subtracted in tiles of several
// columns, the sums in ascending order; then the columns to the right are eliminated inside the
// register, and the pivot of the next row is found in the same pass.

#ifndef GPULINALG_CPU_SOLVE_PAGE_FACTOR_H
#define GPULINALG_CPU_SOLVE_PAGE_FACTOR_H

#include "cpu/common/carve.h"
#include "cpu/common/minmax.h"

#include "solve_page_move.h"

// PAGE_TILE: columns of a tile; PAGE_TRIANGLE: where they depend on one another. PAGE_ROWS and
// PAGE_WIDTH: rows, and registers of columns, of the tiles of right-hand sides.
#if GLA_VECTOR_BYTES == 64
enum { PAGE_TILE = 8, PAGE_WIDTH = GLA_COMPLEX ? 2 : 4 };
#else
enum { PAGE_TILE = 4, PAGE_WIDTH = GLA_COMPLEX ? 1 : 2 };
#endif
enum {
  PAGE_TRIANGLE = PAGE_TILE < GLA_LANES ? PAGE_TILE : GLA_LANES,
  PAGE_COLUMNS = PAGE_TILE > GLA_LANES ? PAGE_TILE : GLA_LANES,
  PAGE_ROWS = 4
};

typedef struct {
  int64_t n, registers, columns; // columns of `a`: those behind the last are zero
  int64_t stride;                // registers from a column to the next
  num *a;                        // U, and L below its diagonal
  num *turned;                   // a column of registers for each, or squares on the diagonal
  num *rows;                     // right-hand sides, their columns in lanes
  num *column[3];                // single columns
  vec *sizes;                    // of a row, see solve_page_pivot.h
  mask *open;                    // columns that have no pivot yet
  scalar *reciprocal;            // of the pivots
  int32_t *order, *where;        // column j of L*U is column order[j] of A; where[order[j]] = j
  int lower, upper;              // L is not the identity, U not diagonal
  int definite;
  real norm; // 1-norm of A
} page_factors;

// A pivot that is smaller than this relative to the largest one may be rounding error.
static inline real page_errors (const page_factors *p)
{
  return 4 * (real)p->n * GLA_EPS;
}

static size_t page_layout (char *base, int64_t n, page_factors *p)
{
  size_t at = 0;
  p->n = n;
  p->registers = registers_for (n);
  p->columns = (n + PAGE_COLUMNS - 1) / PAGE_COLUMNS * PAGE_COLUMNS;
  // columns do not compete for the same lines of the cache where their distance is odd
  p->stride = p->registers | 1;
  const size_t rows = (size_t)(n + PAGE_ROWS);
  p->a = gla_carve (base, &at, (size_t)(p->columns * p->stride) * sizeof (num));
  p->turned = gla_carve (base, &at, (size_t)p->columns * sizeof (num));
  p->rows = gla_carve (base, &at, rows * PAGE_WIDTH * sizeof (num));
  for (int i = 0; i < 3; i++)
    p->column[i] = gla_carve (base, &at, (size_t)p->registers * sizeof (num));
  p->sizes = gla_carve (base, &at, (size_t)p->registers * sizeof (vec));
  p->open = gla_carve (base, &at, (size_t)p->registers * sizeof (mask));
  p->reciprocal = gla_carve (base, &at, (size_t)p->columns * sizeof (scalar));
  p->order = gla_carve (base, &at, (size_t)n * sizeof (int32_t));
  p->where = gla_carve (base, &at, (size_t)n * sizeof (int32_t));
  return at;
}

// Returns the place of row i of a column, in real numbers; its imaginary part is GLA_LANES further.
static inline int64_t page_row (int64_t i)
{
  return GLA_COMPLEX ? i + i / GLA_LANES * GLA_LANES : i;
}

static inline __attribute__ ((always_inline)) num page_broadcast (const real *x)
{
  num r;
  r.re = vec_broadcast (x[0]);
#if GLA_COMPLEX
  r.im = vec_broadcast (x[GLA_LANES]);
#endif
  return r;
}

// Returns the lanes after lane k.
static inline mask page_behind (int64_t k)
{
  mask lane;
  for (int l = 0; l < GLA_LANES; l++)
    lane[l] = l;
  const mask limit = (bits)k - (mask){0};
  return lane > limit;
}

static inline mask page_lane (int64_t k)
{
  mask lane;
  for (int l = 0; l < GLA_LANES; l++)
    lane[l] = l;
  const mask limit = (bits)k - (mask){0};
  return lane == limit;
}

// Returns |re| + |im|, the measure of pivots in LAPACK.
static inline vec page_size (num x)
{
#if GLA_COMPLEX
  return vec_abs (x.re) + vec_abs (x.im);
#else
  return vec_abs (x.re);
#endif
}

// Stores 1/d. Returns 0 if d is so large or small that LAPACK must do the page.
static inline int page_reciprocal (scalar d, scalar *to)
{
  const real size = real_abs (__real__ d) + real_abs (__imag__ d);
#if GLA_COMPLEX
  const real least = GLA_SINGLE ? (real)0x1p-60 : (real)0x1p-500;
#else
  const real least = 2 * GLA_TINY;
#endif
  if (!(size >= least && size <= 1 / least))
    return 0;
  *to = scalar_inverse (d);
  return 1;
}

//------------------------------------------------------------------------------
// tiles
//------------------------------------------------------------------------------

// Subtracts L*U with the columns from .. to-1 of L from register c of rows in N columns from column
// j on. `triangle` then solves for these columns of L one after the other: they belong to pivots
// that are known.
static inline __attribute__ ((always_inline)) void page_tile (const page_factors *p, int64_t c,
                                                              int64_t j, int N, int64_t from,
                                                              int64_t to, int triangle)
{
  const int64_t stride = p->stride, next = stride * GLA_LANES * GLA_PARTS;
  num *const a = p->a + j * stride + c;
  const real *const u = (const real *)(p->a + j * stride);
  num sum[PAGE_TILE];
#pragma GCC unroll 8
  for (int x = 0; x < N; x++)
    sum[x] = a[x * stride];
  const num *l = p->a + from * stride + c;
  for (int64_t k = from; k < to; k++, l += stride) {
    const real *e = u + page_row (k);
    const num left = *l;
#pragma GCC unroll 8
    for (int x = 0; x < N; x++)
      sum[x] = num_fnma (sum[x], left, page_broadcast (e + x * next));
  }
#pragma GCC unroll 8
  for (int x = 0; x < N; x++) {
    if (triangle) {
      p->turned[j + x] = sum[x];
      sum[x] = num_mul (num_broadcast (p->reciprocal[j + x]), sum[x]);
#pragma GCC unroll 8
      for (int y = x + 1; y < N; y++)
        sum[y] = num_fnma (sum[y], sum[x], page_broadcast (u + page_row (j + x) + y * next));
    }
    a[x * stride] = sum[x];
  }
}

// Solves for register c of the rows of L, whose pivots are in the rows above.
static void page_solve_rows (const page_factors *p, int64_t c)
{
  const int64_t to = c * GLA_LANES;
  for (int64_t j = 0; j < to; j += PAGE_TRIANGLE)
    page_tile (p, c, j, PAGE_TRIANGLE, 0, j, 1);
}

static void page_update_rows (const page_factors *p, int64_t c, int64_t first, int64_t last)
{
  const int64_t to = c * GLA_LANES;
  int64_t j = first;
  for (; j + PAGE_TILE <= last; j += PAGE_TILE)
    page_tile (p, c, j, PAGE_TILE, 0, to, 0);
  for (; j < last; j += PAGE_TRIANGLE)
    page_tile (p, c, j, PAGE_TRIANGLE, 0, to, 0);
}

//------------------------------------------------------------------------------
// L*D*L'
//------------------------------------------------------------------------------

// Stores U above register c of the rows: the result of page_solve_rows in `turned`, mirrored.
static void page_mirror_rows (const page_factors *p, int64_t c)
{
  for (int64_t b = 0; b < c; b++) {
    num x[GLA_LANES];
    for (int l = 0; l < GLA_LANES; l++)
      x[l] = p->turned[b * GLA_LANES + l];
    page_turn_num (x);
    for (int l = 0; l < GLA_LANES; l++)
      p->a[(c * GLA_LANES + l) * p->stride + b] = num_conj (x[l]);
  }
}

// Computes the reciprocal of pivot k, and column k of L in register c.
static inline int page_pivot (const page_factors *p, int64_t c, int64_t k, num *multipliers)
{
  num *a = p->a + k * p->stride + c;
  if (!page_reciprocal (row_get (a, k % GLA_LANES), &p->reciprocal[k]))
    return 0;
  const mask behind = page_behind (k % GLA_LANES);
  const num l = num_mul (num_broadcast (p->reciprocal[k]), *a);
  *a = num_select (behind, l, *a);
  *multipliers = num_select (behind, l, num_zero ());
  return 1;
}

// Returns 0 if the page is not positive definite, or a pivot may be mere rounding error.
static int page_factor_definite (page_factors *p)
{
  real most = 0;
  for (int64_t c = 0; c < p->registers; c++) {
    const int64_t first = c * GLA_LANES, last = gla_min (p->n, first + GLA_LANES);
    page_solve_rows (p, c);
    page_mirror_rows (p, c);
    page_update_rows (p, c, first, first + GLA_LANES);
    for (int64_t k = first; k < last; k++) {
      num *a = p->a + k * p->stride + c;
#if GLA_COMPLEX
      row_at (a, k - first)[GLA_LANES] = 0;
#endif
      num l;
      const real d = row_at (a, k - first)[0];
      most = d > most ? d : most;
      if (!(d > page_errors (p) * most) || !page_pivot (p, c, k, &l))
        return 0;
      for (int64_t j = k + 1; j < last; j++) {
        num *x = p->a + j * p->stride + c;
        *x = num_fnma (*x, l, page_broadcast ((const real *)x + (k - first)));
      }
    }
  }
  return 1;
}

//------------------------------------------------------------------------------
// triangular pages
//------------------------------------------------------------------------------

// Sets L and U if A is upper triangular, or lower triangular: then A = L*D.
static int page_factor_triangular (page_factors *p)
{
  for (int64_t k = 0; k < p->n; k++) {
    num *a = p->a + k * p->stride;
    const int64_t c = k / GLA_LANES;
    if (!page_reciprocal (row_get (a, k), &p->reciprocal[k]))
      return 0;
    if (!p->lower)
      continue;
    const num r = num_broadcast (p->reciprocal[k]);
    a[c] = num_select (page_behind (k % GLA_LANES), num_mul (r, a[c]), a[c]);
    for (int64_t v = c + 1; v < p->registers; v++)
      a[v] = num_mul (r, a[v]);
  }
  return 1;
}

#endif

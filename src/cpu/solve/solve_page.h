// solve_page.h: systems of medium order, one page after the other
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_SOLVE_PAGE_H
#define GPULINALG_CPU_SOLVE_PAGE_H

#include "solve_page_pivot.h"
#include "solve_page_rcond.h"

// LU_PAGE_MAX: for larger orders LAPACK may be faster. PAGE_EXACT: up to this order the norm of the
// inverse is computed, above it is estimated. PAGE_FEW: so many columns are done one by one.
enum {
  LU_PAGE_MAX = GLA_VECTOR_BYTES > 16 ? 256
                : GLA_SINGLE          ? 128
                                      : 64,
  PAGE_EXACT = 32,
  PAGE_FEW = 2
};

static size_t lu_page_bytes (const lu_shape *shape)
{
  page_factors p;
  return page_layout (NULL, shape->n, &p);
}

//------------------------------------------------------------------------------
// what kind of page it is
//------------------------------------------------------------------------------

static void page_read_matrix (const lu_input *A, page_factors *p)
{
  const int64_t n = p->n, packed = A->row == GLA_PARTS && A->column >= n * GLA_PARTS;
  const int turned = A->column == GLA_PARTS && A->parts == GLA_PARTS && n >= GLA_LANES;
  if (turned)
    page_load_turned (A, n, p->stride, p->a);
  for (int64_t j = 0; j < n && !turned; j++)
    page_load_column (A, A->at + j * A->column, n, packed ? (n - 1 - j) * n : 0,
                      p->a + j * p->stride);
  memset (p->a + n * p->stride, 0, (size_t)((p->columns - n) * p->stride) * sizeof (num));
}

static inline mask page_not_zero (num x)
{
  const vec zero = {0};
  mask m = x.re != zero;
#if GLA_COMPLEX
  m |= x.im != zero;
#endif
  return m;
}

// Whether there is a nonzero below the diagonal, or above it.
static int page_has_triangle (const page_factors *p, int below)
{
  for (int64_t j = 0; j < p->n; j++) {
    const num *a = p->a + j * p->stride;
    const int64_t c = j / GLA_LANES, l = j % GLA_LANES;
    mask some = page_not_zero (a[c]) & (below ? page_behind (l) : ~page_behind (l - 1));
    for (int64_t v = below ? c + 1 : 0; v < (below ? p->registers : c); v++)
      some |= page_not_zero (a[v]);
    if (mask_any (some))
      return 1;
  }
  return 0;
}

static int page_is_hermitian (const page_factors *p)
{
  for (int64_t j = 0; j < p->n; j++) {
    const scalar d = row_get (p->a + j * p->stride, j);
    if (!(__real__ d > 0) || __imag__ d != 0)
      return 0;
  }
  for (int64_t c = 0; c < p->registers; c++)
    for (int64_t b = 0; b <= c; b++) {
      num x[GLA_LANES];
      for (int l = 0; l < GLA_LANES; l++)
        x[l] = p->a[(b * GLA_LANES + l) * p->stride + c];
      page_turn_num (x);
      mask some = {0};
      for (int l = 0; l < GLA_LANES; l++)
        some |=
            page_not_zero (num_sub (num_conj (x[l]), p->a[(c * GLA_LANES + l) * p->stride + b]));
      if (mask_any (some))
        return 0;
    }
  return 1;
}

// Finds L and U of A; returns 0 if the page is left to LAPACK.
static int page_factor (const lu_shape *shape, const lu_input *A, page_factors *p)
{
  page_read_matrix (A, p);
  p->norm = page_norm (p, 1);
  if (!page_is_moderate (p->norm))
    return 0;
  if (GLA_COMPLEX && shape->rcond)
    p->norm = page_norm (p, 0);
  for (int64_t j = 0; j < p->n; j++)
    p->order[j] = p->where[j] = (int32_t)j;
  p->definite = 0;
  p->lower = page_has_triangle (p, 1);
  p->upper = !p->lower || page_has_triangle (p, 0);
  if (!p->lower || !p->upper)
    return page_factor_triangular (p);
  if (page_is_hermitian (p)) {
    p->definite = page_factor_definite (p);
    if (p->definite)
      return 1;
    page_read_matrix (A, p);
  }
  if (!page_factor_general (p))
    return 0;
  for (int64_t j = 0; j < p->n; j++)
    p->where[p->order[j]] = (int32_t)j;
  return 1;
}

//------------------------------------------------------------------------------
// right-hand sides
//------------------------------------------------------------------------------

static void page_solve_alone (const lu_shape *shape, const lu_system *s, const page_factors *p,
                              int64_t c)
{
  num *x = p->column[0], *y = p->column[1];
  page_load_column (&s->B, s->B.at + lu_column (shape, s->B.column, s->B.page, c), p->n, 0, x);
  page_solve_column (p, x);
  for (int64_t i = 0; i < p->n; i++)
    row_set (y, p->order[i], row_get (x, i));
  page_store_column (&s->X, s->X.at + lu_column (shape, s->X.column, s->X.page, c), p->n, y);
}

// Whether columns c .. c+count-1 are contiguous in memory.
static int page_beside (const lu_shape *shape, int64_t column, int64_t c, int64_t count, int parts)
{
  const int64_t pairs = 1 + (shape->pairs != 0), k = c / pairs, last = (c + count - 1) / pairs;
  return column == parts * pairs && k / shape->inner == last / shape->inner;
}

// Loads V registers of columns, from column c on.
static void page_load_panel (const lu_shape *shape, const lu_system *s, const page_factors *p,
                             int64_t c, int V)
{
  memset (p->rows + p->n * V, 0, (size_t)(PAGE_ROWS * V) * sizeof (num));
  for (int v = 0; v < V; v++, c += GLA_LANES) {
    const lu_input *B = &s->B;
    const real *column[GLA_LANES];
    const int here = (int)gla_min (GLA_LANES, shape->columns - c);
    for (int l = 0; l < here; l++)
      column[l] = B->at + lu_column (shape, B->column, B->page, c + l);
    if (page_beside (shape, B->column, c, here, B->parts))
      page_load_rows (B, column[0], here, p->n, V, p->rows + v);
    else
      page_load_lanes (B, column, here, p->n, V, p->rows + v);
  }
}

static void page_store_panel (const lu_shape *shape, const lu_system *s, const page_factors *p,
                              int64_t c, int V)
{
  for (int v = 0; v < V; v++, c += GLA_LANES) {
    const lu_output *X = &s->X;
    real *column[GLA_LANES];
    const int here = (int)gla_min (GLA_LANES, shape->columns - c);
    for (int l = 0; l < here; l++)
      column[l] = X->at + lu_column (shape, X->column, X->page, c + l);
    if (page_beside (shape, X->column, c, here, GLA_PARTS))
      page_store_rows (X, column[0], here, p->n, V, p->where, p->rows + v);
    else
      page_store_lanes (X, column, here, p->n, V, p->where, p->rows + v);
  }
}

static void page_solve_columns (const lu_shape *shape, const lu_system *s, const page_factors *p)
{
  for (int64_t c = 0; c < shape->columns;) {
    const int64_t left = shape->columns - c;
    if (left <= PAGE_FEW) {
      page_solve_alone (shape, s, p, c++);
      continue;
    }
    const int64_t V = gla_min (PAGE_WIDTH, gla_max (1, registers_for (left - PAGE_FEW)));
    page_load_panel (shape, s, p, c, (int)V);
    page_solve_many (p, (int)V, 0, 0, p->n);
    page_store_panel (shape, s, p, c, (int)V);
    c += V * GLA_LANES;
  }
}

//------------------------------------------------------------------------------
// inverses
//------------------------------------------------------------------------------

static void page_set (const lu_output *X, int64_t i, int64_t j, scalar x)
{
  real *to = X->at + i * X->row + j * X->column;
  to[0] = __real__ x;
#if GLA_COMPLEX
  to[1] = __imag__ x;
#endif
}

static void page_store_inverse (const lu_output *X, const page_factors *p, const page_strip *s)
{
  for (int v = 0; v < s->V; v++) {
    const int64_t j = s->j + v * GLA_LANES;
    real *column[GLA_LANES];
    const int here = (int)gla_min (GLA_LANES, p->n - j);
    for (int l = 0; l < here; l++)
      column[l] = X->at + (j + l) * X->column;
    page_store_lanes (X, column, here, p->n, s->V, p->where, p->rows + v);
  }
}

// Stores columns j .. of a Hermitian inverse below the diagonal, and their mirror image above it.
static void page_store_mirrored (const lu_output *X, const page_factors *p, const page_strip *s)
{
  for (int v = 0; v < s->V; v++) {
    const num *x = p->rows + v;
    const int64_t j = s->j + v * GLA_LANES, below = gla_min (p->n, j + GLA_LANES);
    real *column[GLA_LANES];
    for (int l = 0; l < GLA_LANES; l++)
      column[l] = X->at + (j + l) * X->column + below * X->row;
    if (below < p->n)
      page_store_lanes (X, column, GLA_LANES, p->n - below, s->V, p->where, x + below * s->V);
    for (int64_t i = below; i < p->n; i++) {
      const lu_output to = {.row = X->row};
      const num mirrored = num_conj (x[i * s->V]);
      page_store_column (&to, X->at + i * X->column + j * X->row, GLA_LANES, &mirrored);
    }
    for (int64_t i = j; i < below; i++) {
      for (int64_t k = j; k < i; k++) {
        const scalar e = row_get (x + i * s->V, k - j);
        page_set (X, i, k, e);
        page_set (X, k, i, scalar_conj (e));
      }
      page_set (X, i, i, scalar_make (__real__ row_get (x + i * s->V, i - j), 0));
    }
  }
}

// Returns the norm of an inverse that has been written; NaN if it is not finite.
static real page_written_norm (const lu_output *X, const page_factors *p)
{
  const lu_input in = {.row = X->row, .column = X->column, .parts = GLA_PARTS, .sign = 1};
  real norm = 0;
  for (int64_t j = 0; j < p->n; j++) {
    page_load_column (&in, X->at + j * X->column, p->n, 0, p->column[0]);
    const real sum = page_sum (p, p->column[0]);
    if (!(sum <= GLA_MAX))
      return (real)NAN;
    norm = sum > norm ? sum : norm;
  }
  return norm;
}

// Returns the norm.
static real page_invert (const lu_output *X, const page_factors *p)
{
  real norm = 0;
  for (int64_t j = 0; j < p->n; j += PAGE_WIDTH * GLA_LANES) {
    const page_strip s = page_strip_at (p, j);
    page_identity (p, s.V, j, p->definite ? s.begin : 0);
    page_solve_many (p, s.V, s.begin, s.first, s.end);
    if (p->definite) {
      page_store_mirrored (X, p, &s);
      continue;
    }
    page_store_inverse (X, p, &s);
    const real here = page_strip_norm (p, &s);
    if (!(here <= GLA_MAX))
      return (real)NAN;
    norm = here > norm ? here : norm;
  }
  return p->definite ? page_written_norm (X, p) : norm;
}

//------------------------------------------------------------------------------
// systems
//------------------------------------------------------------------------------

static void page_solve_system (const lu_shape *shape, lu_system *s, page_factors *p)
{
  s->left = 1;
  if (!page_factor (shape, &s->A, p))
    return;
  real inverse_norm = 0;
  if (shape->inverse)
    inverse_norm = page_invert (&s->X, p);
  else if (shape->rcond)
    inverse_norm = p->n <= PAGE_EXACT ? page_inverse_norm (p) : page_estimated_norm (p);
  if (!(inverse_norm <= GLA_MAX))
    return;
  if (!shape->inverse)
    page_solve_columns (shape, s, p);
  s->left = s->info = 0;
  if (shape->rcond)
    s->rcond = 1 / p->norm / inverse_norm;
}

static void lu_page_solve (const lu_shape *shape, lu_system *systems, int count, void *work)
{
  page_factors p;
  page_layout (work, shape->n, &p);
  for (int i = 0; i < count; i++)
    page_solve_system (shape, &systems[i], &p);
}

#endif

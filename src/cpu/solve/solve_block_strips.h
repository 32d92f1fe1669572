// solve_block_strips.h: large pages: solutions and inverses from the factors, strip by strip
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A Hermitian inverse is L^-H * L^-1, done in strips of columns. Others are U^-1 * L^-1 with
// columns exchanged, done in strips of rows: as in LAPACK's getri L divides the inverse of U, so
// that rows of A may differ by more than the range of the type. Strips of U^-1 and of L^-1 are
// partly 0, so there are as many operations as in LAPACK, but strips do not wait for each other.

#ifndef GPULINALG_CPU_SOLVE_BLOCK_STRIPS_H
#define GPULINALG_CPU_SOLVE_BLOCK_STRIPS_H

#include "solve_space.h"

// Rows or columns of a triangle that are divided at a time, the rest by products.
enum { SOLVE_ROWS = 128 };

// Sets X = op (T)^-1 * X for rows lo .. hi-1 of a strip and the same rows and columns of the
// factor. Returns 0 when the work must end.
static int substitute (const lu_work *k, int member, triangle_form how, int64_t lo, int64_t hi,
                       scalar *x, int64_t columns)
{
  const lu_space *w = k->w;
  const int plain = how.op[0] == 'N', forward = (how.uplo[0] == 'L') == plain;
  for (int64_t done = 0; done < hi - lo; done += SOLVE_ROWS) {
    const int64_t size = gla_min (SOLVE_ROWS, hi - lo - done);
    const int64_t i = forward ? lo + done : hi - done - size;
    const int64_t to = forward ? i + size : lo, rows = forward ? hi - to : i - lo;
    real *b = (real *)(x + i), *rest = (real *)(x + to);
    if (gla_cpu_lu_stopped (k->task, member))
      return 0;
    trsm (how, size, columns, 1, a_at (w, i, i), w->ld, b, w->ld);
    gemm (how.op, "N", rows, columns, size, -1, plain ? a_at (w, to, i) : a_at (w, i, to), w->ld, b,
          w->ld, 1, rest, w->ld);
  }
  return 1;
}

static const triangle_form by_u = {"L", "U", "N", "N"}, by_unit_l = {"L", "L", "N", "U"},
                           by_l = {"L", "L", "N", "N"}, by_lh = {"L", "L", "C", "N"},
                           of_u = {"R", "U", "N", "N"}, of_l = {"R", "L", "N", "N"},
                           of_unit_l = {"R", "L", "N", "U"};

//------------------------------------------------------------------------------
// solutions
//------------------------------------------------------------------------------

static void exchange_strip (const lu_space *w, scalar *x, int64_t columns)
{
  const gla_blas_int r = (gla_blas_int)columns, ld = (gla_blas_int)w->ld, one = 1;
  const gla_blas_int n = (gla_blas_int)w->n;
  gla_blas_in ();
  GLA_BLAS (laswp) (&r, (real *)x, &ld, &one, &n, w->pivots, &one);
  gla_blas_out ();
}

static int solve_strip (const lu_work *k, int member, scalar *x, int64_t columns)
{
  const int64_t n = k->w->n;
  if (k->w->kind == LU_FULL)
    exchange_strip (k->w, x, columns);
  switch (k->w->kind) {
  case LU_UPPER:
    return substitute (k, member, by_u, 0, n, x, columns);
  case LU_LOWER:
    return substitute (k, member, by_l, 0, n, x, columns);
  case LU_DEFINITE:
    return substitute (k, member, by_l, 0, n, x, columns) &&
           substitute (k, member, by_lh, 0, n, x, columns);
  default:
    return substitute (k, member, by_unit_l, 0, n, x, columns) &&
           substitute (k, member, by_u, 0, n, x, columns);
  }
}

// Strips of a page of B are those of a single page, so that the bits are the same.
static int64_t strips_of_page (const lu_shape *shape)
{
  return pieces_of (shape->inner * (1 + shape->pairs), STRIP);
}

static void solve_piece (void *user, int64_t piece, int member)
{
  const lu_work *k = user;
  const lu_shape *shape = k->shape;
  const int64_t page = shape->inner * (1 + shape->pairs), strips = strips_of_page (shape);
  const int64_t j = piece % strips * STRIP, columns = gla_min (STRIP, page - j);
  const int64_t first = piece / strips * page + j;
  scalar *x = strip_of (k->w, member);
  if (gla_cpu_lu_stopped (k->task, member))
    return;
  copy_right_sides (shape, k->s, first, columns, k->w->exponent, x, k->w->ld);
  if (solve_strip (k, member, x, columns))
    store_columns (shape, k->s, first, columns, x, k->w->ld);
}

static void solve_right_sides (lu_work *k)
{
  const int64_t page = k->shape->inner * (1 + k->shape->pairs);
  if (page > 0)
    gla_cpu_lu_for (k->task, k->shape->columns / page * strips_of_page (k->shape), solve_piece, k);
}

//------------------------------------------------------------------------------
// inverses
//------------------------------------------------------------------------------

// Computes columns j .. of a Hermitian inverse from row j on.
static int invert_columns (const lu_work *k, int member, int64_t j, int64_t columns, scalar *x)
{
  const int64_t n = k->w->n, ld = k->w->ld;
  for (int64_t c = 0; c < columns; c++) {
    memset (x + c * ld, 0, (size_t)n * sizeof *x);
    x[j + c + c * ld] = scalar_make (1, 0);
  }
  return substitute (k, member, by_l, j, n, x, columns) &&
         substitute (k, member, by_lh, j, n, x, columns);
}

// Sets X = X * T^-1 for columns lo .. hi-1 of a strip of rows, and the same rows and columns of the
// factor. Returns 0 when the work must end.
static int divide (const lu_work *k, int member, triangle_form how, int64_t lo, int64_t hi,
                   scalar *x, int64_t rows)
{
  const lu_space *w = k->w;
  const int forward = how.uplo[0] == 'U';
  for (int64_t done = 0; done < hi - lo; done += SOLVE_ROWS) {
    const int64_t size = gla_min (SOLVE_ROWS, hi - lo - done);
    const int64_t i = forward ? lo + done : hi - done - size;
    const int64_t to = forward ? i + size : lo, columns = forward ? hi - to : i - lo;
    real *b = (real *)(x + i * w->strip), *rest = (real *)(x + to * w->strip);
    if (gla_cpu_lu_stopped (k->task, member))
      return 0;
    trsm (how, rows, size, 1, a_at (w, i, i), w->ld, b, w->strip);
    gemm ("N", "N", rows, columns, size, -1, b, w->strip, a_at (w, i, to), w->ld, 1, rest,
          w->strip);
  }
  return 1;
}

// Computes rows i .. of U^-1 * L^-1, or of the inverse of a triangle.
static int invert_rows (const lu_work *k, int member, int64_t i, int64_t rows, scalar *x)
{
  const int64_t n = k->w->n;
  memset (x, 0, (size_t)(n * k->w->strip) * sizeof *x);
  for (int64_t r = 0; r < rows; r++)
    x[r + (i + r) * k->w->strip] = scalar_make (1, 0);
  switch (k->w->kind) {
  case LU_UPPER:
    return divide (k, member, of_u, i, n, x, rows);
  case LU_LOWER:
    return divide (k, member, of_l, 0, i + rows, x, rows);
  default:
    return divide (k, member, of_u, i, n, x, rows) && divide (k, member, of_unit_l, 0, n, x, rows);
  }
}

// Stores columns j .. of a Hermitian inverse from the diagonal on, and their mirror images.
static void store_mirrored (const lu_work *k, int64_t j, int64_t columns, const scalar *x)
{
  const lu_output *X = &k->s->X;
  const int64_t ld = k->w->ld;
  for (int64_t c = 0; c < columns; c++) {
    const scalar d = scalar_make (__real__ x[j + c + c * ld], 0);
    real *diagonal = X->at + (j + c) * (X->row + X->column);
    memcpy (diagonal, &d, sizeof d);
    for (int64_t i = j + c + 1; i < k->w->n; i++)
      memcpy (diagonal + (i - j - c) * X->row, x + i + c * ld, sizeof *x);
  }
  for (int64_t i = j + 1; i < k->w->n; i++)
    for (int64_t c = 0; c < gla_min (columns, i - j); c++) {
      const scalar mirrored = scalar_conj (x[i + c * ld]);
      memcpy (X->at + i * X->column + (j + c) * X->row, &mirrored, sizeof mirrored);
    }
}

// Column j of U^-1 * L^-1 is column w->integers[j] of the inverse.
static void store_inverse_rows (const lu_work *k, int64_t i, int64_t rows, const scalar *x)
{
  const lu_output *X = &k->s->X;
  for (int64_t j = 0; j < k->w->n; j++) {
    real *to = X->at + i * X->row + k->w->integers[j] * X->column;
    for (int64_t r = 0; r < rows; r++)
      memcpy (to + r * X->row, x + r + j * k->w->strip, sizeof *x);
  }
}

static void invert_piece (void *user, int64_t piece, int member)
{
  const lu_work *k = user;
  const lu_space *w = k->w;
  // the longest pieces come first
  const int64_t strips = pieces_of (w->n, w->strip);
  const int64_t j = w->strip * (w->kind == LU_LOWER ? strips - 1 - piece : piece);
  const int64_t count = gla_min (w->strip, w->n - j);
  const real down = power_of_two (-w->exponent);
  const int definite = w->kind == LU_DEFINITE;
  scalar *x = strip_of (w, member);
  if (gla_cpu_lu_stopped (k->task, member))
    return;
  if (!(definite ? invert_columns : invert_rows) (k, member, j, count, x))
    return;
  const int64_t columns = definite ? count : w->n, rows = definite ? w->n : count;
  const int64_t step = definite ? w->ld : w->strip;
  for (int64_t c = 0; w->exponent != 0 && c < columns; c++)
    for (int64_t i = 0; i < rows; i++)
      x[i + c * step] = scalar_scale (down, x[i + c * step]);
  if (definite)
    store_mirrored (k, j, count, x);
  else
    store_inverse_rows (k, j, count, x);
}

static void store_inverse (lu_work *k)
{
  const lu_space *w = k->w;
  for (int64_t i = 0; i < w->n; i++)
    w->integers[i] = (gla_blas_int)i;
  for (int64_t i = 0; w->kind == LU_FULL && i < w->n; i++) {
    const gla_blas_int other = w->pivots[i] - 1, here = w->integers[i];
    w->integers[i] = w->integers[other];
    w->integers[other] = here;
  }
  gla_cpu_lu_for (k->task, pieces_of (w->n, w->strip), invert_piece, k);
}

#endif

// solve_copy.h: op (A) and B into a workspace, X out of it, and what kind of matrix it is
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_SOLVE_COPY_H
#define GPULINALG_CPU_SOLVE_COPY_H

#include "common/scalar.h"
#include "cpu/common/exponent.h"
#include "cpu/common/minmax.h"

#include "solve_system.h"

#include <string.h>

// Columns that are copied side by side where they are rows of the array.
enum { COPY_COLUMNS = 16 };

static inline scalar lu_element (const lu_input *in, const real *at)
{
  return scalar_make (at[0], in->parts > 1 ? in->sign * at[1] : 0);
}

// Rows 0 .. n-1 of the columns whose first elements are at from[0], from[1], ..; ld and `to` count
// scalars.
static void copy_columns (const lu_input *in, int64_t n, const real *const *from, int64_t columns,
                          scalar *to, int64_t ld)
{
  if (in->row == GLA_PARTS && in->parts == GLA_PARTS && (!GLA_COMPLEX || in->sign > 0)) {
    for (int64_t j = 0; j < columns; j++)
      memcpy (to + j * ld, from[j], (size_t)n * sizeof *to);
    return;
  }
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < columns; j++)
      to[i + j * ld] = lu_element (in, from[j] + i * in->row);
}

// The first columns of A.
static void copy_columns_of (const lu_input *A, int64_t n, int64_t columns, scalar *to, int64_t ld)
{
  const real *from[COPY_COLUMNS];
  for (int64_t j = 0; j < columns; j += COPY_COLUMNS) {
    const int64_t count = gla_min (COPY_COLUMNS, columns - j);
    for (int64_t k = 0; k < count; k++)
      from[k] = A->at + (j + k) * A->column;
    copy_columns (A, n, from, count, to + j * ld, ld);
  }
}

// Columns first .. of B, times 2^-e.
static void copy_right_sides (const lu_shape *shape, const lu_system *s, int64_t first,
                              int64_t columns, int e, scalar *to, int64_t ld)
{
  const real *from[COPY_COLUMNS], down = power_of_two (-e);
  for (int64_t j = 0; j < columns; j += COPY_COLUMNS) {
    const int64_t count = gla_min (COPY_COLUMNS, columns - j);
    for (int64_t k = 0; k < count; k++)
      from[k] = s->B.at + lu_column (shape, s->B.column, s->B.page, first + j + k);
    copy_columns (&s->B, shape->n, from, count, to + j * ld, ld);
  }
  for (int64_t j = 0; e != 0 && j < columns; j++)
    for (int64_t i = 0; i < shape->n; i++)
      to[i + j * ld] = scalar_scale (down, to[i + j * ld]);
}

// Columns first .. of X. A real system writes one part of a pair, so its elements are single
// numbers; a complex one writes both.
static void store_columns (const lu_shape *shape, const lu_system *s, int64_t first,
                           int64_t columns, const scalar *from, int64_t ld)
{
  for (int64_t j = 0; j < columns; j++) {
    real *to = s->X.at + lu_column (shape, s->X.column, s->X.page, first + j);
    if (s->X.row == GLA_PARTS)
      memcpy (to, from + j * ld, (size_t)shape->n * sizeof *from);
    for (int64_t i = 0; s->X.row != GLA_PARTS && i < shape->n; i++)
      memcpy (to + i * s->X.row, from + i + j * ld, sizeof *from);
  }
}

// Columns first .. of X become x in all elements.
static void fill_columns (const lu_shape *shape, const lu_system *s, int64_t first, int64_t columns,
                          scalar x)
{
  for (int64_t j = 0; j < columns; j++)
    for (int64_t i = 0; i < shape->n; i++)
      memcpy (s->X.at + lu_column (shape, s->X.column, s->X.page, first + j) + i * s->X.row, &x,
              sizeof x);
}

//------------------------------------------------------------------------------
// what is known of a matrix
//------------------------------------------------------------------------------

typedef enum { LU_FULL = 0, LU_UPPER, LU_LOWER, LU_DEFINITE } lu_kind;

// Bits of its largest entry, those of Inf or NaN where there is one.
static bits largest_bits (const scalar *a, int64_t rows, int64_t columns, int64_t ld)
{
  bits largest = 0;
  for (int64_t j = 0; j < columns; j++)
    largest = largest_of ((const real *)(a + j * ld), rows * GLA_PARTS, largest);
  return largest;
}

static int is_zero (const scalar *x, int64_t count)
{
  real sum = 0;
  for (int64_t i = 0; i < count; i++)
    sum += real_abs (__real__ x[i]) + real_abs (__imag__ x[i]);
  return sum == 0;
}

static int is_upper (const scalar *a, int64_t n, int64_t ld)
{
  for (int64_t j = 0; j < n; j++)
    if (!is_zero (a + j * ld + j + 1, n - j - 1))
      return 0;
  return 1;
}

static int is_lower (const scalar *a, int64_t n, int64_t ld)
{
  for (int64_t j = n - 1; j >= 0; j--)
    if (!is_zero (a + j * ld, j))
      return 0;
  return 1;
}

// Rows and columns of a tile of the test below: two tiles that are each other's mirror image stay
// in the cache.
enum { TILE = 32 };

// Elements above the diagonal in rows i0 .. and columns j0 .. end-1, and their mirror images.
static int tile_may_be_definite (const scalar *a, int64_t ld, int64_t i0, int64_t j0, int64_t end,
                                 const real *roots)
{
  for (int64_t j = j0; j < end; j++)
    for (int64_t i = i0; i < gla_min (j, i0 + TILE); i++) {
      const scalar x = a[i + j * ld], y = a[j + i * ld];
      const real most = roots[i] * roots[j];
      if (__real__ x != __real__ y || __imag__ x != -__imag__ y || real_abs (__real__ x) >= most ||
          real_abs (__imag__ x) >= most)
        return 0;
    }
  return 1;
}

// A necessary condition for a positive definite page: Hermitian with a positive diagonal, and no
// element as large as the geometric mean of the diagonal elements of its row and column. `roots` is
// workspace for n.
static int may_be_definite (const scalar *a, int64_t n, int64_t ld, real *roots)
{
  for (int64_t j = 0; j < n; j++) {
    const scalar d = a[j + j * ld];
    if (!(__real__ d > 0) || __imag__ d != 0)
      return 0;
    roots[j] = real_sqrt (__real__ d);
  }
  for (int64_t j0 = 0; j0 < n; j0 += TILE)
    for (int64_t i0 = 0; i0 <= j0; i0 += TILE)
      if (!tile_may_be_definite (a, ld, i0, j0, gla_min (n, j0 + TILE), roots))
        return 0;
  return 1;
}

static lu_kind kind_of (const scalar *a, int64_t n, int64_t ld, real *roots)
{
  if (is_upper (a, n, ld))
    return LU_UPPER;
  if (is_lower (a, n, ld))
    return LU_LOWER;
  return may_be_definite (a, n, ld, roots) ? LU_DEFINITE : LU_FULL;
}

#endif

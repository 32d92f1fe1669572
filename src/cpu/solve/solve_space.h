// solve_space.h: workspace of one large system, and its matrix, right-hand sides and solution in it
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_SOLVE_SPACE_H
#define GPULINALG_CPU_SOLVE_SPACE_H

#include <math.h>
#include <string.h>

#include "common/products.h"
#include "common/scalar.h"
#include "cpu/common/carve.h"
#include "cpu/common/exponent.h"
#include "cpu/common/minmax.h"
#include "solve.h"
#include "solve_system.h"

//------------------------------------------------------------------------------
// op (A) and B into a workspace, X out of it, and what kind of matrix it is
//------------------------------------------------------------------------------

// Columns that are copied side by side if they are rows of the array.
enum { COPY_COLUMNS = 16 };

static inline scalar lu_element (const lu_input *in, const real *at)
{
  return scalar_make (at[0], in->parts > 1 ? in->sign * at[1] : 0);
}

// Copies rows 0 .. n-1 of the columns whose first elements are at from[0], from[1], ..; ld and `to`
// count scalars.
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

// Copies the first columns of A.
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

// Copies columns first .. of B, times 2^-e.
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

// Stores columns first .. of X. A real system writes one part of a pair, so its elements are single
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

// Sets columns first .. of X to x in all elements.
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

// Returns the bits of its largest entry, those of Inf or NaN if there is one.
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

// Checks elements above the diagonal in rows i0 .. and columns j0 .. end-1, and their mirror
// images.
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

//------------------------------------------------------------------------------
// workspace of one large system, and its matrix in it
//------------------------------------------------------------------------------

// The threads that share a page take strips of columns. Widths of strips and of blocks depend on
// the order and the type alone, because the bits of a product may depend on its size.

// Columns of X that are solved at a time, rows or columns of an inverse, columns of the matrix that
// are copied at a time.
enum { STRIP = 128, INVERSE_STRIP = 64, LOAD_STRIP = 32 };

#if GLA_COMPLEX
typedef real con_more;
#else
typedef gla_blas_int con_more;
#endif

typedef struct {
  int64_t n, ld, strip; // strip: columns of X that are solved at a time, at most
  scalar *a, *b;        // A and its factors; a strip of B and X for each member of the team
  lu_kind kind;
  int exponent; // a is 2^-exponent * A
  gla_blas_int *pivots, *integers;
  bits *largest;         // of each column
  real *s, *work, *more; // singular values; workspace of LAPACK, also real for complex types
  gla_blas_int work_size;
} lu_space;

// A system that the team solves.
typedef struct {
  const gla_cpu_lu_task *task;
  const lu_shape *shape;
  const lu_system *s;
  const lu_space *w;
  int64_t j;         // of the block that is applied
  gla_blas_int info; // of the factors: the first pivot that is 0, from 1
  int with_norm;     // sums of the columns are wanted
} lu_work;

// Returns a distance of columns that begin with a cache line and are not a multiple of 4096 bytes
// apart.
static int64_t column_distance (int64_t n)
{
  const int64_t line = 64 / (int64_t)sizeof (scalar), ld = (n + line - 1) / line * line;
  return ld * (int64_t)sizeof (scalar) % 4096 == 0 ? ld + line : ld;
}

// Lays out the workspace that gelsd needs with blocks of up to 32 at the bottom of its recursion,
// and for its QR; all others need less.
static size_t lapack_layout (char *base, const lu_shape *shape, int team, lu_space *w)
{
  enum { LEAF = 32, BLOCK = 64 };
  const int64_t n = shape->n, ld = column_distance (n);
  const int64_t all = shape->inverse ? n : shape->inner * (1 + shape->pairs);
  const int64_t columns = gla_min (shape->inverse ? INVERSE_STRIP : STRIP, all);
  int64_t levels = 2;
  while ((int64_t)8 << levels < n)
    levels++;
  const int64_t work = n * (16 + 2 * LEAF + 8 * levels + columns + BLOCK) + (LEAF + 1) * (LEAF + 1);
  const int64_t more = n * (12 + 2 * LEAF + 8 * levels + columns) + (3 * LEAF + 2) * columns +
                       (LEAF + 1) * (LEAF + 1);
  size_t at = 0;
  *w = (lu_space){.n = n, .ld = ld, .strip = columns, .work_size = (gla_blas_int)work};
  w->a = gla_carve (base, &at, (size_t)(ld * n) * sizeof (scalar));
  w->b = gla_carve (base, &at, (size_t)(ld * columns * team) * sizeof (scalar));
  w->pivots = gla_carve (base, &at, (size_t)n * sizeof *w->pivots);
  w->integers = gla_carve (base, &at, (size_t)(n * (3 * levels + 11)) * sizeof *w->integers);
  w->largest = gla_carve (base, &at, (size_t)n * sizeof *w->largest);
  w->s = gla_carve (base, &at, (size_t)n * sizeof *w->s);
  w->work = gla_carve (base, &at, (size_t)work * sizeof (scalar));
  w->more = gla_carve (base, &at, (size_t)(GLA_COMPLEX ? more : 0) * sizeof *w->more);
  return at;
}

static inline con_more *more_of (const lu_space *w)
{
#if GLA_COMPLEX
  return w->more;
#else
  return w->integers;
#endif
}

static inline real *a_at (const lu_space *w, int64_t i, int64_t j)
{
  return (real *)(w->a + i + j * w->ld);
}

static inline scalar *strip_of (const lu_space *w, int member)
{
  return w->b + member * w->strip * w->ld;
}

static inline int64_t pieces_of (int64_t count, int64_t size)
{
  return (count + size - 1) / size;
}

//------------------------------------------------------------------------------
// the matrix
//------------------------------------------------------------------------------

// Returns the sum of a column, with hypot, so that nothing overflows.
static real column_sum (const scalar *a, int64_t n)
{
  real sum = 0;
  for (int64_t i = 0; i < n; i++)
    sum += GLA_COMPLEX ? (real)hypot ((double)__real__ a[i], (double)__imag__ a[i])
                       : real_abs (__real__ a[i]);
  return sum;
}

static void load_piece (void *user, int64_t piece, int member)
{
  const lu_work *k = user;
  const lu_space *w = k->w;
  const int64_t j0 = piece * LOAD_STRIP, end = gla_min (w->n, j0 + LOAD_STRIP);
  const real down = power_of_two (-w->exponent);
  if (gla_cpu_lu_stopped (k->task, member))
    return;
  lu_input A = k->s->A;
  A.at += j0 * A.column;
  copy_columns_of (&A, w->n, end - j0, w->a + j0 * w->ld, w->ld);
  for (int64_t j = j0; j < end; j++) {
    scalar *a = w->a + j * w->ld;
    for (int64_t i = 0; w->exponent != 0 && i < w->n; i++)
      a[i] = scalar_scale (down, a[i]);
    w->largest[j] = largest_of ((const real *)a, w->n * GLA_PARTS, 0);
    if (k->with_norm)
      w->s[j] = column_sum (a, w->n);
  }
}

// Returns the bits of the largest entry; s has the sums of the columns if they are wanted.
static bits load_matrix (lu_work *k)
{
  bits largest = 0;
  gla_cpu_lu_for (k->task, pieces_of (k->w->n, LOAD_STRIP), load_piece, k);
  for (int64_t j = 0; j < k->w->n; j++)
    largest = k->w->largest[j] > largest ? k->w->largest[j] : largest;
  return largest;
}

static void largest_piece (void *user, int64_t piece, int member)
{
  const lu_work *k = user;
  const lu_space *w = k->w;
  const int64_t j0 = piece * LOAD_STRIP, end = gla_min (w->n, j0 + LOAD_STRIP);
  if (gla_cpu_lu_stopped (k->task, member))
    return;
  for (int64_t j = j0; j < end; j++)
    w->largest[j] = largest_of ((const real *)a_at (w, 0, j), w->n * GLA_PARTS, 0);
}

// Returns the bits of the largest entry of the matrix or its factors.
static bits largest_in (lu_work *k)
{
  bits largest = 0;
  gla_cpu_lu_for (k->task, pieces_of (k->w->n, LOAD_STRIP), largest_piece, k);
  for (int64_t j = 0; j < k->w->n; j++)
    largest = k->w->largest[j] > largest ? k->w->largest[j] : largest;
  return largest;
}

#endif

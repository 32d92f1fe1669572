// solve_space.h: workspace of one large system, and its matrix in it
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The threads that share a page take strips of columns. Widths of strips and of blocks depend on
// the order and the type alone, because the bits of a product may depend on its size.

#ifndef GPULINALG_CPU_SOLVE_SPACE_H
#define GPULINALG_CPU_SOLVE_SPACE_H

#include "common/products.h"
#include "cpu/common/carve.h"

#include "solve.h"
#include "solve_copy.h"

#include <math.h>

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

// A system that the team works on.
typedef struct {
  const gla_cpu_lu_task *task;
  const lu_shape *shape;
  const lu_system *s;
  const lu_space *w;
  int64_t j;         // of the block that is applied
  gla_blas_int info; // of the factors: the first pivot that is 0, from 1
  int with_norm;     // sums of the columns are wanted
} lu_work;

// A distance of columns that begin with a cache line and are not a multiple of 4096 bytes apart.
static int64_t column_distance (int64_t n)
{
  const int64_t line = 64 / (int64_t)sizeof (scalar), ld = (n + line - 1) / line * line;
  return ld * (int64_t)sizeof (scalar) % 4096 == 0 ? ld + line : ld;
}

// The workspace that gelsd asks for with blocks of up to 32 at the bottom of its recursion, and for
// its QR; that of all others is smaller.
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

// Of a column. hypot, so that nothing overflows.
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

// Returns the bits of the largest entry; s has the sums of the columns where they are wanted.
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

// Bits of the largest entry of the matrix or its factors.
static bits largest_in (lu_work *k)
{
  bits largest = 0;
  gla_cpu_lu_for (k->task, pieces_of (k->w->n, LOAD_STRIP), largest_piece, k);
  for (int64_t j = 0; j < k->w->n; j++)
    largest = k->w->largest[j] > largest ? k->w->largest[j] : largest;
  return largest;
}

#endif

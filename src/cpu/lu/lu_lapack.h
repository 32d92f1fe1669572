// lu_lapack.h: one system of equations by LAPACK
// SPDX-License-Identifier: GPL-3.0-or-later
//
// As Octave's operator: triangles by substitution, Hermitian matrices with positive diagonal by
// Cholesky, others and those that are not definite by LU with partial pivoting; the solution of
// least norm by the SVD where a pivot is exactly 0. A matrix whose entries are all very small, or
// some very large, is scaled by a power of two, so that neither a reciprocal of a pivot nor the
// growth in LU overflows.

#ifndef GPULINALG_CPU_LU_LAPACK_H
#define GPULINALG_CPU_LU_LAPACK_H

#include "common/products.h"
#include "cpu/common/carve.h"

#include "lu.h"
#include "lu_copy.h"

#include <math.h>

// Columns of X that are solved at a time.
enum { STRIP = 128 };

#if GLA_COMPLEX
typedef real con_more;
#else
typedef gla_blas_int con_more;
#endif

typedef struct {
  int64_t n, ld;
  scalar *a, *b; // A and its factors; a strip of B and X
  lu_kind kind;
  int exponent; // a is 2^-exponent * A
  gla_blas_int *pivots, *integers;
  real *s, *work, *more; // singular values; workspace of LAPACK, also real for complex types
  gla_blas_int work_size;
} lu_space;

// A distance of columns that begin with a cache line and are not a multiple of 4096 bytes apart.
static int64_t column_distance (int64_t n)
{
  const int64_t line = 64 / (int64_t)sizeof (scalar), ld = (n + line - 1) / line * line;
  return ld * (int64_t)sizeof (scalar) % 4096 == 0 ? ld + line : ld;
}

// The workspace that gelsd asks for with blocks of up to 32 at the bottom of its recursion, and for
// its QR; that of all others is smaller.
static size_t lapack_layout (char *base, const lu_shape *shape, lu_space *w)
{
  enum { LEAF = 32, BLOCK = 64 };
  const int64_t n = shape->n, ld = column_distance (n);
  const int64_t all = shape->inverse ? n : shape->inner * (1 + shape->pairs);
  const int64_t columns = gla_min (STRIP, all);
  int64_t levels = 2;
  while ((int64_t)8 << levels < n)
    levels++;
  const int64_t work = n * (16 + 2 * LEAF + 8 * levels + columns + BLOCK) + (LEAF + 1) * (LEAF + 1);
  const int64_t more = n * (12 + 2 * LEAF + 8 * levels + columns) + (3 * LEAF + 2) * columns +
                       (LEAF + 1) * (LEAF + 1);
  size_t at = 0;
  *w = (lu_space){.n = n, .ld = ld, .work_size = (gla_blas_int)work};
  w->a = gla_carve (base, &at, (size_t)(ld * n) * sizeof (scalar));
  w->b = gla_carve (base, &at, (size_t)(ld * columns) * sizeof (scalar));
  w->pivots = gla_carve (base, &at, (size_t)n * sizeof *w->pivots);
  w->integers = gla_carve (base, &at, (size_t)(n * (3 * levels + 11)) * sizeof *w->integers);
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

//------------------------------------------------------------------------------
// factors
//------------------------------------------------------------------------------

// The e by whose power of two a matrix is divided: 0 unless all entries are so small that their
// reciprocals may overflow, or one is so large that sums may. Few bits are taken from the largest,
// so that nothing but denormal numbers can vanish beside them; triangles are not reduced.
static int exponent_for (bits largest, lu_kind kind)
{
  enum { GROWTH = 24, ROOM = 40 };
  const int e = exponent_of (largest);
  if (e < -GLA_BIAS / 2)
    return e;
  return e > GLA_BIAS - GROWTH && (kind == LU_FULL || kind == LU_DEFINITE) ? ROOM : 0;
}

static void load_matrix (const lu_system *s, lu_space *w)
{
  copy_matrix (&s->A, w->n, w->a, w->ld);
  const real down = power_of_two (-w->exponent);
  for (int64_t j = 0; w->exponent != 0 && j < w->n; j++)
    for (int64_t i = 0; i < w->n; i++)
      w->a[i + j * w->ld] = scalar_scale (down, w->a[i + j * w->ld]);
}

static real norm_1 (const lu_space *w)
{
  real norm = 0;
  for (int64_t j = 0; j < w->n; j++) {
    real sum = 0;
    for (int64_t i = 0; i < w->n; i++) {
      const scalar x = w->a[i + j * w->ld];
      sum += GLA_COMPLEX ? (real)hypot ((double)__real__ x, (double)__imag__ x)
                         : real_abs (__real__ x);
    }
    norm = sum > norm ? sum : norm;
  }
  return norm;
}

// The first diagonal element that is exactly 0, from 1.
static int64_t zero_on_diagonal (const lu_space *w)
{
  for (int64_t j = 0; j < w->n; j++) {
    const scalar d = w->a[j + j * w->ld];
    if (__real__ d == 0 && __imag__ d == 0)
      return j + 1;
  }
  return 0;
}

// Factors the matrix; returns the first pivot that is 0. Where Cholesky fails, the kind becomes
// full, and the matrix is loaded again.
static int64_t factor (const lu_system *s, lu_space *w)
{
  const gla_blas_int n = (gla_blas_int)w->n, ld = (gla_blas_int)w->ld;
  gla_blas_int info = 0;
  if (w->kind == LU_UPPER || w->kind == LU_LOWER)
    return zero_on_diagonal (w);
  if (w->kind == LU_DEFINITE) {
    GLA_BLAS (potrf) ("L", &n, (real *)w->a, &ld, &info, 1);
    if (info == 0)
      return 0;
    w->kind = LU_FULL;
    load_matrix (s, w);
  }
  GLA_BLAS (getrf) (&n, &n, (real *)w->a, &ld, w->pivots, &info);
  return info;
}

// From the factors and the norm of the matrix; 0 where they are not finite.
static real rcond_of (const lu_space *w, real norm)
{
  const gla_blas_int n = (gla_blas_int)w->n, ld = (gla_blas_int)w->ld;
  const real *a = (const real *)w->a;
  gla_blas_int info;
  real rcond = 0;
  if (!is_finite (largest_bits (w->a, w->n, w->n, w->ld)) || !(norm <= GLA_MAX))
    return 0;
  if (w->kind == LU_FULL)
    GLA_BLAS (gecon) ("1", &n, a, &ld, &norm, &rcond, w->work, more_of (w), &info, 1);
  else if (w->kind == LU_DEFINITE)
    GLA_BLAS (pocon) ("L", &n, a, &ld, &norm, &rcond, w->work, more_of (w), &info, 1);
  else
    GLA_BLAS (trcon)
  ("1", w->kind == LU_UPPER ? "U" : "L", "N", &n, a, &ld, &rcond, w->work, more_of (w), &info, 1, 1,
   1);
  return rcond;
}

//------------------------------------------------------------------------------
// solutions
//------------------------------------------------------------------------------

static void solve_strip (const lu_space *w, int64_t columns)
{
  const gla_blas_int n = (gla_blas_int)w->n, ld = (gla_blas_int)w->ld, r = (gla_blas_int)columns;
  const real *a = (const real *)w->a;
  real *b = (real *)w->b;
  gla_blas_int info;
  if (w->kind == LU_FULL)
    GLA_BLAS (getrs) ("N", &n, &r, a, &ld, w->pivots, b, &ld, &info, 1);
  if (w->kind == LU_UPPER)
    trsm ((triangle_form){"L", "U", "N", "N"}, n, r, 1, a, ld, b, ld);
  if (w->kind == LU_LOWER || w->kind == LU_DEFINITE)
    trsm ((triangle_form){"L", "L", "N", "N"}, n, r, 1, a, ld, b, ld);
  if (w->kind == LU_DEFINITE)
    trsm ((triangle_form){"L", "L", "C", "N"}, n, r, 1, a, ld, b, ld);
}

// Columns first .. of X of least norm. Those of B that are not finite are 0 here and NaN in X.
static void least_norm_strip (const lu_shape *shape, const lu_system *s, int64_t first,
                              int64_t columns, lu_space *w)
{
  const gla_blas_int n = (gla_blas_int)w->n, ld = (gla_blas_int)w->ld, r = (gla_blas_int)columns;
  const real by_eps = -1;
  const scalar nan = scalar_make ((real)NAN, GLA_COMPLEX ? (real)NAN : 0);
  gla_blas_int rank, info;
  copy_matrix (&s->A, w->n, w->a, w->ld);
  copy_right_sides (shape, s, first, columns, 0, w->b, w->ld);
  for (int64_t j = 0; j < columns; j++)
    if (!is_finite (largest_bits (w->b + j * w->ld, w->n, 1, w->ld)))
      memset (w->b + j * w->ld, 0, (size_t)w->n * sizeof *w->b);
#if GLA_COMPLEX
  GLA_BLAS (gelsd)
  (&n, &n, &r, (real *)w->a, &ld, (real *)w->b, &ld, w->s, &by_eps, &rank, w->work, &w->work_size,
   w->more, w->integers, &info);
#else
  GLA_BLAS (gelsd)
  (&n, &n, &r, w->a, &ld, w->b, &ld, w->s, &by_eps, &rank, w->work, &w->work_size, w->integers,
   &info);
#endif
  store_columns (shape, s, first, columns, w->b, w->ld);
  for (int64_t j = 0; j < columns; j++) {
    copy_right_sides (shape, s, first + j, 1, 0, w->b, w->ld);
    if (info != 0 || !is_finite (largest_bits (w->b, w->n, 1, w->ld)))
      fill_columns (shape, s, first + j, 1, nan);
  }
}

// A page of B is solved by itself, so that what comes out does not depend on how many there are.
static void solve_right_sides (const gla_cpu_lu_task *task, const lu_shape *shape,
                               const lu_system *s, lu_space *w)
{
  const int64_t page = shape->inner * (1 + shape->pairs);
  for (int64_t p = 0; p < shape->columns; p += page)
    for (int64_t j = 0; j < page && !gla_cpu_lu_stopped (task, 0); j += STRIP) {
      const int64_t columns = gla_min (STRIP, page - j);
      if (s->info != 0) {
        least_norm_strip (shape, s, p + j, columns, w);
        continue;
      }
      copy_right_sides (shape, s, p + j, columns, w->exponent, w->b, w->ld);
      solve_strip (w, columns);
      store_columns (shape, s, p + j, columns, w->b, w->ld);
    }
}

//------------------------------------------------------------------------------
// inverses
//------------------------------------------------------------------------------

// The upper triangle of a Hermitian matrix from the lower one; the diagonal becomes real.
static void mirror_matrix (const lu_space *w)
{
  for (int64_t j = 0; j < w->n; j++) {
    w->a[j + j * w->ld] = scalar_make (__real__ w->a[j + j * w->ld], 0);
    for (int64_t i = j + 1; i < w->n; i++)
      w->a[j + i * w->ld] = scalar_conj (w->a[i + j * w->ld]);
  }
}

static void store_inverse (const lu_shape *shape, const lu_system *s, lu_space *w)
{
  const gla_blas_int n = (gla_blas_int)w->n, ld = (gla_blas_int)w->ld;
  const real down = power_of_two (-w->exponent);
  real *a = (real *)w->a;
  gla_blas_int info;
  if (w->kind == LU_FULL)
    GLA_BLAS (getri) (&n, a, &ld, w->pivots, w->work, &w->work_size, &info);
  else if (w->kind == LU_DEFINITE)
    GLA_BLAS (potri) ("L", &n, a, &ld, &info, 1);
  else
    GLA_BLAS (trtri) (w->kind == LU_UPPER ? "U" : "L", "N", &n, a, &ld, &info, 1, 1);
  if (w->kind == LU_DEFINITE)
    mirror_matrix (w);
  for (int64_t j = 0; w->exponent != 0 && j < w->n; j++)
    for (int64_t i = 0; i < w->n; i++)
      w->a[i + j * w->ld] = scalar_scale (down, w->a[i + j * w->ld]);
  store_columns (shape, s, 0, w->n, w->a, w->ld);
}

//------------------------------------------------------------------------------
// the system
//------------------------------------------------------------------------------

static void lapack_solve (const gla_cpu_lu_task *task, const lu_shape *shape, lu_system *s,
                          char *work)
{
  lu_space w;
  lapack_layout (work, shape, &w);
  load_matrix (s, &w);
  const bits largest = largest_bits (w.a, w.n, w.n, w.ld);
  if (!is_finite (largest)) {
    const real nan = (real)NAN;
    s->info = (int)shape->n + 1;
    s->rcond = nan;
    fill_columns (shape, s, 0, shape->columns, scalar_make (nan, GLA_COMPLEX ? nan : 0));
    return;
  }
  w.kind = kind_of (w.a, w.n, w.ld, w.s);
  w.exponent = exponent_for (largest, w.kind);
  if (w.exponent != 0)
    load_matrix (s, &w);
  const real norm = shape->rcond ? norm_1 (&w) : 0;
  s->info = (int)factor (s, &w);
  s->rcond = 0;
  if (shape->rcond && s->info == 0)
    s->rcond = rcond_of (&w, norm);
  if (!shape->inverse)
    solve_right_sides (task, shape, s, &w);
  else if (s->info == 0)
    store_inverse (shape, s, &w);
  else
    fill_columns (shape, s, 0, shape->columns, scalar_make ((real)INFINITY, 0));
}

#endif

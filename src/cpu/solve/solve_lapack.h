// solve_lapack.h: one system of equations by LAPACK, or by its factorisations in blocks
// SPDX-License-Identifier: GPL-3.0-or-later
//
// It follows Octave's operator: triangles by substitution, Hermitian matrices with positive
// diagonal by Cholesky, others and those that are not definite by LU with partial pivoting; the
// solution of least norm by the SVD if a pivot is exactly 0, or mere rounding error of a matrix
// whose rank is not full. A matrix whose entries are all very small, or some very large, is scaled
// by a power of two, so that neither a reciprocal of a pivot nor the growth in LU overflows.

#ifndef GPULINALG_CPU_SOLVE_LAPACK_H
#define GPULINALG_CPU_SOLVE_LAPACK_H

#include "solve_block.h"
#include "solve_block_strips.h"

//------------------------------------------------------------------------------
// factors
//------------------------------------------------------------------------------

// Returns the exponent of the power of two by which a matrix is divided: 0 unless all entries are
// so small that their reciprocals may overflow, or one is so large that sums may. The largest entry
// is reduced by few bits, so that only denormal numbers can vanish beside it; triangles are not
// reduced.
static int exponent_for (bits largest, lu_kind kind)
{
  enum { GROWTH = 24, ROOM = 40 };
  const int e = exponent_of (largest);
  if (e < -GLA_BIAS / 2)
    return e;
  return e > GLA_BIAS - GROWTH && (kind == LU_FULL || kind == LU_DEFINITE) ? ROOM : 0;
}

// Returns the norm from the sums of the columns.
static real norm_1 (const lu_space *w)
{
  real norm = 0;
  for (int64_t j = 0; j < w->n; j++)
    norm = w->s[j] > norm ? w->s[j] : norm;
  return norm;
}

// Returns the first diagonal element that is exactly 0, from 1.
static gla_blas_int zero_on_diagonal (const lu_space *w)
{
  for (int64_t j = 0; j < w->n; j++) {
    const scalar d = w->a[j + j * w->ld];
    if (__real__ d == 0 && __imag__ d == 0)
      return (gla_blas_int)(j + 1);
  }
  return 0;
}

// Factors the matrix and sets k->info. If Cholesky fails, the kind becomes full, and the matrix is
// loaded again. Returns 0 when the work must end.
static int factor (lu_work *k, lu_space *w)
{
  if (w->kind == LU_UPPER || w->kind == LU_LOWER) {
    k->info = zero_on_diagonal (w);
    return 1;
  }
  if (w->kind == LU_DEFINITE) {
    if (!block_factor (k) || k->info == 0)
      return !gla_cpu_lu_stopped (k->task, 0);
    w->kind = LU_FULL;
    load_matrix (k);
  }
  return block_factor (k);
}

// Returns rcond from the factors and the norm of the matrix; 0 if they are not finite.
static real rcond_of (lu_work *k, real norm)
{
  const lu_space *w = k->w;
  const gla_blas_int n = (gla_blas_int)w->n, ld = (gla_blas_int)w->ld;
  const real *a = (const real *)w->a;
  gla_blas_int info;
  real rcond = 0;
  if (!is_finite_size (largest_in (k)) || !(norm <= GLA_MAX))
    return 0;
  gla_blas_in ();
  if (w->kind == LU_FULL)
    GLA_BLAS (gecon) ("1", &n, a, &ld, &norm, &rcond, w->work, more_of (w), &info, 1);
  else if (w->kind == LU_DEFINITE)
    GLA_BLAS (pocon) ("L", &n, a, &ld, &norm, &rcond, w->work, more_of (w), &info, 1);
  else
    GLA_BLAS (trcon)
  ("1", w->kind == LU_UPPER ? "U" : "L", "N", &n, a, &ld, &rcond, w->work, more_of (w), &info, 1, 1,
   1);
  gla_blas_out ();
  return rcond;
}

//------------------------------------------------------------------------------
// solutions of least norm
//------------------------------------------------------------------------------

// Computes columns first .. of X of least norm; returns the rank. Columns of B that are not finite
// are 0 here and NaN in X.
static int64_t least_norm_strip (const lu_shape *shape, const lu_system *s, int64_t first,
                                 int64_t columns, const lu_space *w)
{
  const gla_blas_int n = (gla_blas_int)w->n, ld = (gla_blas_int)w->ld, r = (gla_blas_int)columns;
  const real tolerance = (real)w->n * GLA_EPS; // as in src/qr/least_squares.c
  const scalar nan = scalar_make ((real)NAN, GLA_COMPLEX ? (real)NAN : 0);
  gla_blas_int rank, info;
  copy_columns_of (&s->A, w->n, w->n, w->a, w->ld);
  copy_right_sides (shape, s, first, columns, 0, w->b, w->ld);
  for (int64_t j = 0; j < columns; j++)
    if (!is_finite_size (largest_bits (w->b + j * w->ld, w->n, 1, w->ld)))
      memset (w->b + j * w->ld, 0, (size_t)w->n * sizeof *w->b);
#if GLA_COMPLEX
  gla_blas_in ();
  GLA_BLAS (gelsd)
  (&n, &n, &r, (real *)w->a, &ld, (real *)w->b, &ld, w->s, &tolerance, &rank, w->work,
   &w->work_size, w->more, w->integers, &info);
  gla_blas_out ();
#else
  gla_blas_in ();
  GLA_BLAS (gelsd)
  (&n, &n, &r, w->a, &ld, w->b, &ld, w->s, &tolerance, &rank, w->work, &w->work_size, w->integers,
   &info);
  gla_blas_out ();
#endif
  store_columns (shape, s, first, columns, w->b, w->ld);
  for (int64_t j = 0; j < columns; j++) {
    copy_right_sides (shape, s, first + j, 1, 0, w->b, w->ld);
    if (info != 0 || !is_finite_size (largest_bits (w->b, w->n, 1, w->ld)))
      fill_columns (shape, s, first + j, 1, nan);
  }
  return info == 0 ? rank : 0;
}

// Solves each page of B separately, so that the result does not depend on how many there are.
static void solve_least_norm (const lu_work *k)
{
  const lu_shape *shape = k->shape;
  const int64_t page = shape->inner * (1 + shape->pairs);
  for (int64_t p = 0; p < shape->columns; p += page)
    for (int64_t j = 0; j < page && !gla_cpu_lu_stopped (k->task, 0); j += STRIP)
      least_norm_strip (shape, k->s, p + j, gla_min (STRIP, page - j), k->w);
}

//------------------------------------------------------------------------------
// pivots that are nothing but rounding error
//------------------------------------------------------------------------------

// Returns the sum of the sizes of the terms that form pivot j.
static real terms_of_pivot (const lu_space *w, int64_t j)
{
  real sum = 0;
  for (int64_t i = 0; i <= j; i++) {
    const real l = i == j && w->kind == LU_FULL ? 1 : pivot_size (w->a[j + i * w->ld]);
    sum += l * (w->kind == LU_FULL ? pivot_size (w->a[i + j * w->ld]) : l);
  }
  return sum;
}

// Returns how large a rounding error may be relative to its terms. It grows with the order: if the
// last of 160 rows depended on others, a fifth of the pages left more than 16 eps of them, 0.5 %
// more than 16 n eps. In single precision that would be as large as pivots of ordinary pages, and
// 1.6 % have more than 16 sqrt (n) eps.
static real rounding_of_pivots (int64_t n)
{
  return 16 * GLA_EPS * (GLA_SINGLE ? real_sqrt ((real)n) : (real)n);
}

// Returns the first such pivot, from 1, or 0. Scaling rows and columns does not change it: a pivot
// is compared with the numbers whose difference it is, not with other pivots. That takes long in
// large matrices, so only pivots that are small beside the largest entry are checked.
static gla_blas_int rounded_pivot (const lu_space *w, bits largest)
{
  enum { GROWTH = 4 };
  const real errors = rounding_of_pivots (w->n);
  real most;
  memcpy (&most, &largest, sizeof most);
  if (w->kind == LU_UPPER || w->kind == LU_LOWER)
    return 0;
  for (int64_t j = 0; j < w->n; j++) {
    const real d = pivot_size (w->a[j + j * w->ld]), size = w->kind == LU_FULL ? d : d * d;
    if (size / GROWTH <= 16 * GLA_EPS * (real)w->n * most && size <= errors * terms_of_pivot (w, j))
      return (gla_blas_int)(j + 1);
  }
  return 0;
}

// Sets k->info if the rank is not full by the rule of rectangular matrices; then all of X must be
// computed again. Else there are factors again. Returns 0 when the work must end.
static int decide_rank (lu_work *k, lu_space *w, bits largest)
{
  const int64_t columns = k->shape->inner * (1 + k->shape->pairs);
  const gla_blas_int at = rounded_pivot (w, largest);
  if (at == 0 || columns == 0)
    return 1;
  if (least_norm_strip (k->shape, k->s, 0, gla_min (STRIP, columns), w) < w->n) {
    k->info = at;
    return 1;
  }
  load_matrix (k);
  return factor (k, w);
}

//------------------------------------------------------------------------------
// the system
//------------------------------------------------------------------------------

static void answer_not_finite (const lu_shape *shape, lu_system *s)
{
  const real nan = (real)NAN;
  s->info = (int)shape->n + 1;
  s->rcond = nan;
  fill_columns (shape, s, 0, shape->columns, scalar_make (nan, GLA_COMPLEX ? nan : 0));
}

// Computes X from the factors.
static void solve_factored (lu_work *k)
{
  if (!k->shape->inverse && k->info == 0)
    solve_right_sides (k);
  else if (!k->shape->inverse)
    solve_least_norm (k);
  else if (k->info == 0)
    store_inverse (k);
  else
    fill_columns (k->shape, k->s, 0, k->shape->columns, scalar_make ((real)INFINITY, 0));
}

// If the work must end, X is undefined.
static void lapack_solve (const gla_cpu_lu_task *task, const lu_shape *shape, lu_system *s,
                          char *work)
{
  lu_space w;
  lapack_layout (work, shape, task->team, &w);
  lu_work k = {.task = task, .shape = shape, .s = s, .w = &w, .with_norm = shape->rcond};
  s->info = 0;
  s->rcond = 0;
  bits largest = load_matrix (&k);
  if (gla_cpu_lu_stopped (task, 0))
    return;
  if (!is_finite_size (largest)) {
    answer_not_finite (shape, s);
    return;
  }
  real norm = shape->rcond ? norm_1 (&w) : 0;
  w.kind = kind_of (w.a, w.n, w.ld, w.s);
  w.exponent = exponent_for (largest, w.kind);
  if (w.exponent != 0) {
    largest = load_matrix (&k);
    norm = shape->rcond ? norm_1 (&w) : 0;
  }
  if (gla_cpu_lu_stopped (task, 0) || !factor (&k, &w))
    return;
  const int divided = needs_division (&w);
  if (divided && !divide_solve (&k, &w, norm, &s->rcond))
    return;
  if (!divided && shape->rcond && k.info == 0)
    s->rcond = rcond_of (&k, norm);
  if (!divided && !shape->inverse && k.info == 0 && !decide_rank (&k, &w, largest))
    return;
  s->info = (int)k.info;
  if (!gla_cpu_lu_stopped (task, 0) && !(divided && k.info == 0))
    solve_factored (&k);
}

#endif

// least_squares_min_norm.h: the least squares solution of least norm of one page, of any rank
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A*D^-1*P = Q*S by QR with column pivoting, where the powers of two D bring the columns to about
// one length. The first r rows of S are used, those before the diagonal falls below max (m, n) eps
// times its first entry. If r < n, T = S*P'*D has the rows that X must satisfy, and a QR of T'
// gives the X of least norm (Golub, Van Loan 2013, section 5.5).

#ifndef GPULINALG_CPU_LEAST_SQUARES_MIN_NORM_H
#define GPULINALG_CPU_LEAST_SQUARES_MIN_NORM_H

#include "common/products.h"
#include "common/scalar.h"
#include "cpu/common/carve.h"
#include "cpu/common/exponent.h"
#include "cpu/common/minmax.h"

#include "least_squares.h"
#include "least_squares_triangle.h"

#include <math.h>
#include <string.h>

typedef struct {
  real *a, *c, *t; // A and S, B and Q'*B and X, T'
  real *tau, *tau_t, *lapack;
  real *more; // real workspace of geqp3 for complex types
  gla_blas_int *perm, lapack_size;
  int *exponent; // of D
  int least;     // bound for weights
  int64_t m, n, r, k, rows_c;
} least_norm;

static size_t least_norm_layout (char *base, const gla_pages_job *job, least_norm *w)
{
  const size_t el = GLA_PARTS * sizeof (real);
  size_t at = 0;
  w->m = job->A.rows, w->n = job->A.columns, w->r = job->X.columns;
  w->k = gla_min (w->m, w->n), w->rows_c = gla_max (w->m, w->n);
  w->lapack_size = (gla_blas_int)(64 * gla_max (w->n, w->r) + 2 * w->n + 65 * 64);
  w->a = gla_carve (base, &at, (size_t)(w->m * w->n) * el);
  w->c = gla_carve (base, &at, (size_t)(w->rows_c * w->r) * el);
  w->t = gla_carve (base, &at, (size_t)(w->n * w->k) * el);
  w->tau = gla_carve (base, &at, (size_t)w->k * el);
  w->tau_t = gla_carve (base, &at, (size_t)w->k * el);
  w->lapack = gla_carve (base, &at, (size_t)w->lapack_size * el);
  w->more = gla_carve (base, &at, 2 * (size_t)w->n * sizeof (real));
  w->perm = gla_carve (base, &at, (size_t)w->n * sizeof *w->perm);
  w->exponent = gla_carve (base, &at, (size_t)w->n * sizeof *w->exponent);
  return at;
}

// Sets to = 2^-e * from with the largest entry about 1; returns e.
static int load_column (int64_t rows, const real *from, real *to)
{
  const int e = column_exponent (from, rows);
  const real down = power_of_two (-e);
  for (int64_t i = 0; i < rows * GLA_PARTS; i++)
    to[i] = down * from[i];
  return e;
}

// e may be any; numbers out of range become 0 or Inf.
static void scale_by (int64_t count, real *x, int e)
{
  for (int64_t i = 0; i < count * GLA_PARTS; i++)
    x[i] = GLA_SINGLE ? (real)scalbnf ((float)x[i], e) : (real)scalbn ((double)x[i], e);
}

// Sets c = Q*c or Q'*c for `count` reflectors of so many rows in a.
static void apply_reflectors (const least_norm *w, const char *op, int64_t rows, int64_t count,
                              const real *a, const real *tau)
{
  const gla_blas_int im = (gla_blas_int)rows, in = (gla_blas_int)w->r, ik = (gla_blas_int)count;
  const gla_blas_int ic = (gla_blas_int)w->rows_c;
  gla_blas_int info;
  if (w->r < 1 || count < 1)
    return;
  gla_blas_in ();
  GLA_UNMQR ("L", op, &im, &in, &ik, a, &im, tau, w->c, &ic, w->lapack, &w->lapack_size, &info, 1,
             1);
  gla_blas_out ();
}

// Finds S and its rank; the permutation counts from 0.
static int64_t pivoted_rank (const least_norm *w)
{
  const gla_blas_int im = (gla_blas_int)w->m, in = (gla_blas_int)w->n;
  gla_blas_int info;
  memset (w->perm, 0, (size_t)w->n * sizeof *w->perm);
#if GLA_COMPLEX
  gla_blas_in ();
  GLA_BLAS (geqp3)
  (&im, &in, w->a, &im, w->perm, w->tau, w->lapack, &w->lapack_size, w->more, &info);
  gla_blas_out ();
#else
  gla_blas_in ();
  GLA_BLAS (geqp3) (&im, &in, w->a, &im, w->perm, w->tau, w->lapack, &w->lapack_size, &info);
  gla_blas_out ();
#endif
  for (int64_t j = 0; j < w->n; j++)
    w->perm[j]--;
  const real least = (real)w->rows_c * GLA_EPS * real_abs (w->a[0]);
  int64_t rank = 0;
  while (rank < w->k && real_abs (w->a[(rank + rank * w->m) * GLA_PARTS]) > least)
    rank++;
  return rank;
}

// Columns of A that are shorter than the longest one by more than this are short.
enum { SHORT_COLUMN = GLA_SINGLE ? -10 : -16, NO_BOUND = GLA_SINGLE ? -100 : -1000 };

// Returns the exponent of column j of T relative to the longest column of A, but at least the
// bound.
static int weight (const least_norm *w, int largest, int64_t j)
{
  const int e = w->exponent[w->perm[j]] - largest;
  return e > w->least ? e : w->least;
}

static int largest_exponent (const least_norm *w)
{
  int largest = w->exponent[0];
  for (int64_t j = 1; j < w->n; j++)
    largest = w->exponent[j] > largest ? w->exponent[j] : largest;
  return largest;
}

// Does the QR of T'.
static void factor_rows (int64_t rank, int largest, const least_norm *w)
{
  const gla_blas_int in = (gla_blas_int)w->n, ik = (gla_blas_int)rank;
  gla_blas_int info;
  for (int64_t i = 0; i < rank; i++)
    for (int64_t j = 0; j < w->n; j++) {
      scalar *t = (scalar *)w->t + j + i * w->n;
      *t = scalar_make (0, 0);
      if (j >= i) {
        *t = scalar_conj (((const scalar *)w->a)[i + j * w->m]);
        *t = scalar_scale (power_of_two (weight (w, largest, j)), *t);
      }
    }
  gla_blas_in ();
  GLA_BLAS (geqrf) (&in, &ik, w->t, &in, w->tau_t, w->lapack, &w->lapack_size, &info);
  gla_blas_out ();
}

// Whether a row of T consists almost only of short columns.
static int needs_short_columns (int64_t rank, const least_norm *w)
{
  real smallest = INFINITY, longest = 0;
  for (int64_t i = 0; i < rank; i++) {
    const real r = real_abs (w->t[(i + i * w->n) * GLA_PARTS]);
    smallest = r < smallest ? r : smallest;
    longest = r > longest ? r : longest;
  }
  return !(smallest >= power_of_two (SHORT_COLUMN) * longest);
}

// c: Q'*B on entry, on return D*X in the order of the pivots. If the rank depends on short columns
// they count as longer: their large X would make the others lose digits.
static void solve_deficient (int64_t rank, least_norm *w)
{
  const int largest = largest_exponent (w);
  int shortest = 0;
  for (int64_t j = 0; j < w->n; j++)
    shortest = gla_min (shortest, w->exponent[j] - largest);
  w->least = NO_BOUND;
  factor_rows (rank, largest, w);
  if (shortest < SHORT_COLUMN && needs_short_columns (rank, w)) {
    w->least = SHORT_COLUMN;
    factor_rows (rank, largest, w);
  }
  trsm ((triangle_form){"L", "U", "C", "N"}, rank, w->r, 1, w->t, w->n, w->c, w->rows_c);
  for (int64_t j = 0; j < w->r; j++)
    memset (w->c + (rank + j * w->rows_c) * GLA_PARTS, 0,
            (size_t)((w->n - rank) * GLA_PARTS) * sizeof *w->c);
  apply_reflectors (w, "N", w->n, rank, w->t, w->tau_t);
  for (int64_t j = 0; j < w->r; j++)
    for (int64_t i = 0; i < w->n; i++) {
      scalar *x = (scalar *)w->c + i + j * w->rows_c;
      *x = scalar_scale (power_of_two (weight (w, largest, i)), *x);
    }
}

static int all_finite (const gla_array *a, int64_t page)
{
  bits largest = 0;
  for (int64_t j = 0; j < a->columns; j++)
    largest = largest_of (column_at (a, page, j), a->rows * GLA_PARTS, largest);
  return (int)(largest >> GLA_FRACTION) <= 2 * GLA_BIAS;
}

// Stores column j of X from column j of c, whose exponent is e.
static void store_solution (const gla_pages_job *job, int64_t page, int64_t j, int e,
                            const least_norm *w)
{
  scalar *to = (scalar *)column_of (&job->X, page, j);
  const scalar *from = (const scalar *)w->c + j * w->rows_c;
  for (int64_t i = 0; i < w->n; i++) {
    const int64_t row = w->perm[i];
    to[row] = from[i];
    scale_by (1, (real *)(to + row), e - w->exponent[row]);
  }
}

// Solves pages that are left to it; info becomes how many columns or rows depend on others.
static void least_norm_page (const gla_pages_job *job, int64_t page, char *work)
{
  least_norm w;
  if (job->info[page] != GLA_INFO_AGAIN)
    return;
  if (!all_finite (&job->A, page) || !all_finite (&job->B, page)) {
    fill_nan (&job->X, page);
    job->info[page] = (int32_t)(job->A.columns + 1);
    return;
  }
  least_norm_layout (work, job, &w);
  for (int64_t j = 0; j < w.n; j++)
    w.exponent[j] = load_column (w.m, column_at (&job->A, page, j), w.a + j * w.m * GLA_PARTS);
  const int64_t rank = pivoted_rank (&w);
  for (int64_t j = 0; j < w.r; j++)
    load_column (w.m, column_at (&job->B, page, j), w.c + j * w.rows_c * GLA_PARTS);
  apply_reflectors (&w, GLA_COMPLEX ? "C" : "T", w.m, w.k, w.a, w.tau);
  if (rank == w.n)
    trsm ((triangle_form){"L", "U", "N", "N"}, w.n, w.r, 1, w.a, w.m, w.c, w.rows_c);
  else if (rank > 0)
    solve_deficient (rank, &w);
  else
    for (int64_t j = 0; j < w.r; j++)
      memset (w.c + j * w.rows_c * GLA_PARTS, 0, (size_t)(w.n * GLA_PARTS) * sizeof *w.c);
  for (int64_t j = 0; j < w.r; j++)
    store_solution (job, page, j, column_exponent (column_at (&job->B, page, j), w.m), &w);
  job->info[page] = (int32_t)(w.k - rank);
}

#endif

// gsvd_rank.h: finds ranks, and splits the null space of one matrix off a pair
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A column counts as dependent if the part that is independent of the chosen columns is below a
// threshold of its own: so neither grading of the columns nor one large column is mistaken for loss
// of rank.

#ifndef GPULINALG_CPU_GSVD_GSVD_RANK_H
#define GPULINALG_CPU_GSVD_GSVD_RANK_H

#include "common/products.h"
#include "common/scalar.h"
#include "cpu/common/minmax.h"

#include "gsvd.h"
#include "gsvd_lapack.h"

#include <string.h>

// A product of factors, the first one outermost.
enum { MOST_FACTORS = 5 };

typedef struct {
  factor f[MOST_FACTORS];
  int count;
} factor_chain;

static void chain_push (factor_chain *c, factor f)
{
  c->f[c->count++] = f;
}

static inline scalar *scalar_at (real *a, int64_t lda, int64_t i, int64_t j)
{
  return (scalar *)a + i + j * lda;
}

static real column_norm (int64_t rows, const real *x)
{
  real sum = 0;
  for (int64_t i = 0; i < rows * GLA_PARTS; i++)
    sum += x[i] * x[i];
  return real_sqrt (sum);
}

static void swap_arrays (int64_t count, real *x, real *y)
{
  for (int64_t i = 0; i < count; i++) {
    const real t = x[i];
    x[i] = y[i];
    y[i] = t;
  }
}

//------------------------------------------------------------------------------
// QR that finds the rank
//------------------------------------------------------------------------------

typedef struct {
  int64_t rows, columns, lda;
  real *a, *tau;
  real *threshold; // of each column; permuted with them
  int *perm;
} rank_qr;

static void exchange (const rank_qr *q, int64_t i, int64_t j)
{
  if (i == j)
    return;
  swap_arrays (q->rows * GLA_PARTS, q->a + i * q->lda * GLA_PARTS, q->a + j * q->lda * GLA_PARTS);
  swap_arrays (1, q->threshold + i, q->threshold + j);
  const int t = q->perm[i];
  q->perm[i] = q->perm[j];
  q->perm[j] = t;
}

// Moves dependent columns among k..*last-1 to the end, sets their independent part to zero, and
// puts the longest of the others at k; returns whether there is one.
static int choose_column (const rank_qr *q, int64_t k, int64_t *last)
{
  real most = 0;
  int64_t best = k;
  for (int64_t j = k; j < *last;) {
    real *x = q->a + (k + j * q->lda) * GLA_PARTS;
    const real norm = column_norm (q->rows - k, x);
    if (norm <= q->threshold[j]) {
      memset (x, 0, (size_t)((q->rows - k) * GLA_PARTS) * sizeof *x);
      exchange (q, j, --*last);
      continue;
    }
    if (norm > most)
      most = norm, best = j;
    j++;
  }
  if (*last > k)
    exchange (q, k, best);
  return *last > k;
}

// Applies H' = I - conj (tau) v v' of column k to the columns after it, up to last; row is scratch.
static void reflect_rest (const rank_qr *q, int64_t k, int64_t last, real *row)
{
  const int64_t rows = q->rows - k, rest = last - k - 1;
  real *v = q->a + (k + k * q->lda) * GLA_PARTS, *right = v + q->lda * GLA_PARTS;
  const scalar beta = *(scalar *)v, tau = scalar_conj (((scalar *)q->tau)[k]);
  *(scalar *)v = scalar_make (1, 0);
  gemm ("C", "N", 1, rest, rows, 1, v, q->lda, right, q->lda, 0, row, 1);
  for (int64_t j = 0; j < rest; j++)
    ((scalar *)row)[j] = scalar_mul (tau, ((scalar *)row)[j]);
  gemm ("N", "N", rows, rest, 1, -1, v, q->lda, row, 1, 1, right, q->lda);
  *(scalar *)v = beta;
}

// Finds A P = Q R with the independent columns first; returns how many there are, -1 if the work
// must end. Reflectors and R are stored in a as in LAPACK; R of dependent columns is zero below the
// rows of the independent ones. The longest remaining column is chosen in each step, as in LAPACK's
// geqp3.
static int64_t find_rank (const gla_cpu_gsvd_task *task, const rank_qr *q, real *row)
{
  const gla_blas_int one = 1;
  int64_t k = 0, last = q->columns;
  for (int64_t j = 0; j < q->columns; j++)
    q->perm[j] = (int)j;
  for (; choose_column (q, k, &last); k++) {
    const gla_blas_int rows = (gla_blas_int)(q->rows - k);
    real *x = q->a + (k + k * q->lda) * GLA_PARTS;
    if (gla_cpu_gsvd_stopped (task))
      return -1;
    GLA_BLAS (larfg) (&rows, x, x + GLA_PARTS * (rows > 1), &one, q->tau + k * GLA_PARTS);
    reflect_rest (q, k, last, row);
  }
  return k;
}

//------------------------------------------------------------------------------
// one null space
//------------------------------------------------------------------------------

// A pair of matrices with the same columns, and what is negligible in each column.
typedef struct {
  real *f, *g; // rows_f x columns, rows_g x columns
  real *threshold_f, *threshold_g;
  int64_t rows_f, rows_g, columns, ldf, ldg;
} matrix_pair;

// Memory for the factors of a deflation; it must stay as long as their chains.
typedef struct {
  real *f, *g, *tau_f, *tau_g;
} deflated;

// Temporary memory of both.
typedef struct {
  real *row, *threshold;
  int *perm, *perm_rest;
  lapack_work lapack;
} rank_scratch;

// Does `count` columns of project after l, from the first on.
static void project_columns (const matrix_pair *a, int64_t l, int64_t first, int64_t count,
                             const deflated *to, const rank_scratch *w, real eps)
{
  const int64_t ld = a->rows_f;
  real *Y = to->g + (l + first) * a->ldg * GLA_PARTS;
  real *f2 = to->f + (l + first) * ld * GLA_PARTS;
  trsm ((triangle_form){"L", "U", "N", "N"}, l, count, 1, to->g, a->ldg, Y, a->ldg);
  for (int64_t j = 0; j < count; j++) {
    real sum = a->threshold_f[w->perm[l + first + j]];
    for (int64_t i = 0; i < l; i++)
      sum += eps * w->row[i] * real_sqrt (scalar_abs2 (*scalar_at (Y, a->ldg, i, j)));
    w->threshold[first + j] = sum;
  }
  gemm ("N", "N", ld, count, l, -1, to->f, ld, Y, a->ldg, 1, f2, ld);
}

// Replaces columns l.. of f by those of f on the null space of g: F2 - F1 Y, with G1 Y = G2. The
// threshold includes what F1 Y cancels.
static void project (const matrix_pair *a, int64_t l, const deflated *to, const rank_scratch *w,
                     real eps)
{
  const int64_t rest = a->columns - l, parts = GLA_PARTS * GLA_PARTS;
  const int64_t columns = piece ((double)((l * (l + 2 * a->rows_f) + 1) * parts));
  for (int64_t i = 0; rest > 0 && i < l; i++)
    w->row[i] = column_norm (a->rows_f, to->f + i * a->rows_f * GLA_PARTS);
  for (int64_t j = 0; j < rest && !must_end (&w->lapack); j += columns)
    project_columns (a, l, j, gla_min (columns, rest - j), to, w, eps);
}

// Splits off the null space of g. Afterwards g is a triangle of full rank l, and f lacks the k rows
// that the null space takes. Q of both joins the chains, at these offsets. Returns k; -1 if the
// work must end.
static int64_t deflate (const gla_cpu_gsvd_task *task, matrix_pair *a, const deflated *to,
                        const rank_scratch *w, factor_chain *chain_f, int64_t offset_f,
                        factor_chain *chain_g, int64_t offset_g)
{
  const int64_t ldf = a->rows_f, part = GLA_PARTS;
  const real eps = GLA_EPS * (real)gla_max (a->rows_f, a->columns);
  for (int64_t j = 0; j < a->columns; j++)
    memcpy (to->g + j * a->rows_g * part, a->g + j * a->ldg * part,
            (size_t)(a->rows_g * part) * sizeof *a->g);
  a->ldg = a->rows_g;
  const rank_qr qg = {a->rows_g, a->columns, a->ldg, to->g, to->tau_g, a->threshold_g, w->perm};
  const int64_t l = find_rank (task, &qg, w->row), rest = a->columns - l;
  for (int64_t j = 0; j < a->columns && l >= 0; j++)
    memcpy (to->f + j * ldf * part, a->f + w->perm[j] * a->ldf * part,
            (size_t)(ldf * part) * sizeof *a->f);
  if (l >= 0)
    project (a, l, to, w, eps);
  real *f2 = to->f + l * ldf * part;
  const rank_qr qf = {a->rows_f, rest, ldf, f2, to->tau_f, w->threshold, w->perm_rest};
  const int64_t k = l < 0 ? -1 : find_rank (task, &qf, w->row);
  if (k < 0)
    return -1;
  apply_q (1, &(factor){f2, to->tau_f, ldf, 0, ldf, k}, l, to->f, ldf, &w->lapack);
  chain_push (chain_f, (factor){f2, to->tau_f, ldf, offset_f, a->rows_f, k});
  chain_push (chain_g, (factor){to->g, to->tau_g, a->ldg, offset_g, a->rows_g, l});

  // what is left
  for (int64_t j = 0; j < l; j++) {
    memcpy (a->f + j * (ldf - k) * part, to->f + (k + j * ldf) * part,
            (size_t)((ldf - k) * part) * sizeof *a->f);
    memset (a->g + j * l * part, 0, (size_t)(l * part) * sizeof *a->g);
    memcpy (a->g + j * l * part, to->g + j * a->ldg * part,
            (size_t)((j + 1) * part) * sizeof *a->g);
    w->threshold[j] = a->threshold_f[w->perm[j]];
  }
  memcpy (a->threshold_f, w->threshold, (size_t)l * sizeof *w->threshold);
  a->rows_f -= k;
  a->ldf = a->rows_f;
  a->rows_g = a->ldg = a->columns = l;
  return k;
}

#endif

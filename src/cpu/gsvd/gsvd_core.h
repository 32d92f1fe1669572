// gsvd_core.h: a pair whose second matrix has full column rank
// SPDX-License-Identifier: GPL-3.0-or-later
//
// F = U C X', G = V S X'. The vectors are products of factors: U of reflectors and columns of `u`,
// V of other reflectors and columns of `v` with permuted rows. The reflectors also give the rest of
// the bases.

#ifndef GPULINALG_CPU_GSVD_GSVD_CORE_H
#define GPULINALG_CPU_GSVD_GSVD_CORE_H

#include "common/scalar.h"
#include "cpu/common/exponent.h"
#include "cpu/common/lanes.h"
#include "cpu/common/minmax.h"

#include "gsvd.h"
#include "gsvd_lapack.h"
#include "cpu/common/column_pairs.h"
#include "gsvd_rank.h"
#include "gsvd_shared.h"
#include "gsvd_sweeps.h"

#include <string.h>

typedef struct {
  int64_t rank; // nonzero values; the other columns - rank are zero
  real *sigma;  // of these, not sorted; times 2^exponent
  int exponent;
  const real *u, *v; // columns of length 1, rank of them each
  int64_t rows_u, rows_v;
  factor inner;    // factor applied to v before the permutation; count 0: none
  const int *perm; // row i of the result becomes row perm[i]; NULL: none
} core_result;

typedef struct {
  real *m, *vectors; // of the one-sided Jacobi method
  real *inner;
  real *tau_f, *tau_g, *tau_inner, *sigma;
  int *perm_f, *perm_g;
  num *lanes_f, *lanes_g;
  char *members;
  size_t member_bytes;
  sweep_record *records;
  int32_t *owners;
  lapack_work lapack;
} core_work;

// A pair to be solved. Its rows begin at offset_f of U and offset_g of V.
typedef struct {
  const gla_cpu_gsvd_task *task;
  const matrix_pair *pair;
  int forced; // whatever the ranks
  const core_work *work;
  real *copy; // of F
  factor_chain *chain_f, *chain_g;
  int64_t offset_f, offset_g;
  gla_gsvd_stats *stats;
} core_problem;

enum { CORE_IRREGULAR = GLA_INFO_IRREGULAR };

// Whether the sines of columns of R against those before them are all above eps: the rank is full.
static int full_rank (int64_t n, const real *R, int64_t ldr, real eps)
{
  for (int64_t j = 0; j < n; j++) {
    const real *column = R + j * ldr * GLA_PARTS;
    const real d = real_abs (column[j * GLA_PARTS]);
    if (!(d > eps * column_norm (j + 1, column)))
      return 0;
  }
  return 1;
}

// Scales a column to a length that 2^e allows.
static void scale_column (int64_t count, real *x, int e)
{
  const real one = power_of_two (e / 2), two = power_of_two (e - e / 2);
  for (int64_t i = 0; i < count * GLA_PARTS; i++)
    x[i] = x[i] * one * two;
}

// Returns the exponent to take out of a column of both, from those of its parts in F and in G: F's
// part becomes of size 1; if this would take that of G out of range, both share.
static int shared_exponent (int zero_f, int ef, int zero_g, int eg)
{
  const int limit = GLA_SINGLE ? 50 : 450;
  if (zero_f || zero_g)
    return zero_f ? eg : ef;
  return eg - ef > limit ? eg - limit : eg - ef < -limit ? eg + limit : ef;
}

static void equilibrate (const matrix_pair *a)
{
  for (int64_t j = 0; j < a->columns; j++) {
    real *f = a->f + j * a->ldf * GLA_PARTS, *g = a->g + j * a->ldg * GLA_PARTS;
    const bits lf = largest_of (f, a->rows_f * GLA_PARTS, 0);
    const bits lg = largest_of (g, a->rows_g * GLA_PARTS, 0);
    const int e = shared_exponent (lf == 0, exponent_of (lf), lg == 0, exponent_of (lg));
    scale_column (a->rows_f, f, -e);
    scale_column (a->rows_g, g, -e);
  }
}

static int iterate_core (const gla_cpu_gsvd_task *task, const core_work *w, int64_t n, real *f,
                         int64_t rows_f, real *g, int64_t rows_g, gla_gsvd_stats *stats)
{
  const iteration it = {.task = task,
                        .hz = task->plan->method == GLA_GSVD_METHOD_HZ,
                        .columns = n,
                        .f = f,
                        .g = g,
                        .rows_f = rows_f,
                        .rows_g = rows_g,
                        .lanes_f = w->lanes_f,
                        .lanes_g = w->lanes_g,
                        .members = w->members,
                        .member_bytes = w->member_bytes,
                        .records = w->records,
                        .owners = w->owners,
                        .stats = stats};
  stats->method = task->plan->method;
  return iterate (&it);
}

static void normalise (int64_t rows, real *x, real norm)
{
  for (int64_t i = 0; i < rows * GLA_PARTS; i++)
    x[i] /= norm;
}

//------------------------------------------------------------------------------
// tangent
//------------------------------------------------------------------------------

// Scales the largest diagonal entry of R to 2^(half of the range); returns the exponent taken out,
// and how many rows of R are not negligible beside it.
static int scale_triangle (int64_t n, int64_t columns, real *R, int64_t ldr, int64_t *rank)
{
  const int top = GLA_SINGLE ? 56 : 480;
  const real least = power_of_two (-top);
  const int e = exponent_of (largest_of (R, 1, 0)) - top;
  for (int64_t j = 0; j < columns; j++)
    scale_column (gla_min (j + 1, n), R + j * ldr * GLA_PARTS, -e);
  *rank = 0;
  while (*rank < n && real_abs (R[(*rank + *rank * ldr) * GLA_PARTS]) > least)
    ++*rank;
  return e;
}

// Stores R' of the first r rows of R, columns x r.
static void adjoint_triangle (int64_t r, int64_t columns, real *R, int64_t ldr, real *to,
                              int64_t ld)
{
  for (int64_t j = 0; j < r; j++) {
    memset (scalar_at (to, ld, 0, j), 0, (size_t)j * sizeof (scalar));
    for (int64_t i = j; i < columns; i++)
      *scalar_at (to, ld, i, j) = scalar_conj (*scalar_at (R, ldr, j, i));
  }
}

// Makes m, to be orthogonalised, from the triangle R of F's QR: R', or, if F has less than full
// rank, the triangle of the QR of R'. Returns the rows of m.
static int64_t start_svd (int64_t r, int64_t columns, real *R, int64_t ldr, const core_work *w,
                          core_result *out)
{
  const int64_t part = GLA_PARTS;
  if (r == columns) {
    adjoint_triangle (r, columns, R, ldr, w->m, columns);
    return columns;
  }
  adjoint_triangle (r, columns, R, ldr, w->inner, columns);
  qr_plain (columns, r, w->inner, columns, w->tau_inner, &w->lapack);
  out->inner = (factor){w->inner, w->tau_inner, columns, 0, columns, r};
  memset (w->m, 0, (size_t)(r * r * part) * sizeof *w->m);
  for (int64_t j = 0; j < r; j++)
    memcpy (w->m + j * r * part, w->inner + j * columns * part,
            (size_t)((j + 1) * part) * sizeof *w->m);
  return r;
}

static void identity (int64_t n, real *x)
{
  memset (x, 0, (size_t)(n * n * GLA_PARTS) * sizeof *x);
  for (int64_t j = 0; j < n; j++)
    x[(j + j * n) * GLA_PARTS] = 1;
}

// Exchanges the columns of F as those of G were.
static void permute_columns (int64_t rows, int64_t n, real *f, int64_t ldf, const int *perm,
                             real *copy)
{
  for (int64_t j = 0; j < n; j++)
    memcpy (copy + j * rows * GLA_PARTS, f + j * ldf * GLA_PARTS,
            (size_t)(rows * GLA_PARTS) * sizeof *f);
  for (int64_t j = 0; j < n; j++)
    memcpy (f + j * ldf * GLA_PARTS, copy + perm[j] * rows * GLA_PARTS,
            (size_t)(rows * GLA_PARTS) * sizeof *f);
}

// Uses Drmac's tangent algorithm: G P = Q R, then the SVD of F P R^-1 by one-sided Jacobi on the
// adjoint of the triangle of its pivoted QR. Returns info; CORE_IRREGULAR if G has not full rank.
static int32_t solve_tangent (const core_problem *p, core_result *out)
{
  const gla_cpu_gsvd_task *task = p->task;
  const matrix_pair *a = p->pair;
  const core_work *w = p->work;
  const int64_t n = a->columns, k = gla_min (a->rows_f, n);
  const real eps = 10 * GLA_EPS * (real)gla_max (a->rows_g, n);
  const int vectors = task->job->u_columns > 0 || task->job->x;
  qr_pivot (a->rows_g, n, a->g, a->ldg, w->tau_g, w->perm_g, &w->lapack);
  if (!p->forced && !full_rank (n, a->g, a->ldg, eps))
    return CORE_IRREGULAR;
  permute_columns (a->rows_f, n, a->f, a->ldf, w->perm_g, p->copy);
  divide (a->rows_f, n, a->g, a->ldg, a->f, a->ldf, &w->lapack);
  qr_pivot (a->rows_f, n, a->f, a->ldf, w->tau_f, w->perm_f, &w->lapack);
  if (gla_cpu_gsvd_stopped (task))
    return 1;

  int64_t r;
  out->exponent = scale_triangle (k, n, a->f, a->ldf, &r);
  const int64_t rows = start_svd (r, n, a->f, a->ldf, w, out);
  if (vectors)
    identity (r, w->vectors);
  const int failed =
      iterate_core (task, w, r, w->m, rows, vectors ? w->vectors : NULL, r, p->stats);
  for (int64_t j = 0; j < r; j++) {
    out->sigma[j] = column_norm (rows, w->m + j * rows * GLA_PARTS);
    normalise (rows, w->m + j * rows * GLA_PARTS, out->sigma[j]);
  }
  out->rank = r;
  out->u = w->vectors, out->rows_u = r;
  out->v = w->m, out->rows_v = rows;
  out->perm = w->perm_f;
  chain_push (p->chain_f, (factor){a->f, w->tau_f, a->ldf, p->offset_f, a->rows_f, k});
  chain_push (p->chain_g, (factor){a->g, w->tau_g, a->ldg, p->offset_g, a->rows_g, n});
  return failed;
}

//------------------------------------------------------------------------------
// Hari-Zimmermann
//------------------------------------------------------------------------------

// Copies the triangle in a, with its columns in the order before pivoting.
static void unpivot (int64_t n, const real *a, int64_t lda, const int *perm, real *to)
{
  memset (to, 0, (size_t)(n * n * GLA_PARTS) * sizeof *to);
  for (int64_t j = 0; j < n; j++)
    memcpy (to + perm[j] * n * GLA_PARTS, a + j * lda * GLA_PARTS,
            (size_t)((j + 1) * GLA_PARTS) * sizeof *to);
}

// Does pivoted QR of both, then sweeps on the triangles. F must have full column rank, too. If
// columns of G are nearly dependent, large factors would cost digits of both: then it starts from F
// P R^-1 and Q, for G P = Q R, as Drmac's algorithm does.
static int32_t solve_hz (const core_problem *p, core_result *out)
{
  const matrix_pair *a = p->pair;
  const core_work *w = p->work;
  const int64_t n = a->columns;
  const real eps = 10 * GLA_EPS * (real)gla_max (gla_max (a->rows_f, a->rows_g), n);
  qr_pivot (a->rows_g, n, a->g, a->ldg, w->tau_g, w->perm_g, &w->lapack);
  if (!p->forced && !full_rank (n, a->g, a->ldg, eps))
    return CORE_IRREGULAR;
  if (full_rank (n, a->g, a->ldg, 1 / (real)(4 * n)))
    unpivot (n, a->g, a->ldg, w->perm_g, w->vectors);
  else {
    permute_columns (a->rows_f, n, a->f, a->ldf, w->perm_g, p->copy);
    divide (a->rows_f, n, a->g, a->ldg, a->f, a->ldf, &w->lapack);
    identity (n, w->vectors);
  }
  qr_pivot (a->rows_f, n, a->f, a->ldf, w->tau_f, w->perm_f, &w->lapack);
  if (!p->forced && !full_rank (n, a->f, a->ldf, eps))
    return CORE_IRREGULAR;
  unpivot (n, a->f, a->ldf, w->perm_f, w->m);
  const int failed = iterate_core (p->task, w, n, w->m, n, w->vectors, n, p->stats);
  for (int64_t j = 0; j < n; j++) {
    real *f = w->m + j * n * GLA_PARTS, *g = w->vectors + j * n * GLA_PARTS;
    const real nf = column_norm (n, f), ng = column_norm (n, g);
    out->sigma[j] = nf / ng;
    normalise (n, f, nf);
    normalise (n, g, ng);
  }
  out->rank = n;
  out->exponent = 0;
  out->u = w->m, out->v = w->vectors;
  out->rows_u = out->rows_v = n;
  out->perm = NULL;
  chain_push (p->chain_f, (factor){a->f, w->tau_f, a->ldf, p->offset_f, a->rows_f, n});
  chain_push (p->chain_g, (factor){a->g, w->tau_g, a->ldg, p->offset_g, a->rows_g, n});
  return failed;
}

#endif

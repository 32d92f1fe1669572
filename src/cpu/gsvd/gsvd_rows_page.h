// gsvd_rows_page.h: a small regular pair from A and B to U, V and X, with rows in lanes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// It uses Drmac's tangent algorithm as in gsvd_core.h, for up to 64 rows and no more columns than
// rows, without a copy between its stages. If B has not full rank, or squares of lengths would lose
// digits, it returns, and the general method does the pair.

#ifndef GPULINALG_CPU_GSVD_GSVD_ROWS_PAGE_H
#define GPULINALG_CPU_GSVD_GSVD_ROWS_PAGE_H

#include "common/scalar.h"
#include "cpu/common/exponent.h"
#include "cpu/common/lanes.h"
#include "cpu/common/minmax.h"
#include "cpu/common/rows.h"

#include "gsvd.h"
#include "gsvd_load.h"
#include "cpu/common/column_pairs.h"
#include "gsvd_results.h"
#include "gsvd_rows_qr.h"
#include "gsvd_rows_sweeps.h"
#include "gsvd_lapack.h"
#include "gsvd_sweeps.h"
#include "gsvd_work.h"

#include <string.h>

//------------------------------------------------------------------------------
// pair to triangle
//------------------------------------------------------------------------------

// Loads a column without exponent `page`, and without `column` as well.
static inline void rows_load (const real *from, int64_t rows, int64_t rv, int page, int column,
                              num *a, num *f)
{
  const int e = -page - column;
  const vec by = vec_broadcast (power_of_two (-page));
  const vec one = vec_broadcast (power_of_two (e / 2));
  const vec two = vec_broadcast (power_of_two (e - e / 2));
  load_column (f, rows, from, 1);
  for (int64_t i = 0; i < rv; i++) {
    a[i] = num_scale (by, f[i]);
    f[i] = num_scale (two, num_scale (one, f[i]));
  }
}

static void rows_load_pair (const gla_gsvd_chunk *c, int64_t page, const gsvd *w)
{
  const rows_work *r = &w->rows;
  const int64_t p = w->p, zeros = (r->rp * GLA_LANES - p) * (int64_t)sizeof (num);
  for (int64_t j = 0; j < p; j++) {
    const int e = column_exponents (w, j);
    rows_load (column_of (&c->A, page, j), w->m, r->rm, w->exponent_a, e, r->a + j * r->rm,
               r->f + j * r->rm);
    rows_load (column_of (&c->B, page, j), w->n, r->rn, w->exponent_b, e, r->b + j * r->rn,
               r->g + j * r->rn);
  }
  num *const of_a[] = {r->a, r->f, r->uf}, *const of_b[] = {r->b, r->g, r->ug};
  for (int k = 0; k < 3; k++) {
    memset (of_a[k] + p * r->rm, 0, (size_t)(zeros * r->rm));
    memset (of_b[k] + p * r->rn, 0, (size_t)(zeros * r->rn));
  }
}

// order: the order of the columns; NULL: unchanged.
static void rows_begin (rows_qr *q, int64_t rv, int64_t columns, num *c, num *u, const int *order)
{
  q->rv = rv, q->columns = columns, q->u = u;
  for (int64_t j = 0; j < registers_for (columns) * GLA_LANES; j++) {
    q->c[j] = c + (order && j < columns ? order[j] : j) * rv;
    q->t[j] = 0;
  }
}

// Stores R' of F in t, its rows in the original order of F's columns; returns the exponent taken
// out.
static int rows_triangle (const rows_qr *f, const rows_work *r)
{
  const int64_t p = f->columns, stride = r->rp * GLA_LANES * GLA_PARTS;
  const scalar corner = row_get (f->c[0], 0);
  const int e = exponent_of (abs_bits (real_sqrt (scalar_abs2 (corner))));
  const real by = power_of_two (-e);
  memset (r->t, 0, (size_t)(r->rp * (r->rp * GLA_LANES + 1)) * sizeof (num));
  for (int64_t i = 0; i < p; i++) {
    const real *from = (const real *)f->c[i];
    real *to = row_at (r->t, f->perm[i]);
    for (int64_t block = 0; block <= i / GLA_LANES; block++, from += GLA_LANES * GLA_PARTS)
      for (int l = 0; l < GLA_LANES; l++, to += stride) { // zeros below the diagonal
        to[0] = by * from[l];
#if GLA_COMPLEX
        to[GLA_LANES] = -by * from[GLA_LANES + l];
#endif
      }
  }
  return e;
}

// Makes both factorisations, and t; returns 0 if the pair does not qualify.
static int rows_prepare (const gsvd *w, rows_qr *f, rows_qr *g, int *exponent)
{
  const rows_work *r = &w->rows;
  const real eps = 10 * GLA_EPS * (real)w->n;
  rows_begin (g, r->rn, w->p, r->g, r->ug, NULL);
  if (!rows_factor (g, eps))
    return 0;
  rows_begin (f, r->rm, w->p, r->f, r->uf, g->perm);
  rows_divide (g, r->rm, f->c);
  if (!rows_factor (f, 0))
    return 0;
  const real first2 = scalar_abs2 (row_get (f->c[0], 0));
  const real last2 = scalar_abs2 (row_get (f->c[w->p - 1], w->p - 1));
  if (!(last2 >= GLA_ROWS_RATIO * GLA_ROWS_RATIO * first2))
    return 0;
  *exponent = rows_triangle (f, r);
  return 1;
}

//------------------------------------------------------------------------------
// values
//------------------------------------------------------------------------------

// Sweeps on t; returns 0 if they do not converge.
static int rows_iterate (const gla_cpu_gsvd_task *task, int vectors, gsvd *w)
{
  const rows_work *r = &w->rows;
  const real tol = cosine_tolerance (w->p);
  int going = w->p > 1;
  list_meetings (task->columns, r->rp, r->m);
  w->stats = (gla_gsvd_stats){.method = GLA_GSVD_METHOD_TANGENT};
  if (vectors) {
    memset (r->w, 0, (size_t)(r->rp * (w->p + 1)) * sizeof *r->w);
    for (int64_t j = 0; j < w->p; j++)
      row_set (r->w + j * r->rp, j, scalar_make (1, 0));
  }
  for (int s = 0; s < GLA_GSVD_MAX_SWEEPS && going; s++) {
    const sweep_record record =
        rows_sweep (task->columns, r->m, r->t, vectors ? r->w : NULL, r->rp, tol);
    w->stats.rotations[s] = record.rotations;
    w->stats.sweeps = s + 1;
    gla_cpu_gsvd_swept (task, s + 1);
    going = !converged (&record, w->p, tol);
  }
  return !going;
}

// Stores lengths of the columns of t in sigma; t becomes orthonormal.
static void rows_normalise (const rows_work *r, real *sigma)
{
  for (int64_t block = 0; block < r->rp; block++) {
    num *t = r->t + block * GLA_LANES * r->rp;
    vec square[GLA_LANES];
    for (int l = 0; l < GLA_LANES; l++) {
      square[l] = vec_broadcast (0);
      for (int64_t i = 0; i < r->rp; i++)
        square[l] += num_abs2 (t[l * r->rp + i]);
    }
    const vec length = vec_sqrt (sum_each (square));
    const vec inverse = vec_broadcast (1) / vec_select (length > 0, length, vec_broadcast (1));
    for (int l = 0; l < GLA_LANES; l++) {
      sigma[block * GLA_LANES + l] = length[l];
      for (int64_t i = 0; i < r->rp; i++)
        t[l * r->rp + i] = num_scale (vec_broadcast (inverse[l]), t[l * r->rp + i]);
    }
  }
}

// Whether no dot product of columns over- or underflowed, which happens if their lengths are too
// far apart. A value of 0 counts as a possible underflow.
static int rows_are_in_range (const gsvd *w, const real *sigma)
{
  const real least = GLA_SINGLE ? (real)0x1p-50 : (real)0x1p-480;
  for (int64_t j = 0; j < w->p; j++)
    if (!(sigma[j] >= least) || !isfinite (sigma[j]))
      return 0;
  return 1;
}

// Sorts entries, from values that are nearly in the opposite order.
static void rows_entries (gsvd *w, const real *sigma, int exponent)
{
  int order[SMALL];
  for (int i = 0; i < w->p; i++) {
    const int column = (int)w->p - 1 - i;
    int j = i;
    for (; j > 0 && sigma[column] < sigma[order[j - 1]]; j--)
      order[j] = order[j - 1];
    order[j] = column;
  }
  for (int64_t j = 0; j < w->p; j++)
    w->entries[j] = entry_of ((double)sigma[order[j]], exponent, order[j], order[j]);
}

//------------------------------------------------------------------------------
// vectors
//------------------------------------------------------------------------------

// Sets x = Q [from; 0] for the columns of `from` that the entries name, and Q of unit vectors after
// them. rp: registers of columns of `from`.
static void rows_vectors (const rows_qr *q, const entry *e, const num *from, int64_t rp,
                          int64_t count, num *x)
{
  for (int64_t j = 0; j < count; j++) {
    num *to = x + j * q->rv;
    memset (to, 0, (size_t)q->rv * sizeof *to);
    if (j < q->columns)
      memcpy (to, from + e[j].u * rp, (size_t)rp * sizeof *to);
    else
      row_set (to, j, scalar_make (1, 0));
  }
  rows_apply (q, count, x);
}

static void rows_store (const gla_array *a, int64_t page, int64_t rv, const num *x)
{
  for (int64_t j = 0; a->data != NULL && j < a->columns; j++)
    store_rows (column_of (a, page, j), a->rows, x + j * rv);
}

// Computes a column of X = A'*U*C + B'*V*S times h, from u = U*C and v = V*S.
static inline __attribute__ ((always_inline)) void rows_x_column (const rows_work *r, int64_t rm,
                                                                  int64_t rn, const num *u,
                                                                  const num *v, real h, int e,
                                                                  num *x)
{
  const vec one = vec_broadcast (h * power_of_two (e / 2));
  const vec two = vec_broadcast (power_of_two (e - e / 2));
  for (int64_t block = 0; block < r->rp; block++) {
    const num *a = r->a + block * GLA_LANES * rm, *b = r->b + block * GLA_LANES * rn;
    num sum[GLA_LANES];
#pragma GCC unroll 16
    for (int l = 0; l < GLA_LANES; l++) {
      sum[l] = num_zero ();
      for (int64_t i = 0; i < rm; i++)
        sum[l] = num_fmac (sum[l], a[l * rm + i], u[i]);
      for (int64_t i = 0; i < rn; i++)
        sum[l] = num_fmac (sum[l], b[l * rn + i], v[i]);
    }
    x[block] = num_scale (two, num_scale (one, sum_each_num (sum)));
  }
}

static void rows_x (const gla_array *X, int64_t page, const gsvd *w)
{
  const rows_work *r = &w->rows;
  num u[SMALL / GLA_LANES], v[SMALL / GLA_LANES], x[SMALL / GLA_LANES];
  for (int64_t j = 0; j < w->p; j++) {
    const real c = (real)w->entries[j].c, s = (real)w->entries[j].s;
    int e;
    for (int64_t i = 0; i < r->rm; i++)
      u[i] = num_scale (vec_broadcast (c), r->u[j * r->rm + i]);
    for (int64_t i = 0; i < r->rn; i++)
      v[i] = num_scale (vec_broadcast (s), r->v[j * r->rn + i]);
    const real h = weight_of_x (w, &w->entries[j], &e);
    if (r->rm == 4 && r->rn == 4)
      rows_x_column (r, 4, 4, u, v, h, e, x);
    else
      rows_x_column (r, r->rm, r->rn, u, v, h, e, x);
    store_rows (column_of (X, page, j), w->p, x);
  }
}

//------------------------------------------------------------------------------
// a page
//------------------------------------------------------------------------------

// Stores the results; returns 0 if the pair is not regular enough and nothing was stored.
static int solve_rows (const gla_cpu_gsvd_task *task, int64_t page, gsvd *w)
{
  const gla_gsvd_job *job = task->job;
  const gla_gsvd_chunk *c = task->chunk;
  const rows_work *r = &w->rows;
  const int wants_u = job->u_columns > 0 || job->x, wants_v = job->v_columns > 0 || job->x;
  rows_qr f, g;
  real sigma[SMALL];
  int exponent;
  rows_load_pair (c, page, w);
  if (!rows_prepare (w, &f, &g, &exponent) || !rows_iterate (task, wants_u, w))
    return 0;
  rows_normalise (r, sigma);
  if (!rows_are_in_range (w, sigma))
    return 0;
  rows_entries (w, sigma, exponent);
  store_values (c, page, job->options.blank, w);
  if (wants_u)
    rows_vectors (&f, w->entries, r->w, r->rp, gla_max (w->p, job->u_columns), r->u);
  if (wants_v)
    rows_vectors (&g, w->entries, r->t, r->rp, gla_max (w->p, job->v_columns), r->v);
  rows_store (&c->U, page, r->rm, r->u);
  rows_store (&c->V, page, r->rn, r->v);
  if (job->x)
    rows_x (&c->X, page, w);
  c->info[page] = 0;
  if (c->stats)
    c->stats[page] = w->stats;
  return 1;
}

#endif

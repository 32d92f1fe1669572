// svd_jacobi_page.h: one page by QR with column pivoting and one-sided Jacobi
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The method is that of svd_lanes.h for a page with rows in lanes: T P = Q R, R' Y = X S, so T = (Q
// Y) S (P X)'.

#ifndef GPULINALG_CPU_SVD_SVD_JACOBI_PAGE_H
#define GPULINALG_CPU_SVD_SVD_JACOBI_PAGE_H

#include "cpu/common/carve.h"
#include "cpu/common/column_sweeps.h"
#include "cpu/common/pivot.h"

#include "svd_lanes_qr.h"
#include "svd_rows.h"
#include "svd_vectors.h"

typedef struct {
  int64_t m, k;
  real *t; // T, then R and the reflectors of Q
  pivots pivots;
  real *work;
  gla_blas_int lwork;
  num *w, *y; // R' and the matrix that gathers its rotations, k columns of registers_for (k)
  real *sigma, *sorted;
  int *order;
  scalar *column;
  gla_column_order pairs;
  real *lengths2;  // m: of rows
  int *rows;       // m: their order
  scalar *swapped; // m
  int exchanged;   // whether they are in that order
} jacobi_work;

static size_t jacobi_layout (char *base, const gla_svd_job *job, jacobi_work *w)
{
  const int64_t m = gla_max (job->m, job->n), k = gla_min (job->m, job->n);
  const size_t panel = (size_t)(registers_for (k) * k) * sizeof (num);
  size_t at = 0;
  w->m = m;
  w->k = k;
  w->lwork = (gla_blas_int)(m * 64 + 65 * 64);
  w->t = gla_carve (base, &at, (size_t)(m * k) * sizeof (scalar));
  pivot_layout (base, &at, m, k, &w->pivots);
  w->work = gla_carve (base, &at, (size_t)w->lwork * sizeof (scalar));
  w->w = gla_carve (base, &at, panel);
  w->y = gla_carve (base, &at, panel);
  w->sigma = gla_carve (base, &at, (size_t)k * sizeof (real));
  w->sorted = gla_carve (base, &at, (size_t)k * sizeof (real));
  w->order = gla_carve (base, &at, (size_t)k * sizeof (int));
  w->column = gla_carve (base, &at, (size_t)k * sizeof (scalar));
  w->lengths2 = gla_carve (base, &at, (size_t)m * sizeof (real));
  w->rows = gla_carve (base, &at, (size_t)m * sizeof (int));
  w->swapped = gla_carve (base, &at, (size_t)m * sizeof (scalar));
  w->exchanged = 0;
  w->pairs.players = (int)(k + k % 2);
  w->pairs.steps = gla_ordering_steps (GLA_GSVD_ORDERING_ME, w->pairs.players);
  w->pairs.pairs =
      gla_carve (base, &at, (size_t)(w->pairs.steps * w->pairs.players) * sizeof (int32_t));
  return at;
}

//------------------------------------------------------------------------------
// values
//------------------------------------------------------------------------------

// Loads R' and the identity into lanes. Rows of R that begin with a negligible entry count as zero.
static void load_adjoint (const jacobi_work *w)
{
  const int64_t k = w->k, rv = registers_for (k);
  const scalar *t = (const scalar *)w->t;
  const real nothing = real_sqrt (GLA_SVD_NOTHING);
  int dead = 0;
  for (int64_t j = 0; j < k; j++) {
    dead |= !(real_abs (__real__ t[j + j * w->m]) > nothing);
    for (int64_t i = 0; i < k; i++)
      w->column[i] = i < j || dead ? scalar_make (0, 0) : scalar_conj (t[j + i * w->m]);
    load_column (w->w + j * rv, k, (const real *)w->column, 1);
    memset (w->y + j * rv, 0, (size_t)rv * sizeof *w->y);
    row_set (w->y + j * rv, j, scalar_make (1, 0));
  }
}

// Returns nonzero if it did not converge.
static int iterate_page (gla_cpu_svd_task *task, const jacobi_work *w, int y)
{
  const int64_t rv = registers_for (w->k);
  const real tol = (real)task->job->tol;
  const lane_panel a = {w->w, NULL, y ? w->y : NULL, rv, rv, (int)w->k};
  int going = 1;
  for (int s = 0; s < task->job->maxit && going && !gla_cpu_svd_stopped (task); s++) {
    lane_records lanes = {.cosine2 = vec_broadcast (0), .sine2 = vec_broadcast (0)};
    for (int step = 0; step < w->pairs.steps && !gla_cpu_svd_stopped (task); step++)
      sweep_step (&w->pairs, step, &a, 0, tol, &lanes);
    const sweep_record record = record_of (&lanes);
    going = !converged (&record, w->k, tol);
  }
  return going;
}

static void sort_page_values (const jacobi_work *w)
{
  const int64_t k = w->k, rv = registers_for (k);
  for (int64_t j = 0; j < k; j++) {
    vec sum = vec_broadcast (0);
    for (int64_t i = 0; i < rv; i++)
      sum += num_abs2 (w->w[i + j * rv]);
    const real square = sum_lanes (sum), x = square > GLA_SVD_NOTHING ? real_sqrt (square) : 0;
    int64_t i = j;
    w->sigma[j] = x;
    for (; i > 0 && x > w->sorted[i - 1]; i--) {
      w->sorted[i] = w->sorted[i - 1];
      w->order[i] = w->order[i - 1];
    }
    w->sorted[i] = x;
    w->order[i] = (int)j;
  }
}

//------------------------------------------------------------------------------
// vectors
//------------------------------------------------------------------------------

// Forms Q Y.
static void form_long_basis (const jacobi_work *w, const svd_basis *to)
{
  const int64_t rv = registers_for (w->k);
  const gla_blas_int m = (gla_blas_int)w->m, k = (gla_blas_int)w->k, ld = (gla_blas_int)to->ld;
  const gla_blas_int columns = (gla_blas_int)to->columns;
  gla_blas_int info;
  clear_basis (to, w->k);
  for (int64_t j = 0; j < gla_min (to->columns, w->k); j++)
    store_rows ((real *)basis_column (to, j), w->k, w->y + w->order[j] * rv);
  gla_blas_in ();
  GLA_UNMQR ("L", "N", &m, &columns, &k, w->t, &m, w->pivots.tau, to->x, &ld, w->work, &w->lwork,
             &info, 1, 1);
  gla_blas_out ();
  if (w->exchanged)
    unsort_rows (to, w->rows, w->swapped);
}

// Forms P X, normalised.
static void form_short_basis (const jacobi_work *w, const svd_basis *to)
{
  const int64_t k = w->k, rv = registers_for (k), columns = to->columns;
  int64_t rank = 0;
  for (; rank < columns && w->sorted[rank] > 0; rank++) {
    scalar *x = basis_column (to, rank);
    store_rows ((real *)w->column, k, w->w + w->order[rank] * rv);
    for (int64_t i = 0; i < k; i++)
      x[w->pivots.jpvt[i] - 1] = scalar_scale (1 / w->sorted[rank], w->column[i]);
  }
  complete_basis (k, columns, (scalar *)to->x, to->ld, rank);
}

static void solve_svd_jacobi (gla_cpu_svd_task *task, char *work, int64_t page)
{
  const gla_svd_job *job = task->job;
  const gla_svd_chunk *c = task->chunk;
  jacobi_work w;
  jacobi_layout (work, job, &w);
  gla_ordering_fill (GLA_GSVD_ORDERING_ME, w.pairs.players, w.pairs.pairs);
  svd_scale s = svd_scale_of (&c->A, page, GLA_SVD_TOP);
  const svd_bases b = bases_of (job, c, page);
  if (s.info == 0) {
    load_tall (&c->A, page, &s, w.t);
    w.exchanged = sort_rows (w.m, w.k, (scalar *)w.t, w.lengths2, w.swapped, w.rows);
    if (!pivot_factor (task->region, task->thread, w.m, w.k, w.t, w.m, &w.pivots))
      return;
    load_adjoint (&w);
    if (iterate_page (task, &w, b.of_long.columns > 0))
      s.info = (int32_t)w.k;
  }
  if (gla_cpu_svd_stopped (task))
    return;
  c->info[page] = s.info;
  if (s.info != 0) {
    store_failed (c, page, s.info);
    return;
  }
  sort_page_values (&w);
  store_page_values (job, c, page, &s, w.sorted);
  if (b.of_long.columns > 0)
    form_long_basis (&w, &b.of_long);
  if (b.of_short.columns > 0)
    form_short_basis (&w, &b.of_short);
  fix_phases (&b, job->values);
}

#endif

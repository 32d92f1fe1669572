// svd_long.h: pages that are too long for lanes, with few columns or rows
// SPDX-License-Identifier: GPL-3.0-or-later
//
// T = Q R of each page, with rows in lanes; then one R per lane are decomposed together
// (svd_lanes.h): R = (Q2 Y) S (P X)'.

#ifndef GPULINALG_CPU_SVD_SVD_LONG_H
#define GPULINALG_CPU_SVD_SVD_LONG_H

#include "cpu/common/rows_reflector.h"
#include "svd_jacobi_page.h"
#include "svd_lanes_page.h"
#include "svd_vectors.h"

//------------------------------------------------------------------------------
// long vectors from the reflectors of a page whose rows are in lanes
//------------------------------------------------------------------------------

// Q C = C - V W with W = (diag (1 ./ tau) + S) \ (V' C), S the part of V' V above its diagonal
// (Walker 1988; Joffrain and others 2006). Only k rows of C, or one row of a column, are not zero:
// so V' C and W cost little, and the rest is one product, of which a few rows at a time are formed
// in the nearest cache and written to the page of the result.

// Columns at a time, registers of rows at a time, and columns of V'*V at a time.
enum { LONG_STRIP = 32, LONG_ROWS = 4, LONG_CROSS = 6 };

typedef struct {
  int64_t m, k, rv;
  const num *v;    // rv x k
  const scalar *T; // triangles of panels, with tau on their diagonals
  scalar *S;       // k x k
  num *rows;       // k rows of registers_for (LONG_STRIP): C, V'*C, W
  scalar *c, *W;   // k x LONG_STRIP
  num *block;      // LONG_ROWS x LONG_STRIP
} long_basis;

static void long_basis_layout (char *base, size_t *at, int64_t m, int64_t k, long_basis *b)
{
  const size_t strip = (size_t)(k * LONG_STRIP) * sizeof (scalar);
  b->m = m;
  b->k = k;
  b->rv = registers_for (m);
  b->S = gla_carve (base, at, (size_t)(k * k) * sizeof (scalar));
  b->rows = gla_carve (base, at, (size_t)(k * registers_for (LONG_STRIP)) * sizeof (num));
  b->c = gla_carve (base, at, strip);
  b->W = gla_carve (base, at, strip);
  b->block = gla_carve (base, at, LONG_ROWS * LONG_STRIP * sizeof (num));
}

// Computes S of the reflectors of a page.
static void long_cross (const long_basis *b)
{
  const int64_t k = b->k, rv = b->rv;
  for (int64_t j = 0; j < k; j += LONG_CROSS) {
    const int64_t count = gla_min (LONG_CROSS, k - j), skip = j / GLA_LANES;
    cross_products (rv - skip, b->v + skip, rv, j + count, b->v + skip + j * rv, rv, count,
                    b->S + j * k, k);
  }
}

// Sets rows = V'*C in place; the columns of C are zero after row k.
static void long_times_top (const long_basis *b)
{
  enum { R = (LONG_STRIP + GLA_LANES - 1) / GLA_LANES };
  for (int64_t i = 0; i < b->k; i++) {
    num *row = b->rows + i * R;
    for (int64_t r = i + 1; r < b->k; r++) {
      const num f = num_broadcast (row_get (b->v + i * b->rv, r));
      for (int q = 0; q < R; q++)
        row[q] = num_fmac (row[q], f, b->rows[r * R + q]);
    }
  }
}

// Sets rows = (diag (1 ./ tau) + S) \ rows.
static void long_solve (const long_basis *b)
{
  enum { R = (LONG_STRIP + GLA_LANES - 1) / GLA_LANES };
  for (int64_t i = b->k - 1; i >= 0; i--) {
    const num tau = num_broadcast (b->T[i % GLA_QR_PANEL + i * GLA_QR_PANEL]);
    num *row = b->rows + i * R;
    for (int64_t j = i + 1; j < b->k; j++) {
      const num f = num_broadcast (b->S[i + j * b->k]);
      for (int q = 0; q < R; q++)
        row[q] = num_fnma (row[q], f, b->rows[j * R + q]);
    }
    for (int q = 0; q < R; q++)
      row[q] = num_mul (tau, row[q]);
  }
}

// Computes W of the columns j .. j+count-1 of [C 0; 0 I]; the first `given` are in b->c.
static void long_weights (const long_basis *b, int64_t j, int64_t count, int64_t given)
{
  enum { R = (LONG_STRIP + GLA_LANES - 1) / GLA_LANES };
  const int64_t k = b->k;
  memset (b->rows, 0, (size_t)(k * R) * sizeof *b->rows);
  for (int64_t c = 0; c < given; c++)
    for (int64_t i = 0; i < k; i++)
      row_set (b->rows + i * R, c, b->c[i + c * k]);
  if (given > 0)
    long_times_top (b);
  for (int64_t c = given; c < count; c++)
    for (int64_t i = 0; i < k; i++)
      row_set (b->rows + i * R, c, scalar_conj (row_get (b->v + i * b->rv, j + c)));
  long_solve (b);
  for (int64_t c = 0; c < count; c++)
    for (int64_t i = 0; i < k; i++)
      b->W[i + c * k] = row_get (b->rows + i * R, c);
}

// Stores columns j .. j+count-1 of Q [C 0; 0 I] in the page of the result.
static void long_columns (const long_basis *b, const svd_basis *to, int64_t j, int64_t count,
                          int64_t given)
{
  const int64_t k = b->k;
  long_weights (b, j, count, given);
  for (int64_t i = 0; i < b->rv; i += LONG_ROWS) {
    const int64_t registers = gla_min (LONG_ROWS, b->rv - i), first = i * GLA_LANES;
    const int64_t rows = gla_min (registers * GLA_LANES, b->m - first);
    memset (b->block, 0, (size_t)(LONG_ROWS * count) * sizeof *b->block);
    for (int64_t c = 0; c < count; c++)
      if (c >= given && j + c >= first && j + c < first + rows)
        row_set (b->block + c * LONG_ROWS, j + c - first, scalar_make (1, 0));
      else if (c < given)
        for (int64_t r = first; r < gla_min (first + rows, k); r++)
          row_set (b->block + c * LONG_ROWS, r - first, b->c[r + c * k]);
    subtract (registers, b->v + i, b->rv, k, b->block, LONG_ROWS, count, b->W, k);
    for (int64_t c = 0; c < count; c++)
      store_rows ((real *)(basis_column (to, j + c) + first), rows, b->block + c * LONG_ROWS);
  }
}

//------------------------------------------------------------------------------
// pages that are too long for lanes, with few columns or rows
//------------------------------------------------------------------------------

typedef struct {
  lanes_page p;         // of R
  int64_t m, k;         // of T
  num *v[GLA_LANES];    // T, then the reflectors, of each page
  scalar *T[GLA_LANES]; // triangles of the panels
  long_basis basis;     // of long vectors
  scalar *t, *R, *W;    // a page, its R, scratch
} long_work;

static size_t long_layout (char *base, const gla_svd_job *job, long_work *w)
{
  const int64_t m = gla_max (job->m, job->n), k = gla_min (job->m, job->n);
  const int64_t rv = registers_for (m);
  size_t at = lanes_page_layout (base, k, k, &w->p);
  w->m = m;
  w->k = k;
  for (int l = 0; l < GLA_LANES; l++) {
    w->v[l] = gla_carve (base, &at, (size_t)(rv * k) * sizeof (num));
    w->T[l] = gla_carve (base, &at, (size_t)(GLA_QR_PANEL * k) * sizeof (scalar));
  }
  long_basis_layout (base, &at, m, k, &w->basis);
  w->t = gla_carve (base, &at, (size_t)(m * k) * sizeof (scalar));
  w->R = gla_carve (base, &at, (size_t)(k * k) * sizeof (scalar));
  w->W = gla_carve (base, &at, (size_t)(GLA_QR_PANEL * k) * sizeof (scalar));
  return at;
}

// Stores R of a page in lane l; zeros if the page is not finite.
static void factor_long (const gla_array *A, int64_t page, int l, long_work *w)
{
  const int64_t m = w->m, k = w->k, rv = registers_for (m);
  svd_scale *s = &w->p.scale[l];
  *s = svd_scale_of (A, page, GLA_SVD_TOP);
  memset (w->R, 0, (size_t)(k * k) * sizeof *w->R);
  if (s->info == 0) {
    const real down = s->down[0] * s->down[1];
    const int direct = A->rows >= A->columns && down >= GLA_TINY && down <= GLA_MAX;
    if (!direct)
      load_tall (A, page, s, (real *)w->t);
    for (int64_t j = 0; j < k; j++)
      load_column (w->v[l] + j * rv, m,
                   direct ? column_of (A, page, j) : (const real *)(w->t + j * m),
                   direct ? down : 1);
    rows_factor (m, k, w->v[l], rv, w->R, k, w->T[l], w->W);
  }
  for (int64_t j = 0; j < k; j++)
    for (int64_t i = 0; i < k; i++)
      lane_set (w->p.s.qr.a, k, i, j, l, i <= j ? w->R[i + j * k] : scalar_make (0, 0));
}

// Forms, of R, a k x k page in each lane, P X, and Q2*Y in p->c if long vectors are wanted.
static void form_bases_of_R (const gla_svd_job *job, const lanes_page *p)
{
  const lanes_svd *s = &p->s;
  const int wide = job->m < job->n;
  const int64_t k = s->qr.k;
  const int of_long = (wide ? job->v_columns : job->u_columns) > 0;
  form_right (s);
  if (of_long)
    form_left (s);
  for (int64_t j = 0; !wide && job->v_columns > 0 && j < job->values; j++) {
    const num f = fix_phase (k, s->right + j * k);
    if (of_long)
      times_phase (k, f, s->left + j * k);
  }
  if (of_long) {
    memcpy (p->c, s->left, (size_t)(k * k) * sizeof *p->c);
    if (mask_any (~s->qr.level))
      lanes_times_Q (&s->qr, p->c, k, k);
  }
}

// Stores columns of Q [Q2*Y 0; 0 I] of lane l in the page of the result.
static void store_long_strips (const svd_basis *to, int l, long_work *w)
{
  long_basis *b = &w->basis;
  const int64_t k = w->k;
  b->v = w->v[l];
  b->T = w->T[l];
  long_cross (b);
  for (int64_t j = 0; j < to->columns; j += LONG_STRIP) {
    const int64_t count = gla_min (LONG_STRIP, to->columns - j);
    const int64_t given = gla_max (gla_min (count, k - j), 0);
    for (int64_t c = 0; c < given; c++)
      for (int64_t i = 0; i < k; i++)
        b->c[i + c * k] = lane_get (w->p.c, k, i, j + c, l);
    long_columns (b, to, j, count, given);
  }
}

// Stores the long vectors of lane l; `fix` of them get their phases, and the short ones follow.
static void store_long_vectors (const svd_basis *to, int64_t fix, int l, long_work *w)
{
  store_long_strips (to, l, w);
  for (int64_t j = 0; j < fix; j++) {
    const scalar f = fix_column (w->m, basis_column (to, j));
    for (int64_t i = 0; i < w->k; i++)
      lane_set (w->p.s.right, w->k, i, j, l,
                scalar_mul (f, lane_get (w->p.s.right, w->k, i, j, l)));
  }
}

static void store_long_bases (gla_cpu_svd_task *task, long_work *w)
{
  const gla_svd_job *job = task->job;
  const gla_svd_chunk *c = task->chunk;
  const lanes_svd *s = &w->p.s;
  const int wide = job->m < job->n;
  const gla_array *to_long = wide ? &c->V : &c->U, *to_short = wide ? &c->U : &c->V;
  const int of_long = (wide ? job->v_columns : job->u_columns) > 0;
  form_bases_of_R (job, &w->p);
  for (int l = 0; of_long && l < w->p.count; l++) {
    if (!(w->p.live >> l & 1))
      continue;
    const svd_basis to = basis_of (to_long, w->p.page[l]);
    store_long_vectors (&to, wide ? job->values : 0, l, w);
  }
  if ((wide ? job->u_columns : job->v_columns) > 0)
    write_columns (to_short, w->p.page, w->p.live, 0, to_short->columns, s->right);
}

// Whether a value of lane l is small enough, and rows differ enough, that reflectors without an
// order of rows and columns may cost its digits.
static int long_is_graded (const gla_array *A, int l, const long_work *w, real *lengths2)
{
  const lanes_svd *s = &w->p.s;
  const real most = s->sigma[s->order[l]][l];
  const real least = s->sigma[s->order[(w->k - 1) * GLA_LANES + l]][l];
  if (w->p.scale[l].info != 0 || least * 64 >= most)
    return 0;
  load_tall (A, w->p.page[l], &w->p.scale[l], (real *)w->t);
  return rows_differ (w->m, w->k, w->t, lengths2);
}

// work: the workspace of Jacobi for one page, which such pages are left to.
static void solve_long_register (gla_cpu_svd_task *task, long_work *w, char *work)
{
  jacobi_work jacobi;
  unsigned graded = 0;
  jacobi_layout (work, task->job, &jacobi);
  const gla_svd_job *job = task->job;
  const svd_sweeps wanted = sweeps_of (job);
  lanes_svd *s = &w->p.s;
  int unconverged[1][GLA_LANES];
  memset (w->p.s.qr.a, 0, (size_t)(w->k * w->k) * sizeof (num));
  for (int l = 0; l < w->p.count && !gla_cpu_svd_stopped (task); l++)
    factor_long (&task->chunk->A, w->p.page[l], l, w);
  if (gla_cpu_svd_stopped (task))
    return;
  decompose_lanes (1, &s, &wanted, unconverged);
  for (int l = 0; l < w->p.count; l++)
    if (long_is_graded (&task->chunk->A, l, w, jacobi.lengths2))
      graded |= 1u << l;
  w->p.live &= ~graded;
  store_values (job, task->chunk, &w->p);
  if (job->u_columns > 0 || job->v_columns > 0)
    store_long_bases (task, w);
  settle_register (task->chunk, &w->p, unconverged[0]);
  for (int l = 0; l < w->p.count && !gla_cpu_svd_stopped (task); l++)
    if (graded >> l & 1)
      solve_svd_jacobi (task, work, w->p.page[l]);
}

// Solves pages pages[0..count-1].
static void solve_svd_long (gla_cpu_svd_task *task, char *work, const int64_t *pages, int count)
{
  long_work w;
  char *rest = work + long_layout (work, task->job, &w);
  for (int done = 0; done < count && !gla_cpu_svd_stopped (task); done += GLA_LANES) {
    w.p.page = pages + done;
    w.p.count = (int)gla_min (GLA_LANES, count - done);
    w.p.live = first_lanes (w.p.count);
    solve_long_register (task, &w, rest);
  }
}

#endif

// svd_page.h: one page by reduction to a bidiagonal matrix
// SPDX-License-Identifier: GPL-3.0-or-later
//
// T = Q R first if T is much longer than wide; R or T = Q1 B P1', B bidiagonal. The method is that
// of LAPACK's ?gesdd, but it polls, and only the wanted columns are multiplied by the reflectors.
// Matrices that fit into the caches are reduced by svd_reduce.h, others by LAPACK.

#ifndef GPULINALG_CPU_SVD_SVD_PAGE_H
#define GPULINALG_CPU_SVD_SVD_PAGE_H

#include <string.h>

#include "common/types.h"
#include "cpu/common/carve.h"
#include "svd_reduce.h"
#include "svd_vectors.h"

//------------------------------------------------------------------------------
// the SVD of a real bidiagonal matrix by LAPACK, checked
//------------------------------------------------------------------------------

// Divide and conquer is used, and implicit QR if that does not converge or its vectors are not
// orthonormal: LAPACK's ?bdsdc deflates too little before version 3.12.1, and has lost
// orthogonality if very many values are nearly equal (issue 255 of LAPACK).

typedef struct {
  int64_t k;
  real *d, *e;           // the diagonals; d becomes the values, descending
  real *u, *vt;          // k x k
  real *keep_d, *keep_e; // copies
  real *work;            // 3 k^2 + 4 k
  gla_blas_int *iwork;   // 8 k
} bidiagonal;

static void bidiagonal_layout (char *base, size_t *at, int64_t k, int vectors, bidiagonal *b)
{
  const size_t square = vectors ? (size_t)(k * k) : 0;
  b->k = k;
  b->d = gla_carve (base, at, (size_t)k * sizeof (real));
  b->e = gla_carve (base, at, (size_t)k * sizeof (real));
  b->keep_d = gla_carve (base, at, (size_t)k * sizeof (real));
  b->keep_e = gla_carve (base, at, (size_t)k * sizeof (real));
  b->u = gla_carve (base, at, square * sizeof (real));
  b->vt = gla_carve (base, at, square * sizeof (real));
  b->work = gla_carve (base, at, (3 * square + (size_t)(8 * k)) * sizeof (real));
  b->iwork = gla_carve (base, at, (size_t)(8 * k) * sizeof (gla_blas_int));
}

// A vector of 1 and -1, always the same.
static inline real probe_element (int64_t i)
{
  return (i * 2654435761u >> 7 & 1) ? 1 : -1;
}

// Eight sums are formed at a time, so that none waits for another.
static real dot_of (int64_t k, const real *q, const real *x)
{
  real sum[8] = {0};
  int64_t i = 0;
  for (; i + 8 <= k; i += 8)
    for (int l = 0; l < 8; l++)
      sum[l] += q[i + l] * x[i + l];
  for (; i < k; i++)
    sum[0] += q[i] * x[i];
  return (sum[0] + sum[4]) + (sum[1] + sum[5]) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

// Returns the largest element of x' (Q Q' - I) for the probe x: of rows of q if `rows`, else
// columns. All are of order k eps if Q is orthogonal.
static real off_orthogonal (int64_t k, const real *q, real *y)
{
  // y = q' x, then z = q y, compared with x
  real worst = 0;
  real *z = y + k, *x = z + k;
  for (int64_t i = 0; i < k; i++)
    x[i] = probe_element (i);
  for (int64_t j = 0; j < k; j++)
    y[j] = dot_of (k, q + j * k, x);
  memset (z, 0, (size_t)k * sizeof *z);
  for (int64_t j = 0; j < k; j++)
    for (int64_t i = 0; i < k; i++)
      z[i] += q[i + j * k] * y[j];
  for (int64_t i = 0; i < k; i++) {
    const real off = real_abs (z[i] - x[i]);
    worst = off > worst || off != off ? off : worst;
  }
  return worst;
}

static int orthogonal (const bidiagonal *b)
{
  const real most = 10 * (real)b->k * GLA_EPS;
  return off_orthogonal (b->k, b->u, b->work) <= most &&
         off_orthogonal (b->k, b->vt, b->work) <= most;
}

static void set_unit (int64_t k, real *x)
{
  memset (x, 0, (size_t)(k * k) * sizeof *x);
  for (int64_t i = 0; i < k; i++)
    x[i + i * k] = 1;
}

static void restore (const bidiagonal *b)
{
  memcpy (b->d, b->keep_d, (size_t)b->k * sizeof *b->d);
  memcpy (b->e, b->keep_e, (size_t)b->k * sizeof *b->e);
}

// Returns how many values did not converge.
static int32_t bidiagonal_qr (const bidiagonal *b, int vectors)
{
  const gla_blas_int k = (gla_blas_int)b->k, none = 0, one = 1, some = vectors ? k : 0;
  const gla_blas_int ld = vectors ? k : 1;
  gla_blas_int info;
  real nothing;
  restore (b);
  if (vectors) {
    set_unit (b->k, b->u);
    set_unit (b->k, b->vt);
  }
  gla_blas_in ();
  GLA_BDSQR ("U", &k, &some, &some, &none, b->d, b->e, b->vt, &ld, b->u, &ld, &nothing, &one,
             b->work, &info, 1);
  gla_blas_out ();
  return (int32_t)info;
}

// Finds B = U diag (d) VT for the upper bidiagonal B. Returns how many values did not converge.
static int32_t solve_bidiagonal (const bidiagonal *b, int vectors)
{
  const gla_blas_int k = (gla_blas_int)b->k;
  gla_blas_int info;
  memcpy (b->keep_d, b->d, (size_t)b->k * sizeof *b->d);
  memcpy (b->keep_e, b->e, (size_t)b->k * sizeof *b->e);
  if (!vectors)
    return bidiagonal_qr (b, 0);
  gla_blas_in ();
  GLA_BDSDC ("U", "I", &k, b->d, b->e, b->u, &k, b->vt, &k, NULL, NULL, b->work, b->iwork, &info, 1,
             1);
  gla_blas_out ();
  return info == 0 && orthogonal (b) ? 0 : bidiagonal_qr (b, 1);
}

//------------------------------------------------------------------------------
// one page by reduction to a bidiagonal matrix
//------------------------------------------------------------------------------

// Bytes up to which a matrix is reduced here.
enum { REDUCE_BYTES = 1 << 22 };

typedef struct {
  int64_t m, k;       // of T
  int qr_first, here; // here: reduced by svd_reduce.h
  reduction reduction;
  scalar *right; // right reflectors of complex numbers, k x k
  real *t, *r;   // T, and R where there is QR first
  real *tau, *tauq, *taup;
  real *work;
  gla_blas_int lwork;
  bidiagonal b;
} page_work;

static size_t page_layout (char *base, const gla_svd_job *job, page_work *w)
{
  const int64_t m = gla_max (job->m, job->n), k = gla_min (job->m, job->n);
  const int vectors = job->u_columns > 0 || job->v_columns > 0;
  size_t at = 0;
  w->m = m;
  w->k = k;
  w->qr_first = m >= k + k / 2 + k / 10;
  w->lwork = (gla_blas_int)((m + gla_max (k, job->values)) * 64 + 65 * 64);
  w->t = gla_carve (base, &at, (size_t)(m * k) * sizeof (scalar));
  w->r = gla_carve (base, &at, (size_t)(w->qr_first ? k * k : 0) * sizeof (scalar));
  w->tau = gla_carve (base, &at, (size_t)k * sizeof (scalar));
  w->tauq = gla_carve (base, &at, (size_t)k * sizeof (scalar));
  w->taup = gla_carve (base, &at, (size_t)k * sizeof (scalar));
  w->work = gla_carve (base, &at, (size_t)w->lwork * sizeof (scalar));
  bidiagonal_layout (base, &at, k, vectors, &w->b);
  const int64_t rows = w->qr_first ? k : m;
  w->here = rows * k <= REDUCE_BYTES / (int64_t)sizeof (scalar);
  if (w->here)
    reduction_layout (base, &at, rows, k, &w->reduction);
  const size_t square = w->here && vectors && GLA_COMPLEX ? (size_t)(k * k) : 0;
  w->right = gla_carve (base, &at, square * sizeof (scalar));
  w->reduction.tauq = (scalar *)w->tauq;
  w->reduction.taup = (scalar *)w->taup;
  w->reduction.d = w->b.d;
  w->reduction.e = w->b.e;
  return at;
}

static void factor_qr (const page_work *w)
{
  const gla_blas_int m = (gla_blas_int)w->m, k = (gla_blas_int)w->k;
  gla_blas_int info;
  gla_blas_in ();
  GLA_BLAS (geqrf) (&m, &k, w->t, &m, w->tau, w->work, &w->lwork, &info);
  gla_blas_out ();
  scalar *r = (scalar *)w->r;
  const scalar *t = (const scalar *)w->t;
  memset (r, 0, (size_t)(w->k * w->k) * sizeof *r);
  for (int64_t j = 0; j < w->k; j++)
    memcpy (r + j * w->k, t + j * w->m, (size_t)(j + 1) * sizeof *r);
}

static void reduce_here (gla_cpu_svd_task *task, const page_work *w)
{
  const reduction *r = &w->reduction;
  const scalar *from = (const scalar *)(w->qr_first ? w->r : w->t);
  for (int64_t j = 0; j < r->k; j++)
    load_column (r->a + j * r->rv, r->m, (const real *)(from + j * r->m), 1);
  reduce_rows (task, r);
}

static void reduce (gla_cpu_svd_task *task, const page_work *w)
{
  if (w->here) {
    reduce_here (task, w);
    return;
  }
  const gla_blas_int m = (gla_blas_int)(w->qr_first ? w->k : w->m), k = (gla_blas_int)w->k;
  gla_blas_int info;
  gla_blas_in ();
  GLA_BLAS (gebrd)
  (&m, &k, w->qr_first ? w->r : w->t, &m, w->b.d, w->b.e, w->tauq, w->taup, w->work, &w->lwork,
   &info);
  gla_blas_out ();
}

// Stores columns of the basis, from those of the bidiagonal matrix: (i, j) of its vectors is at
// x[i*row + j*column].
static void put_real (const svd_basis *to, int64_t k, const real *x, int64_t row, int64_t column)
{
  clear_basis (to, k);
  for (int64_t j = 0; j < gla_min (to->columns, k); j++)
    for (int64_t i = 0; i < k; i++)
      basis_column (to, j)[i] = scalar_make (x[i * row + j * column], 0);
}

// Returns how many columns are multiplied by the reflectors between two polls.
static int64_t columns_in_piece (int64_t rows, int64_t k)
{
  const int64_t columns = (int64_t)(2e8 / (double)(rows * k * GLA_PARTS * GLA_PARTS * 4));
  return gla_max (16, columns / 16 * 16);
}

// Returns the reflectors of Q or P. Complex ones overwrite T or R.
static reflectors reflectors_of (const page_work *w, int left)
{
  const reduction *r = &w->reduction;
  const int64_t rows = left ? r->m : r->k, registers = left ? r->rv : r->kv;
  const num *from = left ? r->a : r->p;
  reflectors h = {
      (const scalar *)from,    registers * GLA_LANES, rows, left ? r->k : r->k - 1, !left,
      left ? r->tauq : r->taup};
  if (!GLA_COMPLEX)
    return h;
  scalar *to = !left ? w->right : (scalar *)(w->qr_first ? w->r : w->t);
  h.ld = rows;
  h.v = to;
  for (int64_t j = 0; j < h.count; j++)
    store_rows ((real *)(to + j * rows), rows, from + j * registers);
  return h;
}

static void times_here (gla_cpu_svd_task *task, const page_work *w, int left, const svd_basis *to)
{
  const reflectors h = reflectors_of (w, left);
  const int64_t width = columns_in_piece (h.rows, w->k);
  for (int64_t j = 0; j < to->columns && !gla_cpu_svd_stopped (task); j += width)
    back_multiply (&h, basis_column (to, j), to->ld, gla_min (width, to->columns - j),
                   (scalar *)w->work);
}

// Multiplies the first rows of the basis by vect "Q" or "P" of gebrd.
static void times_bidiagonal (gla_cpu_svd_task *task, const page_work *w, const char *vect,
                              const svd_basis *to)
{
  if (w->here) {
    times_here (task, w, *vect == 'Q', to);
    return;
  }
  const int long_rows = *vect == 'Q' && !w->qr_first;
  const gla_blas_int rows = (gla_blas_int)(long_rows ? w->m : w->k), k = (gla_blas_int)w->k;
  const gla_blas_int lda = (gla_blas_int)(w->qr_first ? w->k : w->m), ld = (gla_blas_int)to->ld;
  const real *a = w->qr_first ? w->r : w->t;
  const int64_t columns = to->columns, width = columns_in_piece (rows, k);
  gla_blas_int info;
  for (int64_t j = 0; j < columns && !gla_cpu_svd_stopped (task); j += width) {
    const gla_blas_int count = (gla_blas_int)gla_min (width, columns - j);
    gla_blas_in ();
    GLA_UNMBR (vect, "L", "N", &rows, &count, &k, a, &lda, *vect == 'Q' ? w->tauq : w->taup,
               to->x + j * to->ld * GLA_PARTS, &ld, w->work, &w->lwork, &info, 1, 1, 1);
    gla_blas_out ();
  }
}

static void times_qr (gla_cpu_svd_task *task, const page_work *w, const svd_basis *to)
{
  const gla_blas_int m = (gla_blas_int)w->m, k = (gla_blas_int)w->k, ld = (gla_blas_int)to->ld;
  const int64_t width = columns_in_piece (m, k);
  gla_blas_int info;
  for (int64_t j = 0; j < to->columns && !gla_cpu_svd_stopped (task); j += width) {
    const gla_blas_int count = (gla_blas_int)gla_min (width, to->columns - j);
    gla_blas_in ();
    GLA_UNMQR ("L", "N", &m, &count, &k, w->t, &m, w->tau, to->x + j * to->ld * GLA_PARTS, &ld,
               w->work, &w->lwork, &info, 1, 1);
    gla_blas_out ();
  }
}

static void form_bases (gla_cpu_svd_task *task, const page_work *w, const svd_bases *b)
{
  const int64_t k = w->k;
  if (b->of_long.columns > 0) {
    put_real (&b->of_long, k, w->b.u, 1, k);
    // with QR first the columns after k are those of Q alone
    svd_basis inner = b->of_long;
    inner.columns = w->qr_first ? gla_min (inner.columns, k) : inner.columns;
    times_bidiagonal (task, w, "Q", &inner);
    if (w->qr_first)
      times_qr (task, w, &b->of_long);
  }
  if (b->of_short.columns > 0) {
    put_real (&b->of_short, k, w->b.vt, k, 1);
    times_bidiagonal (task, w, "P", &b->of_short);
  }
}

static void solve_svd_page (gla_cpu_svd_task *task, int64_t page)
{
  const gla_svd_job *job = task->job;
  const gla_svd_chunk *c = task->chunk;
  const int vectors = job->u_columns > 0 || job->v_columns > 0;
  page_work w;
  page_layout (task->work, job, &w);
  svd_scale s = svd_scale_of (&c->A, page, 0);
  if (s.info == 0) {
    load_tall (&c->A, page, &s, w.t);
    if (w.qr_first)
      factor_qr (&w);
    if (gla_cpu_svd_stopped (task))
      return;
    reduce (task, &w);
    if (gla_cpu_svd_stopped (task))
      return;
    s.info = solve_bidiagonal (&w.b, vectors);
  }
  if (gla_cpu_svd_stopped (task))
    return;
  c->info[page] = s.info;
  if (s.info != 0) {
    store_failed (c, page, s.info);
    return;
  }
  const svd_bases b = bases_of (job, c, page);
  store_page_values (job, c, page, &s, w.b.d);
  form_bases (task, &w, &b);
  fix_phases (&b, job->values);
}

#endif

// page_solve.h: one page at a time, with LAPACK around the tridiagonal problem
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_EIG_PAGE_SOLVE_H
#define GPULINALG_CPU_EIG_PAGE_SOLVE_H

#include "cpu/common/carve.h"
#include "cpu/common/lanes.h"

#include "eig.h"
#include "ql.h"
#include "scale.h"

#include <string.h>

//------------------------------------------------------------------------------
// read
//------------------------------------------------------------------------------

// Element (i, j), i >= j, of the scaled page with (A + A')/2 taken; returns |a_ij - conj (a_ji)|^2.
static inline real symmetric_element (const real *A, int64_t ld, gla_triangle triangle,
                                      const scaling *s, int64_t i, int64_t j, real *to)
{
  const real *x = A + (i + j * ld) * GLA_PARTS, *y = A + (j + i * ld) * GLA_PARTS;
  const real f = s->down[0], g = s->down[1], half = (real)0.5;
  real lower = triangle == GLA_TRIANGLE_UPPER ? 0 : x[0] * f * g;
  real upper = triangle == GLA_TRIANGLE_LOWER ? 0 : y[0] * f * g;
  // + 0: LAPACK looks at the sign of a zero
  to[0] = (triangle == GLA_TRIANGLE_FULL ? half * (lower + upper) : lower + upper) + 0;
  real d = lower - upper, d2 = d * d;
#if GLA_COMPLEX
  lower = triangle == GLA_TRIANGLE_UPPER ? 0 : x[1] * f * g;
  upper = triangle == GLA_TRIANGLE_LOWER ? 0 : -y[1] * f * g;
  to[1] = (triangle == GLA_TRIANGLE_FULL ? half * (lower + upper) : lower + upper) + 0;
  if (i == j)
    to[1] = 0;
  d = lower - upper;
  d2 += d * d;
#endif
  return triangle == GLA_TRIANGLE_FULL ? d2 : 0;
}

// Reads a page into the lower triangle of a, and into the upper one too if `both`. By tiles,
// because element (j, i) is far from (i, j). Returns why it cannot be solved.
static scaling load_page (gla_cpu_eig_task *task, int64_t page, real *a, int both)
{
  enum { tile = 32 };
  const gla_array *A = &task->chunk->A;
  const gla_triangle triangle = task->job->triangle;
  const int64_t n = task->job->n, ld = A->column_stride;
  const real *from = (const real *)A->data + page * A->page_stride * GLA_PARTS;
  double *skew = task->chunk->skew ? &task->chunk->skew[page] : NULL;
  if (skew)
    *skew = 0;

  scaling s = scaling_of (largest_of_page (n, from, ld, triangle), n);
  if (s.info != 0)
    return s;
  real difference2 = 0;
  for (int64_t jt = 0; jt < n; jt += tile)
    for (int64_t it = jt; it < n; it += tile)
      for (int64_t j = jt; j < jt + tile && j < n; j++)
        for (int64_t i = it > j ? it : j; i < it + tile && i < n; i++) {
          real *to = a + (i + j * n) * GLA_PARTS;
          real d2 = symmetric_element (from, ld, triangle, &s, i, j, to);
          difference2 = d2 > difference2 ? d2 : difference2;
          if (both && i != j) {
            real *mirror = a + (j + i * n) * GLA_PARTS;
            mirror[0] = to[0];
#if GLA_COMPLEX
            mirror[1] = 0 - to[1];
#endif
          }
        }
  if (triangle == GLA_TRIANGLE_FULL)
    check_hermitian (&s, difference2, n, skew);
  return s;
}

//------------------------------------------------------------------------------
// solve
//------------------------------------------------------------------------------

typedef struct {
  real *a, *v, *z, *d, *e, *tau, *cs, *work;
  int64_t ldz;
  gla_blas_int lwork, liwork, *iwork;
  int *order;
  ql_page_tape *tape; // where QL finds a part of the vectors
} page_work;

static gla_blas_int page_lwork (const gla_eig_job *job, int64_t ldz)
{
  real size[2] = {0, 0}, x[2] = {0, 0}, best;
  const gla_blas_int n = (gla_blas_int)job->n, ld = (gla_blas_int)ldz, query = -1;
  gla_blas_int info;
  GLA_HETRD ("L", &n, x, &n, x, x, x, size, &query, &info, 1);
  best = size[0];
  GLA_UNMTR ("L", "L", "N", &n, &n, x, &n, x, x, GLA_COMPLEX ? &n : &ld, size, &query, &info, 1, 1,
             1);
  best = size[0] > best ? size[0] : best;
  // a float may have rounded the size down
  return (gla_blas_int)(best * (1 + 2 * GLA_EPS)) + 1;
}

static size_t page_layout (char *base, const gla_eig_job *job, int dc, page_work *w)
{
  const size_t n = (size_t)job->n, square = n * n * sizeof (real);
  size_t at = 0;
  memset (w, 0, sizeof *w);
  w->ldz = (int64_t)((n + GLA_LANES - 1) / GLA_LANES * GLA_LANES);
  w->lwork = page_lwork (job, w->ldz);
  size_t work = (size_t)w->lwork * GLA_PARTS;
  w->a = gla_carve (base, &at, square * GLA_PARTS);
  w->d = gla_carve (base, &at, n * sizeof (real));
  w->e = gla_carve (base, &at, n * sizeof (real));
  w->tau = gla_carve (base, &at, n * GLA_PARTS * sizeof (real));
  w->cs = gla_carve (base, &at, 2 * n * sizeof (real));
  w->order = gla_carve (base, &at, n * sizeof (int));
  const int part = job->range != GLA_EIG_ALL;
  if (job->vectors) {
    w->z = gla_carve (base, &at, n * (size_t)w->ldz * sizeof (real));
    w->v = GLA_COMPLEX || part
               ? gla_carve (base, &at, n * (size_t)w->ldz * GLA_PARTS * sizeof (real))
               : w->z;
  }
  if (dc) {
    // what stedc documents for COMPZ = 'I'
    w->liwork = (gla_blas_int)(3 + 5 * n);
    w->iwork = gla_carve (base, &at, (size_t)w->liwork * sizeof (gla_blas_int));
    work = work > 1 + 4 * n + n * n ? work : 1 + 4 * n + n * n;
  }
  w->work = gla_carve (base, &at, work * sizeof (real));
  return at;
}

// T = Z D Z'; column k of z, ldz apart, is eigenvector k.
static int page_tridiagonal (gla_cpu_eig_task *task, int dc, const page_work *w)
{
  const gla_eig_job *job = task->job;
  const gla_blas_int n = (gla_blas_int)job->n, ldz = (gla_blas_int)w->ldz;
  if (dc) {
    const gla_blas_int lwork = 1 + 4 * n + n * n;
    gla_blas_int info;
    GLA_STEDC ("I", &n, w->d, w->e, w->z, &ldz, w->work, &lwork, w->iwork, &w->liwork, &info, 1);
    // info says which submatrix failed, not how many eigenvalues
    return info == 0 ? 0 : (int)n;
  }
  if (w->z && !w->tape) {
    memset (w->z, 0, (size_t)n * (size_t)ldz * sizeof *w->z);
    for (int64_t i = 0; i < n; i++)
      w->z[i * w->ldz + i] = 1;
  }
  ql_problem q = {
      .n = (int)n, .d = w->d, .e = w->e, .z = w->z, .ldz = w->ldz, .cs = w->cs, .task = task};
  if (w->tape) {
    q.z = NULL;
    q.tape = w->tape;
  }
  const int bad = ql (&q, (real)job->tol, job->maxit);
  return w->tape && w->tape->failed ? (int)n : bad;
}

// Returns how many eigenvalues did not converge.
static int page_reduce (gla_cpu_eig_task *task, int dc, const page_work *w)
{
  const gla_blas_int n = (gla_blas_int)task->job->n;
  gla_blas_int info;
  GLA_HETRD ("L", &n, w->a, &n, w->d, w->e, w->tau, w->work, &w->lwork, &info, 1);
  return gla_cpu_eig_stopped (task) ? 0 : page_tridiagonal (task, dc, w);
}

// Columns of v, ldv apart, become those of Q v.
static void page_back (const page_work *w, int64_t order, int64_t columns, int64_t ldv)
{
  const gla_blas_int n = (gla_blas_int)order, k = (gla_blas_int)columns, ld = (gla_blas_int)ldv;
  gla_blas_int info;
  GLA_UNMTR ("L", "L", "N", &n, &k, w->a, &n, w->tau, w->v, &ld, w->work, &w->lwork, &info, 1, 1,
             1);
}

// Number i of column j of v.
static inline void put_real (const page_work *w, int64_t ldv, int64_t i, int64_t j, real x)
{
  real *to = w->v + (i + j * ldv) * GLA_PARTS;
  to[0] = x;
#if GLA_COMPLEX
  to[1] = 0;
#endif
}

// The wanted eigenvectors of T into the first columns of v.
static void take_columns (gla_cpu_eig_task *task, const page_work *w, int64_t n, part p,
                          int64_t ldv)
{
  if (!w->tape) {
    for (int64_t j = 0; j < p.count; j++)
      for (int64_t i = 0; i < n; i++)
        put_real (w, ldv, i, j, w->z[i + w->order[p.first + j] * w->ldz]);
    return;
  }
  // rows of z are as long as the columns are many, up to a full register
  const int64_t width = (p.count + GLA_LANES - 1) / GLA_LANES * GLA_LANES;
  memset (w->z, 0, (size_t)(n * width) * sizeof *w->z);
  for (int64_t j = 0; j < p.count; j++)
    w->z[w->order[p.first + j] * width + j] = 1;
  unwind_tape (task, w->tape, w->z, width);
  for (int64_t j = 0; j < p.count; j++)
    for (int64_t i = 0; i < n; i++)
      put_real (w, ldv, i, j, w->z[i * width + j]);
}

// Where a part of the spectrum is wanted: only its vectors are transformed back.
static void store_page_part (gla_cpu_eig_task *task, int64_t page, const scaling *s,
                             const page_work *w)
{
  const gla_array *V = &task->chunk->V;
  const int64_t n = task->job->n, ldv = w->ldz;
  const part p = store_values (task, page, s, w->d, 1, w->order);
  if (p.count == 0 || gla_cpu_eig_stopped (task))
    return;
  take_columns (task, w, n, p, ldv);
  if (gla_cpu_eig_stopped (task))
    return;
  page_back (w, n, p.count, ldv);
  for (int64_t j = 0; j < p.count; j++) {
    real *to = (real *)V->data + (page * V->page_stride + j * V->column_stride) * GLA_PARTS;
    store_column (to, w->v + j * ldv * GLA_PARTS, n, GLA_PARTS, 1);
    if (task->job->phase)
      page_phase (n, to, 1);
  }
}

static void store_page (gla_cpu_eig_task *task, int64_t page, const scaling *s, const page_work *w)
{
  const int64_t n = task->job->n, ldv = GLA_COMPLEX ? n : w->ldz;
  if (s->info == 0 && w->z && !gla_cpu_eig_stopped (task)) {
#if GLA_COMPLEX
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++)
        put_real (w, ldv, i, j, w->z[i + j * w->ldz]);
#endif
    page_back (w, n, n, ldv);
  }
  result r = {w->d, w->v, 1, ldv, GLA_PARTS, 1, task->job->phase};
  store (task, page, s, r, w->order);
}

static void solve_page (gla_cpu_eig_task *task, int dc, int64_t page)
{
  page_work w;
  ql_page_tape tape = {0};
  const int part_only = task->job->range != GLA_EIG_ALL;
  page_layout (task->work, task->job, dc, &w);
  if (part_only && task->job->vectors && !dc)
    w.tape = &tape;
  scaling s = load_page (task, page, w.a, 0);
  if (s.info == 0)
    s.info = page_reduce (task, dc, &w);
  if (part_only)
    store_page_part (task, page, &s, &w);
  else
    store_page (task, page, &s, &w);
  free_tape (&tape);
}

#endif

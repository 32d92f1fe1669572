// page_solve.h: one page at a time: reduction, the tridiagonal problem, vectors, by a team
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_EIG_PAGE_SOLVE_H
#define GPULINALG_CPU_EIG_PAGE_SOLVE_H

#include "cpu/common/carve.h"
#include "cpu/common/lanes.h"

#include "eig.h"
#include "page_reduce.h"
#include "page_dc.h"
#include "ql.h"
#include "scale.h"

#include <string.h>

//------------------------------------------------------------------------------
// read
//------------------------------------------------------------------------------

// Stores element (i, j), i >= j, of the scaled page with (A + A')/2 taken; returns |a_ij - conj
// (a_ji)|^2.
static inline real symmetric_element (const real *A, int64_t ld, gla_triangle triangle,
                                      const scaling *s, int64_t i, int64_t j, real *to)
{
  const real *x = A + (i + j * ld) * GLA_PARTS, *y = A + (j + i * ld) * GLA_PARTS;
  const real f = s->down[0], g = s->down[1], half = (real)0.5;
  real lower = triangle == GLA_TRIANGLE_UPPER ? 0 : x[0] * f * g;
  real upper = triangle == GLA_TRIANGLE_LOWER ? 0 : y[0] * f * g;
  // + 0: LAPACK uses the sign of a zero
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

// Reads a page into the lower triangle of a, and into the upper one too if `both`. It goes by
// tiles, because element (j, i) is far from (i, j). Returns why the page cannot be solved.
static scaling load_page (gla_cpu_eig_task *task, int64_t page, real *a, int64_t lda, int both)
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
  for (int64_t jt = 0; jt < n && !gla_cpu_eig_stopped (task); jt += tile)
    for (int64_t it = jt; it < n; it += tile)
      for (int64_t j = jt; j < jt + tile && j < n; j++)
        for (int64_t i = it > j ? it : j; i < it + tile && i < n; i++) {
          real *to = a + (i + j * lda) * GLA_PARTS;
          real d2 = symmetric_element (from, ld, triangle, &s, i, j, to);
          difference2 = d2 > difference2 ? d2 : difference2;
          if (both && i != j) {
            real *mirror = a + (j + i * lda) * GLA_PARTS;
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
  reduction r;
  dc dc;
  back back;
  real *z, *cs;
  int64_t ldz;
  int *order;
  ql_page_tape *tape; // used if QL finds a part of the vectors
} page_work;

// buffers: each thread has one for a strip of vectors, first of T and then of A.
static void vectors_layout (char *base, size_t *at, const gla_eig_job *job, int team, page_work *w)
{
  const int64_t n = job->n, blocks = back_blocks (n);
  const size_t of_dc = dc_strip_size (n) * sizeof (real), of_back = back_buffer_bytes (n);
  const size_t bytes = ((of_dc > of_back ? of_dc : of_back) + 63) / 64 * 64;
  w->z = gla_carve (base, at, (size_t)(n * w->ldz) * sizeof (real));
  w->back.t = gla_carve (base, at, (size_t)(blocks * BACK_BLOCK * BACK_BLOCK) * sizeof (scalar));
  w->back.buffers = gla_carve (base, at, (size_t)team * bytes);
  w->back.buffer_bytes = bytes;
}

static size_t page_layout (char *base, const gla_eig_job *job, int use_dc, int team, page_work *w)
{
  const size_t n = (size_t)job->n;
  size_t at = 0;
  memset (w, 0, sizeof *w);
  w->ldz = page_ld (job->n, sizeof (real));
  reduction_layout (base, &at, job->n, &w->r);
  w->r.a = gla_carve (base, &at, (size_t)(reduction_columns (job->n) * w->r.lda) * sizeof (scalar));
  w->r.d = gla_carve (base, &at, n * sizeof (real));
  w->r.e = gla_carve (base, &at, n * sizeof (real));
  w->r.tau = gla_carve (base, &at, n * sizeof (scalar));
  w->cs = gla_carve (base, &at, 2 * n * sizeof (real));
  w->order = gla_carve (base, &at, n * sizeof (int));
  if (job->vectors)
    vectors_layout (base, &at, job, team, w);
  if (use_dc)
    dc_layout (base, &at, job->n, &w->dc);
  return at;
}

static int page_dc (gla_cpu_eig_task *task, page_work *w)
{
  w->dc.task = task;
  w->dc.ldz = w->ldz;
  w->dc.d = w->r.d;
  w->dc.e = w->r.e;
  w->dc.z = w->z;
  w->dc.first = 0;
  w->dc.count = task->job->n;
  if (task->job->range == GLA_EIG_INDICES) {
    w->dc.first = task->job->il - 1;
    w->dc.count = task->job->columns;
  }
  w->dc.strips = (real *)w->back.buffers;
  w->dc.strip_size = w->back.buffer_bytes / sizeof (real);
  return dc_solve (&w->dc);
}

// Finds T = Z D Z'; column k of z, ldz apart, is eigenvector k. Returns how many eigenvalues did
// not converge.
static int page_tridiagonal (gla_cpu_eig_task *task, page_work *w)
{
  const gla_eig_job *job = task->job;
  const int64_t n = job->n;
  if (w->z && !w->tape) {
    memset (w->z, 0, (size_t)(n * w->ldz) * sizeof *w->z);
    for (int64_t i = 0; i < n; i++)
      w->z[i * w->ldz + i] = 1;
  }
  ql_problem q = {
      .n = (int)n, .d = w->r.d, .e = w->r.e, .z = w->z, .ldz = w->ldz, .cs = w->cs, .task = task};
  if (w->tape) {
    q.z = NULL;
    q.tape = w->tape;
  }
  const int bad = ql (&q, (real)job->tol, job->maxit);
  return w->tape && w->tape->failed ? (int)n : bad;
}

// Returns the wanted vectors of T, by the tape of QL.
static vectors_of_t vectors_from_tape (gla_cpu_eig_task *task, const page_work *w, part p)
{
  // rows of z have the number of columns, rounded up to a full register
  const int64_t n = task->job->n, width = (p.count + GLA_LANES - 1) / GLA_LANES * GLA_LANES;
  memset (w->z, 0, (size_t)(n * width) * sizeof *w->z);
  for (int64_t j = 0; j < p.count; j++)
    w->z[w->order[p.first + j] * width + j] = 1;
  unwind_tape (task, w->tape, w->z, width);
  return (vectors_of_t){w->z, width, 1, NULL};
}

// Writes the results. Only the wanted vectors are transformed back.
static void store_page (gla_cpu_eig_task *task, int64_t page, const scaling *s, page_work *w)
{
  const part p = store_values (task, page, s, w->r.d, 1, w->order);
  back *b = &w->back;
  if (p.count == 0 || gla_cpu_eig_stopped (task))
    return;
  b->task = task;
  b->n = task->job->n;
  b->page = page;
  b->a = w->r.a;
  b->ld = w->r.lda;
  b->tau = w->r.tau;
  b->columns = p.count;
  b->from = w->tape ? vectors_from_tape (task, w, p)
                    : (vectors_of_t){w->z, 1, w->ldz, w->order + p.first};
  if (!gla_cpu_eig_stopped (task))
    back_page (b);
}

static void solve_page (gla_cpu_eig_task *task, int use_dc, int64_t page)
{
  page_work w;
  ql_page_tape tape = {0};
  page_layout (task->work, task->job, use_dc, task->team, &w);
  w.r.task = task;
  if (task->job->range != GLA_EIG_ALL && task->job->vectors && !use_dc)
    w.tape = &tape;
  scaling s = load_page (task, page, (real *)w.r.a, w.r.lda, 0);
  if (s.info == 0)
    reduce_page (&w.r);
  if (!gla_cpu_eig_stopped (task)) {
    if (s.info == 0)
      s.info = use_dc ? page_dc (task, &w) : page_tridiagonal (task, &w);
    if (!gla_cpu_eig_stopped (task))
      store_page (task, page, &s, &w);
  }
  free_tape (&tape);
}

#endif

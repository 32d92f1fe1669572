// scale.h: exact scaling by powers of two, and the search for NaN and Inf
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The largest entry comes from exponent.h.

#ifndef GPULINALG_CPU_EIG_SCALE_H
#define GPULINALG_CPU_EIG_SCALE_H

#include "cpu/common/exponent.h"
#include "cpu/common/lanes.h"
#include "cpu/common/phase.h"

#include "eig.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Returns the bits of the largest entry that is to be read.
static bits largest_of_page (int64_t n, const real *A, int64_t ld, gla_triangle triangle)
{
  bits m = 0;
  for (int64_t j = 0; j < n; j++) {
    const real *column = A + j * ld * GLA_PARTS;
    if (triangle == GLA_TRIANGLE_FULL) {
      m = largest_of (column, n * GLA_PARTS, m);
      continue;
    }
    int64_t first = triangle == GLA_TRIANGLE_LOWER ? j + 1 : 0,
            count = triangle == GLA_TRIANGLE_LOWER ? n - j - 1 : j;
    m = largest_of (column + first * GLA_PARTS, count * GLA_PARTS, m);
    m = largest_of (column + j * GLA_PARTS, 1, m);
  }
  return m;
}

// What is known of a page before it is solved. Its entries are multiplied by down[0]*down[1] so
// that the largest is in [1, 2), its eigenvalues by up[0]*up[1]: two factors, because 2^1074 is not
// representable.
typedef struct {
  int32_t info; // 0: solve it
  real largest;
  real down[2], up[2];
} scaling;

static scaling scaling_of (bits largest, int64_t n)
{
  scaling s = {0, 0, {1, 1}, {1, 1}};
  memcpy (&s.largest, &largest, sizeof largest);
  if (!(s.largest <= GLA_MAX)) {
    s.info = (int32_t)(n + 1);
    s.down[0] = 0;
    return s;
  }
  int e = (int)(largest >> GLA_FRACTION) - GLA_BIAS;
  if (e == -GLA_BIAS) {
    (void)frexp (s.largest, &e);
    e--;
  }
  int half = e / 2, rest = e - half;
  s.down[0] = power_of_two (-half);
  s.down[1] = power_of_two (-rest);
  s.up[0] = power_of_two (half);
  s.up[1] = power_of_two (rest);
  return s;
}

// Checks the largest squared |A - A'| of the scaled page; marks the page if it is too large.
static void check_hermitian (scaling *s, real difference2, int64_t n, double *skew)
{
  // the largest scaled entry, in [1, 2)
  real largest = s->largest * s->down[0] * s->down[1];
  real difference = real_sqrt (difference2);
  if (s->info != 0 || difference <= 10 * (real)n * GLA_EPS * largest)
    return;
  s->info = GLA_INFO_NOT_HERMITIAN;
  double d = (double)difference * s->up[0] * s->up[1];
  if (skew)
    *skew = d <= DBL_MAX ? d : DBL_MAX;
}

// Sorts places of w[0], w[stride], ... into order[0..n-1], ascending; the sort is stable.
static void sort (int n, const real *w, int stride, int *order)
{
  for (int i = 0; i < n; i++) {
    real x = w[i * stride];
    int j = i;
    for (; j > 0 && x < w[order[j - 1] * stride]; j--)
      order[j] = order[j - 1];
    order[j] = i;
  }
}

//------------------------------------------------------------------------------
// results
//------------------------------------------------------------------------------

// Eigenvalues and eigenvectors of a page where the solver has left them. Eigenvalue j is
// w[j*w_stride]; element i of its vector is at v + (i + j*ldv)*v_stride, its imaginary part
// imag_offset further. phase: nonzero if the vectors need theirs, and v_stride is that of one page.
typedef struct {
  const real *w, *v;
  int w_stride;
  int64_t ldv, v_stride, imag_offset;
  int phase;
} result;

static inline __attribute__ ((always_inline)) void
store_column (real *to, const real *from, int64_t n, int64_t stride, int64_t imag)
{
  // + 0 makes -0 into 0: the sign of a zero depends on what the other lanes did
  (void)imag;
  for (int64_t i = 0; i < n; i++) {
    to[GLA_PARTS * i] = from[i * stride] + 0;
#if GLA_COMPLEX
    to[2 * i + 1] = from[i * stride + imag] + 0;
#endif
  }
}

// Returns the columns of V, which are rows of lambda, of each page of a job.
static inline int64_t columns_of (const gla_eig_job *job)
{
  return job->range == GLA_EIG_ALL ? job->n : job->columns;
}

// Returns the eigenvalue from the scaled one. + 0 makes -0 into 0.
static inline real unscaled (const scaling *s, real w)
{
  return w * s->up[0] * s->up[1] + 0;
}

// The part of the spectrum that is wanted: eigenvalues first.. in ascending order.
typedef struct {
  int64_t first, count;
} part;

// Returns how many of the n eigenvalues are at most x.
static int64_t at_most (int64_t n, const scaling *s, const real *w, int stride, double x)
{
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++)
    count += (double)unscaled (s, w[i * stride]) <= x;
  return count;
}

static part part_of (const gla_eig_job *job, const scaling *s, const real *w, int stride)
{
  if (s->info != 0)
    return (part){0, 0};
  switch (job->range) {
  case GLA_EIG_INDICES:
    return (part){job->il - 1, job->columns};
  case GLA_EIG_INTERVAL: {
    const int64_t first = at_most (job->n, s, w, stride, job->vl);
    return (part){first, at_most (job->n, s, w, stride, job->vu) - first};
  }
  default:
    return (part){0, job->n};
  }
}

static void nan_column (const gla_array *V, int64_t page, int64_t j)
{
  real *to = (real *)V->data + (page * V->page_stride + j * V->column_stride) * GLA_PARTS;
  for (int64_t i = 0; i < V->rows * GLA_PARTS; i++)
    to[i] = (real)NAN;
}

// Writes info, the count and the wanted eigenvalues, ascending; order has the places of all of
// them. Returns which vectors follow; a page that failed, and the rest of the results, become NaN.
static part store_values (gla_cpu_eig_task *task, int64_t page, const scaling *s, const real *w,
                          int stride, int *order)
{
  const gla_eig_chunk *c = task->chunk;
  const int64_t columns = columns_of (task->job);
  real *lambda = (real *)c->lambda.data + page * c->lambda.page_stride;
  part p = part_of (task->job, s, w, stride);
  c->info[page] = s->info;
  if (c->count != NULL)
    c->count[page] = p.count;
  p.count = p.count < columns ? p.count : columns;
  if (p.count > 0)
    sort ((int)task->job->n, w, stride, order);
  for (int64_t i = 0; i < columns; i++)
    lambda[i * c->lambda.row_stride] =
        i < p.count ? unscaled (s, w[order[p.first + i] * stride]) : (real)NAN;
  if (!task->job->vectors)
    return (part){0, 0};
  for (int64_t j = p.count; j < columns; j++)
    nan_column (&c->V, page, j);
  return p;
}

// Writes a page, or NaN if info says that it failed.
static void store (gla_cpu_eig_task *task, int64_t page, const scaling *s, result r, int *order)
{
  const gla_array *V = &task->chunk->V;
  const part p = store_values (task, page, s, r.w, r.w_stride, order);
  for (int64_t j = 0; j < p.count; j++) {
    real *to = (real *)V->data + (page * V->page_stride + j * V->column_stride) * GLA_PARTS;
    const real *from = r.v + order[p.first + j] * r.ldv * r.v_stride;
    store_column (to, from, task->job->n, r.v_stride, r.imag_offset);
    if (r.phase)
      page_phase (task->job->n, to, 1);
  }
}

#endif

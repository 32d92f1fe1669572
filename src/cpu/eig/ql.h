// ql.h: implicitly shifted QL and QR on one real symmetric tridiagonal matrix
// SPDX-License-Identifier: GPL-3.0-or-later
//
// It follows LAPACK's steqr: Wilkinson shifts, and in each block QL or QR, so that the chase runs
// from the large to the small end. Differences: e is also dropped if it is below tol*norm, which
// graded and rank-deficient matrices need to converge, and the rotations act on rows of Z (row k is
// eigenvector k), which are contiguous.

#ifndef GPULINALG_CPU_EIG_QL_H
#define GPULINALG_CPU_EIG_QL_H

#include "cpu/common/lanes_ql.h"

#include "eig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The rotation with c g + s f = r and c f - s g = 0.
static inline real lartg (real g, real f, real *c, real *s)
{
  const real up = GLA_EPS / GLA_TINY, down = GLA_TINY / GLA_EPS;
  real scale = 1, sum = g * g + f * f;
  if (sum < GLA_TINY / (GLA_EPS * GLA_EPS)) {
    if (g == 0 && f == 0) {
      *c = 1;
      *s = 0;
      return 0;
    }
    // the squares underflow; scaled by a power of two not even those of denormals do
    g *= up;
    f *= up;
    scale = down;
    sum = g * g + f * f;
  }
  real r = real_sqrt (sum), inverse = 1 / r;
  *c = g * inverse;
  *s = f * inverse;
  return r * scale;
}

// Rotates rows k+1 and k of z for k = length-1, ..., 0, where row k is z + k*step; `count`
// registers of each from `z` on. The lower row stays in registers for the next rotation.
static inline __attribute__ ((always_inline)) void
rotate_strip (int length, const real *c, const real *s, real *z, ptrdiff_t step, int count)
{
  vec low[4];
  real *row = z + length * step;
  for (int i = 0; i < count; i++)
    low[i] = ((vec *)row)[i];
  for (int k = length - 1; k >= 0; k--) {
    real *next = row - step;
    for (int i = 0; i < count; i++) {
      vec x = ((vec *)next)[i];
      ((vec *)row)[i] = s[k] * x + c[k] * low[i];
      low[i] = c[k] * x - s[k] * low[i];
    }
    row = next;
  }
  for (int i = 0; i < count; i++)
    ((vec *)row)[i] = low[i];
}

static void rotate_rows (int64_t width, int length, const real *c, const real *s, real *z,
                         ptrdiff_t step)
{
  int64_t j = 0;
  for (; j + 4 * GLA_LANES <= width; j += 4 * GLA_LANES)
    rotate_strip (length, c, s, z + j, step, 4);
  for (; j + 2 * GLA_LANES <= width; j += 2 * GLA_LANES)
    rotate_strip (length, c, s, z + j, step, 2);
  for (; j < width; j += GLA_LANES)
    rotate_strip (length, c, s, z + j, step, 1);
}

// A tridiagonal matrix as QL sees it from l on: element k is d[k*step]; for QR step is -1.
typedef struct {
  real *d, *e;
  int step;
} view;

// Does one QL step on elements 0..length of the view; stores the rotations in c, s.
static void ql_step (view t, int length, real *c, real *s)
{
  real *d = t.d, *e = t.e;
  const int h = t.step;
  real p = d[0], g = (d[h] - p) / (2 * e[0]);
  real root = real_abs (g) < 1 / GLA_EPS ? real_sqrt (g * g + 1) : real_abs (g);
  g = d[length * h] - p + e[0] / (g + (g >= 0 ? root : -root));
  real cs = 1, sn = 1;
  p = 0;
  for (int i = length - 1; i >= 0; i--) {
    real f = sn * e[i * h], b = cs * e[i * h];
    real r = lartg (g, f, &cs, &sn);
    if (i != length - 1)
      e[(i + 1) * h] = r;
    g = d[(i + 1) * h] - p;
    r = (d[i * h] - g) * sn + 2 * cs * b;
    p = sn * r;
    d[(i + 1) * h] = g + p;
    g = cs * r - b;
    c[i] = cs;
    s[i] = sn;
  }
  d[0] -= p;
  e[0] = g;
}

// All steps, if only a part of the vectors is wanted. Step k has rotations at[k].. on rows from,
// from+h, ... of Z.
typedef struct {
  int wanted, failed; // failed: there was no memory for it
  size_t steps, steps_room, used, room;
  real *c, *s;
  struct ql_taped_step {
    size_t at;
    int from, length, h;
  } * step;
} ql_page_tape;

static int grow_reals (real **a, size_t room)
{
  real *more = realloc (*a, room * sizeof **a);
  if (more != NULL)
    *a = more;
  return more != NULL;
}

static void tape_step (ql_page_tape *t, int n, struct ql_taped_step step, const real *c,
                       const real *s)
{
  const size_t length = (size_t)step.length;
  if (t->used + length > t->room) {
    const size_t room = 2 * t->room + (size_t)n * (size_t)n + length;
    t->failed |= !grow_reals (&t->c, room) || !grow_reals (&t->s, room);
    t->room = room;
  }
  if (t->steps == t->steps_room && !t->failed) {
    const size_t room = 2 * t->steps_room + 4 * (size_t)n;
    struct ql_taped_step *more = realloc (t->step, room * sizeof *more);
    t->failed |= more == NULL;
    t->step = more != NULL ? more : t->step;
    t->steps_room = room;
  }
  if (t->failed)
    return;
  step.at = t->used;
  t->step[t->steps++] = step;
  memcpy (t->c + t->used, c, length * sizeof *c);
  memcpy (t->s + t->used, s, length * sizeof *s);
  t->used += length;
}

static void free_tape (ql_page_tape *t)
{
  free (t->c);
  free (t->s);
  free (t->step);
  *t = (ql_page_tape){0};
}

enum { POLL_ROTATIONS = 1 << 18 }; // some milliseconds

// Applies all rotations, the last step first, to `count` registers of each row of x; rows are width
// numbers apart. One row stays in registers for the next rotation. Returns early if the work must
// end.
static inline __attribute__ ((always_inline)) void
unwind_strip (gla_cpu_eig_task *task, const ql_page_tape *t, real *x, int64_t width, int count)
{
  int since = 0; // the last poll
  for (size_t k = t->steps; k-- > 0;) {
    const struct ql_taped_step q = t->step[k];
    since += q.length;
    if (since >= POLL_ROTATIONS) {
      since = 0;
      if (gla_cpu_eig_stopped (task))
        return;
    }
    const real *c = t->c + q.at, *s = t->s + q.at;
    const ptrdiff_t step = q.h * width;
    real *row = x + q.from * width;
    vec low[4];
    for (int j = 0; j < count; j++)
      low[j] = ((vec *)row)[j];
    for (int i = 0; i < q.length; i++, row += step)
      for (int j = 0; j < count; j++) {
        const vec next = ((vec *)(row + step))[j];
        ((vec *)row)[j] = c[i] * low[j] + s[i] * next;
        low[j] = c[i] * next - s[i] * low[j];
      }
    for (int j = 0; j < count; j++)
      ((vec *)row)[j] = low[j];
  }
}

// Sets x <- Q' x for the matrix x of n rows of width numbers, where Q are all rotations. The
// vectors are as orthogonal as if all were computed.
static void unwind_tape (gla_cpu_eig_task *task, const ql_page_tape *t, real *x, int64_t width)
{
  int64_t j = 0;
  for (; j + 4 * GLA_LANES <= width; j += 4 * GLA_LANES)
    unwind_strip (task, t, x + j, width, 4);
  for (; j + 2 * GLA_LANES <= width; j += 2 * GLA_LANES)
    unwind_strip (task, t, x + j, width, 2);
  for (; j < width; j += GLA_LANES)
    unwind_strip (task, t, x + j, width, 1);
}

// A problem: T has the diagonal d and e below it. z, or NULL: n rows of ldz numbers, the identity
// on entry, row k the eigenvector of d[k] on return; ldz is a multiple of GLA_LANES and z aligned
// to a register. e is overwritten.
typedef struct {
  int n;
  real *d, *e, *z;
  int64_t ldz;
  real *cs;           // room for 2n rotations' entries
  real tol2, floor;   // what counts as zero
  int64_t steps;      // that are left
  ql_page_tape *tape; // or NULL
  gla_cpu_eig_task *task;
} ql_problem;

// Diagonalises the block lo..hi (hi > lo) in one direction; returns 0 if the steps ran out or the
// work must end.
static int ql_block (ql_problem *q, int lo, int hi)
{
  real *d = q->d, *e = q->e;
  const int h = real_abs (d[hi]) < real_abs (d[lo]) ? -1 : 1, size = hi - lo;
  int from = h > 0 ? lo : hi;
  const int to = h > 0 ? hi : lo;
  while (from != to + h) {
    int m = 0, left = h > 0 ? hi - from : from - lo;
    // e between elements k and k+1 of the view, and its place in e
    while (m < left) {
      int i = h > 0 ? from + m : from - m - 1;
      if (is_small (d, e[i], i, q->tol2, q->floor)) {
        e[i] = 0;
        break;
      }
      m++;
    }
    if (m == 0) {
      from += h;
      continue;
    }
    if (q->steps-- == 0 || (size > GLA_CPU_EIG_NO_POLL && gla_cpu_eig_stopped (q->task)))
      return 0;
    view t = {d + from, h > 0 ? e + from : e + from - 1, h};
    real *c = q->cs, *s = q->cs + size;
    ql_step (t, m, c, s);
    if (q->z)
      rotate_rows (q->ldz, m, c, s, q->z + from * q->ldz, h * q->ldz);
    if (q->tape)
      tape_step (q->tape, q->n, (struct ql_taped_step){0, from, m, h}, c, s);
  }
  return 1;
}

// Stores eigenvalues, not sorted, in d; maxit*n steps are allowed. Returns 0, or how many
// eigenvalues did not converge.
static int ql (ql_problem *q, real tol, int maxit)
{
  const real *d = q->d, *e = q->e;
  real norm = 0;
  for (int i = 0; i < q->n; i++) {
    norm = real_abs (d[i]) > norm ? real_abs (d[i]) : norm;
    if (i + 1 < q->n)
      norm = real_abs (e[i]) > norm ? real_abs (e[i]) : norm;
  }
  q->tol2 = tol * tol;
  q->floor = tol * norm;
  q->steps = (int64_t)maxit * q->n;
  int done = 1;
  for (int lo = 0; lo < q->n && done;) {
    int hi = lo;
    while (hi + 1 < q->n && !is_small (d, e[hi], hi, q->tol2, q->floor))
      hi++;
    if (hi > lo)
      done = ql_block (q, lo, hi);
    lo = hi + 1;
  }
  if (done)
    return 0;
  int count = 0;
  for (int i = 0; i + 1 < q->n; i++)
    count += !is_small (d, e[i], i, q->tol2, q->floor);
  return count > 0 ? count : 1;
}

#endif

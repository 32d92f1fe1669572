// block_jacobi.h: one-sided block Jacobi on one Hermitian matrix
// SPDX-License-Identifier: GPL-3.0-or-later
//
// This is the large method of Huang, Liu, Zhao (2023): A <- A B, Q <- Q B, where B diagonalises the
// Gram matrix G = Q^H A of a pair of column blocks; at the end A = A_0 Q has columns lambda_j q_j.
// The pairs of one round are disjoint, so their Gram matrices are in different lanes and the
// two-sided method serves as the inner solver. G is computed anew from A and Q, which carry
// rounding errors of eps*|A|; an element of G below 2*tol*|A| therefore counts as zero. |A| is the
// 2-norm, estimated by the largest column of A: with the Frobenius norm the threshold would be too
// large for large n.

#ifndef GPULINALG_CPU_EIG_BLOCK_JACOBI_H
#define GPULINALG_CPU_EIG_BLOCK_JACOBI_H

#include "common/products.h"
#include "cpu/common/carve.h"
#include "cpu/common/lanes.h"

#include "eig.h"
#include "jacobi.h"
#include "page_solve.h"
#include "scale.h"

#include <string.h>

enum { BLOCK = 16, PAIR = 2 * 16 };

typedef struct {
  real *a, *q, *strip, *gram, *b, *w;
  num *g, *v;
  char *active; // columns that met a large element in this sweep
  int *order;
  real limit; // an element of G above this is large
  real tol;
  int64_t n;
  int blocks;
} block_work;

static size_t block_layout (char *base, const gla_eig_job *job, block_work *w)
{
  const size_t n = (size_t)job->n, pair = PAIR, element = GLA_PARTS * sizeof (real);
  size_t at = 0;
  memset (w, 0, sizeof *w);
  w->n = job->n;
  w->blocks = (int)((n + BLOCK - 1) / BLOCK);
  w->a = gla_carve (base, &at, n * n * element);
  w->q = gla_carve (base, &at, n * n * element);
  w->strip = gla_carve (base, &at, n * pair * element);
  w->gram = gla_carve (base, &at, pair * pair * element);
  w->b = gla_carve (base, &at, pair * pair * element);
  w->g = gla_carve (base, &at, pair * pair * sizeof (num));
  w->v = gla_carve (base, &at, pair * pair * sizeof (num));
  w->w = gla_carve (base, &at, n * sizeof (real));
  w->active = gla_carve (base, &at, n);
  w->order = gla_carve (base, &at, n * sizeof (int));
  return at;
}

// Returns the first column of block k; the blocks differ by one column at most.
static inline int64_t block_start (const block_work *w, int k)
{
  return w->n * k / w->blocks;
}

// A pair of blocks: columns p0..p0+p-1 and q0..q0+q-1.
typedef struct {
  int64_t p0, q0;
  int p, q;
} block_pair;

static inline int64_t column_of (const block_pair *c, int k)
{
  return k < c->p ? c->p0 + k : c->q0 + k - c->p;
}

//------------------------------------------------------------------------------
// one pair
//------------------------------------------------------------------------------

// Stores the lower triangle of G = Q^H A for the pair in lane l; returns whether an element is
// large.
static int gram_to_lane (block_work *w, const block_pair *c, int l)
{
  const int64_t n = w->n;
  const int size = c->p + c->q;
  const int64_t part = GLA_PARTS;
  const real *ap = w->a + c->p0 * n * part, *aq = w->a + c->q0 * n * part;
  const real *qp = w->q + c->p0 * n * part, *qq = w->q + c->q0 * n * part;
  gemm ("C", "N", c->p, c->p, n, 1, qp, n, ap, n, 0, w->gram, size);
  gemm ("C", "N", c->q, c->p, n, 1, qq, n, ap, n, 0, w->gram + c->p * part, size);
  gemm ("C", "N", c->q, c->q, n, 1, qq, n, aq, n, 0, w->gram + (c->p + c->p * size) * part, size);

  int large = 0;
  for (int j = 0; j < size; j++)
    for (int i = j; i < size; i++) {
      const real *x = w->gram + (i + j * size) * part;
      real *to = (real *)&w->g[i + j * PAIR] + l;
      real x2 = x[0] * x[0];
      to[0] = x[0];
#if GLA_COMPLEX
      to[GLA_LANES] = i == j ? 0 : x[1];
      x2 += x[1] * x[1];
#endif
      if (i != j && x2 > w->limit * w->limit) {
        large = 1;
        w->active[column_of (c, i)] = w->active[column_of (c, j)] = 1;
      }
    }
  return large;
}

// Sets x <- x B on the columns of the pair.
static void multiply_pair (block_work *w, real *x, const block_pair *c)
{
  const int64_t n = w->n, part = GLA_PARTS;
  const int size = c->p + c->q;
  const size_t column = (size_t)n * part * sizeof *x;
  memcpy (w->strip, x + c->p0 * n * part, (size_t)c->p * column);
  memcpy (w->strip + c->p * n * part, x + c->q0 * n * part, (size_t)c->q * column);
  gemm ("N", "N", n, c->p, size, 1, w->strip, n, w->b, size, 0, x + c->p0 * n * part, n);
  gemm ("N", "N", n, c->q, size, 1, w->strip, n, w->b + c->p * size * part, size, 0,
        x + c->q0 * n * part, n);
}

static void rotate_pair (block_work *w, const block_pair *c, int l)
{
  const int size = c->p + c->q;
  for (int j = 0; j < size; j++)
    for (int i = 0; i < size; i++) {
      const real *from = (const real *)&w->v[i + j * PAIR] + l;
      real *to = w->b + (i + j * size) * GLA_PARTS;
      to[0] = from[0];
#if GLA_COMPLEX
      to[1] = from[GLA_LANES];
#endif
    }
  multiply_pair (w, w->a, c);
  multiply_pair (w, w->q, c);
}

//------------------------------------------------------------------------------
// sweeps
//------------------------------------------------------------------------------

// Rotates pairs first, first+1, ... of round r, at most one per lane. Returns whether one was
// rotated.
static int block_group (block_work *w, int m, int r, int first, int pairs)
{
  block_pair c[GLA_LANES];
  int large[GLA_LANES] = {0}, some = 0;
  memset (w->g, 0, sizeof (num) * PAIR * PAIR);
  for (int l = 0; l < GLA_LANES && first + l < pairs; l++) {
    int p, q;
    gla_round_robin (m, r, first + l, &p, &q);
    if (q >= w->blocks)
      continue;
    c[l].p0 = block_start (w, p);
    c[l].q0 = block_start (w, q);
    c[l].p = (int)(block_start (w, p + 1) - c[l].p0);
    c[l].q = (int)(block_start (w, q + 1) - c[l].q0);
    large[l] = gram_to_lane (w, &c[l], l);
    some |= large[l];
  }
  if (!some)
    return 0;

  // lanes without a large element stay unchanged: their floor is out of reach
  vec floor2;
  real f = w->limit / (2 * w->n);
  for (int l = 0; l < GLA_LANES; l++)
    floor2[l] = large[l] ? f * f : GLA_MAX;
  set_identity (PAIR, w->v);
  jacobi_sweeps (PAIR, w->g, w->v, floor2, vec_broadcast (w->tol * w->tol), 4);
  for (int l = 0; l < GLA_LANES; l++)
    if (large[l])
      rotate_pair (w, &c[l], l);
  return 1;
}

// Returns the largest norm of a column of A. It never exceeds the 2-norm, and equals it at the end.
static real largest_column (const block_work *w)
{
  const int64_t length = w->n * GLA_PARTS;
  real largest = 0;
  for (int64_t j = 0; j < w->n; j++) {
    real sum = 0;
    for (int64_t i = 0; i < length; i++)
      sum += w->a[i + j * length] * w->a[i + j * length];
    largest = sum > largest ? sum : largest;
  }
  return real_sqrt (largest);
}

// Returns how many columns still have large elements after the last sweep.
static int block_sweeps (gla_cpu_eig_task *task, block_work *w)
{
  const int m = w->blocks + w->blocks % 2;
  for (int sweep = 0; sweep < task->job->maxit; sweep++) {
    int rotated = 0;
    w->limit = 2 * w->tol * largest_column (w);
    memset (w->active, 0, (size_t)w->n);
    for (int r = 0; r < m - 1; r++) {
      for (int k = 0; k < m / 2; k += GLA_LANES)
        rotated |= block_group (w, m, r, k, m / 2);
      if (gla_cpu_eig_stopped (task))
        return 0;
    }
    if (!rotated)
      return 0;
  }
  int count = 0;
  for (int64_t i = 0; i < w->n; i++)
    count += w->active[i];
  return count;
}

// lambda_j = q_j^H a_j
static void rayleigh_quotients (block_work *w)
{
  const int64_t length = w->n * GLA_PARTS;
  for (int64_t j = 0; j < w->n; j++) {
    const real *a = w->a + j * length, *q = w->q + j * length;
    real sum = 0;
    for (int64_t i = 0; i < length; i++)
      sum += a[i] * q[i];
    w->w[j] = sum;
  }
}

static void solve_block (gla_cpu_eig_task *task, int64_t page)
{
  block_work w;
  block_layout (task->work, task->job, &w);
  const int64_t n = w.n;
  scaling s = load_page (task, page, w.a, n, 1);
  if (s.info == 0) {
    w.tol = (real)task->job->tol;
    memset (w.q, 0, (size_t)(n * n * GLA_PARTS) * sizeof *w.q);
    for (int64_t j = 0; j < n; j++)
      w.q[(j + j * n) * GLA_PARTS] = 1;
    s.info = block_sweeps (task, &w);
    rayleigh_quotients (&w);
  }
  result r = {w.w, w.q, 1, n, GLA_PARTS, 1, task->job->phase};
  store (task, page, &s, r, w.order);
}

#endif

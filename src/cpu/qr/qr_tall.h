// qr_tall.h: many more rows than columns: a tree of row blocks
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The method is that of Demmel, Grigori, Hoemmen, Langou 2012. Every leaf factors rows of A that
// fit into a cache; a node above factors the stacked R of its children. Applying the tree to the
// identity from the root to the leaves gives Q. The tree depends on m, n and the type only, so the
// bits do not depend on which thread does which node. Columns are scaled leaf by leaf; the R of all
// leaves get common factors before they are stacked.

#ifndef GPULINALG_CPU_QR_QR_TALL_H
#define GPULINALG_CPU_QR_QR_TALL_H

#include "common/scalar.h"
#include "cpu/common/carve.h"
#include "cpu/common/exponent.h"
#include "cpu/common/lanes.h"
#include "cpu/common/minmax.h"
#include "cpu/common/rows.h"

#include "qr.h"
#include "qr_block.h"
#include "qr_page.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { TALL_LEVELS = 24, TALL_BYTES = 128 * 1024 };
enum { TALL_ZERO = INT_MIN }; // the exponent of a column of zeros

typedef struct {
  int64_t nodes;
  int64_t rows; // of what its nodes share
  scalar *in;   // rows x n, from level 1 on: R of the children, then V
  scalar *C;    // rows x rhs, from level 1 on
  scalar *M;    // nodes*n x n: what each node gets from above
  scalar *T;    // of every node
} tall_level;

typedef struct {
  num *a, *q;
  scalar *R, *W, *G, *Z;
} tall_member;

typedef struct {
  int64_t m, n, columns; // columns: of q of a member
  int levels;
  tall_level level[TALL_LEVELS];
  int *e, *common;     // exponents: n of every leaf; of R
  int *c_e, *c_common; // the same for B: rhs of every leaf; of C
  num *first;          // V of the first leaf
  scalar *R, *C, *top, *S;
  tall_member member;
  size_t member_bytes;
  char *members;
  real *q; // where V and Q are stored, NULL: not wanted
  int64_t ldq;
  int with_blocks; // whether reflectors are reconstructed
  block_space blocks;
} tall_tree;

static int64_t tall_first (const tall_tree *t, int l, int64_t node)
{
  const tall_level *v = &t->level[l];
  if (l == 0)
    return node * (t->m / v->nodes) + gla_min (node, t->m % v->nodes);
  const int64_t children = v->rows / t->n;
  return t->n * (node * (children / v->nodes) + gla_min (node, children % v->nodes));
}

static int64_t tall_rows (const tall_tree *t, int l, int64_t node)
{
  return tall_first (t, l, node + 1) - tall_first (t, l, node);
}

// Returns the registers from one column to the next, an odd number, because a cache has few places
// for addresses that are multiples of large powers of two.
static inline int64_t tall_ld (int64_t rows)
{
  return registers_for (rows) | 1;
}

// Returns the rows of a leaf: at least 4n, less than twice this many.
static int64_t tall_leaf (int64_t n)
{
  return gla_max (4 * n, (int64_t)TALL_BYTES / (n * (int64_t)sizeof (scalar)));
}

static void tall_plan (const gla_qr_job *job, tall_tree *t)
{
  const int64_t leaf = tall_leaf (job->n), arity = leaf / job->n;
  memset (t, 0, sizeof *t);
  t->m = job->m, t->n = job->n;
  t->columns = gla_max (job->n, gla_min (job->rhs, STRIP));
  t->with_blocks = job->q_columns > job->n || job->wy || job->c_rows > job->n;
  t->level[0].rows = job->m;
  t->level[0].nodes = gla_max (1, job->m / leaf);
  for (t->levels = 1; t->level[t->levels - 1].nodes > 1; t->levels++) {
    tall_level *v = &t->level[t->levels];
    v->rows = v[-1].nodes * t->n;
    v->nodes = gla_max (1, v[-1].nodes / arity);
  }
}

static void tall_member_at (const tall_tree *t, int member, tall_member *w, size_t *bytes)
{
  const int64_t rv = tall_ld (2 * tall_leaf (t->n) + t->n), n = t->n;
  char *base = t->members ? t->members + (size_t)member * t->member_bytes : NULL;
  *bytes = 0;
  w->a = gla_carve (base, bytes, (size_t)(rv * n) * sizeof (num));
  w->q = gla_carve (base, bytes, (size_t)(rv * t->columns) * sizeof (num));
  w->R = gla_carve (base, bytes, (size_t)(n * n) * sizeof (scalar));
  w->W = gla_carve (base, bytes, (size_t)(GLA_QR_PANEL * t->columns) * sizeof (scalar));
  w->G = gla_carve (base, bytes, (size_t)(n * n) * sizeof (scalar));
  w->Z = gla_carve (base, bytes, (size_t)(n * n) * sizeof (scalar));
}

static size_t tall_layout (char *base, const gla_qr_job *job, int team, tall_tree *t)
{
  const size_t el = sizeof (scalar);
  size_t at = 0;
  tall_plan (job, t);
  const size_t n = (size_t)t->n, square = n * n * el;
  const int with_c = job->rhs > 0 && job->c_rows == job->n;
  for (int l = 0; l < t->levels; l++) {
    tall_level *v = &t->level[l];
    const size_t rows = (size_t)v->rows, nodes = (size_t)v->nodes;
    if (l > 0) {
      v->in = gla_carve (base, &at, rows * n * el);
      v->C = with_c ? gla_carve (base, &at, rows * (size_t)job->rhs * el) : NULL;
    }
    v->M = gla_carve (base, &at, nodes * square);
    v->T = gla_carve (base, &at, nodes * GLA_QR_PANEL * n * el);
  }
  t->e = gla_carve (base, &at, (size_t)t->level[0].nodes * n * sizeof (int));
  t->common = gla_carve (base, &at, n * sizeof (int));
  t->c_e = gla_carve (base, &at, with_c * (size_t)(t->level[0].nodes * job->rhs) * sizeof (int));
  t->c_common = gla_carve (base, &at, with_c * (size_t)job->rhs * sizeof (int));
  t->first = gla_carve (base, &at, (size_t)tall_ld (tall_rows (t, 0, 0)) * n * sizeof (num));
  t->R = gla_carve (base, &at, square);
  t->C = with_c ? gla_carve (base, &at, n * (size_t)job->rhs * el) : NULL;
  t->top = gla_carve (base, &at, square);
  t->S = gla_carve (base, &at, n * el);
  tall_member_at (t, 0, &t->member, &t->member_bytes);
  t->members = gla_carve (base, &at, (size_t)team * t->member_bytes);
  if (t->with_blocks)
    at +=
        block_layout (base ? base + at : NULL, job, job->n, job->c_rows > job->n, team, &t->blocks);
  return at;
}

//------------------------------------------------------------------------------
// up
//------------------------------------------------------------------------------

static void tall_load_leaf (const gla_array *A, int64_t page, int64_t first, int64_t rows,
                            const tall_member *w, int *e)
{
  const int64_t rv = tall_ld (rows);
  for (int64_t j = 0; j < A->columns; j++) {
    const real *from = column_of (A, page, j) + first * GLA_PARTS;
    const bits largest = largest_of (from, rows * GLA_PARTS, 0);
    const int exponent = exponent_of (largest);
    e[j] = largest == 0 ? TALL_ZERO : exponent;
    load_column (w->a + j * rv, rows, from, power_of_two (-exponent));
  }
}

// Computes a node's share of Q'*B: its first n rows go up.
static void tall_c (const gla_cpu_qr_task *task, int64_t page, const tall_tree *t, int l,
                    int64_t node, const tall_member *w)
{
  const int64_t first = tall_first (t, l, node), rows = tall_rows (t, l, node), n = t->n;
  const int64_t rv = tall_ld (rows), rhs = task->job->rhs;
  const tall_level *v = &t->level[l];
  const scalar *T = v->T + node * GLA_QR_PANEL * n;
  const int root = l == t->levels - 1;
  scalar *to = root ? t->C : v[1].C + node * n;
  const int64_t ldt = root ? n : v[1].rows;
  for (int64_t q = 0; q < rhs; q += t->columns) {
    const int64_t count = gla_min (t->columns, rhs - q);
    for (int64_t j = 0; j < count; j++) {
      const real *from = l == 0 ? column_of (&task->chunk->B, page, q + j)
                                : (const real *)(v->C + (q + j) * v->rows);
      num *q_j = w->q + j * rv;
      if (l == 0)
        t->c_e[node * rhs + q + j] = load_below_limit (q_j, rows, from + first * GLA_PARTS, t->m);
      else
        load_column (q_j, rows, from + first * GLA_PARTS, 1);
    }
    rows_multiply (rows, n, w->a, rv, T, 1, w->q, rv, count, 0, w->W);
    for (int64_t j = 0; j < count; j++)
      store_rows ((real *)(to + (q + j) * ldt), n, w->q + j * rv);
  }
}

static void tall_up (const gla_cpu_qr_task *task, int64_t page, const tall_tree *t, int l,
                     int64_t node, const tall_member *w)
{
  const int64_t first = tall_first (t, l, node), rows = tall_rows (t, l, node), n = t->n;
  const int64_t rv = tall_ld (rows);
  const tall_level *v = &t->level[l];
  if (l == 0)
    tall_load_leaf (&task->chunk->A, page, first, rows, w, t->e + node * n);
  else
    for (int64_t j = 0; j < n; j++)
      load_column (w->a + j * rv, rows, (const real *)(v->in + first + j * v->rows), 1);

  memset (w->R, 0, (size_t)(n * n) * sizeof *w->R);
  rows_factor (rows, n, w->a, rv, w->R, n, v->T + node * GLA_QR_PANEL * n, w->W);

  const int root = l == t->levels - 1;
  for (int64_t j = 0; j < n; j++) {
    memcpy (root ? t->R + j * n : v[1].in + node * n + j * v[1].rows, w->R + j * n,
            (size_t)n * sizeof *w->R);
    real *keep = l > 0  ? (real *)(v->in + first + j * v->rows)
                 : t->q ? t->q + (first + j * t->ldq) * GLA_PARTS
                        : NULL;
    if (keep)
      store_rows (keep, rows, w->a + j * rv);
  }
  if (l == 0 && node == 0)
    memcpy (t->first, w->a, (size_t)(rv * n) * sizeof *w->a);
  if (t->C)
    tall_c (task, page, t, l, node, w);
}

// Scales the R of all leaves in the same way, column by column.
static void tall_common_scale (const tall_tree *t)
{
  const int64_t n = t->n, leaves = t->level[0].nodes;
  for (int64_t j = 0; j < n; j++) {
    int most = TALL_ZERO;
    for (int64_t p = 0; p < leaves; p++)
      most = t->e[p * n + j] > most ? t->e[p * n + j] : most;
    t->common[j] = most == TALL_ZERO ? 0 : most;
    for (int64_t p = 0; leaves > 1 && p < leaves; p++) {
      const int e = t->e[p * n + j];
      if (e == most || e == TALL_ZERO)
        continue;
      // numbers below the range are negligible beside the largest
      const real s = e - most < 1 - GLA_BIAS ? 0 : power_of_two (e - most);
      scalar *x = t->level[1].in + p * n + j * t->level[1].rows;
      for (int64_t i = 0; i <= j; i++)
        x[i] = scalar_scale (s, x[i]);
    }
  }
}

// Does the same for Q'*B; few of its leaves have been scaled.
static void tall_common_c (const tall_tree *t, int64_t rhs)
{
  const int64_t n = t->n, leaves = t->level[0].nodes;
  for (int64_t j = 0; j < rhs; j++) {
    int most = 0;
    for (int64_t p = 0; p < leaves; p++)
      most = gla_max (most, t->c_e[p * rhs + j]);
    t->c_common[j] = most;
    for (int64_t p = 0; leaves > 1 && p < leaves; p++) {
      const int e = t->c_e[p * rhs + j];
      scalar *x = t->level[1].C + p * n + j * t->level[1].rows;
      for (int64_t i = 0; e < most && i < n; i++)
        x[i] = scalar_scale (power_of_two (e - most), x[i]);
    }
  }
}

//------------------------------------------------------------------------------
// signs
//------------------------------------------------------------------------------

// Sets Z = T*Z for all columns, from G = V'*V and the reflectors' tau: z_j = tau_j (z_j - G(j,
// j+1:) z).
static void tall_triangle (int64_t n, const scalar *T, const scalar *G, scalar *Z)
{
  for (int64_t c = 0; c < n; c++) {
    scalar *z = Z + c * n;
    for (int64_t j = n - 1; j >= 0; j--) {
      const scalar x = scalar_mul (T[j % GLA_QR_PANEL + j * GLA_QR_PANEL], z[j]);
      z[j] = x;
      for (int64_t i = 0; i < j; i++)
        z[i] -= scalar_mul (G[i + j * n], x);
    }
  }
}

// Computes Q times [M; 0] on one node; M is n x n, the result stays in w->q. It uses all reflectors
// at once, [M; 0] - V (T (V(1:n, :)'*M)), because then V is read once.
static void tall_multiply (const tall_tree *t, int64_t rows, const num *V, const scalar *T,
                           const scalar *M, int64_t ldm, const tall_member *w)
{
  const int64_t ld = tall_ld (rows), rv = registers_for (rows), n = t->n;
  memset (w->q, 0, (size_t)(ld * n) * sizeof *w->q);
  for (int64_t j = 0; j < n; j++)
    load_column (w->q + j * ld, n, (const real *)(M + j * ldm), 1);
  cross_products (registers_for (n), V, ld, n, w->q, ld, n, w->Z, n);
  for (int64_t j = 0; j < n; j += GLA_QR_PANEL) {
    const int64_t skip = j / GLA_LANES;
    cross_products (rv - skip, V + skip + j * ld, ld, gla_min (GLA_QR_PANEL, n - j),
                    V + skip + j * ld, ld, n - j, w->G + j + j * n, n);
  }
  tall_triangle (n, T, w->G, w->Z);
  subtract_wide (rv, V, ld, n, w->q, ld, n, w->Z, n);
}

// Computes the first n rows of Q along the path to the first leaf.
static void tall_top (const tall_tree *t, const tall_member *w)
{
  const int64_t n = t->n;
  memset (t->top, 0, (size_t)(n * n) * sizeof *t->top);
  for (int64_t j = 0; j < n; j++)
    t->top[j + j * n] = scalar_make (1, 0);
  for (int l = t->levels - 1; l >= 0; l--) {
    const tall_level *v = &t->level[l];
    const int64_t rows = tall_rows (t, l, 0), rv = tall_ld (rows);
    for (int64_t j = 0; l > 0 && j < n; j++)
      load_column (w->a + j * rv, rows, (const real *)(v->in + j * v->rows), 1);
    tall_multiply (t, rows, l > 0 ? w->a : t->first, v->T, t->top, n, w);
    for (int64_t j = 0; j < n; j++)
      store_rows ((real *)(t->top + j * n), n, w->q + j * rv);
  }
}

// Whether column j needed no reflection, from the first leaf to the root.
static int tall_untouched (const tall_tree *t, int64_t j)
{
  for (int l = 0; l < t->levels; l++) {
    const scalar tau = t->level[l].T[j % GLA_QR_PANEL + j * GLA_QR_PANEL];
    if (__real__ tau != 0 || __imag__ tau != 0)
      return 0;
  }
  return 1;
}

// Finds S, the signs that LAPACK's reflectors would give, with the LU factors of Q(1:n, :) - S in
// `top` (Ballard et al. 2014): the diagonal in LU has the sign of that in Householder's method.
static void tall_signs (const tall_tree *t)
{
  const int64_t n = t->n;
  scalar *a = t->top;
  for (int64_t j = 0; j < n; j++) {
    scalar *d = &a[j + j * n];
    const real re = __real__ * d;
    const int identity = (re == 1 || re == -1) && tall_untouched (t, j);
    const real s = identity ? re : (real)copysign (1, -re);
    t->S[j] = scalar_make (s, 0);
    *d -= s;
    const scalar inv = identity ? scalar_make (0, 0) : scalar_inverse (*d);
    for (int64_t i = j + 1; i < n; i++)
      a[i + j * n] = scalar_mul (a[i + j * n], inv);
    for (int64_t c = j + 1; c < n; c++)
      for (int64_t i = j + 1; i < n; i++)
        a[i + c * n] -= scalar_mul (a[i + j * n], a[j + c * n]);
  }
}

//------------------------------------------------------------------------------
// down
//------------------------------------------------------------------------------

static void tall_down (const tall_tree *t, int l, int64_t node, const tall_member *w)
{
  const int64_t first = tall_first (t, l, node), rows = tall_rows (t, l, node), n = t->n;
  const int64_t rv = tall_ld (rows);
  const tall_level *v = &t->level[l];
  for (int64_t j = 0; j < n; j++) {
    num *to = w->a + j * rv;
    load_column (to, rows,
                 l > 0 ? (const real *)(v->in + first + j * v->rows)
                       : t->q + (first + j * t->ldq) * GLA_PARTS,
                 1);
  }
  tall_multiply (t, rows, w->a, v->T + node * GLA_QR_PANEL * n, v->M + node * n, v->nodes * n, w);
  for (int64_t j = 0; j < n; j++)
    store_rows (l > 0 ? (real *)(v[-1].M + first + j * v->rows)
                      : t->q + (first + j * t->ldq) * GLA_PARTS,
                rows, w->q + j * rv);
}

#endif

// qr_tall_results.h: the sweeps over the tree of row blocks, and their results
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_QR_QR_TALL_RESULTS_H
#define GPULINALG_CPU_QR_QR_TALL_RESULTS_H

#include "common/products.h"
#include "common/scalar.h"
#include "cpu/common/exponent.h"
#include "cpu/common/lanes.h"
#include "cpu/common/rows.h"

#include "qr.h"
#include "qr_block.h"
#include "qr_block_results.h"
#include "qr_page.h"
#include "qr_tall.h"

#include <string.h>

// What is done with every node of a level of the tree: going up, going down, or solving with R.
typedef enum { TALL_UP, TALL_DOWN, TALL_SOLVE } tall_pass;

//------------------------------------------------------------------------------
// Q by a solve
//------------------------------------------------------------------------------

// Computes the tile of columns c .. c+nc-1, nr registers of X, of X = X R^-1 after the previous
// columns; inv: 1 / R's diagonal.
static inline __attribute__ ((always_inline)) void solve_tile (num *X, int64_t ld, int64_t c,
                                                               int nr, int nc, const scalar *R,
                                                               int64_t ldr, const scalar *inv)
{
  subtract_tile (X, ld, c, X + c * ld, ld, nr, nc, R + c * ldr, ldr);
  for (int64_t k = c; k < c + nc; k++)
    for (int r = 0; r < nr; r++) {
      num x = X[r + k * ld];
      for (int64_t v = c; v < k; v++)
        x = num_fnma (x, X[r + v * ld], num_broadcast (R[v + k * ldr]));
      X[r + k * ld] = num_mul (x, num_broadcast (inv[k]));
    }
}

// Sets X = X R^-1 for the n x n triangle R, with rows of X in lanes.
static void rows_solve (int64_t rv, num *X, int64_t ld, int64_t n, const scalar *R, int64_t ldr,
                        const scalar *inv)
{
  int64_t i = 0;
  for (; i + TILE_R <= rv; i += TILE_R) {
    int64_t c = 0;
    for (; c + TILE_C <= n; c += TILE_C)
      solve_tile (X + i, ld, c, TILE_R, TILE_C, R, ldr, inv);
    for (; c < n; c++)
      solve_tile (X + i, ld, c, TILE_R, 1, R, ldr, inv);
  }
  for (; i < rv; i++)
    for (int64_t c = 0; c < n; c++)
      solve_tile (X + i, ld, c, 1, 1, R, ldr, inv);
}

// Does what qr_block_results.h does, with R^-1 itself, which is small here.
static int tall_well_conditioned (const tall_tree *t, const tall_member *w)
{
  const int64_t n = t->n;
  memset (w->G, 0, (size_t)(n * n) * sizeof *w->G);
  for (int64_t j = 0; j < n; j++)
    w->G[j + j * n] = scalar_make (1, 0);
  trsm ((triangle_form){"L", "U", "N", "N"}, n, n, 1, (const real *)t->R, n, (real *)w->G, n);
  double sum = 0;
  for (int64_t i = 0; i < n; i++) {
    double norm2 = 0, row2 = 0;
    for (int64_t k = 0; k <= i; k++)
      norm2 += scalar_abs2 (t->R[k + i * n]);
    for (int64_t j = i; j < n; j++)
      row2 += scalar_abs2 (w->G[i + j * n]);
    sum += norm2 * row2;
  }
  return sum <= SOLVE_NORM * SOLVE_NORM * (double)n;
}

// Computes the rows of Q of a leaf. w->R: 1 / diagonal of R.
static void tall_solve (const gla_cpu_qr_task *task, int64_t page, const tall_tree *t, int64_t node,
                        const tall_member *w)
{
  const int64_t first = tall_first (t, 0, node), rows = tall_rows (t, 0, node), n = t->n;
  const int64_t rv = tall_ld (rows);
  for (int64_t j = 0; j < n; j++) {
    const real *from = column_of (&task->chunk->A, page, j) + first * GLA_PARTS;
    load_column (w->a + j * rv, rows, from, power_of_two (-t->common[j]));
    w->R[j] = scalar_inverse (t->R[j + j * n]);
  }
  rows_solve (registers_for (rows), w->a, rv, n, t->R, n, w->R);
  for (int64_t j = 0; j < n; j++)
    store_rows (t->q + (first + j * t->ldq) * GLA_PARTS, rows, w->a + j * rv);
}

//------------------------------------------------------------------------------
// sweeps
//------------------------------------------------------------------------------

typedef struct {
  const gla_cpu_qr_task *task;
  int64_t page;
  const tall_tree *t;
  int l;
  tall_pass way;
} tall_work;

static void tall_node (void *user, int64_t node, int member)
{
  const tall_work *k = user;
  tall_member w;
  size_t bytes;
  if (gla_cpu_qr_stopped (k->task, member))
    return;
  tall_member_at (k->t, member, &w, &bytes);
  if (k->way == TALL_UP)
    tall_up (k->task, k->page, k->t, k->l, node, &w);
  else if (k->way == TALL_DOWN)
    tall_down (k->t, k->l, node, &w);
  else
    tall_solve (k->task, k->page, k->t, node, &w);
}

// Does all nodes of a level. Returns 0 when the work must end.
static int tall_sweep (const gla_cpu_qr_task *task, int64_t page, const tall_tree *t, int l,
                       tall_pass way)
{
  tall_work k = {task, page, t, l, way};
  gla_cpu_qr_for (task, t->level[l].nodes, tall_node, &k);
  return !gla_cpu_qr_stopped (task, 0);
}

static int tall_q (const gla_cpu_qr_task *task, int64_t page, const tall_tree *t,
                   const tall_member *w)
{
  const int64_t n = t->n;
  if (tall_well_conditioned (t, w))
    return tall_sweep (task, page, t, 0, TALL_SOLVE);
  scalar *M = t->level[t->levels - 1].M;
  memset (M, 0, (size_t)(n * n) * sizeof *M);
  for (int64_t j = 0; j < n; j++)
    M[j + j * n] = t->S[j];
  for (int l = t->levels - 1; l >= 0; l--)
    if (!tall_sweep (task, page, t, l, TALL_DOWN))
      return 0;
  return 1;
}

//------------------------------------------------------------------------------
// reflectors
//------------------------------------------------------------------------------

// Makes one block reflector with Q as its first columns: Q - [I; 0] = V (-T V1') = V (U S).
static void tall_reconstruct (const tall_tree *t)
{
  const block_space *b = &t->blocks;
  const int64_t m = t->m, n = t->n;
  scalar *T = (scalar *)b->t, *U = (scalar *)b->x;
  memset (T, 0, (size_t)(n * n) * sizeof *T);
  memset (U, 0, (size_t)(n * n) * sizeof *U);
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = 0; i <= j; i++) {
      U[i + j * n] = scalar_mul (t->top[i + j * n], t->S[j]);
      T[i + j * n] = -U[i + j * n];
    }
    if (__real__ U[j + j * n] == 0 && __imag__ U[j + j * n] == 0)
      U[j + j * n] = scalar_make (1, 0); // nothing to divide: no reflector
    scalar *v = (scalar *)v_at (b, 0, j);
    memset (v, 0, (size_t)j * sizeof *v);
    v[j] = scalar_make (1, 0);
    memcpy (v + j + 1, t->top + j + 1 + j * n, (size_t)(n - j - 1) * sizeof *v);
  }
  trsm ((triangle_form){"R", "U", "N", "N"}, m - n, n, 1, b->x, n, v_at (b, n, 0), m);
  trsm ((triangle_form){"R", "L", "C", "U"}, n, n, 1, b->v, m, b->t, n);
}

static void tall_reflectors (const gla_cpu_qr_task *task, int64_t page, const tall_tree *t)
{
  const gla_qr_job *job = task->job;
  const block_space *b = &t->blocks;
  for (int64_t j = 0; t->q != b->v && j < t->n; j++) {
    if (gla_cpu_qr_stopped (task, 0))
      return;
    memcpy (v_at (b, 0, j), t->q + j * t->ldq * GLA_PARTS, (size_t)t->m * sizeof (scalar));
  }
  tall_reconstruct (t);
  int going = 1;
  if (job->c_rows > job->n)
    going = block_c (task, page, b);
  if (going && job->wy)
    going = block_wy (task, page, b);
  if (going && job->q_columns > job->n)
    block_q (task, page, b);
}

static void tall_store_column (void *user, int64_t j, int member)
{
  const tall_work *k = user;
  const tall_tree *t = k->t;
  if (!gla_cpu_qr_stopped (k->task, member))
    store_r_column (k->task->chunk, k->page, j, j + 1, t->R + j * t->n, t->common[j]);
}

// Zeros below R, if wanted, may be as large as A, in memory that is new to the process.
static int tall_store (const gla_cpu_qr_task *task, int64_t page, const tall_tree *t)
{
  const gla_qr_job *job = task->job;
  const int64_t n = t->n;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i <= j; i++)
      t->R[i + j * n] = scalar_scale (__real__ t->S[i], t->R[i + j * n]);
  tall_work k = {task, page, t, 0, TALL_UP};
  gla_cpu_parallel_for (task->region, job->r_rows ? n : 0, job->r_rows > 4096 ? task->team : 1,
                        tall_store_column, &k);
  for (int64_t j = 0; t->C && j < job->rhs; j++) {
    scalar *to = (scalar *)column_of (&task->chunk->C, page, j);
    const real up = power_of_two (t->c_common[j]);
    for (int64_t i = 0; i < n; i++)
      to[i] = scalar_scale (__real__ t->S[i] * up, t->C[i + j * n]);
  }
  return !gla_cpu_qr_stopped (task, 0);
}

static void solve_tall (gla_cpu_qr_task *task, int64_t page)
{
  const gla_qr_job *job = task->job;
  tall_tree t;
  tall_layout (task->work, job, task->team, &t);
  if (job->q_columns == job->n) {
    t.q = column_of (&task->chunk->Q, page, 0);
    t.ldq = task->chunk->Q.column_stride;
  } else if (t.with_blocks) {
    t.q = t.blocks.v;
    t.ldq = job->m;
  }
  for (int l = 0; l < t.levels; l++) {
    if (!tall_sweep (task, page, &t, l, TALL_UP))
      return;
    if (l == 0)
      tall_common_scale (&t);
    if (l == 0 && t.C)
      tall_common_c (&t, job->rhs);
  }
  tall_member w;
  size_t bytes;
  tall_member_at (&t, 0, &w, &bytes);
  tall_top (&t, &w);
  tall_signs (&t);
  if (tall_store (task, page, &t) && t.q && tall_q (task, page, &t, &w) && t.with_blocks)
    tall_reflectors (task, page, &t);
}

#endif

// qr_block_results.h: Q, Q'*B, W and Y from the block reflectors, and the economy Q as A R^-1
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_QR_QR_BLOCK_RESULTS_H
#define GPULINALG_CPU_QR_QR_BLOCK_RESULTS_H

#include <string.h>

#include "common/products.h"
#include "common/random.h"
#include "common/scalar.h"
#include "cpu/common/exponent.h"
#include "cpu/common/minmax.h"
#include "cpu/common/pivot.h"
#include "qr.h"
#include "qr_block.h"
#include "qr_page.h"

// Applies the block at j to columns first .. first+count-1 of Q, which are columns of the identity:
// Q(j:, :) = I - V T V'.
static void block_q_own (const block_space *b, int member, int64_t j, real *Q, int64_t ldq,
                         int64_t first, int64_t count)
{
  const int64_t w = gla_min (b->nb, b->k - j);
  const real *v = v_at (b, j, j);
  real *x = b->x + member * b->x_size, *q = Q + (j + first * ldq) * GLA_PARTS;
  for (int64_t c = 0; c < count; c++)
    for (int64_t i = 0; i < w; i++)
      ((scalar *)x)[i + c * b->nb] = scalar_conj (*(scalar *)v_at (b, first + c, j + i));
  trmm ((triangle_form){"L", "U", "N", "N"}, w, count, 1, t_of (b, j), b->nb, x, b->nb);
  gemm ("N", "N", b->m - j, count, w, -1, v, b->m, x, b->nb, 0, q, ldq);
  for (int64_t c = 0; c < count; c++)
    q[(first - j + c + c * ldq) * GLA_PARTS] += 1;
}

// Does a strip of columns of Q, from the last block that touches it to the first. Columns right of
// a block's own have zeros in the block's rows.
static int block_q_strip (const gla_cpu_qr_task *task, const block_space *b, int member, real *Q,
                          int64_t ldq, int64_t first, int64_t end)
{
  const int64_t last = (b->k - 1) / b->nb * b->nb;
  for (int64_t j = gla_min (last, (end - 1) / b->nb * b->nb); j >= 0; j -= b->nb) {
    const int64_t w = gla_min (b->nb, b->k - j), own = gla_max (first, j);
    const int64_t begun = j == last ? end : gla_min (end, gla_max (first, j + w));
    real *q = Q + (j + begun * ldq) * GLA_PARTS;
    if (gla_cpu_qr_stopped (task, member))
      return 0;
    for (int64_t c = 0; c < end - begun; c++)
      memset (q + c * ldq * GLA_PARTS, 0, (size_t)w * sizeof (scalar));
    if (begun < end)
      block_apply (b, member, j, 0, q, ldq, end - begun, w);
    if (own < begun)
      block_q_own (b, member, j, Q, ldq, own, begun - own);
  }
  return 1;
}

static void block_q_piece (void *user, int64_t piece, int member)
{
  const block_work *k = user;
  const gla_array *Q = &k->task->chunk->Q;
  const int64_t columns = k->task->job->q_columns, strip = k->b->strip;
  const int64_t first = ((columns + strip - 1) / strip - 1 - piece) * strip;
  block_q_strip (k->task, k->b, member, column_of (Q, k->page, 0), Q->column_stride, first,
                 gla_min (columns, first + strip));
}

// Strips are independent of each other; the last ones, which have most work, come first.
static int block_q (const gla_cpu_qr_task *task, int64_t page, const block_space *b)
{
  block_work k = {task, page, b, 0};
  gla_cpu_qr_for (task, (task->job->q_columns + b->strip - 1) / b->strip, block_q_piece, &k);
  return !gla_cpu_qr_stopped (task, 0);
}

// Copies rows of a column times 2^e.
static void scaled_copy (real *to, const real *from, int64_t rows, int e)
{
  if (e == 0)
    memcpy (to, from, (size_t)rows * sizeof (scalar));
  else
    for (int64_t i = 0; i < rows * GLA_PARTS; i++)
      to[i] = from[i] * power_of_two (e);
}

static int block_c_strip (const gla_cpu_qr_task *task, int64_t page, const block_space *b,
                          int member, int64_t first, int64_t count)
{
  real *y = b->y + member * b->y_size;
  int e[STRIP_MOST]; // exponent taken out of a column that the products could make too large
  for (int64_t c = 0; c < count; c++) {
    const real *from = column_of (&task->chunk->B, page, first + c);
    e[c] = exponent_above (largest_of (from, b->m * GLA_PARTS, 0), b->m);
    scaled_copy (y + c * b->m * GLA_PARTS, from, b->m, -e[c]);
  }
  for (int64_t j = 0; j < b->k; j += b->nb) {
    if (gla_cpu_qr_stopped (task, member))
      return 0;
    block_apply (b, member, j, 1, y + j * GLA_PARTS, b->m, count, 0);
  }
  for (int64_t c = 0; c < count; c++)
    scaled_copy (column_of (&task->chunk->C, page, first + c), y + c * b->m * GLA_PARTS,
                 task->job->c_rows, e[c]);
  return 1;
}

static void block_c_piece (void *user, int64_t piece, int member)
{
  const block_work *k = user;
  const int64_t first = piece * k->b->strip;
  block_c_strip (k->task, k->page, k->b, member, first,
                 gla_min (k->b->strip, k->task->job->rhs - first));
}

static int block_c (const gla_cpu_qr_task *task, int64_t page, const block_space *b)
{
  block_work k = {task, page, b, 0};
  gla_cpu_qr_for (task, (task->job->rhs + b->strip - 1) / b->strip, block_c_piece, &k);
  return !gla_cpu_qr_stopped (task, 0);
}

// Y is V; W is computed block by block, W_p = -(V_p + W Y'*V_p) T_p.
static int block_wy (const gla_cpu_qr_task *task, int64_t page, const block_space *b)
{
  const gla_array *to_w = &task->chunk->W, *to_y = &task->chunk->Y;
  const int64_t ldw = to_w->column_stride;
  const size_t column = (size_t)b->m * sizeof (scalar);
  for (int64_t j = 0; j < b->k; j++) {
    real *y = column_of (to_y, page, j);
    const int64_t above = j / b->nb * b->nb;
    if (gla_cpu_qr_stopped (task, 0))
      return 0;
    memcpy (y, v_at (b, 0, j), column);
    memset (y, 0, (size_t)above * sizeof (scalar));
    memcpy (column_of (to_w, page, j), y, column);
  }
  real *W = column_of (to_w, page, 0);
  for (int64_t j = 0; j < b->k; j += b->nb) {
    const int64_t w = gla_min (b->nb, b->k - j);
    real *to = column_of (to_w, page, j);
    const real *y = column_of (to_y, page, 0);
    const int64_t ldy = to_y->column_stride;
    if (gla_cpu_qr_stopped (task, 0))
      return 0;
    if (j > 0) {
      gemm ("C", "N", j, w, b->m - j, 1, y + j * GLA_PARTS, ldy, y + (j + j * ldy) * GLA_PARTS, ldy,
            0, b->x, b->k);
      gemm ("N", "N", b->m, w, j, 1, W, ldw, b->x, b->k, 1, to, ldw);
    }
    trmm ((triangle_form){"R", "U", "N", "N"}, b->m, w, -1, t_of (b, j), b->nb, to, ldw);
  }
  return 1;
}

//------------------------------------------------------------------------------
// the economy Q as A R^-1, where R is well conditioned
//------------------------------------------------------------------------------

// R of Householder reflectors is backward stable for every A. The solve takes m n^2 operations and
// the reflectors 2 m n^2 - 2 n^3 / 3. Its Q is orthogonal to eps |D R^-1|, D the norms of R's
// columns, as a column of A - Q R has a norm of a few eps of its own. That norm is estimated from
// solves with random vectors (Kenney, Laub, SIAM J. Sci. Comput. 15, 1994); if it is large, or R is
// singular or not finite, the reflectors give Q.

// Moves R, which is at the end of V, back above the diagonal of V.
static void block_restore_r (const block_space *b)
{
  for (int64_t j = 0; j < b->k; j++) {
    const int64_t first = j / b->nb * b->nb;
    memcpy (v_at (b, first, j), b->r + j * b->nb * GLA_PARTS,
            (size_t)(j - first + 1) * sizeof (scalar));
  }
}

// Undoes that.
static void block_restore_v (const block_space *b)
{
  for (int64_t j = 0; j < b->k; j++) {
    const int64_t first = j / b->nb * b->nb;
    memset (v_at (b, first, j), 0, (size_t)(j - first) * sizeof (scalar));
    *(scalar *)v_at (b, j, j) = scalar_make (1, 0);
  }
}

static int well_conditioned (const block_space *b)
{
  const int64_t n = b->n;
  scalar *z = (scalar *)b->z;
  for (int64_t i = 0; i < n * SOLVE_VECTORS; i++) {
    const double re = gla_krylov_random (1, (uint64_t)i);
    z[i] = scalar_make ((real)re, (real)gla_krylov_random (GLA_IMAGINARY_SEED, (uint64_t)i));
  }
  trsm ((triangle_form){"L", "U", "N", "N"}, n, SOLVE_VECTORS, 1, b->v, b->m, b->z, n);
  double sum = 0;
  for (int64_t j = 0; j < n; j++) {
    const scalar *r = (const scalar *)v_at (b, 0, j);
    double norm2 = 0, rest2 = 0;
    for (int64_t i = 0; i <= j; i++)
      norm2 += scalar_abs2 (r[i]);
    for (int64_t s = 0; s < SOLVE_VECTORS; s++)
      rest2 += scalar_abs2 (z[j + s * n]);
    sum += norm2 * rest2;
  }
  const double variance = GLA_PARTS / 3.0;
  return sum <= variance * SOLVE_VECTORS * SOLVE_NORM * SOLVE_NORM * (double)n;
}

// Returns the rows of Q that are solved for at a time: 512, for which the BLAS is fastest, as long
// as all of their columns together take at most 4.4 Gflop.
static int64_t solve_rows_at_a_time (int64_t n)
{
  return 512.0 * (double)n * (double)n * GLA_PARTS * GLA_PARTS <= 4.4e9 ? 512 : 256;
}

// Operations between two polls of the stop flag, some 30 ms of a core.
static const double solve_most = 1.2e9;

// Computes rows first .. first+count-1 of Q. Returns 0 when the work must end.
static int solve_strip (const gla_cpu_qr_task *task, int member, int64_t page, const block_space *b,
                        int64_t first, int64_t count)
{
  const gla_array *Q = &task->chunk->Q;
  const int64_t ldq = Q->column_stride;
  const double column = 2.0 * (double)count * (double)b->n * GLA_PARTS * GLA_PARTS;
  const int64_t width = gla_max (128, (int64_t)(solve_most / column));
  real *q = column_of (Q, page, 0) + first * GLA_PARTS;
  for (int64_t j = 0; j < b->n; j += width) {
    const int64_t w = gla_min (width, b->n - j);
    real *own = q + j * ldq * GLA_PARTS;
    if (gla_cpu_qr_stopped (task, member))
      return 0;
    for (int64_t c = 0; c < w; c++) {
      const int64_t at = task->job->pivot ? b->pivots.jpvt[j + c] - 1 : j + c;
      const real *from = column_of (&task->chunk->A, page, at) + first * GLA_PARTS;
      const real down = power_of_two (-b->e[j + c]);
      for (int64_t i = 0; i < count * GLA_PARTS; i++)
        own[i + c * ldq * GLA_PARTS] = from[i] * down;
    }
    if (j > 0)
      gemm ("N", "N", count, w, j, -1, q, ldq, v_at (b, 0, j), b->m, 1, own, ldq);
    trsm ((triangle_form){"R", "U", "N", "N"}, count, w, 1, v_at (b, j, j), b->m, own, ldq);
  }
  return 1;
}

static int64_t solve_strips (const block_space *b)
{
  const int64_t rows = solve_rows_at_a_time (b->n);
  return gla_max (1, gla_min (gla_max ((b->m + rows - 1) / rows, SOLVE_STRIPS), b->m / 64));
}

static void solve_piece (void *user, int64_t piece, int member)
{
  const block_work *k = user;
  const int64_t m = k->b->m, strips = solve_strips (k->b);
  const int64_t first = m * piece / strips, end = m * (piece + 1) / strips;
  solve_strip (k->task, member, k->page, k->b, first, end - first);
}

// Strips of rows are independent of each other.
static int block_q_solve (const gla_cpu_qr_task *task, int64_t page, const block_space *b)
{
  block_work k = {task, page, b, 0};
  gla_cpu_qr_for (task, solve_strips (b), solve_piece, &k);
  return !gla_cpu_qr_stopped (task, 0);
}

// Makes Q, by the solve if possible and by the reflectors otherwise.
static int block_any_q (const gla_cpu_qr_task *task, int64_t page, const block_space *b)
{
  if (solve_size (task->job) > 0) {
    block_restore_r (b);
    if (well_conditioned (b))
      return block_q_solve (task, page, b);
    block_restore_v (b);
  }
  return block_q (task, page, b);
}

static void solve_blocks (gla_cpu_qr_task *task, int64_t page)
{
  const gla_qr_job *job = task->job;
  block_space b;
  block_layout (task->work, job, block_size (job), job->rhs > 0, task->team, &b);
  int going = block_load (task, page, &b);
  if (going)
    going = job->pivot ? block_factor_pivot (task, page, &b) : block_factor (task, &b);
  if (going && job->r_rows)
    going = block_store_r (task, page, &b);
  if (going && job->rhs)
    going = block_c (task, page, &b);
  if (going && job->wy)
    going = block_wy (task, page, &b);
  if (going && job->q_columns)
    block_any_q (task, page, &b);
}

#endif

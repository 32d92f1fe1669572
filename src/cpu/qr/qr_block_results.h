// qr_block_results.h: Q, Q'*B, W and Y from the block reflectors
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_QR_QR_BLOCK_RESULTS_H
#define GPULINALG_CPU_QR_QR_BLOCK_RESULTS_H

#include "common/products.h"
#include "common/scalar.h"
#include "cpu/common/minmax.h"

#include "qr.h"
#include "qr_block.h"
#include "qr_page.h"

#include <string.h>

// Columns first .. first+count-1 of Q meet the block at j as columns of the identity:
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

// A strip of columns of Q, from the last block that touches it to the first. What a block meets of
// the columns right of its own has zeros in the block's rows.
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

// Strips do not depend on each other; the last ones, which have most to do, come first.
static int block_q (const gla_cpu_qr_task *task, int64_t page, const block_space *b)
{
  block_work k = {task, page, b, 0};
  gla_cpu_qr_for (task, (task->job->q_columns + b->strip - 1) / b->strip, block_q_piece, &k);
  return !gla_cpu_qr_stopped (task, 0);
}

// Rows of a column times 2^e.
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
  int e[STRIP_MOST]; // what is taken out of a column that the products could make too large
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

// Y is V; W block by block, W_p = -(V_p + W Y'*V_p) T_p.
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

#endif

// qr_block_results_template.h: Q, Q'*B, W and Y from the block reflectors
// SPDX-License-Identifier: GPL-3.0-or-later

// The last block meets the identity: Q(j:, j:) = I - V T V'.
static int N (block_q_last) (const gla_cpu_qr_task *task, const N (blocks) * b, int64_t j,
                             int64_t w, GLA_REAL *Q, int64_t ldq)
{
  const int64_t rows = b->m - j, columns = task->job->q_columns - j;
  const GLA_REAL *v = N (v_at) (b, j, j);
  for (int64_t first = 0; first < columns; first += b->strip) {
    const int64_t count = gla_less (b->strip, columns - first);
    if (gla_cpu_qr_stopped (task, 0))
      return 0;
    for (int64_t c = 0; c < count; c++)
      for (int64_t i = 0; i < w; i++)
        ((N (el) *)b->x)[i + c * b->nb] = N (el_conj) (((const N (el) *)v)[first + c + i * b->m]);
    N (trmm)
    ((N (triangle)){"L", "U", "N", "N"}, w, count, 1, N (t_of) (b, j), b->nb, b->x, b->nb);
    GLA_REAL *q = Q + (j + (j + first) * ldq) * GLA_PARTS;
    N (gemm) ("N", "N", rows, count, w, -1, v, b->m, b->x, b->nb, 0, q, ldq);
    for (int64_t c = 0; c < count; c++)
      q[(first + c + c * ldq) * GLA_PARTS] += 1;
  }
  return 1;
}

// A block before: its own columns start as those of the identity, and the others have zeros in its
// own rows.
static int N (block_q_step) (const gla_cpu_qr_task *task, const N (blocks) * b, int64_t j,
                             int64_t w, GLA_REAL *Q, int64_t ldq)
{
  GLA_REAL *q = Q + (j + j * ldq) * GLA_PARTS, *next = q + w * ldq * GLA_PARTS;
  const int64_t columns = task->job->q_columns - j - w;
  for (int64_t c = 0; c < columns; c++)
    memset (next + c * ldq * GLA_PARTS, 0, (size_t)w * sizeof (N (el)));
  if (!N (block_apply) (task, b, j, w, 0, next, ldq, columns, w))
    return 0;
  gla_qr_job own = *task->job;
  gla_cpu_qr_task part = *task;
  own.q_columns = j + w;
  part.job = &own;
  return N (block_q_last) (&part, b, j, w, Q, ldq);
}

static int N (block_q) (const gla_cpu_qr_task *task, int64_t page, const N (blocks) * b)
{
  GLA_REAL *Q = N (column_of) (&task->chunk->Q, page, 0);
  const int64_t ldq = task->chunk->Q.column_stride, blocks = (b->k + b->nb - 1) / b->nb;
  for (int64_t p = blocks - 1; p >= 0; p--) {
    const int64_t j = p * b->nb, w = gla_less (b->nb, b->k - j);
    if (!(p == blocks - 1 ? N (block_q_last) (task, b, j, w, Q, ldq)
                          : N (block_q_step) (task, b, j, w, Q, ldq)))
      return 0;
  }
  return 1;
}

static int N (block_c) (const gla_cpu_qr_task *task, int64_t page, const N (blocks) * b)
{
  const gla_qr_job *job = task->job;
  const size_t el = sizeof (N (el));
  for (int64_t first = 0; first < job->rhs; first += b->strip) {
    const int64_t count = gla_less (b->strip, job->rhs - first);
    for (int64_t c = 0; c < count; c++)
      memcpy (b->y + c * b->m * GLA_PARTS, N (column_of) (&task->chunk->B, page, first + c),
              (size_t)b->m * el);
    for (int64_t j = 0; j < b->k; j += b->nb)
      if (!N (block_apply) (task, b, j, gla_less (b->nb, b->k - j), 1, b->y + j * GLA_PARTS, b->m,
                            count, 0))
        return 0;
    for (int64_t c = 0; c < count; c++)
      memcpy (N (column_of) (&task->chunk->C, page, first + c), b->y + c * b->m * GLA_PARTS,
              (size_t)job->c_rows * el);
  }
  return 1;
}

// Y is V; W block by block, W_p = -(V_p + W Y'*V_p) T_p.
static int N (block_wy) (const gla_cpu_qr_task *task, int64_t page, const N (blocks) * b)
{
  const gla_array *to_w = &task->chunk->W, *to_y = &task->chunk->Y;
  const int64_t ldw = to_w->column_stride;
  const size_t column = (size_t)b->m * sizeof (N (el));
  for (int64_t j = 0; j < b->k; j++) {
    GLA_REAL *y = N (column_of) (to_y, page, j);
    const int64_t above = j / b->nb * b->nb;
    memcpy (y, N (v_at) (b, 0, j), column);
    memset (y, 0, (size_t)above * sizeof (N (el)));
    memcpy (N (column_of) (to_w, page, j), y, column);
  }
  GLA_REAL *W = N (column_of) (to_w, page, 0);
  for (int64_t j = 0; j < b->k; j += b->nb) {
    const int64_t w = gla_less (b->nb, b->k - j);
    GLA_REAL *to = N (column_of) (to_w, page, j);
    const GLA_REAL *y = N (column_of) (to_y, page, 0);
    const int64_t ldy = to_y->column_stride;
    if (gla_cpu_qr_stopped (task, 0))
      return 0;
    if (j > 0) {
      N (gemm)
      ("C", "N", j, w, b->m - j, 1, y + j * GLA_PARTS, ldy, y + (j + j * ldy) * GLA_PARTS, ldy, 0,
       b->x, b->k);
      N (gemm) ("N", "N", b->m, w, j, 1, W, ldw, b->x, b->k, 1, to, ldw);
    }
    N (trmm)
    ((N (triangle)){"R", "U", "N", "N"}, b->m, w, -1, N (t_of) (b, j), b->nb, to, ldw);
  }
  return 1;
}

static void N (solve_blocks) (gla_cpu_qr_task *task, int64_t page)
{
  const gla_qr_job *job = task->job;
  N (blocks) b;
  N (block_layout) (task->work, job, N (block_size) (job), job->rhs > 0, &b);
  N (block_load) (task, page, &b);
  int going = job->pivot ? N (block_factor_pivot) (task, page, &b) : N (block_factor) (task, &b);
  if (going && job->r_rows)
    N (block_store_r) (task, page, &b);
  if (going && job->rhs)
    going = N (block_c) (task, page, &b);
  if (going && job->wy)
    going = N (block_wy) (task, page, &b);
  if (going && job->q_columns)
    N (block_q) (task, page, &b);
}

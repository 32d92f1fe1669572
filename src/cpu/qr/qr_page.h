// qr_page_template.h: a page in a cache, its rows in lanes; and how results are written
// SPDX-License-Identifier: GPL-3.0-or-later

static inline GLA_REAL *N (column_of) (const gla_array *a, int64_t page, int64_t column)
{
  return (GLA_REAL *)a->data + (page * a->page_stride + column * a->column_stride) * GLA_PARTS;
}

// Column j of R: the first `count` elements of x, times 2^e, and zeros down to r_rows.
static void N (store_r_column) (const gla_qr_chunk *c, int64_t page, int64_t j, int64_t count,
                                const N (el) * x, int e)
{
  N (el) *to = (N (el) *)N (column_of) (&c->R, page, j);
  const GLA_REAL up = N (power_of_two) (e);
  for (int64_t i = 0; i < count; i++)
    to[i] = N (el_scale) (up, x[i]);
  memset (to + count, 0, (size_t)(c->R.rows - count) * sizeof *to);
}

//------------------------------------------------------------------------------
// one page
//------------------------------------------------------------------------------

enum { N (strip) = 32 }; // columns of B at a time

typedef struct {
  N (num) * a, *q; // q: Q, or columns of B, or W
  N (el) * R, *T, *W, *Z;
  int *e;
} N (rows_work);

static size_t N (rows_layout) (char *base, const gla_qr_job *job, N (rows_work) * w)
{
  const int64_t m = job->m, n = job->n, k = gla_less (m, n), rv = N (registers) (m);
  int64_t q = gla_more (job->q_columns, gla_less (job->rhs, N (strip)));
  q = job->wy ? gla_more (q, k) : q;
  size_t at = 0;
  w->a = gla_carve (base, &at, (size_t)(rv * n) * sizeof (N (num)));
  w->q = gla_carve (base, &at, (size_t)(rv * q) * sizeof (N (num)));
  w->R = gla_carve (base, &at, (size_t)(k * n) * sizeof (N (el)));
  w->T = gla_carve (base, &at, (size_t)(GLA_QR_PANEL * k) * sizeof (N (el)));
  w->W = gla_carve (base, &at, (size_t)(GLA_QR_PANEL * gla_more (n, q)) * sizeof (N (el)));
  w->Z = gla_carve (base, &at, (size_t)(job->wy ? GLA_QR_PANEL * k : 0) * sizeof (N (el)));
  w->e = gla_carve (base, &at, (size_t)n * sizeof (int));
  return at;
}

static void N (rows_c) (gla_cpu_qr_task *task, int64_t page, const N (rows_work) * w)
{
  const gla_qr_job *job = task->job;
  const gla_qr_chunk *c = task->chunk;
  const int64_t rv = N (registers) (job->m), k = gla_less (job->m, job->n);
  for (int64_t first = 0; first < job->rhs; first += N (strip)) {
    const int64_t count = gla_less (N (strip), job->rhs - first);
    for (int64_t j = 0; j < count; j++)
      N (load_column) (w->q + j * rv, job->m, N (column_of) (&c->B, page, first + j), 1);
    N (rows_multiply) (job->m, k, w->a, rv, w->T, 1, w->q, rv, count, 0, w->W);
    for (int64_t j = 0; j < count; j++)
      N (store_rows) (N (column_of) (&c->C, page, first + j), job->c_rows, w->q + j * rv);
  }
}

// -W = Y*T of all columns: by panels, -W_p = (V_p - (-W) Y'*V_p) T_p.
static void N (rows_wy) (gla_cpu_qr_task *task, int64_t page, const N (rows_work) * w)
{
  const int64_t m = task->job->m, rv = N (registers) (m), k = gla_less (m, task->job->n);
  for (int64_t j0 = 0; j0 < k; j0 += GLA_QR_PANEL) {
    const int64_t count = gla_less (GLA_QR_PANEL, k - j0), skip = j0 / GLA_LANES;
    const N (el) *T = w->T + j0 * GLA_QR_PANEL;
    N (num) *to = w->q + j0 * rv;
    memcpy (to, w->a + j0 * rv, (size_t)(count * rv) * sizeof *to);
    N (cross)
    (rv - skip, w->a + skip, rv, j0, w->a + skip + j0 * rv, rv, count, w->Z, k);
    N (subtract) (rv, w->q, rv, j0, to, rv, count, w->Z, k);
    for (int64_t j = count - 1; j >= 0; j--)
      for (int64_t i = 0; i < rv; i++) {
        N (num) x = N (zero) ();
        for (int64_t v = 0; v <= j; v++)
          x = N (fma) (x, to[i + v * rv], N (spread) (T[v + j * GLA_QR_PANEL]));
        to[i + j * rv] = x;
      }
  }
  for (int64_t j = 0; j < k; j++) {
    for (int64_t i = 0; i < rv; i++)
      w->q[i + j * rv] = N (sub) (N (zero) (), w->q[i + j * rv]);
    N (store_rows) (N (column_of) (&task->chunk->W, page, j), m, w->q + j * rv);
    N (store_rows) (N (column_of) (&task->chunk->Y, page, j), m, w->a + j * rv);
  }
}

static void N (solve_rows) (gla_cpu_qr_task *task, int64_t page)
{
  const gla_qr_job *job = task->job;
  const gla_qr_chunk *c = task->chunk;
  const int64_t m = job->m, n = job->n, k = gla_less (m, n), rv = N (registers) (m);
  N (rows_work) w;
  N (rows_layout) (task->work, job, &w);
  for (int64_t j = 0; j < n; j++) {
    const GLA_REAL *from = N (column_of) (&c->A, page, j);
    w.e[j] = N (column_exponent) (from, m);
    N (load_column) (w.a + j * rv, m, from, N (power_of_two) (-w.e[j]));
  }
  N (rows_factor) (m, n, w.a, rv, w.R, k, w.T, w.W);
  for (int64_t j = 0; job->r_rows && j < n; j++)
    N (store_r_column) (c, page, j, gla_less (j + 1, k), w.R + j * k, w.e[j]);
  if (job->rhs)
    N (rows_c) (task, page, &w);
  if (job->wy)
    N (rows_wy) (task, page, &w);
  if (!job->q_columns)
    return;
  memset (w.q, 0, (size_t)(rv * job->q_columns) * sizeof *w.q);
  for (int64_t j = 0; j < job->q_columns; j++)
    N (set) (w.q + j * rv, j, N (make) (1, 0));
  N (rows_multiply) (m, k, w.a, rv, w.T, 0, w.q, rv, job->q_columns, 1, w.W);
  for (int64_t j = 0; j < job->q_columns; j++)
    N (store_rows) (N (column_of) (&c->Q, page, j), m, w.q + j * rv);
}

// qr_block_template.h: large pages: block reflectors I - V T V', all T kept
// SPDX-License-Identifier: GPL-3.0-or-later
//
// V stands in place of A with its ones and zeros, the diagonal blocks of R beside it, so that every
// update is a plain product. R above the diagonal blocks stays in v.

typedef struct {
  int64_t m, n, k, nb;
  GLA_REAL *v, *t, *r; // m x n; nb x k twice: T and R of every block
  GLA_REAL *x, *y;     // nb * strip; m * strip
  int64_t strip;       // columns that are updated at a time, so that the monitor is asked
  int *e;
  GLA_REAL *tau, *work, *rwork; // of pivoting
  gla_blas_int *jpvt, lwork;
  N (leaf_work) leaf;
} N (blocks);

static int64_t N (block_size) (const gla_qr_job *job)
{
  const int64_t k = gla_less (job->m, job->n);
  return gla_less (k, job->block > 0 ? job->block : k <= 256 ? 48 : k <= 1024 ? 96 : 128);
}

static gla_blas_int N (pivot_lwork) (const gla_qr_job *job)
{
  const gla_blas_int m = (gla_blas_int)job->m, n = (gla_blas_int)job->n, query = -1;
  gla_blas_int info, jpvt = 0;
  GLA_REAL a[2] = {0, 0}, tau[2], size[2] = {0, 0};
#if GLA_COMPLEX
  GLA_REAL rwork[2];
  GLA_QP3 (&m, &n, a, &m, &jpvt, tau, size, &query, rwork, &info);
#else
  GLA_QP3 (&m, &n, a, &m, &jpvt, tau, size, &query, &info);
#endif
  // a float may have rounded the size down
  return (gla_blas_int)(size[0] * (1 + 2 * GLA_EPS)) + 1;
}

static size_t N (block_layout) (char *base, const gla_qr_job *job, int64_t nb, int with_y,
                                N (blocks) * b)
{
  const int64_t m = job->m, n = job->n, k = gla_less (m, n), el = sizeof (N (el));
  // about 30 ms of products at a time
  const int64_t columns = (int64_t)(1.5e9 / (4.0 * (double)m * (double)nb * GLA_PARTS * GLA_PARTS));
  size_t at = 0;
  memset (b, 0, sizeof *b);
  b->m = m, b->n = n, b->k = k, b->nb = nb;
  b->strip = gla_more (64, columns);
  b->strip = gla_less (b->strip, gla_more (gla_more (n, nb), gla_more (job->q_columns, job->rhs)));
  b->v = gla_carve (base, &at, (size_t)(m * n * el));
  b->t = gla_carve (base, &at, (size_t)(nb * k * el));
  b->r = gla_carve (base, &at, (size_t)(nb * k * el));
  b->x = gla_carve (base, &at,
                    (size_t)(gla_more (nb, job->wy ? k : 0) * gla_more (nb, b->strip) * el));
  b->y = gla_carve (base, &at, with_y ? (size_t)(m * b->strip * el) : 0);
  b->e = gla_carve (base, &at, (size_t)n * sizeof (int));
  if (job->pivot) {
    b->tau = gla_carve (base, &at, (size_t)(k * el));
    b->lwork = N (pivot_lwork) (job);
    b->work = gla_carve (base, &at, (size_t)(b->lwork * el));
    b->rwork = gla_carve (base, &at, (size_t)(2 * n) * sizeof (GLA_REAL));
    b->jpvt = gla_carve (base, &at, (size_t)n * sizeof *b->jpvt);
  } else
    N (leaf_layout) (base, &at, m, &b->leaf);
  return at;
}

static inline GLA_REAL *N (v_at) (const N (blocks) * b, int64_t i, int64_t j)
{
  return b->v + (i + j * b->m) * GLA_PARTS;
}

static inline GLA_REAL *N (t_of) (const N (blocks) * b, int64_t j)
{
  return b->t + j * b->nb * GLA_PARTS;
}

//------------------------------------------------------------------------------
// products with a block
//------------------------------------------------------------------------------

// C = (I - V T V') C, or with T', for the block of w columns at j; C starts at row j. `known` rows
// at its top are zero before.
static int N (block_apply) (const gla_cpu_qr_task *task, const N (blocks) * b, int64_t j, int64_t w,
                            int adjoint, GLA_REAL *C, int64_t ldc, int64_t nc, int64_t known)
{
  const int64_t rows = b->m - j;
  const N (triangle) how = {"L", "U", adjoint ? "C" : "N", "N"};
  const GLA_REAL *v = N (v_at) (b, j, j), *low = v + known * GLA_PARTS;
  for (int64_t first = 0; first < nc; first += b->strip) {
    const int64_t count = gla_less (b->strip, nc - first);
    GLA_REAL *c = C + first * ldc * GLA_PARTS;
    if (gla_cpu_qr_stopped (task, 0))
      return 0;
    N (gemm)
    ("C", "N", w, count, rows - known, 1, low, b->m, c + known * GLA_PARTS, ldc, 0, b->x, b->nb);
    N (trmm) (how, w, count, 1, N (t_of) (b, j), b->nb, b->x, b->nb);
    N (gemm) ("N", "N", rows, count, w, -1, v, b->m, b->x, b->nb, 1, c, ldc);
  }
  return 1;
}

// Moves the triangle of R out of the block of w columns at j and puts V's ones and zeros there.
static void N (block_explicit) (const N (blocks) * b, int64_t j, int64_t w)
{
  N (el) *r = (N (el) *)b->r + j * b->nb;
  for (int64_t q = 0; q < w; q++) {
    N (el) *v = (N (el) *)N (v_at) (b, j, j + q);
    memcpy (r + q * b->nb, v, (size_t)(q + 1) * sizeof *v);
    memset (v, 0, (size_t)q * sizeof *v);
    v[q] = N (make) (1, 0);
  }
}

//------------------------------------------------------------------------------
// factor
//------------------------------------------------------------------------------

// Pivoting compares the columns, so they get the same factor then, and none that makes small ones
// vanish beside large ones.
static void N (block_load) (const gla_cpu_qr_task *task, int64_t page, const N (blocks) * b)
{
  GLA_BITS all = 0;
  for (int64_t j = 0; task->job->pivot && j < b->n; j++)
    all = N (largest_of) (N (column_of) (&task->chunk->A, page, j), b->m * GLA_PARTS, all);
  for (int64_t j = 0; j < b->n; j++) {
    const GLA_REAL *from = N (column_of) (&task->chunk->A, page, j);
    GLA_REAL *to = N (v_at) (b, 0, j);
    b->e[j] = task->job->pivot ? (int)gla_less (0, N (exponent_of) (all))
                               : N (column_exponent) (from, b->m);
    const GLA_REAL down = N (power_of_two) (-b->e[j]);
    for (int64_t i = 0; i < b->m * GLA_PARTS; i++)
      to[i] = from[i] * down;
  }
}

static int N (block_factor) (const gla_cpu_qr_task *task, const N (blocks) * b)
{
  for (int64_t j = 0; j < b->k; j += b->nb) {
    const int64_t w = gla_less (b->nb, b->k - j), next = j + w;
    if (gla_cpu_qr_stopped (task, 0))
      return 0;
    N (panel_factor) (b->m - j, w, N (v_at) (b, j, j), b->m, N (t_of) (b, j), b->nb, &b->leaf);
    N (block_explicit) (b, j, w);
    if (!N (block_apply) (task, b, j, w, 1, N (v_at) (b, j, next), b->m, b->n - next, 0))
      return 0;
  }
  return 1;
}

// LAPACK's pivoting; T from V and tau afterwards.
static int N (block_factor_pivot) (const gla_cpu_qr_task *task, int64_t page, const N (blocks) * b)
{
  const gla_blas_int m = (gla_blas_int)b->m, n = (gla_blas_int)b->n;
  gla_blas_int info;
  memset (b->jpvt, 0, (size_t)n * sizeof *b->jpvt);
#if GLA_COMPLEX
  GLA_QP3 (&m, &n, b->v, &m, b->jpvt, b->tau, b->work, &b->lwork, b->rwork, &info);
#else
  GLA_QP3 (&m, &n, b->v, &m, b->jpvt, b->tau, b->work, &b->lwork, &info);
#endif
  for (int64_t j = 0; j < n; j++)
    task->chunk->jpvt[page * n + j] = b->jpvt[j] - 1;
  for (int64_t j = 0; j < b->k; j += b->nb) {
    const int64_t w = gla_less (b->nb, b->k - j);
    const GLA_REAL *v = N (v_at) (b, j, j);
    N (el) *t = (N (el) *)N (t_of) (b, j);
    if (gla_cpu_qr_stopped (task, 0))
      return 0;
    N (block_explicit) (b, j, w);
    N (gemm) ("C", "N", w, w, b->m - j, 1, v, b->m, v, b->m, 0, b->x, b->nb);
    for (int64_t q = 0; q < w; q++)
      t[q + q * b->nb] = ((const N (el) *)b->tau)[j + q];
    N (fill_triangle) (w, t, b->nb, (const N (el) *)b->x, b->nb);
  }
  return 1;
}

static void N (block_store_r) (const gla_cpu_qr_task *task, int64_t page, const N (blocks) * b)
{
  for (int64_t j = 0; j < b->n; j++) {
    const int64_t above = j < b->k ? j / b->nb * b->nb : b->k;
    const N (el) *v = (const N (el) *)N (v_at) (b, 0, j);
    N (el) *to = (N (el) *)N (column_of) (&task->chunk->R, page, j);
    N (store_r_column) (task->chunk, page, j, above, v, b->e[j]);
    const GLA_REAL up = N (power_of_two) (b->e[j]);
    for (int64_t i = above; j < b->k && i <= j; i++)
      to[i] = N (el_scale) (up, ((const N (el) *)b->r)[i - above + j * b->nb]);
  }
}

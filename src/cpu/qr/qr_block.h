// qr_block_template.h: large pages: block reflectors I - V T V', all T kept
// SPDX-License-Identifier: GPL-3.0-or-later
//
// V stands in place of A with its ones and zeros, the diagonal blocks of R beside it, so that every
// update is a plain product. R above the diagonal blocks stays in v.
// Threads that work on one page take strips of columns, with a BLAS of one thread: the products of
// a panel need not wait for those of the rest, nor the other way round.

typedef struct {
  int64_t m, n, k, nb;
  GLA_REAL *v, *t, *r; // m x n; nb x k twice: T and R of every block
  GLA_REAL *x, *y;     // of each member of the team: x_size for nb * strip, y_size for m * strip
  GLA_REAL *z;         // random vectors for the condition of R
  int64_t x_size, y_size;
  int64_t strip; // columns that are updated at a time
  int *e;
  N (leaf_work) leaf;
  N (pivots) pivots;
} N (blocks);

static int64_t N (block_size) (const gla_qr_job *job)
{
  const int64_t k = gla_less (job->m, job->n);
  return gla_less (k, job->block > 0             ? job->block
                      : k <= 512                 ? 48
                      : GLA_COMPLEX || k <= 1024 ? 64
                                                 : 96);
}

// Columns to a strip: enough strips for many threads, each long enough for products at full speed
// and short enough, about 30 ms, that the monitor is asked in time. A matter of the job alone,
// because the bits of a product may depend on its size.
static int64_t N (strip_columns) (const gla_qr_job *job, int64_t nb)
{
  const double column = 4.0 * (double)job->m * (double)nb * GLA_PARTS * GLA_PARTS;
  const int64_t most = gla_more (32, (int64_t)(1e9 / column));
  const int64_t share = gla_more (STRIP_LEAST, job->n / STRIPS / 16 * 16);
  return gla_less (most, gla_less (share, STRIP_MOST));
}

// Elements of the random vectors that tell whether Q may come from a solve with R.
static int64_t N (solve_size) (const gla_qr_job *job)
{
  const int wanted = job->m >= job->n && job->q_columns == job->n && job->n >= SOLVE_COLUMNS;
  return wanted ? job->n * SOLVE_VECTORS : 0;
}

static size_t N (block_layout) (char *base, const gla_qr_job *job, int64_t nb, int with_y, int team,
                                N (blocks) * b)
{
  const int64_t m = job->m, n = job->n, k = gla_less (m, n), el = sizeof (N (el));
  size_t at = 0;
  memset (b, 0, sizeof *b);
  b->m = m, b->n = n, b->k = k, b->nb = nb;
  b->strip = N (strip_columns) (job, nb);
  b->x_size = gla_more (nb, job->wy ? k : 0) * gla_more (nb, b->strip) * GLA_PARTS;
  b->y_size = with_y ? m * gla_less (b->strip, job->rhs) * GLA_PARTS : 0;
  b->v = gla_carve (base, &at, (size_t)(m * n * el));
  b->t = gla_carve (base, &at, (size_t)(nb * k * el));
  b->r = gla_carve (base, &at, (size_t)(nb * k * el));
  b->x = gla_carve (base, &at, (size_t)(team * b->x_size) * sizeof (GLA_REAL));
  b->y = gla_carve (base, &at, (size_t)(team * b->y_size) * sizeof (GLA_REAL));
  b->z = gla_carve (base, &at, (size_t)(N (solve_size) (job) * el));
  b->e = gla_carve (base, &at, (size_t)n * sizeof (int));
  if (job->pivot)
    N (pivot_layout) (base, &at, m, n, &b->pivots);
  else
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

// C = (I - V T V') C, or with T', for the block of w columns at j and at most a strip of columns; C
// starts at row j. `known` rows at its top are zero before.
static void N (block_apply) (const N (blocks) * b, int member, int64_t j, int64_t w, int adjoint,
                             GLA_REAL *C, int64_t ldc, int64_t nc, int64_t known)
{
  const int64_t rows = b->m - j;
  const N (triangle) how = {"L", "U", adjoint ? "C" : "N", "N"};
  const GLA_REAL *v = N (v_at) (b, j, j), *low = v + known * GLA_PARTS;
  GLA_REAL *x = b->x + member * b->x_size;
  N (gemm)
  ("C", "N", w, nc, rows - known, 1, low, b->m, C + known * GLA_PARTS, ldc, 0, x, b->nb);
  N (trmm) (how, w, nc, 1, N (t_of) (b, j), b->nb, x, b->nb);
  N (gemm) ("N", "N", rows, nc, w, -1, v, b->m, x, b->nb, 1, C, ldc);
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

// A page that the team works on.
typedef struct {
  const gla_cpu_qr_task *task;
  int64_t page;
  const N (blocks) * b;
  int64_t j; // of the block that is applied
} N (block_work);

static void N (block_load_column) (void *user, int64_t j, int member)
{
  const N (block_work) *k = user;
  const N (blocks) *b = k->b;
  if (gla_cpu_qr_stopped (k->task, member))
    return;
  const GLA_REAL *from = N (column_of) (&k->task->chunk->A, k->page, j);
  GLA_REAL *to = N (v_at) (b, 0, j);
  if (!k->task->job->pivot)
    b->e[j] = N (column_exponent) (from, b->m);
  const GLA_REAL down = N (power_of_two) (-b->e[j]);
  for (int64_t i = 0; i < b->m * GLA_PARTS; i++)
    to[i] = from[i] * down;
}

// Pivoting compares the columns, so they get the same factor then, and none that makes small ones
// vanish beside large ones. What is written here and in block_store_r is memory that nobody has
// touched, which may take long: the loops ask column by column, and columns are handed out one at a
// time.
static int N (block_load) (const gla_cpu_qr_task *task, int64_t page, const N (blocks) * b)
{
  N (block_work) k = {task, page, b, 0};
  if (task->job->pivot) {
    GLA_BITS all = 0;
    for (int64_t j = 0; j < b->n && !gla_cpu_qr_stopped (task, 0); j++)
      all = N (largest_of) (N (column_of) (&task->chunk->A, page, j), b->m * GLA_PARTS, all);
    for (int64_t j = 0; j < b->n; j++)
      b->e[j] = (int)gla_less (0, N (exponent_of) (all));
  }
  gla_cpu_qr_for (task, b->n, N (block_load_column), &k);
  return !gla_cpu_qr_stopped (task, 0);
}

static void N (block_panel) (const gla_cpu_qr_task *task, const N (blocks) * b, int member,
                             int64_t j)
{
  const int64_t w = gla_less (b->nb, b->k - j);
  if (gla_cpu_qr_stopped (task, member))
    return;
  N (panel_factor) (b->m - j, w, N (v_at) (b, j, j), b->m, N (t_of) (b, j), b->nb, &b->leaf);
  N (block_explicit) (b, j, w);
}

// Columns c .. c+count-1, strip by strip.
static void N (block_update) (const N (block_work) * k, int member, int64_t c, int64_t count)
{
  const N (blocks) *b = k->b;
  const int64_t w = gla_less (b->nb, b->k - k->j);
  for (int64_t at = c; at < c + count; at += b->strip)
    if (!gla_cpu_qr_stopped (k->task, member))
      N (block_apply)
  (b, member, k->j, w, 1, N (v_at) (b, k->j, at), b->m, gla_less (b->strip, c + count - at), 0);
}

// Piece 0 is the columns of the next block and its factorisation, which the others need not wait
// for (look-ahead); a strip of the rest each are those that follow.
static void N (block_step_piece) (void *user, int64_t piece, int member)
{
  const N (block_work) *k = user;
  const N (blocks) *b = k->b;
  const int64_t next = k->j + gla_less (b->nb, b->k - k->j), ahead = gla_less (b->nb, b->k - next);
  const int64_t c = next + ahead + (piece - 1) * b->strip;
  if (piece > 0) {
    N (block_update) (k, member, c, gla_less (b->strip, b->n - c));
  } else if (ahead > 0) {
    N (block_update) (k, member, next, ahead);
    N (block_panel) (k->task, b, member, next);
  }
}

// Applies the block at j to what is right of it. Returns 0 when the work must end.
static int N (block_step) (const gla_cpu_qr_task *task, const N (blocks) * b, int64_t j)
{
  N (block_work) k = {task, 0, b, j};
  const int64_t next = j + gla_less (b->nb, b->k - j), ahead = gla_less (b->nb, b->k - next);
  const int64_t strips = (b->n - next - ahead + b->strip - 1) / b->strip;
  gla_cpu_qr_for (task, 1 + strips, N (block_step_piece), &k);
  return !gla_cpu_qr_stopped (task, 0);
}

static int N (block_factor) (const gla_cpu_qr_task *task, const N (blocks) * b)
{
  int going = 1;
  N (block_panel) (task, b, 0, 0);
  for (int64_t j = 0; going && j < b->k; j += b->nb)
    going = N (block_step) (task, b, j);
  return going;
}

// T of the block at j, from V and tau.
static void N (pivot_triangle) (const N (blocks) * b, int64_t j)
{
  const int64_t w = gla_less (b->nb, b->k - j);
  const GLA_REAL *v = N (v_at) (b, j, j);
  N (el) *t = (N (el) *)N (t_of) (b, j);
  N (block_explicit) (b, j, w);
  N (gemm) ("C", "N", w, w, b->m - j, 1, v, b->m, v, b->m, 0, b->x, b->nb);
  for (int64_t q = 0; q < w; q++)
    t[q + q * b->nb] = ((const N (el) *)b->pivots.tau)[j + q];
  N (fill_triangle) (w, t, b->nb, (const N (el) *)b->x, b->nb);
}

static int N (block_factor_pivot) (const gla_cpu_qr_task *task, int64_t page, const N (blocks) * b)
{
  if (!N (pivot_factor) (task->crew, task->thread, b->m, b->n, b->v, b->m, &b->pivots))
    return 0;
  for (int64_t j = 0; j < b->n; j++)
    task->chunk->jpvt[page * b->n + j] = b->pivots.jpvt[j] - 1;
  for (int64_t j = 0; j < b->k; j += b->nb) {
    if (gla_cpu_qr_stopped (task, 0))
      return 0;
    N (pivot_triangle) (b, j);
  }
  return 1;
}

static void N (block_store_r_column) (void *user, int64_t j, int member)
{
  const N (block_work) *k = user;
  const N (blocks) *b = k->b;
  if (gla_cpu_qr_stopped (k->task, member))
    return;
  const int64_t above = j < b->k ? j / b->nb * b->nb : b->k;
  const N (el) *v = (const N (el) *)N (v_at) (b, 0, j);
  N (el) *to = (N (el) *)N (column_of) (&k->task->chunk->R, k->page, j);
  N (store_r_column) (k->task->chunk, k->page, j, above, v, b->e[j]);
  const GLA_REAL up = N (power_of_two) (b->e[j]);
  for (int64_t i = above; j < b->k && i <= j; i++)
    to[i] = N (el_scale) (up, ((const N (el) *)b->r)[i - above + j * b->nb]);
}

static int N (block_store_r) (const gla_cpu_qr_task *task, int64_t page, const N (blocks) * b)
{
  N (block_work) k = {task, page, b, 0};
  gla_cpu_qr_for (task, b->n, N (block_store_r_column), &k);
  return !gla_cpu_qr_stopped (task, 0);
}

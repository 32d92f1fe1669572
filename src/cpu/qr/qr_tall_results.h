// qr_tall_results_template.h: the sweeps over the tree of row blocks, and what comes of them
// SPDX-License-Identifier: GPL-3.0-or-later

//------------------------------------------------------------------------------
// Q by a solve
//------------------------------------------------------------------------------

// Tile of columns c .. c+nc-1, nr registers of X: what is left of X = X R^-1 when the columns
// before are done; inv: 1 / R's diagonal.
static inline __attribute__ ((always_inline)) void N (solve_tile) (N (num) * X, int64_t ld,
                                                                   int64_t c, int nr, int nc,
                                                                   const N (el) * R, int64_t ldr,
                                                                   const N (el) * inv)
{
  N (subtract_tile) (X, ld, c, X + c * ld, ld, nr, nc, R + c * ldr, ldr);
  for (int64_t k = c; k < c + nc; k++)
    for (int r = 0; r < nr; r++) {
      N (num) x = X[r + k * ld];
      for (int64_t v = c; v < k; v++)
        x = N (fnma) (x, X[r + v * ld], N (spread) (R[v + k * ldr]));
      X[r + k * ld] = N (mul) (x, N (spread) (inv[k]));
    }
}

// X = X R^-1 for the n x n triangle R, rows of X in lanes.
static void N (rows_solve) (int64_t rv, N (num) * X, int64_t ld, int64_t n, const N (el) * R,
                            int64_t ldr, const N (el) * inv)
{
  int64_t i = 0;
  for (; i + N (tile_r) <= rv; i += N (tile_r)) {
    int64_t c = 0;
    for (; c + N (tile_c) <= n; c += N (tile_c))
      N (solve_tile) (X + i, ld, c, N (tile_r), N (tile_c), R, ldr, inv);
    for (; c < n; c++)
      N (solve_tile) (X + i, ld, c, N (tile_r), 1, R, ldr, inv);
  }
  for (; i < rv; i++)
    for (int64_t c = 0; c < n; c++)
      N (solve_tile) (X + i, ld, c, 1, 1, R, ldr, inv);
}

// As in qr_block_solve_template.h, with R^-1 itself, which is small here.
static int N (tall_well_conditioned) (const N (tall) * t, const N (tall_member) * w)
{
  const int64_t n = t->n;
  memset (w->G, 0, (size_t)(n * n) * sizeof *w->G);
  for (int64_t j = 0; j < n; j++)
    w->G[j + j * n] = N (make) (1, 0);
  N (trsm)
  ((N (triangle)){"L", "U", "N", "N"}, n, n, 1, (const GLA_REAL *)t->R, n, (GLA_REAL *)w->G, n);
  double sum = 0;
  for (int64_t i = 0; i < n; i++) {
    double norm2 = 0, row2 = 0;
    for (int64_t k = 0; k <= i; k++)
      norm2 += N (el_abs2) (t->R[k + i * n]);
    for (int64_t j = i; j < n; j++)
      row2 += N (el_abs2) (w->G[i + j * n]);
    sum += norm2 * row2;
  }
  return sum <= SOLVE_NORM * SOLVE_NORM * (double)n;
}

// The rows of Q that belong to a leaf. w->R: 1 / diagonal of R
static void N (tall_solve) (const gla_cpu_qr_task *task, int64_t page, const N (tall) * t,
                            int64_t node, const N (tall_member) * w)
{
  const int64_t first = N (tall_first) (t, 0, node), rows = N (tall_rows) (t, 0, node), n = t->n;
  const int64_t rv = N (tall_ld) (rows);
  for (int64_t j = 0; j < n; j++) {
    const GLA_REAL *from = N (column_of) (&task->chunk->A, page, j) + first * GLA_PARTS;
    N (load_column) (w->a + j * rv, rows, from, N (power_of_two) (-t->common[j]));
    w->R[j] = N (el_inverse) (t->R[j + j * n]);
  }
  N (rows_solve) (N (registers) (rows), w->a, rv, n, t->R, n, w->R);
  for (int64_t j = 0; j < n; j++)
    N (store_rows) (t->q + (first + j * t->ldq) * GLA_PARTS, rows, w->a + j * rv);
}

//------------------------------------------------------------------------------
// sweeps
//------------------------------------------------------------------------------

typedef struct {
  const gla_cpu_qr_task *task;
  int64_t page;
  const N (tall) * t;
  int l;
  gla_tall_way way;
} N (tall_work);

static void N (tall_node) (void *user, int64_t node, int member)
{
  const N (tall_work) *k = user;
  N (tall_member) w;
  size_t bytes;
  if (gla_cpu_qr_stopped (k->task, member))
    return;
  N (tall_member_at) (k->t, member, &w, &bytes);
  if (k->way == TALL_UP)
    N (tall_up) (k->task, k->page, k->t, k->l, node, &w);
  else if (k->way == TALL_DOWN)
    N (tall_down) (k->t, k->l, node, &w);
  else
    N (tall_solve) (k->task, k->page, k->t, node, &w);
}

// All nodes of a level. Returns 0 when the work must end.
static int N (tall_sweep) (const gla_cpu_qr_task *task, int64_t page, const N (tall) * t, int l,
                           gla_tall_way way)
{
  N (tall_work) k = {task, page, t, l, way};
  gla_cpu_qr_for (task, t->level[l].nodes, N (tall_node), &k);
  return !gla_cpu_qr_stopped (task, 0);
}

static int N (tall_q) (const gla_cpu_qr_task *task, int64_t page, const N (tall) * t,
                       const N (tall_member) * w)
{
  const int64_t n = t->n;
  if (N (tall_well_conditioned) (t, w))
    return N (tall_sweep) (task, page, t, 0, TALL_SOLVE);
  N (el) *M = t->level[t->levels - 1].M;
  memset (M, 0, (size_t)(n * n) * sizeof *M);
  for (int64_t j = 0; j < n; j++)
    M[j + j * n] = t->S[j];
  for (int l = t->levels - 1; l >= 0; l--)
    if (!N (tall_sweep) (task, page, t, l, TALL_DOWN))
      return 0;
  return 1;
}

//------------------------------------------------------------------------------
// reflectors
//------------------------------------------------------------------------------

// One block reflector with Q as its first columns: Q - [I; 0] = V (-T V1') = V (U S).
static void N (tall_reconstruct) (const N (tall) * t)
{
  const N (blocks) *b = &t->blocks;
  const int64_t m = t->m, n = t->n;
  N (el) *T = (N (el) *)b->t, *U = (N (el) *)b->x;
  memset (T, 0, (size_t)(n * n) * sizeof *T);
  memset (U, 0, (size_t)(n * n) * sizeof *U);
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = 0; i <= j; i++) {
      U[i + j * n] = N (el_mul) (t->top[i + j * n], t->S[j]);
      T[i + j * n] = -U[i + j * n];
    }
    if (__real__ U[j + j * n] == 0 && __imag__ U[j + j * n] == 0)
      U[j + j * n] = N (make) (1, 0); // nothing to divide: no reflector
    N (el) *v = (N (el) *)N (v_at) (b, 0, j);
    memset (v, 0, (size_t)j * sizeof *v);
    v[j] = N (make) (1, 0);
    memcpy (v + j + 1, t->top + j + 1 + j * n, (size_t)(n - j - 1) * sizeof *v);
  }
  N (trsm)
  ((N (triangle)){"R", "U", "N", "N"}, m - n, n, 1, b->x, n, N (v_at) (b, n, 0), m);
  N (trsm) ((N (triangle)){"R", "L", "C", "U"}, n, n, 1, b->v, m, b->t, n);
}

static void N (tall_reflectors) (const gla_cpu_qr_task *task, int64_t page, const N (tall) * t)
{
  const gla_qr_job *job = task->job;
  const N (blocks) *b = &t->blocks;
  for (int64_t j = 0; t->q != b->v && j < t->n; j++) {
    if (gla_cpu_qr_stopped (task, 0))
      return;
    memcpy (N (v_at) (b, 0, j), t->q + j * t->ldq * GLA_PARTS, (size_t)t->m * sizeof (N (el)));
  }
  N (tall_reconstruct) (t);
  int going = 1;
  if (job->c_rows > job->n)
    going = N (block_c) (task, page, b);
  if (going && job->wy)
    going = N (block_wy) (task, page, b);
  if (going && job->q_columns > job->n)
    N (block_q) (task, page, b);
}

static void N (tall_store_column) (void *user, int64_t j, int member)
{
  const N (tall_work) *k = user;
  const N (tall) *t = k->t;
  if (!gla_cpu_qr_stopped (k->task, member))
    N (store_r_column) (k->task->chunk, k->page, j, j + 1, t->R + j * t->n, t->common[j]);
}

// Zeros below R, where they are wanted, may be as much as A and memory that nobody has touched.
static int N (tall_store) (const gla_cpu_qr_task *task, int64_t page, const N (tall) * t)
{
  const gla_qr_job *job = task->job;
  const int64_t n = t->n;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i <= j; i++)
      t->R[i + j * n] = N (el_scale) (__real__ t->S[i], t->R[i + j * n]);
  N (tall_work) k = {task, page, t, 0, TALL_UP};
  gla_cpu_crew_for (task->crew, job->r_rows ? n : 0, job->r_rows > 4096 ? task->team : 1,
                    N (tall_store_column), &k);
  for (int64_t j = 0; t->C && j < job->rhs; j++) {
    N (el) *to = (N (el) *)N (column_of) (&task->chunk->C, page, j);
    for (int64_t i = 0; i < n; i++)
      to[i] = N (el_scale) (__real__ t->S[i], t->C[i + j * n]);
  }
  return !gla_cpu_qr_stopped (task, 0);
}

static void N (solve_tall) (gla_cpu_qr_task *task, int64_t page)
{
  const gla_qr_job *job = task->job;
  N (tall) t;
  N (tall_layout) (task->work, job, task->team, &t);
  if (job->q_columns == job->n) {
    t.q = N (column_of) (&task->chunk->Q, page, 0);
    t.ldq = task->chunk->Q.column_stride;
  } else if (t.with_blocks) {
    t.q = t.blocks.v;
    t.ldq = job->m;
  }
  for (int l = 0; l < t.levels; l++) {
    if (!N (tall_sweep) (task, page, &t, l, TALL_UP))
      return;
    if (l == 0)
      N (tall_common_scale) (&t);
  }
  N (tall_member) w;
  size_t bytes;
  N (tall_member_at) (&t, 0, &w, &bytes);
  N (tall_top) (&t, &w);
  N (tall_signs) (&t);
  if (N (tall_store) (task, page, &t) && t.q && N (tall_q) (task, page, &t, &w) && t.with_blocks)
    N (tall_reflectors) (task, page, &t);
}

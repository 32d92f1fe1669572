// qr_tall_template.h: many more rows than columns: a tree of row blocks
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Demmel, Grigori, Hoemmen, Langou 2012. Every leaf factors rows of A that fit into a cache; a node
// above factors the stacked R of its children. Going down again with the identity gives Q. The tree
// depends on m, n and the type only, so the bits do not depend on who does which node.
// Columns are scaled leaf by leaf; the R of all leaves get common factors before they are stacked.

enum { N (tall_levels) = 24, N (tall_bytes) = 128 * 1024 };
enum { N (tall_zero) = INT_MIN }; // the exponent of a column of zeros

typedef struct {
  int64_t nodes;
  int64_t rows; // of what its nodes share
  N (el) * in;  // rows x n, from level 1 on: R of the children, then V
  N (el) * C;   // rows x rhs, from level 1 on
  N (el) * M;   // nodes*n x n: what each node gets from above
  N (el) * T;   // of every node
} N (tall_level);

typedef struct {
  N (num) * a, *q;
  N (el) * R, *W, *G, *Z;
} N (tall_member);

typedef struct {
  int64_t m, n, columns; // columns: of q of a member
  int levels;
  N (tall_level) level[N (tall_levels)];
  int *e, *common; // exponents: n of every leaf; of R
  N (num) * first; // V of the first leaf
  N (el) * R, *C, *top, *S;
  N (tall_member) member;
  size_t member_bytes;
  char *members;
  GLA_REAL *q; // where V and Q stand, NULL: not wanted
  int64_t ldq;
  int with_blocks; // whether reflectors are reconstructed
  N (blocks) blocks;
} N (tall);

static int64_t N (tall_first) (const N (tall) * t, int l, int64_t node)
{
  const N (tall_level) *v = &t->level[l];
  if (l == 0)
    return node * (t->m / v->nodes) + gla_less (node, t->m % v->nodes);
  const int64_t children = v->rows / t->n;
  return t->n * (node * (children / v->nodes) + gla_less (node, children % v->nodes));
}

static int64_t N (tall_rows) (const N (tall) * t, int l, int64_t node)
{
  return N (tall_first) (t, l, node + 1) - N (tall_first) (t, l, node);
}

// Registers from one column to the next, odd, because a cache has few places for addresses that are
// large powers of two apart.
static inline int64_t N (tall_ld) (int64_t rows)
{
  return N (registers) (rows) | 1;
}

// Rows of a leaf: at least 4n, less than twice this many.
static int64_t N (tall_leaf) (int64_t n)
{
  return gla_more (4 * n, (int64_t)N (tall_bytes) / (n * (int64_t)sizeof (N (el))));
}

static void N (tall_plan) (const gla_qr_job *job, N (tall) * t)
{
  const int64_t leaf = N (tall_leaf) (job->n), arity = leaf / job->n;
  memset (t, 0, sizeof *t);
  t->m = job->m, t->n = job->n;
  t->columns = gla_more (job->n, gla_less (job->rhs, N (strip)));
  t->with_blocks = job->q_columns > job->n || job->wy || job->c_rows > job->n;
  t->level[0].rows = job->m;
  t->level[0].nodes = gla_more (1, job->m / leaf);
  for (t->levels = 1; t->level[t->levels - 1].nodes > 1; t->levels++) {
    N (tall_level) *v = &t->level[t->levels];
    v->rows = v[-1].nodes * t->n;
    v->nodes = gla_more (1, v[-1].nodes / arity);
  }
}

static void N (tall_member_at) (const N (tall) * t, int member, N (tall_member) * w, size_t *bytes)
{
  const int64_t rv = N (tall_ld) (2 * N (tall_leaf) (t->n) + t->n), n = t->n;
  char *base = t->members ? t->members + (size_t)member * t->member_bytes : NULL;
  *bytes = 0;
  w->a = gla_carve (base, bytes, (size_t)(rv * n) * sizeof (N (num)));
  w->q = gla_carve (base, bytes, (size_t)(rv * t->columns) * sizeof (N (num)));
  w->R = gla_carve (base, bytes, (size_t)(n * n) * sizeof (N (el)));
  w->W = gla_carve (base, bytes, (size_t)(GLA_QR_PANEL * t->columns) * sizeof (N (el)));
  w->G = gla_carve (base, bytes, (size_t)(n * n) * sizeof (N (el)));
  w->Z = gla_carve (base, bytes, (size_t)(n * n) * sizeof (N (el)));
}

static size_t N (tall_layout) (char *base, const gla_qr_job *job, int team, N (tall) * t)
{
  const size_t el = sizeof (N (el));
  size_t at = 0;
  N (tall_plan) (job, t);
  const size_t n = (size_t)t->n, square = n * n * el;
  const int with_c = job->rhs > 0 && job->c_rows == job->n;
  for (int l = 0; l < t->levels; l++) {
    N (tall_level) *v = &t->level[l];
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
  t->first =
      gla_carve (base, &at, (size_t)N (tall_ld) (N (tall_rows) (t, 0, 0)) * n * sizeof (N (num)));
  t->R = gla_carve (base, &at, square);
  t->C = with_c ? gla_carve (base, &at, n * (size_t)job->rhs * el) : NULL;
  t->top = gla_carve (base, &at, square);
  t->S = gla_carve (base, &at, n * el);
  N (tall_member_at) (t, 0, &t->member, &t->member_bytes);
  t->members = gla_carve (base, &at, (size_t)team * t->member_bytes);
  if (t->with_blocks)
    at += N (block_layout) (base ? base + at : NULL, job, job->n, job->c_rows > job->n, team,
                            &t->blocks);
  return at;
}

//------------------------------------------------------------------------------
// up
//------------------------------------------------------------------------------

static void N (tall_load_leaf) (const gla_array *A, int64_t page, int64_t first, int64_t rows,
                                const N (tall_member) * w, int *e)
{
  const int64_t rv = N (tall_ld) (rows);
  for (int64_t j = 0; j < A->columns; j++) {
    const GLA_REAL *from = N (column_of) (A, page, j) + first * GLA_PARTS;
    const GLA_BITS largest = N (largest_of) (from, rows * GLA_PARTS, 0);
    const int exponent = N (exponent_of) (largest);
    e[j] = largest == 0 ? N (tall_zero) : exponent;
    N (load_column) (w->a + j * rv, rows, from, N (power_of_two) (-exponent));
  }
}

// A node's share of Q'*B: its first n rows go up.
static void N (tall_c) (const gla_cpu_qr_task *task, int64_t page, const N (tall) * t, int l,
                        int64_t node, const N (tall_member) * w)
{
  const int64_t first = N (tall_first) (t, l, node), rows = N (tall_rows) (t, l, node), n = t->n;
  const int64_t rv = N (tall_ld) (rows), rhs = task->job->rhs;
  const N (tall_level) *v = &t->level[l];
  const N (el) *T = v->T + node * GLA_QR_PANEL * n;
  const int root = l == t->levels - 1;
  N (el) *to = root ? t->C : v[1].C + node * n;
  const int64_t ldt = root ? n : v[1].rows;
  for (int64_t q = 0; q < rhs; q += t->columns) {
    const int64_t count = gla_less (t->columns, rhs - q);
    for (int64_t j = 0; j < count; j++) {
      const GLA_REAL *from = l == 0 ? N (column_of) (&task->chunk->B, page, q + j)
                                    : (const GLA_REAL *)(v->C + (q + j) * v->rows);
      N (load_column) (w->q + j * rv, rows, from + first * GLA_PARTS, 1);
    }
    N (rows_multiply) (rows, n, w->a, rv, T, 1, w->q, rv, count, 0, w->W);
    for (int64_t j = 0; j < count; j++)
      N (store_rows) ((GLA_REAL *)(to + (q + j) * ldt), n, w->q + j * rv);
  }
}

static void N (tall_up) (const gla_cpu_qr_task *task, int64_t page, const N (tall) * t, int l,
                         int64_t node, const N (tall_member) * w)
{
  const int64_t first = N (tall_first) (t, l, node), rows = N (tall_rows) (t, l, node), n = t->n;
  const int64_t rv = N (tall_ld) (rows);
  const N (tall_level) *v = &t->level[l];
  if (l == 0)
    N (tall_load_leaf) (&task->chunk->A, page, first, rows, w, t->e + node * n);
  else
    for (int64_t j = 0; j < n; j++)
      N (load_column)
  (w->a + j * rv, rows, (const GLA_REAL *)(v->in + first + j * v->rows), 1);

  memset (w->R, 0, (size_t)(n * n) * sizeof *w->R);
  N (rows_factor) (rows, n, w->a, rv, w->R, n, v->T + node * GLA_QR_PANEL * n, w->W);

  const int root = l == t->levels - 1;
  for (int64_t j = 0; j < n; j++) {
    memcpy (root ? t->R + j * n : v[1].in + node * n + j * v[1].rows, w->R + j * n,
            (size_t)n * sizeof *w->R);
    GLA_REAL *keep = l > 0  ? (GLA_REAL *)(v->in + first + j * v->rows)
                     : t->q ? t->q + (first + j * t->ldq) * GLA_PARTS
                            : NULL;
    if (keep)
      N (store_rows) (keep, rows, w->a + j * rv);
  }
  if (l == 0 && node == 0)
    memcpy (t->first, w->a, (size_t)(rv * n) * sizeof *w->a);
  if (t->C)
    N (tall_c) (task, page, t, l, node, w);
}

// Gives the R of all leaves the same scale, column by column.
static void N (tall_common_scale) (const N (tall) * t)
{
  const int64_t n = t->n, leaves = t->level[0].nodes;
  for (int64_t j = 0; j < n; j++) {
    int most = N (tall_zero);
    for (int64_t p = 0; p < leaves; p++)
      most = t->e[p * n + j] > most ? t->e[p * n + j] : most;
    t->common[j] = most == N (tall_zero) ? 0 : most;
    for (int64_t p = 0; leaves > 1 && p < leaves; p++) {
      const int e = t->e[p * n + j];
      if (e == most || e == N (tall_zero))
        continue;
      // what falls below the range is nothing beside the largest
      const GLA_REAL s = e - most < 1 - GLA_BIAS ? 0 : N (power_of_two) (e - most);
      N (el) *x = t->level[1].in + p * n + j * t->level[1].rows;
      for (int64_t i = 0; i <= j; i++)
        x[i] = N (el_scale) (s, x[i]);
    }
  }
}

//------------------------------------------------------------------------------
// signs
//------------------------------------------------------------------------------

// Z = T*Z for all columns, of G = V'*V and the reflectors' tau: z_j = tau_j (z_j - G(j, j+1:) z).
static void N (tall_triangle) (int64_t n, const N (el) * T, const N (el) * G, N (el) * Z)
{
  for (int64_t c = 0; c < n; c++) {
    N (el) *z = Z + c * n;
    for (int64_t j = n - 1; j >= 0; j--) {
      const N (el) x = N (el_mul) (T[j % GLA_QR_PANEL + j * GLA_QR_PANEL], z[j]);
      z[j] = x;
      for (int64_t i = 0; i < j; i++)
        z[i] -= N (el_mul) (G[i + j * n], x);
    }
  }
}

// Q times [M; 0] on one node; M is n x n, the result stays in w->q. All reflectors at once,
// [M; 0] - V (T (V(1:n, :)'*M)), because V then is read once.
static void N (tall_multiply) (const N (tall) * t, int64_t rows, const N (num) * V,
                               const N (el) * T, const N (el) * M, int64_t ldm,
                               const N (tall_member) * w)
{
  const int64_t ld = N (tall_ld) (rows), rv = N (registers) (rows), n = t->n;
  memset (w->q, 0, (size_t)(ld * n) * sizeof *w->q);
  for (int64_t j = 0; j < n; j++)
    N (load_column) (w->q + j * ld, n, (const GLA_REAL *)(M + j * ldm), 1);
  N (cross) (N (registers) (n), V, ld, n, w->q, ld, n, w->Z, n);
  for (int64_t j = 0; j < n; j += GLA_QR_PANEL) {
    const int64_t skip = j / GLA_LANES;
    N (cross)
    (rv - skip, V + skip + j * ld, ld, gla_less (GLA_QR_PANEL, n - j), V + skip + j * ld, ld, n - j,
     w->G + j + j * n, n);
  }
  N (tall_triangle) (n, T, w->G, w->Z);
  N (subtract_wide) (rv, V, ld, n, w->q, ld, n, w->Z, n);
}

// The first n rows of Q, by going down to the first leaf.
static void N (tall_top) (const N (tall) * t, const N (tall_member) * w)
{
  const int64_t n = t->n;
  memset (t->top, 0, (size_t)(n * n) * sizeof *t->top);
  for (int64_t j = 0; j < n; j++)
    t->top[j + j * n] = N (make) (1, 0);
  for (int l = t->levels - 1; l >= 0; l--) {
    const N (tall_level) *v = &t->level[l];
    const int64_t rows = N (tall_rows) (t, l, 0), rv = N (tall_ld) (rows);
    for (int64_t j = 0; l > 0 && j < n; j++)
      N (load_column) (w->a + j * rv, rows, (const GLA_REAL *)(v->in + j * v->rows), 1);
    N (tall_multiply) (t, rows, l > 0 ? w->a : t->first, v->T, t->top, n, w);
    for (int64_t j = 0; j < n; j++)
      N (store_rows) ((GLA_REAL *)(t->top + j * n), n, w->q + j * rv);
  }
}

// Whether nothing had to be reflected for column j, from the first leaf to the root.
static int N (tall_untouched) (const N (tall) * t, int64_t j)
{
  for (int l = 0; l < t->levels; l++) {
    const N (el) tau = t->level[l].T[j % GLA_QR_PANEL + j * GLA_QR_PANEL];
    if (__real__ tau != 0 || __imag__ tau != 0)
      return 0;
  }
  return 1;
}

// S: the signs that LAPACK's reflectors would give, with the LU factors of Q(1:n, :) - S in `top`
// (Ballard et al. 2014): the diagonal that LU meets has the sign of what Householder meets.
static void N (tall_signs) (const N (tall) * t)
{
  const int64_t n = t->n;
  N (el) *a = t->top;
  for (int64_t j = 0; j < n; j++) {
    N (el) *d = &a[j + j * n];
    const GLA_REAL re = __real__ * d;
    const int identity = (re == 1 || re == -1) && N (tall_untouched) (t, j);
    const GLA_REAL s = identity ? re : (GLA_REAL)copysign (1, -re);
    t->S[j] = N (make) (s, 0);
    *d -= s;
    const N (el) inv = identity ? N (make) (0, 0) : N (el_inverse) (*d);
    for (int64_t i = j + 1; i < n; i++)
      a[i + j * n] = N (el_mul) (a[i + j * n], inv);
    for (int64_t c = j + 1; c < n; c++)
      for (int64_t i = j + 1; i < n; i++)
        a[i + c * n] -= N (el_mul) (a[i + j * n], a[j + c * n]);
  }
}

//------------------------------------------------------------------------------
// down
//------------------------------------------------------------------------------

static void N (tall_down) (const N (tall) * t, int l, int64_t node, const N (tall_member) * w)
{
  const int64_t first = N (tall_first) (t, l, node), rows = N (tall_rows) (t, l, node), n = t->n;
  const int64_t rv = N (tall_ld) (rows);
  const N (tall_level) *v = &t->level[l];
  for (int64_t j = 0; j < n; j++) {
    N (num) *to = w->a + j * rv;
    N (load_column)
    (to, rows,
     l > 0 ? (const GLA_REAL *)(v->in + first + j * v->rows)
           : t->q + (first + j * t->ldq) * GLA_PARTS,
     1);
  }
  N (tall_multiply)
  (t, rows, w->a, v->T + node * GLA_QR_PANEL * n, v->M + node * n, v->nodes * n, w);
  for (int64_t j = 0; j < n; j++)
    N (store_rows)
  (l > 0 ? (GLA_REAL *)(v[-1].M + first + j * v->rows) : t->q + (first + j * t->ldq) * GLA_PARTS,
   rows, w->q + j * rv);
}

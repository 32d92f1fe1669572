// block_jacobi_template.h: one-sided block Jacobi on one Hermitian matrix
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The large method of Huang, Liu, Zhao (2023): A <- A B, Q <- Q B, where B diagonalises the Gram
// matrix G = Q^H A of a pair of column blocks; at the end A = A_0 Q has columns lambda_j q_j. The
// pairs of one round are disjoint, so their Gram matrices stand side by side in lanes and the
// two-sided method serves as the inner solver. G is computed anew from A and Q, which carry
// rounding errors of eps*|A|; an element of G below 2*tol*|A| is therefore as good as zero. |A| is
// the 2-norm, as the largest column of A tells it: normF would let too much pass where n is large.

enum { N (block) = 16, N (pair) = 2 * 16 };

typedef struct {
  GLA_REAL *a, *q, *strip, *gram, *b, *w;
  N (num) * g, *v;
  char *active; // columns that met a large element in this sweep
  int *order;
  GLA_REAL limit; // an element of G above this is large
  GLA_REAL tol;
  int64_t n;
  int blocks;
} N (block_work);

static size_t N (block_layout) (char *base, const gla_eig_job *job, N (block_work) * w)
{
  const size_t n = (size_t)job->n, pair = N (pair), element = GLA_PARTS * sizeof (GLA_REAL);
  size_t at = 0;
  memset (w, 0, sizeof *w);
  w->n = job->n;
  w->blocks = (int)((n + N (block) - 1) / N (block));
  w->a = gla_carve (base, &at, n * n * element);
  w->q = gla_carve (base, &at, n * n * element);
  w->strip = gla_carve (base, &at, n * pair * element);
  w->gram = gla_carve (base, &at, pair * pair * element);
  w->b = gla_carve (base, &at, pair * pair * element);
  w->g = gla_carve (base, &at, pair * pair * sizeof (N (num)));
  w->v = gla_carve (base, &at, pair * pair * sizeof (N (num)));
  w->w = gla_carve (base, &at, n * sizeof (GLA_REAL));
  w->active = gla_carve (base, &at, n);
  w->order = gla_carve (base, &at, n * sizeof (int));
  return at;
}

// First column of block k; the blocks differ by one column at most.
static inline int64_t N (block_start) (const N (block_work) * w, int k)
{
  return w->n * k / w->blocks;
}

// A pair of blocks: columns p0..p0+p-1 and q0..q0+q-1.
typedef struct {
  int64_t p0, q0;
  int p, q;
} N (columns);

static inline int64_t N (column_of) (const N (columns) * c, int k)
{
  return k < c->p ? c->p0 + k : c->q0 + k - c->p;
}

static void N (multiply) (const char *transa, int64_t m, int64_t n, int64_t k, const GLA_REAL *a,
                          int64_t lda, const GLA_REAL *b, int64_t ldb, GLA_REAL *c, int64_t ldc)
{
  const gla_blas_int im = (gla_blas_int)m, in = (gla_blas_int)n, ik = (gla_blas_int)k;
  const gla_blas_int ila = (gla_blas_int)lda, ilb = (gla_blas_int)ldb, ilc = (gla_blas_int)ldc;
  const GLA_REAL one[2] = {1, 0}, zero[2] = {0, 0};
  GLA_GEMM (transa, "N", &im, &in, &ik, one, a, &ila, b, &ilb, zero, c, &ilc, 1, 1);
}

//------------------------------------------------------------------------------
// one pair
//------------------------------------------------------------------------------

// Lower triangle of G = Q^H A for the pair into lane l; returns whether an element is large.
static int N (gram_to_lane) (N (block_work) * w, const N (columns) * c, int l)
{
  const int64_t n = w->n;
  const int size = c->p + c->q;
  const int64_t part = GLA_PARTS;
  const GLA_REAL *ap = w->a + c->p0 * n * part, *aq = w->a + c->q0 * n * part;
  const GLA_REAL *qp = w->q + c->p0 * n * part, *qq = w->q + c->q0 * n * part;
  N (multiply) ("C", c->p, c->p, n, qp, n, ap, n, w->gram, size);
  N (multiply) ("C", c->q, c->p, n, qq, n, ap, n, w->gram + c->p * part, size);
  N (multiply) ("C", c->q, c->q, n, qq, n, aq, n, w->gram + (c->p + c->p * size) * part, size);

  int large = 0;
  for (int j = 0; j < size; j++)
    for (int i = j; i < size; i++) {
      const GLA_REAL *x = w->gram + (i + j * size) * part;
      GLA_REAL *to = (GLA_REAL *)&w->g[i + j * N (pair)] + l;
      GLA_REAL x2 = x[0] * x[0];
      to[0] = x[0];
#if GLA_COMPLEX
      to[GLA_LANES] = i == j ? 0 : x[1];
      x2 += x[1] * x[1];
#endif
      if (i != j && x2 > w->limit * w->limit) {
        large = 1;
        w->active[N (column_of) (c, i)] = w->active[N (column_of) (c, j)] = 1;
      }
    }
  return large;
}

// x <- x B on the columns of the pair.
static void N (apply) (N (block_work) * w, GLA_REAL *x, const N (columns) * c)
{
  const int64_t n = w->n, part = GLA_PARTS;
  const int size = c->p + c->q;
  const size_t column = (size_t)n * part * sizeof *x;
  memcpy (w->strip, x + c->p0 * n * part, (size_t)c->p * column);
  memcpy (w->strip + c->p * n * part, x + c->q0 * n * part, (size_t)c->q * column);
  N (multiply) ("N", n, c->p, size, w->strip, n, w->b, size, x + c->p0 * n * part, n);
  N (multiply)
  ("N", n, c->q, size, w->strip, n, w->b + c->p * size * part, size, x + c->q0 * n * part, n);
}

static void N (rotate_pair) (N (block_work) * w, const N (columns) * c, int l)
{
  const int size = c->p + c->q;
  for (int j = 0; j < size; j++)
    for (int i = 0; i < size; i++) {
      const GLA_REAL *from = (const GLA_REAL *)&w->v[i + j * N (pair)] + l;
      GLA_REAL *to = w->b + (i + j * size) * GLA_PARTS;
      to[0] = from[0];
#if GLA_COMPLEX
      to[1] = from[GLA_LANES];
#endif
    }
  N (apply) (w, w->a, c);
  N (apply) (w, w->q, c);
}

//------------------------------------------------------------------------------
// sweeps
//------------------------------------------------------------------------------

// Pairs first, first+1, ... of round r, at most one per lane. Returns whether one was rotated.
static int N (block_group) (N (block_work) * w, int m, int r, int first, int pairs)
{
  N (columns) c[GLA_LANES];
  int large[GLA_LANES] = {0}, some = 0;
  memset (w->g, 0, sizeof (N (num)) * N (pair) * N (pair));
  for (int l = 0; l < GLA_LANES && first + l < pairs; l++) {
    int p, q;
    gla_round_robin (m, r, first + l, &p, &q);
    if (q >= w->blocks)
      continue;
    c[l].p0 = N (block_start) (w, p);
    c[l].q0 = N (block_start) (w, q);
    c[l].p = (int)(N (block_start) (w, p + 1) - c[l].p0);
    c[l].q = (int)(N (block_start) (w, q + 1) - c[l].q0);
    large[l] = N (gram_to_lane) (w, &c[l], l);
    some |= large[l];
  }
  if (!some)
    return 0;

  // lanes without a large element are left alone: their floor is out of reach
  N (vec) floor2;
  GLA_REAL f = w->limit / (2 * w->n);
  for (int l = 0; l < GLA_LANES; l++)
    floor2[l] = large[l] ? f * f : GLA_MAX;
  N (set_identity) (N (pair), w->v);
  N (jacobi_sweeps) (N (pair), w->g, w->v, floor2, N (all) (w->tol * w->tol), 4);
  for (int l = 0; l < GLA_LANES; l++)
    if (large[l])
      N (rotate_pair) (w, &c[l], l);
  return 1;
}

// The largest norm of a column of A. It never exceeds the 2-norm and at the end it is the 2-norm.
static GLA_REAL N (largest_column) (const N (block_work) * w)
{
  const int64_t length = w->n * GLA_PARTS;
  GLA_REAL largest = 0;
  for (int64_t j = 0; j < w->n; j++) {
    GLA_REAL sum = 0;
    for (int64_t i = 0; i < length; i++)
      sum += w->a[i + j * length] * w->a[i + j * length];
    largest = sum > largest ? sum : largest;
  }
  return GLA_SQRT (largest);
}

// Returns how many columns still have large elements after the last sweep.
static int N (block_sweeps) (gla_cpu_task *task, N (block_work) * w)
{
  const int m = w->blocks + w->blocks % 2;
  for (int sweep = 0; sweep < task->job->maxit; sweep++) {
    int rotated = 0;
    w->limit = 2 * w->tol * N (largest_column) (w);
    memset (w->active, 0, (size_t)w->n);
    for (int r = 0; r < m - 1; r++) {
      for (int k = 0; k < m / 2; k += GLA_LANES)
        rotated |= N (block_group) (w, m, r, k, m / 2);
      if (gla_cpu_task_stopped (task))
        return 0;
    }
    if (!rotated)
      return 0;
  }
  int count = 0;
  for (int64_t i = 0; i < w->n; i++)
    count += w->active[i];
  return count;
}

// lambda_j = q_j^H a_j
static void N (rayleigh) (N (block_work) * w)
{
  const int64_t length = w->n * GLA_PARTS;
  for (int64_t j = 0; j < w->n; j++) {
    const GLA_REAL *a = w->a + j * length, *q = w->q + j * length;
    GLA_REAL sum = 0;
    for (int64_t i = 0; i < length; i++)
      sum += a[i] * q[i];
    w->w[j] = sum;
  }
}

static void N (solve_block) (gla_cpu_task *task, int64_t page)
{
  N (block_work) w;
  N (block_layout) (task->work, task->job, &w);
  const int64_t n = w.n;
  N (scaling) s = N (load_page) (task, page, w.a, 1);
  if (s.info == 0) {
    w.tol = (GLA_REAL)task->job->tol;
    memset (w.q, 0, (size_t)(n * n * GLA_PARTS) * sizeof *w.q);
    for (int64_t j = 0; j < n; j++)
      w.q[(j + j * n) * GLA_PARTS] = 1;
    s.info = N (block_sweeps) (task, &w);
    N (rayleigh) (&w);
  }
  N (result) r = {w.w, w.q, 1, n, GLA_PARTS, 1};
  N (store) (task, page, &s, r, w.order);
}

// qr_lanes_template.h: small pages, one per lane of a register
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Element (i, j) of all pages stands in a[i + j*m]. Columns are updated a few at a time, so that
// enough sums are under way at once.

typedef struct {
  N (num) * a, *b; // the pages; columns of B, or W
  N (num) * tau, *w;
  N (vec) * up;
} N (lanes_work);

enum { N (lanes_columns) = GLA_COMPLEX ? 2 : 4 }; // updated at a time

static size_t N (lanes_layout) (char *base, const gla_qr_job *job, N (lanes_work) * w)
{
  const int64_t m = job->m, k = gla_less (m, job->n);
  int64_t b = gla_less (job->rhs, N (strip));
  b = job->wy ? gla_more (b, k) : b;
  size_t at = 0;
  w->a = gla_carve (base, &at, (size_t)(m * gla_more (job->n, job->q_columns)) * sizeof *w->a);
  w->b = gla_carve (base, &at, (size_t)(m * b) * sizeof *w->b);
  w->tau = gla_carve (base, &at, (size_t)k * sizeof *w->tau);
  w->w = gla_carve (base, &at, (size_t)k * sizeof *w->w);
  w->up = gla_carve (base, &at, (size_t)job->n * sizeof *w->up);
  return at;
}

//------------------------------------------------------------------------------
// between pages and lanes
//------------------------------------------------------------------------------

// Column j of the pages first..first+count-1; lanes without a page repeat the first one.
static inline void N (lanes_load) (const gla_array *A, int64_t first, int count, int64_t j,
                                   const GLA_REAL **from)
{
  for (int l = 0; l < GLA_LANES; l++)
    from[l] = N (column_of) (A, first + (l < count ? l : 0), j);
}

static inline void N (lanes_gather) (int64_t m, const GLA_REAL **from, N (vec) down, N (num) * to)
{
  for (int64_t i = 0; i < m; i++) {
    N (num) x = N (zero) ();
    for (int l = 0; l < GLA_LANES; l++) {
      x.re[l] = from[l][GLA_PARTS * i];
#if GLA_COMPLEX
      x.im[l] = from[l][2 * i + 1];
#endif
    }
    to[i] = N (scale) (down, x);
  }
}

// Rows 0..rows-1 of a column to column j of every page, times `up`, and zeros down to `all`.
static inline void N (lanes_store) (const gla_array *A, int64_t first, int count, int64_t j,
                                    const N (num) * from, int64_t rows, N (vec) up, int64_t all)
{
  for (int l = 0; l < count; l++) {
    const GLA_REAL *x = (const GLA_REAL *)from + l;
    GLA_REAL *to = N (column_of) (A, first + l, j), f = up[l];
    for (int64_t i = 0; i < rows; i++) {
      to[GLA_PARTS * i] = x[GLA_PARTS * GLA_LANES * i] * f;
#if GLA_COMPLEX
      to[2 * i + 1] = x[(2 * i + 1) * GLA_LANES] * f;
#endif
    }
    memset (to + rows * GLA_PARTS, 0, (size_t)((all - rows) * GLA_PARTS) * sizeof *to);
  }
}

//------------------------------------------------------------------------------
// reflectors
//------------------------------------------------------------------------------

typedef struct {
  N (vec) beta;
  N (num) tau, inv;
} N (lanes_reflector);

// As N (reflect), with H = I in the lanes of `none`. Compiled once, so that it rounds in the same
// places whoever calls it.
static __attribute__ ((noinline)) N (lanes_reflector)
    N (lanes_reflect) (N (num) alpha, N (vec) sum, N (mask) none)
{
  const N (vec) one = N (all) (1);
  const N (mask) sign = (N (mask))N (all) (-(GLA_REAL)0);
  N (lanes_reflector) h;
  N (vec) size = N (vsqrt) (N (abs2) (alpha) + sum);
  h.beta = (N (vec)) ((N (mask))size ^ (~(N (mask))alpha.re & sign));
  h.beta = N (select) (none, one, h.beta);
  N (num) d = alpha;
  d.re = N (select) (none, one, alpha.re - h.beta);
  h.tau.re = (h.beta - alpha.re) / h.beta;
#if GLA_COMPLEX
  h.tau.im = -alpha.im / h.beta;
  h.inv = N (scale) (one / N (abs2) (d), N (conj) (d));
#else
  h.inv.re = one / d.re;
#endif
  h.tau = N (num_select) (none, N (zero) (), h.tau);
  h.inv = N (num_select) (none, N (zero) (), h.inv);
  h.beta = N (select) (none, alpha.re, h.beta);
  return h;
}

// The reflector where squares of some lane underflow or nothing is left of a column: every lane by
// the rules of its own column, so that it does not matter which lane called for this.
static N (lanes_reflector) N (lanes_careful) (int64_t rows, N (num) * x, N (num) alpha, N (vec) sum)
{
  N (mask) none = {0};
  N (vec) down = N (all) (1), up = down;
  for (int l = 0; l < GLA_LANES; l++) {
    GLA_BITS rest = 0, all;
    for (int64_t i = 0; i < rows * GLA_PARTS; i++) {
      GLA_BITS b = N (abs_bits) (((const GLA_REAL *)x)[i * GLA_LANES + l]);
      rest = b > rest ? b : rest;
    }
    all = N (abs_bits) (alpha.re[l]);
    GLA_REAL square = alpha.re[l] * alpha.re[l] + sum[l];
#if GLA_COMPLEX
    GLA_BITS im = N (abs_bits) (alpha.im[l]);
    all = im > all ? im : all;
    none[l] = -(GLA_BITS)(rest == 0 && im == 0);
    square = alpha.re[l] * alpha.re[l] + alpha.im[l] * alpha.im[l] + sum[l];
#else
    none[l] = -(GLA_BITS)(rest == 0);
#endif
    all = rest > all ? rest : all;
    const int e = square < GLA_QR_SMALL ? N (exponent_of) (all) : 0;
    down[l] = N (power_of_two) (-e);
    up[l] = N (power_of_two) (e);
  }
  N (vec) again = N (all) (0);
  for (int64_t i = 0; i < rows; i++) {
    x[i] = N (scale) (down, x[i]);
    again += N (abs2) (x[i]);
  }
  again = N (select) (down == N (all) (1), sum, again);
  N (lanes_reflector) h = N (lanes_reflect) (N (scale) (down, alpha), again, none);
  h.beta *= up;
  return h;
}

// nc columns c = c - [1; v] f ([1; v]'*c), f = tau or its conjugate.
static inline __attribute__ ((always_inline)) void
N (lanes_update_of) (int64_t rows, const N (num) * v, N (num) f, N (num) * c, int64_t ldc, int nc)
{
  N (num) sum[N (lanes_columns)];
  for (int q = 0; q < nc; q++)
    sum[q] = c[q * ldc];
  for (int64_t i = 1; i < rows; i++)
    for (int q = 0; q < nc; q++)
      sum[q] = N (fmac) (sum[q], v[i], c[i + q * ldc]);
  for (int q = 0; q < nc; q++) {
    sum[q] = N (mul) (f, sum[q]);
    c[q * ldc] = N (sub) (c[q * ldc], sum[q]);
  }
  for (int64_t i = 1; i < rows; i++)
    for (int q = 0; q < nc; q++)
      c[i + q * ldc] = N (fnma) (c[i + q * ldc], v[i], sum[q]);
}

static void N (lanes_update) (int64_t rows, const N (num) * v, N (num) f, N (num) * c, int64_t ldc,
                              int64_t nc)
{
  int64_t q = 0;
  for (; q + N (lanes_columns) <= nc; q += N (lanes_columns))
    N (lanes_update_of) (rows, v, f, c + q * ldc, ldc, N (lanes_columns));
  for (; q < nc; q++)
    N (lanes_update_of) (rows, v, f, c + q * ldc, ldc, 1);
}

// R above the diagonal and on it, v below it.
static void N (lanes_factor) (int64_t m, int64_t n, N (num) * a, N (num) * tau)
{
  for (int64_t j = 0; j < gla_less (m, n); j++) {
    N (num) *c = a + j + j * m, alpha = *c;
    const int64_t rows = m - j;
    N (vec) sum = N (all) (0);
    for (int64_t i = 1; i < rows; i++)
      sum += N (abs2) (c[i]);
    N (lanes_reflector) h;
    const N (vec) square = sum + N (abs2) (alpha);
    if (N (any) ((square < N (all) (GLA_QR_SMALL)) | (sum == N (all) (0))))
      h = N (lanes_careful) (rows - 1, c + 1, alpha, sum);
    else
      h = N (lanes_reflect) (alpha, sum, (N (mask)){0});
    for (int64_t i = 1; i < rows; i++)
      c[i] = N (mul) (c[i], h.inv);
    tau[j] = h.tau;
    *c = N (from_real) (h.beta);
    N (lanes_update) (rows, c, N (conj) (h.tau), c + m, m, n - j - 1);
  }
}

//------------------------------------------------------------------------------
// results
//------------------------------------------------------------------------------

// Column j of Q takes the place of v_j, which is not needed any more.
static void N (lanes_q) (int64_t m, int64_t k, int64_t columns, N (num) * a, const N (num) * tau)
{
  const N (num) one = N (from_real) (N (all) (1));
  if (columns > k)
    memset (a + k * m, 0, (size_t)((columns - k) * m) * sizeof *a);
  for (int64_t j = k; j < columns; j++)
    a[j + j * m] = one;
  for (int64_t j = k - 1; j >= 0; j--) {
    N (num) *c = a + j + j * m;
    N (lanes_update) (m - j, c, tau[j], c + m, m, columns - j - 1);
    memset (a + j * m, 0, (size_t)j * sizeof *a);
    *c = N (sub) (one, tau[j]);
    for (int64_t i = 1; i < m - j; i++)
      c[i] = N (sub) (N (zero) (), N (mul) (c[i], tau[j]));
  }
}

static void N (lanes_c) (gla_cpu_qr_task *task, int64_t first, int count, const N (lanes_work) * w)
{
  const gla_qr_job *job = task->job;
  const int64_t m = job->m, k = gla_less (m, job->n);
  const GLA_REAL *from[GLA_LANES];
  for (int64_t q = 0; q < job->rhs; q += N (strip)) {
    const int64_t columns = gla_less (N (strip), job->rhs - q);
    for (int64_t j = 0; j < columns; j++) {
      N (lanes_load) (&task->chunk->B, first, count, q + j, from);
      N (lanes_gather) (m, from, N (all) (1), w->b + j * m);
    }
    for (int64_t j = 0; j < k; j++)
      N (lanes_update) (m - j, w->a + j + j * m, N (conj) (w->tau[j]), w->b + j, m, columns);
    for (int64_t j = 0; j < columns; j++)
      N (lanes_store)
    (&task->chunk->C, first, count, q + j, w->b + j * m, job->c_rows, N (all) (1), job->c_rows);
  }
}

// The diagonal and what is above it become those of Y; then W = -Y*T, column by column:
// w_j = -(v_j + W Y'*v_j) tau_j.
static void N (lanes_wy) (gla_cpu_qr_task *task, int64_t first, int count, const N (lanes_work) * w)
{
  const int64_t m = task->job->m, k = gla_less (m, task->job->n);
  for (int64_t j = 0; j < k; j++) {
    N (num) *v = w->a + j * m, *to = w->b + j * m;
    memset (v, 0, (size_t)j * sizeof *v);
    v[j] = N (from_real) (N (all) (1));
    memcpy (to, v, (size_t)m * sizeof *v);
    for (int64_t q = 0; q < j; q++) {
      N (num) dot = N (zero) ();
      for (int64_t i = j; i < m; i++)
        dot = N (fmac) (dot, w->a[i + q * m], v[i]);
      for (int64_t i = 0; i < m; i++)
        to[i] = N (fma) (to[i], w->b[i + q * m], dot);
    }
    const N (num) minus = N (sub) (N (zero) (), w->tau[j]);
    for (int64_t i = 0; i < m; i++)
      to[i] = N (mul) (to[i], minus);
    N (lanes_store) (&task->chunk->Y, first, count, j, v, m, N (all) (1), m);
    N (lanes_store) (&task->chunk->W, first, count, j, to, m, N (all) (1), m);
  }
}

static void N (solve_lanes) (gla_cpu_qr_task *task, int64_t first, int count)
{
  const gla_qr_job *job = task->job;
  const gla_qr_chunk *c = task->chunk;
  const int64_t m = job->m, n = job->n, k = gla_less (m, n);
  const GLA_REAL *from[GLA_LANES];
  N (lanes_work) w;
  N (lanes_layout) (task->work, job, &w);
  for (int64_t j = 0; j < n; j++) {
    N (vec) down;
    N (lanes_load) (&c->A, first, count, j, from);
    for (int l = 0; l < GLA_LANES; l++) {
      const int e = N (column_exponent) (from[l], m);
      down[l] = N (power_of_two) (-e);
      w.up[j][l] = N (power_of_two) (e);
    }
    N (lanes_gather) (m, from, down, w.a + j * m);
  }
  N (lanes_factor) (m, n, w.a, w.tau);
  for (int64_t j = 0; job->r_rows && j < n; j++)
    N (lanes_store)
  (&c->R, first, count, j, w.a + j * m, gla_less (j + 1, k), w.up[j], job->r_rows);
  if (job->rhs)
    N (lanes_c) (task, first, count, &w);
  if (job->wy)
    N (lanes_wy) (task, first, count, &w);
  if (!job->q_columns)
    return;
  N (lanes_q) (m, k, job->q_columns, w.a, w.tau);
  for (int64_t j = 0; j < job->q_columns; j++)
    N (lanes_store) (&c->Q, first, count, j, w.a + j * m, m, N (all) (1), m);
}

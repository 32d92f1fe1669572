// gsvd_rank_template.h: ranks, and the null space of one matrix of a pair split off
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A column counts as dependent when what the chosen columns leave of it is below a threshold of its
// own: so neither grading of the columns nor one large column is mistaken for loss of rank.

// Reflectors that stand in a: count of them, on rows offset .. offset+rows-1.
typedef struct {
  const GLA_REAL *a, *tau;
  int64_t lda, offset, rows, count;
} N (factor);

// Their product, the first one outermost.
enum { N (most_factors) = 5 };

typedef struct {
  N (factor) f[N (most_factors)];
  int count;
} N (chain);

static void N (chain_push) (N (chain) * c, N (factor) f)
{
  c->f[c->count++] = f;
}

static inline N (el) * N (el_at) (GLA_REAL *a, int64_t lda, int64_t i, int64_t j)
{
  return (N (el) *)a + i + j * lda;
}

static GLA_REAL N (column_norm) (int64_t rows, const GLA_REAL *x)
{
  GLA_REAL sum = 0;
  for (int64_t i = 0; i < rows * GLA_PARTS; i++)
    sum += x[i] * x[i];
  return GLA_SQRT (sum);
}

static void N (swap_arrays) (int64_t count, GLA_REAL *x, GLA_REAL *y)
{
  for (int64_t i = 0; i < count; i++) {
    const GLA_REAL t = x[i];
    x[i] = y[i];
    y[i] = t;
  }
}

//------------------------------------------------------------------------------
// QR that finds the rank
//------------------------------------------------------------------------------

typedef struct {
  int64_t rows, columns, lda;
  GLA_REAL *a, *tau;
  GLA_REAL *threshold; // of each column; permuted with them
  int *perm;
} N (rank_qr);

static void N (exchange) (const N (rank_qr) * q, int64_t i, int64_t j)
{
  if (i == j)
    return;
  N (swap_arrays)
  (q->rows * GLA_PARTS, q->a + i * q->lda * GLA_PARTS, q->a + j * q->lda * GLA_PARTS);
  N (swap_arrays) (1, q->threshold + i, q->threshold + j);
  const int t = q->perm[i];
  q->perm[i] = q->perm[j];
  q->perm[j] = t;
}

// Moves dependent columns among k..*last-1 behind them, what is left of them becomes zero, and
// puts the longest of the others at k; whether there is one.
static int N (choose_column) (const N (rank_qr) * q, int64_t k, int64_t *last)
{
  GLA_REAL most = 0;
  int64_t best = k;
  for (int64_t j = k; j < *last;) {
    GLA_REAL *x = q->a + (k + j * q->lda) * GLA_PARTS;
    const GLA_REAL norm = N (column_norm) (q->rows - k, x);
    if (norm <= q->threshold[j]) {
      memset (x, 0, (size_t)((q->rows - k) * GLA_PARTS) * sizeof *x);
      N (exchange) (q, j, --*last);
      continue;
    }
    if (norm > most)
      most = norm, best = j;
    j++;
  }
  if (*last > k)
    N (exchange) (q, k, best);
  return *last > k;
}

// Applies H' = I - conj (tau) v v' of column k to the columns behind it, up to last; row is
// scratch.
static void N (reflect_rest) (const N (rank_qr) * q, int64_t k, int64_t last, GLA_REAL *row)
{
  const int64_t rows = q->rows - k, rest = last - k - 1;
  GLA_REAL *v = q->a + (k + k * q->lda) * GLA_PARTS, *right = v + q->lda * GLA_PARTS;
  const N (el) beta = *(N (el) *)v, tau = N (el_conj) (((N (el) *)q->tau)[k]);
  *(N (el) *)v = N (make) (1, 0);
  N (gemm) ("C", "N", 1, rest, rows, 1, v, q->lda, right, q->lda, 0, row, 1);
  for (int64_t j = 0; j < rest; j++)
    ((N (el) *)row)[j] = N (el_mul) (tau, ((N (el) *)row)[j]);
  N (gemm) ("N", "N", rows, rest, 1, -1, v, q->lda, row, 1, 1, right, q->lda);
  *(N (el) *)v = beta;
}

// A P = Q R with the independent columns first; returns how many they are, -1 where the work must
// end. Reflectors and R stand in a as LAPACK's; R of dependent columns is zero below what they
// depend on. The longest remaining column is chosen in each step, as in LAPACK's geqp3.
static int64_t N (find_rank) (const gla_cpu_gsvd_task *task, const N (rank_qr) * q, GLA_REAL *row)
{
  const gla_blas_int one = 1;
  int64_t k = 0, last = q->columns;
  for (int64_t j = 0; j < q->columns; j++)
    q->perm[j] = (int)j;
  for (; N (choose_column) (q, k, &last); k++) {
    const gla_blas_int rows = (gla_blas_int)(q->rows - k);
    GLA_REAL *x = q->a + (k + k * q->lda) * GLA_PARTS;
    if (gla_cpu_gsvd_stopped (task))
      return -1;
    GLA_LARFG (&rows, x, x + GLA_PARTS * (rows > 1), &one, q->tau + k * GLA_PARTS);
    N (reflect_rest) (q, k, last, row);
  }
  return k;
}

//------------------------------------------------------------------------------
// one null space
//------------------------------------------------------------------------------

// A pair of matrices with the same columns, and what counts as nothing in each column.
typedef struct {
  GLA_REAL *f, *g; // rows_f x columns, rows_g x columns
  GLA_REAL *threshold_f, *threshold_g;
  int64_t rows_f, rows_g, columns, ldf, ldg;
} N (pair);

// Room for the factors of a deflation; they must stay as long as their chains.
typedef struct {
  GLA_REAL *f, *g, *tau_f, *tau_g;
} N (deflated);

// What both need only for a moment.
typedef struct {
  GLA_REAL *row, *threshold;
  int *perm, *perm_rest;
  N (lapack) lapack;
} N (rank_scratch);

// Some columns of N (project), from the first on: `count` of those behind l.
static void N (project_columns) (const N (pair) * a, int64_t l, int64_t first, int64_t count,
                                 const N (deflated) * to, const N (rank_scratch) * w, GLA_REAL eps)
{
  const int64_t ld = a->rows_f;
  GLA_REAL *Y = to->g + (l + first) * a->ldg * GLA_PARTS;
  GLA_REAL *f2 = to->f + (l + first) * ld * GLA_PARTS;
  N (trsm) ((N (triangle)){"L", "U", "N", "N"}, l, count, 1, to->g, a->ldg, Y, a->ldg);
  for (int64_t j = 0; j < count; j++) {
    GLA_REAL sum = a->threshold_f[w->perm[l + first + j]];
    for (int64_t i = 0; i < l; i++)
      sum += eps * w->row[i] * GLA_SQRT (N (el_abs2) (*N (el_at) (Y, a->ldg, i, j)));
    w->threshold[first + j] = sum;
  }
  N (gemm) ("N", "N", ld, count, l, -1, to->f, ld, Y, a->ldg, 1, f2, ld);
}

// Columns l.. of f become those of f on the null space of g: F2 - F1 Y, with G1 Y = G2. The
// threshold counts what F1 Y cancels.
static void N (project) (const N (pair) * a, int64_t l, const N (deflated) * to,
                         const N (rank_scratch) * w, GLA_REAL eps)
{
  const int64_t rest = a->columns - l, parts = GLA_PARTS * GLA_PARTS;
  const int64_t columns = N (piece) ((double)((l * (l + 2 * a->rows_f) + 1) * parts));
  for (int64_t i = 0; rest > 0 && i < l; i++)
    w->row[i] = N (column_norm) (a->rows_f, to->f + i * a->rows_f * GLA_PARTS);
  for (int64_t j = 0; j < rest && !N (must_end) (&w->lapack); j += columns)
    N (project_columns) (a, l, j, gla_less (columns, rest - j), to, w, eps);
}

// Splits off the null space of g. Afterwards the pair is what is left: g a triangle of full rank l,
// f without the k rows that the null space takes. Q of both joins the chains, at these offsets.
// Returns k; -1 where the work must end.
static int64_t N (deflate) (const gla_cpu_gsvd_task *task, N (pair) * a, const N (deflated) * to,
                            const N (rank_scratch) * w, N (chain) * chain_f, int64_t offset_f,
                            N (chain) * chain_g, int64_t offset_g)
{
  const int64_t ldf = a->rows_f, part = GLA_PARTS;
  const GLA_REAL eps = GLA_EPS * (GLA_REAL)gla_more (a->rows_f, a->columns);
  for (int64_t j = 0; j < a->columns; j++)
    memcpy (to->g + j * a->rows_g * part, a->g + j * a->ldg * part,
            (size_t)(a->rows_g * part) * sizeof *a->g);
  a->ldg = a->rows_g;
  const N (rank_qr) qg = {a->rows_g, a->columns, a->ldg, to->g, to->tau_g, a->threshold_g, w->perm};
  const int64_t l = N (find_rank) (task, &qg, w->row), rest = a->columns - l;
  for (int64_t j = 0; j < a->columns && l >= 0; j++)
    memcpy (to->f + j * ldf * part, a->f + w->perm[j] * a->ldf * part,
            (size_t)(ldf * part) * sizeof *a->f);
  if (l >= 0)
    N (project) (a, l, to, w, eps);
  GLA_REAL *f2 = to->f + l * ldf * part;
  const N (rank_qr) qf = {a->rows_f, rest, ldf, f2, to->tau_f, w->threshold, w->perm_rest};
  const int64_t k = l < 0 ? -1 : N (find_rank) (task, &qf, w->row);
  if (k < 0)
    return -1;
  N (apply_q) (1, ldf, l, k, f2, ldf, to->tau_f, to->f, ldf, &w->lapack);
  N (chain_push) (chain_f, (N (factor)){f2, to->tau_f, ldf, offset_f, a->rows_f, k});
  N (chain_push) (chain_g, (N (factor)){to->g, to->tau_g, a->ldg, offset_g, a->rows_g, l});

  // what is left
  for (int64_t j = 0; j < l; j++) {
    memcpy (a->f + j * (ldf - k) * part, to->f + (k + j * ldf) * part,
            (size_t)((ldf - k) * part) * sizeof *a->f);
    memset (a->g + j * l * part, 0, (size_t)(l * part) * sizeof *a->g);
    memcpy (a->g + j * l * part, to->g + j * a->ldg * part,
            (size_t)((j + 1) * part) * sizeof *a->g);
    w->threshold[j] = a->threshold_f[w->perm[j]];
  }
  memcpy (a->threshold_f, w->threshold, (size_t)l * sizeof *w->threshold);
  a->rows_f -= k;
  a->ldf = a->rows_f;
  a->rows_g = a->ldg = a->columns = l;
  return k;
}

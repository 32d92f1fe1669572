// krylov_vector_template.h: single vectors of the basis, for one type
// SPDX-License-Identifier: GPL-3.0-or-later

// A pass over the chunks of a few vectors: w, and a*v + b*u.
typedef struct {
  const gla_cpu_krylov *k;
  GLA_REAL *w;
  GLA_REAL a;
  const GLA_REAL *v;
  GLA_REAL b;
  const GLA_REAL *u;
} N (terms);

// Chunks in one piece of such a pass.
enum { N (chunks_of_sum) = 16 };

static int64_t N (chunks_from) (const N (terms) * t, int64_t piece)
{
  const int64_t end = (piece + 1) * N (chunks_of_sum);
  return end < t->k->chunks ? end : t->k->chunks;
}

static void N (run_terms) (const N (terms) * t, int64_t columns, gla_pool_work work)
{
  const int64_t pieces = (t->k->chunks + N (chunks_of_sum) - 1) / N (chunks_of_sum);
  gla_cpu_krylov_for ((gla_cpu_krylov *)t->k, columns, pieces, work, (void *)t);
}

// The same, and the sum of what the chunks give, in their order
static double N (sum_terms) (const N (terms) * t, int64_t columns, gla_pool_work work)
{
  const GLA_REAL *parts = t->k->chunked;
  double sum = 0;
  N (run_terms) (t, columns, work);
  for (int64_t c = 0; c < t->k->chunks; c++)
    sum += (double)parts[c];
  return sum;
}

typedef struct {
  const gla_cpu_krylov *k;
  int64_t j;
  uint64_t seed;
} N (filling);

static void N (fill_piece) (void *user, int64_t piece, int slot)
{
  (void)slot;
  const N (filling) *f = user;
  const int64_t n = f->k->job.n, j = f->j, rows = N (chunks_of_sum) * GLA_KRYLOV_ROWS;
  const int64_t end = (piece + 1) * rows < n ? (piece + 1) * rows : n;
  GLA_REAL *v = N (column) (f->k, j);
  for (int64_t i = piece * rows; i < end; i++) {
    v[i * GLA_PARTS] = (GLA_REAL)gla_krylov_random (f->seed, (uint64_t)(j * n + i));
#if GLA_COMPLEX
    v[2 * i + 1] =
        (GLA_REAL)gla_krylov_random (f->seed ^ GLA_IMAGINARY_SEED, (uint64_t)(j * n + i));
#endif
  }
}

static void N (fill_random) (gla_cpu_krylov *k, int64_t j, uint64_t seed)
{
  const int64_t rows = N (chunks_of_sum) * GLA_KRYLOV_ROWS;
  N (filling) f = {k, j, seed};
  gla_cpu_krylov_for (k, 1, (k->job.n + rows - 1) / rows, N (fill_piece), &f);
}

typedef struct {
  gla_cpu_krylov *k;
  GLA_REAL *v;
  double factor;
} N (scaling);

static void N (scale_piece) (void *user, int64_t piece, int slot)
{
  (void)slot;
  const N (scaling) *s = user;
  const int64_t length = N (chunks_of_sum) * GLA_KRYLOV_ROWS * GLA_PARTS;
  const int64_t all = s->k->job.n * GLA_PARTS, first = piece * length;
  const int64_t end = first + length < all ? first + length : all;
  GLA_REAL *v = s->v;
  const double factor = s->factor;
  for (int64_t i = first; i < end; i++)
    v[i] = (GLA_REAL)(v[i] * factor);
}

static void N (scale_column) (gla_cpu_krylov *k, GLA_REAL *v, double factor)
{
  const int64_t rows = N (chunks_of_sum) * GLA_KRYLOV_ROWS;
  N (scaling) s = {k, v, factor};
  gla_cpu_krylov_for (k, 1, (k->job.n + rows - 1) / rows, N (scale_piece), &s);
}

static void N (dot_piece) (void *user, int64_t piece, int slot)
{
  (void)slot;
  const N (terms) *t = user;
  const int64_t end = N (chunks_from) (t, piece);
  const GLA_REAL *v = t->v, *w = t->w;
  for (int64_t c = piece * N (chunks_of_sum); c < end; c++) {
    const int64_t first = c * GLA_KRYLOV_ROWS * GLA_PARTS;
    const int64_t last = first + N (rows_of_chunk) (t->k, c) * GLA_PARTS;
    GLA_REAL here[4] = {0};
    int64_t i = first;
    for (; i + 4 <= last; i += 4)
      for (int u = 0; u < 4; u++)
        here[u] += v[i + u] * w[i + u];
    for (; i < last; i++)
      here[0] += v[i] * w[i];
    ((GLA_REAL *)t->k->chunked)[c] = (here[0] + here[1]) + (here[2] + here[3]);
  }
}

// The real part of v'*w, by chunks in their order
static double N (dot) (gla_cpu_krylov *k, const GLA_REAL *v, const GLA_REAL *w)
{
  const N (terms) t = {k, (GLA_REAL *)w, 0, v, 0, NULL};
  return N (sum_terms) (&t, 2, N (dot_piece));
}

static void N (three_terms_piece) (void *user, int64_t piece, int slot)
{
  (void)slot;
  const N (terms) *t = user;
  const int64_t end = N (chunks_from) (t, piece);
  const GLA_REAL a = t->a, b = t->b, *v = t->v, *u = t->u;
  GLA_REAL *w = t->w;
  for (int64_t c = piece * N (chunks_of_sum); c < end; c++) {
    const int64_t first = c * GLA_KRYLOV_ROWS * GLA_PARTS;
    const int64_t last = first + N (rows_of_chunk) (t->k, c) * GLA_PARTS;
    GLA_REAL here[4] = {0};
    for (int64_t i = first; i < last; i++) {
      w[i] -= a * v[i] + b * u[i];
      here[i % 4] += w[i] * w[i];
    }
    ((GLA_REAL *)t->k->chunked)[c] = (here[0] + here[1]) + (here[2] + here[3]);
  }
}

// w -= alpha*v + beta*u; returns the norm of w, by chunks in their order
static double N (three_terms) (const gla_cpu_krylov *k, GLA_REAL *w, double alpha,
                               const GLA_REAL *v, double beta, const GLA_REAL *u)
{
  const N (terms) t = {k, w, (GLA_REAL)alpha, v, (GLA_REAL)beta, u};
  return sqrt (N (sum_terms) (&t, 3, N (three_terms_piece)));
}

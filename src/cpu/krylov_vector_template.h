// krylov_vector_template.h: single vectors of the basis, for one type
// SPDX-License-Identifier: GPL-3.0-or-later

static void N (fill_random) (const gla_cpu_krylov *k, int64_t j, uint64_t seed)
{
  const int64_t n = k->job.n;
  GLA_REAL *v = N (column) (k, j);
#pragma omp parallel for schedule(static) if (N(shared)(k, 1))
  for (int64_t i = 0; i < n; i++) {
    v[i * GLA_PARTS] = (GLA_REAL)gla_krylov_random (seed, (uint64_t)(j * n + i));
#if GLA_COMPLEX
    v[2 * i + 1] = (GLA_REAL)gla_krylov_random (seed ^ GLA_IMAGINARY_SEED, (uint64_t)(j * n + i));
#endif
  }
}

static void N (scale_column) (const gla_cpu_krylov *k, GLA_REAL *v, double factor)
{
  const int64_t n = k->job.n;
#pragma omp parallel for schedule(static) if (N(shared)(k, 1))
  for (int64_t i = 0; i < n * GLA_PARTS; i++)
    v[i] = (GLA_REAL)(v[i] * factor);
}

// The real part of v'*w, by chunks in their order
static double N (dot) (gla_cpu_krylov *k, const GLA_REAL *v, const GLA_REAL *w)
{
  GLA_REAL *parts = k->chunked;
  double sum = 0;
#pragma omp parallel for schedule(static) if (N(shared)(k, 2))
  for (int64_t c = 0; c < k->chunks; c++) {
    const int64_t first = c * GLA_KRYLOV_ROWS * GLA_PARTS;
    const int64_t last = first + N (rows_of_chunk) (k, c) * GLA_PARTS;
    GLA_REAL here[4] = {0};
    int64_t i = first;
    for (; i + 4 <= last; i += 4)
      for (int u = 0; u < 4; u++)
        here[u] += v[i + u] * w[i + u];
    for (; i < last; i++)
      here[0] += v[i] * w[i];
    parts[c] = (here[0] + here[1]) + (here[2] + here[3]);
  }
  for (int64_t c = 0; c < k->chunks; c++)
    sum += (double)parts[c];
  return sum;
}

// w -= alpha*v + beta*u; returns the norm of w, by chunks in their order
static double N (three_terms) (const gla_cpu_krylov *k, GLA_REAL *w, double alpha,
                               const GLA_REAL *v, double beta, const GLA_REAL *u)
{
  const GLA_REAL a = (GLA_REAL)alpha, b = (GLA_REAL)beta;
  GLA_REAL *parts = k->chunked;
  double sum = 0;
#pragma omp parallel for schedule(static) if (N(shared)(k, 3))
  for (int64_t c = 0; c < k->chunks; c++) {
    const int64_t first = c * GLA_KRYLOV_ROWS * GLA_PARTS;
    const int64_t last = first + N (rows_of_chunk) (k, c) * GLA_PARTS;
    GLA_REAL here[4] = {0};
    for (int64_t i = first; i < last; i++) {
      w[i] -= a * v[i] + b * u[i];
      here[i % 4] += w[i] * w[i];
    }
    parts[c] = (here[0] + here[1]) + (here[2] + here[3]);
  }
  for (int64_t c = 0; c < k->chunks; c++)
    sum += (double)parts[c];
  return sqrt (sum);
}

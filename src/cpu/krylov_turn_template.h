// krylov_turn_template.h: the basis rotated and checked, for one type
// SPDX-License-Identifier: GPL-3.0-or-later

// Rows first..first+rows-1 of the basis times k->factor (count x keep); the block behind follows.
static void N (rotate_rows) (const gla_cpu_krylov *k, int64_t first, int64_t rows, int64_t count,
                             const GLA_REAL *S, int64_t keep, GLA_REAL *temporary)
{
  const int64_t n = k->job.n;
  GLA_REAL *V = N (column) (k, 0) + first * GLA_PARTS;
  const size_t bytes = (size_t)rows * GLA_PARTS * sizeof *V;
  N (gemm) ("N", "N", rows, keep, count, 1, V, n, S, count, 0, temporary, rows);
  for (int64_t j = 0; j < keep; j++)
    memcpy (V + j * n * GLA_PARTS, temporary + j * rows * GLA_PARTS, bytes);
  for (int64_t c = 0; c < k->job.block && keep < count; c++)
    memcpy (V + (keep + c) * n * GLA_PARTS, V + (count + c) * n * GLA_PARTS, bytes);
}

static gla_status N (rotate) (gla_cpu_krylov *k, int64_t count, const double *S, int64_t keep)
{
  const int64_t n = k->job.n, pieces = (n + GLA_KRYLOV_TURN - 1) / GLA_KRYLOV_TURN;
  GLA_REAL *factor = malloc ((size_t)(count * keep) * GLA_PARTS * sizeof *factor);
  if (factor == NULL)
    return GLA_OUT_OF_MEMORY;
  for (int64_t i = 0; i < count * keep * GLA_PARTS; i++)
    factor[i] = (GLA_REAL)S[i];
#pragma omp parallel for schedule(dynamic, 4) num_threads(k->threads) if (N(shared)(k, count))
  for (int64_t p = 0; p < pieces; p++) {
    const int64_t first = p * GLA_KRYLOV_TURN, left = n - first;
    GLA_REAL *temporary = (GLA_REAL *)k->turn + (int64_t)omp_get_thread_num () * GLA_KRYLOV_TURN *
                                                    k->job.basis * GLA_PARTS;
    if (!N (stopped) (k))
      N (rotate_rows)
    (k, first, left < GLA_KRYLOV_TURN ? left : GLA_KRYLOV_TURN, count, factor, keep, temporary);
  }
  free (factor);
  return GLA_OK;
}

// |w - theta*v| by chunks in their order
static double N (distance) (gla_cpu_krylov *k, const GLA_REAL *w, double theta, const GLA_REAL *v)
{
  GLA_REAL *parts = k->chunked;
  double sum = 0;
#pragma omp parallel for schedule(static) if (N(shared)(k, 2))
  for (int64_t c = 0; c < k->chunks; c++) {
    const int64_t first = c * GLA_KRYLOV_ROWS, last = first + N (rows_of_chunk) (k, c);
    GLA_REAL here = 0;
    for (int64_t i = first * GLA_PARTS; i < last * GLA_PARTS; i++) {
      const GLA_REAL x = w[i] - (GLA_REAL)theta * v[i];
      here += x * x;
    }
    parts[c] = here;
  }
  for (int64_t c = 0; c < k->chunks; c++)
    sum += (double)parts[c];
  return sqrt (sum);
}

static gla_status N (check) (gla_cpu_krylov *k, int64_t count, const double *theta,
                             double *residuals, double *orthogonality)
{
  const int64_t n = k->job.n;
  *orthogonality = 0;
  for (int64_t j = 0; j < count; j += k->job.block) {
    const int width = (int)(count - j < k->job.block ? count - j : k->job.block);
    const GLA_REAL *V = N (column) (k, j);
    GLA_REAL *W = k->W;
    gla_status status = N (multiply) (k, V, W, width);
    if (status != GLA_OK)
      return status;
    for (int c = 0; c < width; c++)
      residuals[j + c] =
          N (distance) (k, W + c * n * GLA_PARTS, theta[j + c], V + c * n * GLA_PARTS);
    N (project) (k, 0, count, V, width);
    if (atomic_load (&k->crew.stop))
      return GLA_STOPPED;
    for (int c = 0; c < width; c++)
      for (int64_t i = 0; i < count; i++) {
        const double x = cabs (N (small_at) (k->sums, i + c * count) - (i == j + c));
        *orthogonality = x > *orthogonality ? x : *orthogonality;
      }
  }
  return GLA_OK;
}

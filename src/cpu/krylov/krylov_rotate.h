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

typedef struct {
  gla_cpu_krylov *k;
  int64_t count, keep;
  const GLA_REAL *S;
} N (rotation);

// Two turns of rows each.
static void N (rotate_piece) (void *user, int64_t piece, int slot)
{
  const N (rotation) *r = user;
  gla_cpu_krylov *k = r->k;
  GLA_REAL *temporary = (GLA_REAL *)k->turn + slot * GLA_KRYLOV_TURN * k->job.basis * GLA_PARTS;
  const int64_t end = (piece + 1) * 2 * GLA_KRYLOV_TURN;
  if (gla_cpu_crew_stopped (&k->crew, slot))
    return;
  for (int64_t first = piece * 2 * GLA_KRYLOV_TURN; first < end && first < k->job.n;
       first += GLA_KRYLOV_TURN) {
    const int64_t left = k->job.n - first;
    N (rotate_rows)
    (k, first, left < GLA_KRYLOV_TURN ? left : GLA_KRYLOV_TURN, r->count, r->S, r->keep, temporary);
  }
}

static gla_status N (rotate) (gla_cpu_krylov *k, int64_t count, const double *S, int64_t keep)
{
  const int64_t rows = 2 * GLA_KRYLOV_TURN, pieces = (k->job.n + rows - 1) / rows;
  GLA_REAL *factor = malloc ((size_t)(count * keep) * GLA_PARTS * sizeof *factor);
  if (factor == NULL)
    return GLA_OUT_OF_MEMORY;
  for (int64_t i = 0; i < count * keep * GLA_PARTS; i++)
    factor[i] = (GLA_REAL)S[i];
  N (rotation) r = {k, count, keep, factor};
  gla_cpu_krylov_for (k, count, pieces, N (rotate_piece), &r);
  free (factor);
  return GLA_OK;
}

static void N (distance_piece) (void *user, int64_t piece, int slot)
{
  (void)slot;
  const N (terms) *d = user;
  const int64_t end = N (chunks_from) (d, piece);
  for (int64_t c = piece * N (chunks_of_sum); c < end; c++) {
    const int64_t first = c * GLA_KRYLOV_ROWS, last = first + N (rows_of_chunk) (d->k, c);
    GLA_REAL here = 0;
    for (int64_t i = first * GLA_PARTS; i < last * GLA_PARTS; i++) {
      const GLA_REAL x = d->w[i] - d->a * d->v[i];
      here += x * x;
    }
    ((GLA_REAL *)d->k->chunked)[c] = here;
  }
}

// |w - theta*v| by chunks in their order
static double N (distance) (gla_cpu_krylov *k, const GLA_REAL *w, double theta, const GLA_REAL *v)
{
  const N (terms) d = {k, (GLA_REAL *)w, (GLA_REAL)theta, v, 0, NULL};
  return sqrt (N (sum_terms) (&d, 2, N (distance_piece)));
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

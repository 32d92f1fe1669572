// lanczos_rotate.h: the basis rotated and checked, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_LANCZOS_ROTATE_H
#define GPULINALG_CPU_LANCZOS_ROTATE_H

#include "common/products.h"

#include "lanczos.h"
#include "lanczos_block.h"
#include "lanczos_sweep.h"
#include "lanczos_vector.h"

#include <complex.h>
#include <math.h>
#include <string.h>

// Rows first..first+rows-1 of the basis times k->factor (count x keep); the block behind follows.
static void rotate_rows (const gla_cpu_krylov *k, int64_t first, int64_t rows, int64_t count,
                         const real *S, int64_t keep, real *temporary)
{
  const int64_t n = k->job.n;
  real *V = basis_column (k, 0) + first * GLA_PARTS;
  const size_t bytes = (size_t)rows * GLA_PARTS * sizeof *V;
  gemm ("N", "N", rows, keep, count, 1, V, n, S, count, 0, temporary, rows);
  for (int64_t j = 0; j < keep; j++)
    memcpy (V + j * n * GLA_PARTS, temporary + j * rows * GLA_PARTS, bytes);
  for (int64_t c = 0; c < k->job.block && keep < count; c++)
    memcpy (V + (keep + c) * n * GLA_PARTS, V + (count + c) * n * GLA_PARTS, bytes);
}

typedef struct {
  gla_cpu_krylov *k;
  int64_t count, keep;
  const real *S;
} rotation;

// A piece: 2*GLA_KRYLOV_ROTATED_ROWS rows.
static void rotate_piece (void *user, int64_t piece, int slot)
{
  const rotation *r = user;
  gla_cpu_krylov *k = r->k;
  real *temporary = (real *)k->rotated + slot * GLA_KRYLOV_ROTATED_ROWS * k->job.basis * GLA_PARTS;
  const int64_t end = (piece + 1) * 2 * GLA_KRYLOV_ROTATED_ROWS;
  if (gla_cpu_parallel_stopped (&k->region, slot))
    return;
  for (int64_t first = piece * 2 * GLA_KRYLOV_ROTATED_ROWS; first < end && first < k->job.n;
       first += GLA_KRYLOV_ROTATED_ROWS) {
    const int64_t left = k->job.n - first;
    rotate_rows (k, first, left < GLA_KRYLOV_ROTATED_ROWS ? left : GLA_KRYLOV_ROTATED_ROWS,
                 r->count, r->S, r->keep, temporary);
  }
}

static gla_status rotate (gla_cpu_krylov *k, int64_t count, const double *S, int64_t keep)
{
  const int64_t rows = 2 * GLA_KRYLOV_ROTATED_ROWS, pieces = (k->job.n + rows - 1) / rows;
  real *factor = k->turn;
  for (int64_t i = 0; i < count * keep * GLA_PARTS; i++)
    factor[i] = (real)S[i];
  rotation r = {k, count, keep, factor};
  gla_cpu_krylov_for (k, count, pieces, rotate_piece, &r);
  return GLA_OK;
}

static void distance_piece (void *user, int64_t piece, int slot)
{
  (void)slot;
  const terms *d = user;
  const int64_t end = chunks_from (d, piece);
  for (int64_t c = piece * CHUNKS_OF_SUM; c < end; c++) {
    const int64_t first = c * GLA_KRYLOV_ROWS, last = first + rows_of_chunk (d->k, c);
    real here = 0;
    for (int64_t i = first * GLA_PARTS; i < last * GLA_PARTS; i++) {
      const real x = d->w[i] - d->a * d->v[i];
      here += x * x;
    }
    ((real *)d->k->chunked)[c] = here;
  }
}

// |w - theta*v| by chunks in their order
static double distance (gla_cpu_krylov *k, const real *w, double theta, const real *v)
{
  const terms d = {k, (real *)w, (real)theta, v, 0, NULL};
  return sqrt (sum_terms (&d, 2, distance_piece));
}

static gla_status check (gla_cpu_krylov *k, int64_t count, const double *theta, double *residuals,
                         double *orthogonality)
{
  const int64_t n = k->job.n;
  *orthogonality = 0;
  for (int64_t j = 0; j < count; j += k->job.block) {
    const int width = (int)(count - j < k->job.block ? count - j : k->job.block);
    const real *V = basis_column (k, j);
    real *W = k->W;
    gla_status status = multiply (k, V, W, width);
    if (status != GLA_OK)
      return status;
    for (int c = 0; c < width; c++)
      residuals[j + c] = distance (k, W + c * n * GLA_PARTS, theta[j + c], V + c * n * GLA_PARTS);
    project (k, 0, count, V, width);
    if (atomic_load (&k->region.stop))
      return GLA_ERROR_STOPPED;
    for (int c = 0; c < width; c++)
      for (int64_t i = 0; i < count; i++) {
        const double x = cabs (small_at (k->sums, i + c * count) - (i == j + c));
        *orthogonality = x > *orthogonality ? x : *orthogonality;
      }
  }
  return GLA_OK;
}

#endif

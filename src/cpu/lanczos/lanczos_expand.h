// lanczos_expand.h: adds vectors to the basis, rotates and checks it, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_LANCZOS_EXPAND_H
#define GPULINALG_CPU_LANCZOS_EXPAND_H

#include <complex.h>
#include <math.h>
#include <string.h>

#include "common/products.h"
#include "common/status.h"
#include "common/types.h"
#include "lanczos.h"
#include "lanczos_block.h"
#include "lanczos_sweep.h"

//------------------------------------------------------------------------------
// new vectors of the basis, of one type
//------------------------------------------------------------------------------

// With blocks of one vector the three-term recurrence alone makes several steps, and then their
// vectors are made orthogonal to all others together: reading the basis takes most of the time, and
// so it is read once for all of them. Meanwhile little orthogonality is lost, far less than sqrt
// (eps), so the coefficients of the recurrence are those of the orthonormal basis but for rounding
// errors (Simon 1984). That requires products of a Hermitian matrix: functions, which may solve
// systems, are only nearly that, and get their coefficients from all of the basis.

// Computes A*v(j) in column j+1, less its parts in v(j-1) and v(j), which go to T; its norm in
// *beta.
static gla_status step_of_three (gla_cpu_krylov *k, int64_t j, double *T, int64_t ldt, double *beta)
{
  double *H = T + j * ldt * GLA_PARTS;
  const double before = k->link;
  real *v = basis_column (k, j), *w = basis_column (k, j + 1);
  GLA_TRY (multiply (k, v, w, 1));
  if (gla_cpu_parallel_stopped (&k->region, 0))
    return GLA_ERROR_STOPPED;
  const double alpha = dot (k, v, w);
  *beta = three_terms (k, w, alpha, v, before, basis_column (k, j - 1));
  memset (H, 0, (size_t)ldt * GLA_PARTS * sizeof *H);
  small_set (H, j - 1, before);
  small_set (H, j, alpha);
  const double norm = sqrt (alpha * alpha + *beta * *beta + before * before);
  const double reach = fabs (alpha) + *beta + before;
  k->norm = norm > k->norm ? norm : k->norm;
  k->reach = reach > k->reach ? reach : k->reach;
  return GLA_OK;
}

// Returns W'*W - h'*h of `count` columns, from k->sums = [h; W'*W] where h has q rows.
static void remaining_gram (const gla_cpu_krylov *k, int64_t q, int count, double *left)
{
  const int64_t end = q + count;
  for (int c = 0; c < count; c++)
    for (int r = 0; r < count; r++) {
      double complex x = small_at (k->sums, q + r + c * end);
      for (int64_t i = 0; i < q; i++)
        x -= conj (small_at (k->sums, i + r * end)) * small_at (k->sums, i + c * end);
      small_set (left, r + c * count, x);
    }
}

// Makes `count` unit vectors W from column q orthonormal and orthogonal to all before, V. With h =
// V'*W the remaining Gram matrix is W'*W - h'*h (Pythagoras), which is near to the identity; so its
// triangle is known before W changes, and the basis is read only twice and W written once.
static gla_status orthonormalise_group (gla_cpu_krylov *k, int64_t q, int count)
{
  double complex R[GLA_KRYLOV_GROUP * GLA_KRYLOV_GROUP];
  double left[GLA_KRYLOV_GROUP * GLA_KRYLOV_GROUP * GLA_PARTS] = {0};
  real *W = basis_column (k, q), *factor = k->factor;
  project (k, 0, q + count, W, count);
  if (atomic_load (&k->region.stop))
    return GLA_ERROR_STOPPED;
  remaining_gram (k, q, count, left);
  cholesky (left, count, R);
  for (int c = 0; c < count; c++)
    for (int64_t i = 0; i < q * GLA_PARTS; i++)
      factor[c * q * GLA_PARTS + i] = (real)k->sums[c * (q + count) * GLA_PARTS + i];
  round_triangle (R, count, factor + q * count * GLA_PARTS);
  subtract_and_divide (k, q, W, count);
  return atomic_load (&k->region.stop) ? GLA_ERROR_STOPPED : GLA_OK;
}

// Treats the vector at column j+1, whose norm is so small that rounding errors dominate it.
static gla_status orthonormalise_weak (gla_cpu_krylov *k, int64_t j, double *T, int64_t ldt,
                                       int64_t *replaced)
{
  double complex beta = 0;
  // it loses rounding errors, and those of vectors that have been replaced since
  double *lost = k->weak;
  memset (lost, 0, (size_t)(j + 2) * GLA_PARTS * sizeof *lost);
  gla_status status = orthonormalise_block (k, j + 1, lost, j + 2, &beta, replaced);
  small_set (T + j * ldt * GLA_PARTS, j + 1, beta);
  k->link = creal (beta);
  return status;
}

// Bounds the parts of v(j+1) in the vectors before this group, in units of eps, by those of v(j)
// and v(j-1): (T - alpha)*V'*v(j) - before*V'*v(j-1) and the rounding errors of one step, over
// beta; T, the projected matrix, is no larger than the largest sum of magnitudes in its columns.
static double next_loss (const gla_cpu_krylov *k, double alpha, double before, double beta,
                         const double loss[2])
{
  const double grown = (k->reach + fabs (alpha)) * loss[1] + before * loss[0] + k->reach;
  return grown / beta;
}

// Does steps from *j on, at most to `to`, until so much orthogonality may be lost that the new
// vectors have to be orthogonalised.
static gla_status group (gla_cpu_krylov *k, int64_t *j, int64_t to, double *T, int64_t ldt,
                         int64_t *replaced)
{
  const double most = 1e-2 / sqrt (GLA_EPS);
  const int64_t q = *j + 1;
  double loss[2] = {1, 1}; // of v(j-1) and v(j)
  int count = 0, weak = 0;
  gla_status status = GLA_OK;
  while (count < GLA_KRYLOV_GROUP && *j < to && !weak) {
    double beta, *H = T + *j * ldt * GLA_PARTS;
    // the next step will lose about as much as this one
    if (count > 0 && loss[1] * (loss[1] / loss[0]) > most)
      break;
    const double before = k->link;
    GLA_TRY (step_of_three (k, *j, T, ldt, &beta));
    const double next = next_loss (k, creal (small_at (H, *j)), before, beta, loss);
    loss[0] = loss[1];
    loss[1] = next;
    weak = !(next <= 3 * most);
    if (weak)
      break;
    scale_column (k, basis_column (k, *j + 1), 1 / beta);
    small_set (H, *j + 1, beta);
    k->link = beta;
    count++;
    ++*j;
  }
  if (count > 0)
    status = orthonormalise_group (k, q, count);
  if (status == GLA_OK && weak) {
    status = orthonormalise_weak (k, *j, T, ldt, replaced);
    ++*j;
  }
  return status;
}

static gla_status expand (gla_cpu_krylov *k, int64_t from, int64_t to, double *T, int64_t ldt,
                          int64_t *replaced)
{
  const int b = k->job.block;
  *replaced = 0;
  int64_t j = from;
  gla_status status = GLA_OK;
  while (j < to && status == GLA_OK) {
    const int local = j > from || j == k->grown;
    if (b == 1 && local && k->sparse != NULL) {
      status = group (k, &j, to, T, ldt, replaced);
    } else {
      status = step (k, j, local, T, ldt, replaced);
      k->link = creal (small_at (T + j * ldt * GLA_PARTS, j + b));
      j += b;
    }
  }
  k->grown = to;
  return status;
}

//------------------------------------------------------------------------------
// the basis rotated and checked, of one type
//------------------------------------------------------------------------------

// Multiplies rows first..first+rows-1 of the basis by k->factor (count x keep); the block after
// them follows.
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

// Returns |w - theta*v|, by chunks in their order.
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
    GLA_TRY (multiply (k, V, W, width));
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

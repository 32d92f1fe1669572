// lanczos_block.h: makes blocks of the basis orthonormal, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_LANCZOS_BLOCK_H
#define GPULINALG_CPU_LANCZOS_BLOCK_H

#include "common/status.h"
#include "common/types.h"

#include "lanczos.h"
#include "lanczos_sweep.h"

#include <complex.h>
#include <math.h>
#include <string.h>

//------------------------------------------------------------------------------
// small triangles, in double
//------------------------------------------------------------------------------

static double complex small_at (const double *a, int64_t at)
{
#if GLA_COMPLEX
  double complex x; // CMPLX is not defined for every compiler
  memcpy (&x, a + 2 * at, sizeof x);
  return x;
#else
  return a[at];
#endif
}

static void small_set (double *a, int64_t at, double complex x)
{
#if GLA_COMPLEX
  a[2 * at] = creal (x);
  a[2 * at + 1] = cimag (x);
#else
  a[at] = creal (x);
#endif
}

// Finds R'*R = G of width x width; returns the smallest squared ratio of a diagonal of R to the
// norm of its column of W, 0 if G is not positive.
static double cholesky (const double *G, int width, double complex *R)
{
  double least = 1;
  for (int j = 0; j < width; j++)
    for (int i = 0; i <= j; i++) {
      double complex x = small_at (G, i + j * width);
      const double whole = creal (x);
      for (int l = 0; l < i; l++)
        x -= conj (R[l + i * width]) * R[l + j * width];
      if (i < j) {
        R[i + j * width] = x / R[i + i * width];
        R[j + i * width] = 0;
        continue;
      }
      if (!(creal (x) > 0))
        return 0;
      least = creal (x) / whole < least ? creal (x) / whole : least;
      R[j + j * width] = sqrt (creal (x));
    }
  return least;
}

// Sets total = R*total for upper triangles.
static void multiply_triangle (const double complex *R, int width, double complex *total)
{
  for (int j = 0; j < width; j++)
    for (int i = 0; i <= j; i++) {
      double complex x = 0;
      for (int l = i; l <= j; l++)
        x += R[i + l * width] * total[l + j * width];
      total[i + j * width] = x;
    }
}

static void round_triangle (const double complex *R, int width, real *factor)
{
  for (int i = 0; i < width * width; i++) {
    factor[i * GLA_PARTS] = (real)creal (R[i]);
#if GLA_COMPLEX
    factor[2 * i + 1] = (real)cimag (R[i]);
#endif
  }
}

//------------------------------------------------------------------------------
// one column after the other, where directions may vanish
//------------------------------------------------------------------------------

// Makes column j orthogonal to all before it, with unit norm. What it loses is added to h unless
// that is NULL; returns its norm, or 0 if a random column had to replace it because at most
// `vanished` was left.
static double orthonormalise_column (gla_cpu_krylov *k, int64_t j, double vanished, double *h)
{
  enum { SWEEPS = 6, DRAWS = 20 };
  real *v = basis_column (k, j);
  int draws = 0;
  double norm = 0;
  for (int sweep = 0; draws < DRAWS; sweep++) {
    const double before = norm;
    orthogonalise (k, 0, j, v, 1, draws == 0 ? h : NULL, 0);
    if (atomic_load (&k->region.stop))
      return 0;
    norm = sqrt (k->sums[0]);
    const int settled = sweep > 0 && norm > 0.5 * before;
    if (settled && norm > vanished)
      break;
    if (settled || sweep >= SWEEPS || !(norm > vanished)) {
      fill_random (k, j, k->seed + 1 + (uint64_t)j + ((uint64_t)draws++ << 32));
      vanished = 0;
      norm = 0;
      sweep = -1;
    }
  }
  scale_column (k, v, norm > 0 ? 1 / norm : 0);
  return draws == 0 ? norm : 0;
}

static gla_status start (gla_cpu_krylov *k, int64_t at, int64_t given)
{
  for (int64_t j = at; j < at + k->job.block; j++) {
    if (j - at >= given)
      fill_random (k, j, k->seed);
    subtract (k, j, j, basis_column (k, j), 1);
    orthonormalise_column (k, j, 100 * GLA_EPS * sqrt (k->sums[0]), NULL);
  }
  return GLA_OK;
}

//------------------------------------------------------------------------------
// blocks
//------------------------------------------------------------------------------

// Does the block at column q, one column after the other. H gets what its columns lose to those
// before q, R its triangle.
static int64_t orthonormalise_columns (gla_cpu_krylov *k, int64_t q, double *H, int64_t ldh,
                                       double complex *R)
{
  const int b = k->job.block;
  int64_t replaced = 0;
  double *lost = k->lost;
  for (int c = 0; c < b; c++) {
    memset (lost, 0, (size_t)(q + b) * GLA_PARTS * sizeof *lost);
    double norm = orthonormalise_column (k, q + c, 16 * GLA_EPS * k->norm, lost);
    for (int64_t i = 0; i < q * GLA_PARTS; i++)
      H[c * ldh * GLA_PARTS + i] += lost[i];
    for (int i = 0; i < b; i++)
      R[i + c * b] = i < c ? small_at (lost, q + i) : i == c ? norm : 0;
    replaced += norm == 0;
  }
  return replaced;
}

// Makes the block at column q, after its sweeps and with W'*W in k->sums, orthonormal by two
// Cholesky factorisations; returns 0 if it is too near to dependent for that.
static int cholesky_block (gla_cpu_krylov *k, int64_t q, double complex *R)
{
  const int b = k->job.block;
  double complex again[GLA_KRYLOV_BLOCK * GLA_KRYLOV_BLOCK];
  real *W = basis_column (k, q);
  if (cholesky (k->sums, b, R) < 1e4 * GLA_EPS)
    return 0;
  for (int c = 0; c < b; c++)
    if (creal (R[c + c * b]) < 1e3 * GLA_EPS * k->norm)
      return 0;
  round_triangle (R, b, k->factor);
  divide (k, W, b);
  if (b > 1) {
    if (cholesky (k->sums, b, again) == 0)
      return -1; // only where the work was stopped
    round_triangle (again, b, k->factor);
    divide (k, W, b);
    multiply_triangle (again, b, R);
  }
  return 1;
}

// Sets H += h*R, for what a block lost after it was divided by R.
static void add_product (double *H, int64_t ldh, const double *h, int64_t rows,
                         const double complex *R, int b)
{
  for (int c = 0; c < b; c++)
    for (int64_t i = 0; i < rows; i++) {
      double complex x = small_at (H, i + c * ldh);
      for (int l = 0; l <= c; l++)
        x += small_at (h, i + l * rows) * R[l + c * b];
      small_set (H, i + c * ldh, x);
    }
}

// Does another sweep over an orthonormal block that may have lost orthogonality to those before it
// when it was divided by a small R.
static int sweep_again (gla_cpu_krylov *k, int64_t q, double *H, int64_t ldh, double complex *R)
{
  const int b = k->job.block;
  double complex again[GLA_KRYLOV_BLOCK * GLA_KRYLOV_BLOCK];
  real *W = basis_column (k, q);
  project (k, 0, q, W, b);
  add_product (H, ldh, k->sums, q, R, b);
  round_sums (k, q * b);
  subtract (k, 0, q, W, b);
  if (cholesky (k->sums, b, again) == 0)
    return 0;
  round_triangle (again, b, k->factor);
  divide (k, W, b);
  multiply_triangle (again, b, R);
  return 1;
}

// |V*H| and the rest of a column give its former norm; the sum of magnitudes bounds what the
// projected matrix does to a vector.
static void update_norm (gla_cpu_krylov *k, const double *H, int64_t ldh, int64_t rows)
{
  const int b = k->job.block;
  for (int c = 0; c < b; c++) {
    double sum = creal (small_at (k->sums, c + c * b)), reach = sqrt (sum);
    for (int64_t i = 0; i < rows * GLA_PARTS; i++) {
      const double x = H[c * ldh * GLA_PARTS + i];
      sum += x * x;
      reach += fabs (x);
    }
    k->norm = sqrt (sum) > k->norm ? sqrt (sum) : k->norm;
    k->reach = reach > k->reach ? reach : k->reach;
  }
}

// Makes the block at q, which is orthogonal to the last ones before it, orthonormal and orthogonal
// to all; H gets what it loses, R its triangle.
static gla_status orthonormalise_block (gla_cpu_krylov *k, int64_t q, double *H, int64_t ldh,
                                        double complex *R, int64_t *replaced)
{
  const int b = k->job.block;
  orthogonalise (k, 0, q, basis_column (k, q), b, H, ldh);
  int ok = atomic_load (&k->region.stop) ? -1 : cholesky_block (k, q, R);
  if (ok > 0)
    for (int c = 0; c < b; c++)
      if (creal (R[c + c * b]) < 0.03 * k->norm) {
        ok = sweep_again (k, q, H, ldh, R) ? 1 : -1;
        break;
      }
  if (ok == 0)
    *replaced += orthonormalise_columns (k, q, H, ldh, R);
  return atomic_load (&k->region.stop) ? GLA_ERROR_STOPPED : GLA_OK;
}

// Does one step: the block after j becomes orthonormal; `local` says that A*V(:, j:j+b-1) has only
// rounding errors in columns before j-b.
static gla_status step (gla_cpu_krylov *k, int64_t j, int local, double *T, int64_t ldt,
                        int64_t *replaced)
{
  const int b = k->job.block;
  const int64_t q = j + b;
  double complex R[GLA_KRYLOV_BLOCK * GLA_KRYLOV_BLOCK] = {0};
  double *H = T + j * ldt * GLA_PARTS;
  real *W = basis_column (k, q);
  GLA_TRY (multiply (k, basis_column (k, j), W, b));
  memset (H, 0, (size_t)(b * ldt) * GLA_PARTS * sizeof *H);
  orthogonalise (k, local && j >= b ? j - b : 0, q, W, b, H, ldt);
  update_norm (k, H, ldt, q);
  gla_status status = orthonormalise_block (k, q, H, ldt, R, replaced);
  for (int c = 0; c < b; c++)
    for (int i = 0; i < b; i++)
      small_set (H, q + i + c * ldt, R[i + c * b]);
  return status;
}

#endif

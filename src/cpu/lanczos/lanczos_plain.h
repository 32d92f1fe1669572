// lanczos_plain.h: the three-term recurrence, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_LANCZOS_PLAIN_H
#define GPULINALG_CPU_LANCZOS_PLAIN_H

#include "common/products.h"

#include "lanczos.h"
#include "lanczos_sweep.h"

#include <math.h>
#include <string.h>

static void restart_recurrence (gla_cpu_krylov *k)
{
  const size_t bytes = (size_t)k->job.n * GLA_PARTS * sizeof (real);
  memcpy (k->now, k->first, bytes);
  memset (k->before, 0, bytes);
  k->last_beta = 0;
}

// Sets v(j+1) = w/beta, and moves the vectors on.
static void advance (gla_cpu_krylov *k, double beta)
{
  void *oldest = k->before;
  scale_column (k, k->W, 1 / beta);
  k->before = k->now;
  k->now = k->W;
  k->W = oldest;
  k->last_beta = beta;
}

static gla_status plain (gla_cpu_krylov *k, int64_t steps, double *alpha, double *beta,
                         int64_t *done)
{
  *done = 0;
  if (k->steps == 0) {
    memcpy (k->first, k->V, (size_t)k->job.n * GLA_PARTS * sizeof (real));
    restart_recurrence (k);
    k->norm = 0;
  }
  for (int64_t j = 0; j < steps; j++) {
    GLA_TRY (multiply (k, k->now, k->W, 1));
    if (gla_cpu_parallel_stopped (&k->region, 0))
      return GLA_ERROR_STOPPED;
    alpha[j] = dot (k, k->now, k->W);
    beta[j] = three_terms (k, k->W, alpha[j], k->now, k->last_beta, k->before);
    const double size = fabs (alpha[j]) + beta[j] + k->last_beta;
    k->norm = size > k->norm ? size : k->norm;
    k->steps++;
    *done = j + 1;
    if (!(beta[j] > 16 * GLA_EPS * k->norm)) {
      beta[j] = 0;
      return GLA_OK;
    }
    advance (k, beta[j]);
  }
  return GLA_OK;
}

typedef struct {
  gla_cpu_krylov *k;
  int64_t width, count;
} window_pass;

static void add_window_piece (void *user, int64_t c, int slot)
{
  const window_pass *a = user;
  gla_cpu_krylov *k = a->k;
  const int64_t n = k->job.n, at = c * GLA_KRYLOV_ROWS * GLA_PARTS;
  if (!gla_cpu_parallel_stopped (&k->region, slot))
    gemm ("N", "N", rows_of_chunk (k, c), a->count, a->width, 1, (const real *)k->window + at, n,
          k->factor, a->width, 1, basis_column (k, 0) + at, n);
}

// Adds window(:, 0:width-1)*S(first:first+width-1, :) to X(:, 0:count-1).
static void add_window (gla_cpu_krylov *k, const double *S, int64_t lds, int64_t first,
                        int64_t width, int64_t count)
{
  real *factor = k->factor;
  for (int64_t c = 0; c < count; c++)
    for (int64_t i = 0; i < width; i++) {
      factor[(i + c * width) * GLA_PARTS] = (real)S[first + i + c * lds];
#if GLA_COMPLEX
      factor[(i + c * width) * 2 + 1] = 0;
#endif
    }
  window_pass pass = {k, width, count};
  gla_cpu_krylov_for (k, count + width, k->chunks, add_window_piece, &pass);
}

static gla_status combine (gla_cpu_krylov *k, int64_t steps, const double *alpha,
                           const double *beta, const double *S, int64_t count)
{
  const int64_t n = k->job.n;
  const size_t bytes = (size_t)n * GLA_PARTS * sizeof (real);
  memset (k->V, 0, bytes * (size_t)count);
  restart_recurrence (k);
  for (int64_t j = 0; j < steps; j++) {
    const int64_t place = j % GLA_KRYLOV_WINDOW;
    memcpy ((char *)k->window + (size_t)place * bytes, k->now, bytes);
    if (place == GLA_KRYLOV_WINDOW - 1 || j == steps - 1)
      add_window (k, S, steps, j - place, place + 1, count);
    if (j == steps - 1)
      break;
    GLA_TRY (multiply (k, k->now, k->W, 1));
    if (gla_cpu_parallel_stopped (&k->region, 0))
      return GLA_ERROR_STOPPED;
    three_terms (k, k->W, alpha[j], k->now, k->last_beta, k->before);
    advance (k, beta[j]);
  }
  for (int64_t c = 0; c < count; c++) {
    real *x = basis_column (k, c);
    const double norm = sqrt (dot (k, x, x));
    scale_column (k, x, norm > 0 ? 1 / norm : 0);
  }
  return GLA_OK;
}

#endif

// pivot.h: column pivoting of large pages
// SPDX-License-Identifier: GPL-3.0-or-later
// The QR factorisation and the generalized SVD use this. It is LAPACK's ?geqp3 (Quintana-Orti, Sun,
// Bischof 1998, with the norms of Drmac, Bujanovic 2008), a loop over its ?laqps with ?laqp2 at the
// end, written out so that the monitor is polled between the steps.

#ifndef GPULINALG_CPU_COMMON_PIVOT_H
#define GPULINALG_CPU_COMMON_PIVOT_H

#include "common/types.h"

#include "carve.h"
#include "parallel.h"
#include "minmax.h"

// Steps at a time; the last PIVOT_STEPS_PLAIN are done without blocks.
enum { PIVOT_STEPS_LEAST = 8, PIVOT_STEPS_MOST = 32, PIVOT_STEPS_PLAIN = 128 };

// The state of column pivoting for the remaining columns: their numbers, norms now and when last
// computed; and what the steps of LAPACK's ?laqps need.
typedef struct {
  gla_blas_int *jpvt;
  real *norm, *reference, *tau, *auxv, *f;
  int64_t steps; // at a time
} pivots;

// Returns the seconds of a pass over the rest of the matrix from row and column j on.
static double pivot_pass (int64_t m, int64_t n, int64_t j)
{
  return (double)(m - j) * (double)(n - j) * sizeof (scalar) / 8e9;
}

// Returns the steps of ?laqps at a time: as many as take about 40 ms.
static int64_t pivot_steps_of (int64_t m, int64_t n)
{
  const int64_t steps = (int64_t)(40e-3 / pivot_pass (m, n, 0));
  const int64_t some = gla_max (PIVOT_STEPS_LEAST, gla_min (PIVOT_STEPS_MOST, steps));
  return gla_min (gla_min (m, n), some);
}

static void pivot_layout (char *base, size_t *at, int64_t m, int64_t n, pivots *p)
{
  const int64_t k = gla_min (m, n), el = sizeof (scalar);
  p->steps = pivot_steps_of (m, n);
  p->jpvt = gla_carve (base, at, (size_t)n * sizeof *p->jpvt);
  p->norm = gla_carve (base, at, (size_t)n * sizeof *p->norm);
  p->reference = gla_carve (base, at, (size_t)n * sizeof *p->reference);
  p->tau = gla_carve (base, at, (size_t)(k * el));
  p->auxv = gla_carve (base, at, (size_t)(gla_max (n, p->steps) * el));
  p->f = gla_carve (base, at, (size_t)(n * p->steps * el));
}

static real pivot_norm (int64_t m, const real *x)
{
#if GLA_SINGLE
  double sum = 0; // has room for the squares of all singles
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < m * GLA_PARTS; i++)
    sum += (double)x[i] * x[i];
  return (real)sqrt (sum);
#else
  const gla_blas_int im = (gla_blas_int)m, one = 1;
  return GLA_COMPLEX ? dznrm2_ (&im, x, &one) : dnrm2_ (&im, x, &one);
#endif
}

// Factors v (m x n): V below the diagonal, R above; tau. Returns 0 when the work must end; then
// jpvt has all columns, too.
static int pivot_factor (gla_cpu_parallel *region, int thread, int64_t m, int64_t n, real *v,
                         int64_t ldv, const pivots *p)
{
  const gla_blas_int im = (gla_blas_int)m, il = (gla_blas_int)ldv;
  const int64_t k = gla_min (m, n);
  for (int64_t j = 0; j < n; j++) {
    p->jpvt[j] = (gla_blas_int)(j + 1);
    p->norm[j] = p->reference[j] = pivot_norm (m, v + j * ldv * GLA_PARTS);
  }
  for (int64_t j = 0; j < k;) {
    const gla_blas_int left = (gla_blas_int)(n - j), above = (gla_blas_int)j;
    real *a = v + j * ldv * GLA_PARTS, *tau = p->tau + j * GLA_PARTS;
    if (gla_cpu_parallel_stopped (region, thread))
      return 0;
    if (k - j <= PIVOT_STEPS_PLAIN && (double)(k - j) * pivot_pass (m, n, j) < 20e-3) {
      gla_blas_in ();
      GLA_BLAS (laqp2)
      (&im, &left, &above, a, &il, p->jpvt + j, tau, p->norm + j, p->reference + j, p->auxv);
      gla_blas_out ();
      return 1;
    }
    const gla_blas_int steps = (gla_blas_int)gla_min (p->steps, k - j);
    gla_blas_int done = 0;
    gla_blas_in ();
    GLA_BLAS (laqps)
    (&im, &left, &above, &steps, &done, a, &il, p->jpvt + j, tau, p->norm + j, p->reference + j,
     p->auxv, p->f, &left);
    gla_blas_out ();
    j += done;
  }
  return 1;
}

#endif

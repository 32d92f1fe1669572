// svd_bidiagonal.h: the SVD of a real bidiagonal matrix by LAPACK, checked
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Divide and conquer, and implicit QR where that does not converge or its vectors are not
// orthonormal: LAPACK's ?bdsdc deflates too little before version 3.12.1, and has lost
// orthogonality where very many values are nearly equal (issue 255 of LAPACK).

#ifndef GPULINALG_CPU_SVD_SVD_BIDIAGONAL_H
#define GPULINALG_CPU_SVD_SVD_BIDIAGONAL_H

#include "common/types.h"
#include "cpu/common/carve.h"

#include <string.h>

typedef struct {
  int64_t k;
  real *d, *e;           // the diagonals; d becomes the values, descending
  real *u, *vt;          // k x k
  real *keep_d, *keep_e; // copies
  real *work;            // 3 k^2 + 4 k
  gla_blas_int *iwork;   // 8 k
} bidiagonal;

static void bidiagonal_layout (char *base, size_t *at, int64_t k, int vectors, bidiagonal *b)
{
  const size_t square = vectors ? (size_t)(k * k) : 0;
  b->k = k;
  b->d = gla_carve (base, at, (size_t)k * sizeof (real));
  b->e = gla_carve (base, at, (size_t)k * sizeof (real));
  b->keep_d = gla_carve (base, at, (size_t)k * sizeof (real));
  b->keep_e = gla_carve (base, at, (size_t)k * sizeof (real));
  b->u = gla_carve (base, at, square * sizeof (real));
  b->vt = gla_carve (base, at, square * sizeof (real));
  b->work = gla_carve (base, at, (3 * square + (size_t)(8 * k)) * sizeof (real));
  b->iwork = gla_carve (base, at, (size_t)(8 * k) * sizeof (gla_blas_int));
}

// A vector of 1 and -1, always the same.
static inline real probe_element (int64_t i)
{
  return (i * 2654435761u >> 7 & 1) ? 1 : -1;
}

// Eight sums, so that none waits for another.
static real dot_of (int64_t k, const real *q, const real *x)
{
  real sum[8] = {0};
  int64_t i = 0;
  for (; i + 8 <= k; i += 8)
    for (int l = 0; l < 8; l++)
      sum[l] += q[i + l] * x[i + l];
  for (; i < k; i++)
    sum[0] += q[i] * x[i];
  return (sum[0] + sum[4]) + (sum[1] + sum[5]) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

// The largest element of x' (Q Q' - I) for the probe x: rows of q if `rows`, else columns, made of
// q. All of order k eps where Q is orthogonal.
static real off_orthogonal (int64_t k, const real *q, real *y)
{
  // y = q' x, then z = q y, compared with x
  real worst = 0;
  real *z = y + k, *x = z + k;
  for (int64_t i = 0; i < k; i++)
    x[i] = probe_element (i);
  for (int64_t j = 0; j < k; j++)
    y[j] = dot_of (k, q + j * k, x);
  memset (z, 0, (size_t)k * sizeof *z);
  for (int64_t j = 0; j < k; j++)
    for (int64_t i = 0; i < k; i++)
      z[i] += q[i + j * k] * y[j];
  for (int64_t i = 0; i < k; i++) {
    const real off = real_abs (z[i] - x[i]);
    worst = off > worst || off != off ? off : worst;
  }
  return worst;
}

static int orthogonal (const bidiagonal *b)
{
  const real most = 10 * (real)b->k * GLA_EPS;
  return off_orthogonal (b->k, b->u, b->work) <= most &&
         off_orthogonal (b->k, b->vt, b->work) <= most;
}

static void set_unit (int64_t k, real *x)
{
  memset (x, 0, (size_t)(k * k) * sizeof *x);
  for (int64_t i = 0; i < k; i++)
    x[i + i * k] = 1;
}

static void restore (const bidiagonal *b)
{
  memcpy (b->d, b->keep_d, (size_t)b->k * sizeof *b->d);
  memcpy (b->e, b->keep_e, (size_t)b->k * sizeof *b->e);
}

// Returns how many values did not converge.
static int32_t bidiagonal_qr (const bidiagonal *b, int vectors)
{
  const gla_blas_int k = (gla_blas_int)b->k, none = 0, one = 1, some = vectors ? k : 0;
  const gla_blas_int ld = vectors ? k : 1;
  gla_blas_int info;
  real nothing;
  restore (b);
  if (vectors) {
    set_unit (b->k, b->u);
    set_unit (b->k, b->vt);
  }
  gla_blas_in ();
  GLA_BDSQR ("U", &k, &some, &some, &none, b->d, b->e, b->vt, &ld, b->u, &ld, &nothing, &one,
             b->work, &info, 1);
  gla_blas_out ();
  return (int32_t)info;
}

// B = U diag (d) VT for the upper bidiagonal B. Returns how many values did not converge.
static int32_t solve_bidiagonal (const bidiagonal *b, int vectors)
{
  const gla_blas_int k = (gla_blas_int)b->k;
  gla_blas_int info;
  memcpy (b->keep_d, b->d, (size_t)b->k * sizeof *b->d);
  memcpy (b->keep_e, b->e, (size_t)b->k * sizeof *b->e);
  if (!vectors)
    return bidiagonal_qr (b, 0);
  gla_blas_in ();
  GLA_BDSDC ("U", "I", &k, b->d, b->e, b->u, &k, b->vt, &k, NULL, NULL, b->work, b->iwork, &info, 1,
             1);
  gla_blas_out ();
  return info == 0 && orthogonal (b) ? 0 : bidiagonal_qr (b, 1);
}

#endif

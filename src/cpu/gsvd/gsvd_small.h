// gsvd_small.h: pivoted QR of small matrices in lanes, in the form of LAPACK
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Up to 64 rows and columns, where calls of LAPACK and the BLAS take longer than the arithmetic.
// Norms of what remains are computed anew in each step, so they need no care.

#ifndef GPULINALG_CPU_GSVD_GSVD_SMALL_H
#define GPULINALG_CPU_GSVD_GSVD_SMALL_H

#include "common/scalar.h"
#include "cpu/common/exponent.h"
#include "cpu/common/lanes.h"
#include "cpu/common/minmax.h"
#include "cpu/common/reflector.h"
#include "cpu/common/rows.h"

#include "gsvd.h"
#include "cpu/common/column_pairs.h"

enum { SMALL = 64 };

static int is_small (int64_t m, int64_t n)
{
  return m <= SMALL && n <= SMALL;
}

// Lanes of register k / GLA_LANES of rows behind row k.
static inline vec lanes_behind (int64_t k)
{
  vec below;
  for (int l = 0; l < GLA_LANES; l++)
    below[l] = l > k % GLA_LANES;
  return below;
}

// |x|^2 behind row k
static inline real rest_norm2 (int64_t rv, const num *x, int64_t k)
{
  const int64_t first = k / GLA_LANES;
  vec sum = num_abs2 (x[first]) * lanes_behind (k);
  for (int64_t i = first + 1; i < rv; i++)
    sum += num_abs2 (x[i]);
  return sum_lanes (sum);
}

// y = y - v (tau v'y), rows from k on; v is zero before
static inline void reflect_column (int64_t rv, const num *v, scalar tau, num *y, int64_t k)
{
  num sum = num_zero ();
  for (int64_t i = k / GLA_LANES; i < rv; i++)
    sum = num_fmac (sum, v[i], y[i]);
  const num t = num_broadcast (scalar_mul (tau, sum_num (sum)));
  for (int64_t i = k / GLA_LANES; i < rv; i++)
    y[i] = num_fnma (y[i], v[i], t);
}

// The rows of c from k on become the vector of a reflector in v; returns beta and tau. Rows so
// small that their squares lose digits are scaled up first, and count as zero if they still do.
static reflector make_reflector (int64_t rv, const num *c, int64_t k, num *v)
{
  const int64_t first = k / GLA_LANES;
  const int up = GLA_SINGLE ? 60 : 500;
  int e = scalar_abs2 (row_get (c, k)) + rest_norm2 (rv, c, k) < GLA_QR_SMALL ? up : 0;
  const vec scale = vec_broadcast (power_of_two (e));
  for (int64_t i = 0; i < rv; i++)
    v[i] = i < first ? num_zero () : num_scale (scale, c[i]);
  const scalar alpha = row_get (v, k);
  const real sum = rest_norm2 (rv, v, k);
  const int some = scalar_abs2 (alpha) + sum >= GLA_QR_SMALL;
  reflector h = some ? reflect (alpha, sum) : no_reflector (scalar_make (0, 0));
  const num inverse = num_broadcast (h.inv);
  v[first] = num_scale (lanes_behind (k), v[first]);
  for (int64_t i = first; i < rv; i++)
    v[i] = num_mul (v[i], inverse);
  row_set (v, k, scalar_make (1, 0));
  h.beta *= power_of_two (-e);
  return h;
}

// Stores column k: R above, beta, and what is behind the 1 of v.
static void store_reflector (int64_t m, const num *c, const num *v, int64_t k, real beta, real *a)
{
  for (int64_t i = 0; i < m; i++)
    ((scalar *)a)[i] = i < k ? row_get (c, i) : i > k ? row_get (v, i) : scalar_make (beta, 0);
}

// A P = Q R as qr_pivot; lanes: room for n + 1 columns.
static void small_qr_pivot (int64_t m, int64_t n, real *a, int64_t lda, real *tau, int *perm,
                            num *lanes)
{
  const int64_t rv = registers_for (m), k_last = gla_min (m, n);
  real norm2[SMALL];
  num *v = lanes + n * rv;
  for (int64_t j = 0; j < n; j++) {
    load_column (lanes + j * rv, m, a + j * lda * GLA_PARTS, 1);
    norm2[j] = scalar_abs2 (row_get (lanes + j * rv, 0)) + rest_norm2 (rv, lanes + j * rv, 0);
    perm[j] = (int)j;
  }
  for (int64_t k = 0; k < k_last; k++) {
    int64_t best = k;
    for (int64_t j = k + 1; j < n; j++)
      best = norm2[j] > norm2[best] ? j : best;
    if (best != k) {
      swap_columns (rv, lanes + k * rv, lanes + best * rv);
      norm2[best] = norm2[k];
      const int t = perm[k];
      perm[k] = perm[best];
      perm[best] = t;
    }
    const reflector h = make_reflector (rv, lanes + k * rv, k, v);
    ((scalar *)tau)[k] = h.tau;
    store_reflector (m, lanes + k * rv, v, k, h.beta, a + k * lda * GLA_PARTS);
    for (int64_t j = k + 1; j < n; j++) {
      reflect_column (rv, v, scalar_conj (h.tau), lanes + j * rv, k);
      norm2[j] = rest_norm2 (rv, lanes + j * rv, k);
    }
  }
  for (int64_t j = k_last; j < n; j++)
    store_rows (a + j * lda * GLA_PARTS, m, lanes + j * rv);
}

// Reflectors in a: `count` of them, on rows offset .. offset+rows-1.
typedef struct {
  const real *a, *tau;
  int64_t lda, offset, rows, count;
} factor;

// C = Q C or Q' C as apply_q, C of n <= 64 columns; lanes: room for n + 1 columns.
static void small_apply_q (int adjoint, const factor *q, int64_t n, real *c, int64_t ldc,
                           num *lanes)
{
  const int64_t m = q->rows, rv = registers_for (m);
  num *v = lanes + n * rv;
  for (int64_t j = 0; j < n; j++)
    load_column (lanes + j * rv, m, c + j * ldc * GLA_PARTS, 1);
  for (int64_t step = 0; step < q->count; step++) {
    const int64_t i = adjoint ? step : q->count - 1 - step, first = i / GLA_LANES;
    const scalar t = ((const scalar *)q->tau)[i];
    load_column (v, m, q->a + i * q->lda * GLA_PARTS, 1);
    for (int64_t r = 0; r < first; r++)
      v[r] = num_zero ();
    v[first] = num_scale (lanes_behind (i), v[first]);
    row_set (v, i, scalar_make (1, 0));
    for (int64_t j = 0; j < n; j++)
      reflect_column (rv, v, adjoint ? scalar_conj (t) : t, lanes + j * rv, i);
  }
  for (int64_t j = 0; j < n; j++)
    store_rows (c + j * ldc * GLA_PARTS, m, lanes + j * rv);
}

#endif

// svd_lanes_qr.h: QR with column pivoting of small matrices, one per lane of a register
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Element (i, j) of all pages is at a[i + j*m]; m >= k. Every lane has its own exchanges. The norms
// of what remains of columns are computed anew in each step, so they need no care.

#ifndef GPULINALG_CPU_SVD_SVD_LANES_QR_H
#define GPULINALG_CPU_SVD_SVD_LANES_QR_H

#include "cpu/common/exponent.h"
#include "cpu/common/lanes.h"
#include "cpu/common/lanes_reflector.h"

// Squares of norms below this are those of nothing: their digits have been lost to underflow.
#define GLA_SVD_NOTHING GLA_QR_SMALL

typedef struct {
  int64_t m, k;
  num *a;     // the pages; then R above the diagonal and on it, the reflectors below it
  num *tau;   // k
  vec *norm2; // k: of what remains of columns
  mask *dead; // k: lanes where row j of R counts as zero
  int *perm;  // k times GLA_LANES: column j in lane l was perm[j*GLA_LANES + l]
} lanes_qr;

// |x|^2
static inline vec lanes_norm2 (int64_t count, const num *x)
{
  vec sum0 = vec_broadcast (0), sum1 = sum0;
  int64_t i = 0;
  for (; i + 2 <= count; i += 2) {
    sum0 += num_abs2 (x[i]);
    sum1 += num_abs2 (x[i + 1]);
  }
  return i < count ? sum0 + sum1 + num_abs2 (x[i]) : sum0 + sum1;
}

// Columns x and y are exchanged in lane l.
static inline void swap_in_lane (int64_t count, num *x, num *y, int l)
{
  real *u = (real *)x + l, *v = (real *)y + l;
  for (int64_t i = 0; i < count * GLA_PARTS; i++) {
    const real t = u[i * GLA_LANES];
    u[i * GLA_LANES] = v[i * GLA_LANES];
    v[i * GLA_LANES] = t;
  }
}

// The longest of what remains of columns comes to place j in every lane, of equal ones the first.
static void choose_column (const lanes_qr *q, int64_t j)
{
  vec most = q->norm2[j];
  mask at = (mask){0} + (bits)j;
  for (int64_t c = j + 1; c < q->k; c++) {
    const mask more = q->norm2[c] > most;
    most = vec_select (more, q->norm2[c], most);
    at = (more & ((mask){0} + (bits)c)) | (~more & at);
  }
  if (!mask_any (at ^ ((mask){0} + (bits)j)))
    return;
  for (int l = 0; l < GLA_LANES; l++) {
    const int64_t best = at[l];
    if (best == j)
      continue;
    swap_in_lane (q->m, q->a + j * q->m, q->a + best * q->m, l);
    q->norm2[best][l] = q->norm2[j][l];
    int *p = q->perm + j * GLA_LANES + l, *r = q->perm + best * GLA_LANES + l;
    const int t = *p;
    *p = *r;
    *r = t;
  }
  q->norm2[j] = most;
}

// Row j of R and the reflector of column j.
static void reflect_step (const lanes_qr *q, int64_t j)
{
  const int64_t rows = q->m - j;
  num *c = q->a + j + j * q->m, alpha = *c;
  const vec zero = vec_broadcast (0), sum = lanes_norm2 (rows - 1, c + 1);
  mask none = sum == zero;
#if GLA_COMPLEX
  none &= alpha.im == zero;
#endif
  q->dead[j] = q->norm2[j] <= vec_broadcast (GLA_SVD_NOTHING);
  const lanes_reflector h = lanes_reflect (alpha, sum, none | q->dead[j]);
  for (int64_t i = 1; i < rows; i++)
    c[i] = num_mul (c[i], h.inv);
  q->tau[j] = h.tau;
  *c = num_from_real (h.beta);
  lanes_update (rows, c, num_conj (h.tau), c + q->m, q->m, q->k - j - 1);
  for (int64_t r = j + 1; r < q->k; r++)
    q->norm2[r] = lanes_norm2 (rows - 1, q->a + j + 1 + r * q->m);
}

static void lanes_qr_pivot (const lanes_qr *q)
{
  for (int64_t j = 0; j < q->k; j++) {
    q->norm2[j] = lanes_norm2 (q->m, q->a + j * q->m);
    for (int l = 0; l < GLA_LANES; l++)
      q->perm[j * GLA_LANES + l] = (int)j;
  }
  for (int64_t j = 0; j < q->k; j++) {
    choose_column (q, j);
    reflect_step (q, j);
  }
}

// R' into w (k x k): rows of R that count as zero are zero.
static void lanes_adjoint_of_R (const lanes_qr *q, num *w)
{
  const int64_t k = q->k;
  for (int64_t j = 0; j < k; j++)
    for (int64_t i = 0; i < k; i++)
      w[i + j * k] =
          i < j ? num_zero () : num_select (q->dead[j], num_zero (), num_conj (q->a[j + i * q->m]));
}

// Columns of c (m rows) become those of Q*c.
static void lanes_times_Q (const lanes_qr *q, num *c, int64_t columns)
{
  for (int64_t j = q->k - 1; j >= 0; j--)
    lanes_update (q->m - j, q->a + j + j * q->m, q->tau[j], c + j, q->m, columns);
}

#endif

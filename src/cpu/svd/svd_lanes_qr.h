// svd_lanes_qr.h: QR with column pivoting of small matrices, one per lane of a register
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Element (i, j) of all pages is at a[i + j*m]; m >= k. Every lane has its own exchanges. The norms
// of remaining columns are computed anew in each step, so they need no safeguards.

#ifndef GPULINALG_CPU_SVD_SVD_LANES_QR_H
#define GPULINALG_CPU_SVD_SVD_LANES_QR_H

#include "common/scalar.h"
#include "cpu/common/exponent.h"
#include "cpu/common/lanes.h"
#include "cpu/common/lanes_reflector.h"

// Squares of norms below this count as zero: their digits have been lost to underflow.
#define GLA_SVD_NOTHING GLA_QR_SMALL

typedef struct {
  int64_t m, k;
  num *a;     // the pages; then R above the diagonal and on it, the reflectors below it
  num *tau;   // k
  vec *norm2; // k: of what remains of columns
  mask *dead; // k: lanes where row j of R counts as zero
  int *perm;  // k times GLA_LANES: column j in lane l was perm[j*GLA_LANES + l]
  mask level; // lanes with a triangle that stays unchanged
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

// Exchanges columns x and y in lane l.
static inline void swap_in_lane (int64_t count, num *x, num *y, int l)
{
  real *u = (real *)x + l, *v = (real *)y + l;
  for (int64_t i = 0; i < count * GLA_PARTS; i++) {
    const real t = u[i * GLA_LANES];
    u[i * GLA_LANES] = v[i * GLA_LANES];
    v[i * GLA_LANES] = t;
  }
}

// Exchanges columns j and at[l] in each lane, lane by lane.
static void exchange_few (const lanes_qr *q, int64_t j, mask at)
{
  for (int l = 0; l < GLA_LANES; l++)
    if (at[l] != j)
      swap_in_lane (q->m, q->a + j * q->m, q->a + at[l] * q->m, l);
}

// Does the same, column by column: for few columns, where the branches above would be mispredicted,
// and few rows.
enum { FEW_ROWS = 40 };

static void exchange_all (const lanes_qr *q, int64_t j, mask at)
{
  num *x = q->a + j * q->m;
  for (int64_t c = j + 1; c < q->k; c++) {
    const mask here = at == (mask){0} + (bits)c;
    num *y = q->a + c * q->m;
    for (int64_t i = 0; i < q->m; i++) {
      const num u = x[i], v = y[i];
      x[i] = num_select (here, v, u);
      y[i] = num_select (here, u, v);
    }
  }
}

// Moves the longest remaining column to place j in every lane, of equal ones the first.
static void choose_column (const lanes_qr *q, int64_t j)
{
  vec most = q->norm2[j];
  mask at = (mask){0} + (bits)j;
  for (int64_t c = j + 1; c < q->k; c++) {
    const mask more = q->norm2[c] > most;
    most = vec_select (more, q->norm2[c], most);
    at = (more & ((mask){0} + (bits)c)) | (~more & at);
  }
  at = (q->level & ((mask){0} + (bits)j)) | (~q->level & at);
  if (!mask_any (at ^ ((mask){0} + (bits)j)))
    return;
  if (q->k - j <= (q->m < FEW_ROWS ? GLA_LANES : 2))
    exchange_all (q, j, at);
  else
    exchange_few (q, j, at);
  for (int l = 0; l < GLA_LANES; l++) {
    int *p = q->perm + j * GLA_LANES + l, *r = q->perm + at[l] * GLA_LANES + l;
    const int t = *p;
    *p = *r;
    *r = t;
    q->norm2[at[l]][l] = q->norm2[j][l];
  }
  q->norm2[j] = most;
}

// Sets nc columns c = c - [1; v] f ([1; v]'*c), as lanes_update_of, and updates their norms below
// the first row.
static inline __attribute__ ((always_inline)) void
update_and_measure (int64_t rows, const num *v, num f, num *c, int64_t ldc, int nc, vec *norm2)
{
  num sum[LANES_COLUMNS];
  vec left[LANES_COLUMNS];
  for (int q = 0; q < nc; q++) {
    sum[q] = c[q * ldc];
    left[q] = vec_broadcast (0);
  }
  for (int64_t i = 1; i < rows; i++)
    for (int q = 0; q < nc; q++)
      sum[q] = num_fmac (sum[q], v[i], c[i + q * ldc]);
  for (int q = 0; q < nc; q++) {
    sum[q] = num_mul (f, sum[q]);
    c[q * ldc] = num_sub (c[q * ldc], sum[q]);
  }
  for (int64_t i = 1; i < rows; i++)
    for (int q = 0; q < nc; q++) {
      const num x = num_fnma (c[i + q * ldc], v[i], sum[q]);
      c[i + q * ldc] = x;
      left[q] += num_abs2 (x);
    }
  for (int q = 0; q < nc; q++)
    norm2[q] = left[q];
}

// Makes row j of R and the reflector of column j.
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
  const num f = num_conj (h.tau);
  int64_t r = j + 1;
  for (; r + LANES_COLUMNS <= q->k; r += LANES_COLUMNS)
    update_and_measure (rows, c, f, c + (r - j) * q->m, q->m, LANES_COLUMNS, q->norm2 + r);
  for (; r < q->k; r++)
    update_and_measure (rows, c, f, c + (r - j) * q->m, q->m, 1, q->norm2 + r);
}

static void lanes_qr_pivot (const lanes_qr *q)
{
  const int all = !mask_any (~q->level);
  for (int64_t j = 0; j < q->k; j++) {
    for (int l = 0; l < GLA_LANES; l++)
      q->perm[j * GLA_LANES + l] = (int)j;
    if (all)
      q->dead[j] = (mask){0};
    else
      q->norm2[j] = lanes_norm2 (q->m, q->a + j * q->m);
  }
  if (all)
    return;
  for (int64_t j = 0; j < q->k; j++) {
    choose_column (q, j);
    reflect_step (q, j);
  }
}

// Stores R' in w (k x k): rows of R that count as zero are zero.
static void lanes_adjoint_of_R (const lanes_qr *q, num *w)
{
  const int64_t k = q->k;
  for (int64_t j = 0; j < k; j++)
    for (int64_t i = 0; i < k; i++)
      w[i + j * k] =
          i < j ? num_zero () : num_select (q->dead[j], num_zero (), num_conj (q->a[j + i * q->m]));
}

//------------------------------------------------------------------------------
// Q
//------------------------------------------------------------------------------

// Reflectors that are applied together: as many as there are registers for sums.
enum { Q_BLOCK = GLA_VECTOR_BYTES == 64 ? 4 : 2 };

// The product H_0 H_1 ... of `count` reflectors; column q of v has q zeros and a one on top.
typedef struct {
  int64_t rows, ld;
  int64_t given; // rows of what they are applied to, the others are zero and need not be there
  const num *v, *tau;
  num head[Q_BLOCK][Q_BLOCK];  // the first rows of v, row by row
  num cross[Q_BLOCK][Q_BLOCK]; // v_q'*v_r in [q][r], r > q
} lanes_block;

static void block_begin (int count, lanes_block *b)
{
  for (int i = 0; i < count; i++)
    for (int q = 0; q < count; q++)
      b->head[i][q] = i > q    ? b->v[i + q * b->ld]
                      : i == q ? num_from_real (vec_broadcast (1))
                               : num_zero ();
  for (int q = 0; q < count; q++)
    for (int r = q + 1; r < count; r++) {
      num sum = num_zero ();
      for (int i = r; i < count; i++)
        sum = num_fmac (sum, b->head[i][q], b->head[i][r]);
      for (int64_t i = count; i < b->rows; i++)
        sum = num_fmac (sum, b->v[i + q * b->ld], b->v[i + r * b->ld]);
      b->cross[q][r] = sum;
    }
}

// Sets c <- H_0 H_1 ... c for nc columns.
static inline __attribute__ ((always_inline)) void block_times (const lanes_block *b, int count,
                                                                num *c, int64_t ldc, int nc)
{
  num f[Q_BLOCK][LANES_COLUMNS];
#pragma GCC unroll 4
  for (int q = 0; q < count; q++)
#pragma GCC unroll 4
    for (int l = 0; l < nc; l++) {
      f[q][l] = num_zero ();
#pragma GCC unroll 4
      for (int i = q; i < count; i++)
        f[q][l] = num_fmac (f[q][l], b->head[i][q], c[i + l * ldc]);
    }
  for (int64_t i = count; i < b->given; i++)
#pragma GCC unroll 4
    for (int q = 0; q < count; q++)
#pragma GCC unroll 4
      for (int l = 0; l < nc; l++)
        f[q][l] = num_fmac (f[q][l], b->v[i + q * b->ld], c[i + l * ldc]);
#pragma GCC unroll 4
  for (int q = count - 1; q >= 0; q--)
#pragma GCC unroll 4
    for (int l = 0; l < nc; l++) {
#pragma GCC unroll 4
      for (int r = q + 1; r < count; r++)
        f[q][l] = num_fnma (f[q][l], b->cross[q][r], f[r][l]);
      f[q][l] = num_mul (b->tau[q], f[q][l]);
    }
#pragma GCC unroll 4
  for (int i = 0; i < count; i++)
#pragma GCC unroll 4
    for (int q = 0; q <= i; q++)
#pragma GCC unroll 4
      for (int l = 0; l < nc; l++)
        c[i + l * ldc] = num_fnma (c[i + l * ldc], b->head[i][q], f[q][l]);
  for (int64_t i = count; i < b->rows; i++)
#pragma GCC unroll 4
    for (int l = 0; l < nc; l++) {
      num x = i < b->given ? c[i + l * ldc] : num_zero ();
#pragma GCC unroll 4
      for (int q = 0; q < count; q++)
        x = num_fnma (x, b->v[i + q * b->ld], f[q][l]);
      c[i + l * ldc] = x;
    }
}

// Replaces columns of c (m rows) by those of Q*c. Only `given` rows of c are stored, the others are
// zero; fewer than m only if k is a multiple of Q_BLOCK.
static void lanes_times_Q (const lanes_qr *q, num *c, int64_t columns, int64_t given)
{
  int64_t j = q->k;
  for (; j % Q_BLOCK != 0; j--)
    lanes_update (q->m - j + 1, q->a + (j - 1) * (q->m + 1), q->tau[j - 1], c + j - 1, q->m,
                  columns);
  for (j -= Q_BLOCK; j >= 0; j -= Q_BLOCK) {
    lanes_block b = {.rows = q->m - j,
                     .ld = q->m,
                     .given = given - j,
                     .v = q->a + j * (q->m + 1),
                     .tau = q->tau + j};
    block_begin (Q_BLOCK, &b);
    int64_t l = 0;
    for (; l + LANES_COLUMNS <= columns; l += LANES_COLUMNS)
      block_times (&b, Q_BLOCK, c + j + l * q->m, q->m, LANES_COLUMNS);
    for (; l < columns; l++)
      block_times (&b, Q_BLOCK, c + j + l * q->m, q->m, 1);
    given = q->m;
  }
}

//------------------------------------------------------------------------------
// orthonormal columns for values that are 0
//------------------------------------------------------------------------------

// Returns the row where columns 0..r-1 of x are smallest, the first of equal ones.
static int64_t emptiest_row (int64_t rows, const scalar *x, int64_t ld, int64_t r)
{
  real least = 0;
  int64_t at = 0;
  for (int64_t i = 0; i < rows; i++) {
    real sum = 0;
    for (int64_t j = 0; j < r; j++)
      sum += scalar_abs2 (x[i + j * ld]);
    if (i == 0 || sum < least)
      least = sum, at = i;
  }
  return at;
}

// Completes x by columns r.. so that all are orthonormal: unit vectors, made orthogonal twice.
static void complete_basis (int64_t rows, int64_t columns, scalar *x, int64_t ld, int64_t r)
{
  for (; r < columns; r++) {
    scalar *to = x + r * ld;
    const int64_t at = emptiest_row (rows, x, ld, r);
    for (int64_t i = 0; i < rows; i++)
      to[i] = scalar_make (i == at, 0);
    for (int64_t pass = 0; pass < 2 * r; pass++) {
      const scalar *q = x + pass % r * ld;
      scalar dot = scalar_make (0, 0);
      for (int64_t i = 0; i < rows; i++)
        dot += scalar_mul (scalar_conj (q[i]), to[i]);
      for (int64_t i = 0; i < rows; i++)
        to[i] -= scalar_mul (dot, q[i]);
    }
    real sum = 0;
    for (int64_t i = 0; i < rows; i++)
      sum += scalar_abs2 (to[i]);
    for (int64_t i = 0; i < rows; i++)
      to[i] = scalar_scale (1 / real_sqrt (sum), to[i]);
  }
}

#endif

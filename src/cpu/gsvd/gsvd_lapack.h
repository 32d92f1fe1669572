// gsvd_lapack.h: the factorisations of LAPACK on plain arrays, and of small matrices in lanes
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_GSVD_GSVD_LAPACK_H
#define GPULINALG_CPU_GSVD_GSVD_LAPACK_H

#include "common/products.h"
#include "common/scalar.h"
#include "cpu/common/carve.h"
#include "cpu/common/column_pairs.h"
#include "cpu/common/exponent.h"
#include "cpu/common/lanes.h"
#include "cpu/common/minmax.h"
#include "cpu/common/pivot.h"
#include "cpu/common/reflector.h"
#include "cpu/common/rows.h"
#include "gsvd.h"

//------------------------------------------------------------------------------
// pivoted QR of small matrices in lanes, in the form of LAPACK
//------------------------------------------------------------------------------

// These serve up to 64 rows and columns, where calls of LAPACK and the BLAS take longer than the
// arithmetic. Remaining norms are computed anew in each step, so they need no safeguards.

enum { SMALL = 64 };

static int is_small (int64_t m, int64_t n)
{
  return m <= SMALL && n <= SMALL;
}

// Returns the lanes of register k / GLA_LANES with rows after row k.
static inline vec lanes_behind (int64_t k)
{
  vec below;
  for (int l = 0; l < GLA_LANES; l++)
    below[l] = l > k % GLA_LANES;
  return below;
}

// Returns |x|^2 of the rows after row k.
static inline real rest_norm2 (int64_t rv, const num *x, int64_t k)
{
  const int64_t first = k / GLA_LANES;
  vec sum = num_abs2 (x[first]) * lanes_behind (k);
  for (int64_t i = first + 1; i < rv; i++)
    sum += num_abs2 (x[i]);
  return sum_lanes (sum);
}

// Sets y = y - v (tau v'y), rows from k on; v is zero before.
static inline void reflect_column (int64_t rv, const num *v, scalar tau, num *y, int64_t k)
{
  num sum = num_zero ();
  for (int64_t i = k / GLA_LANES; i < rv; i++)
    sum = num_fmac (sum, v[i], y[i]);
  const num t = num_broadcast (scalar_mul (tau, sum_num (sum)));
  for (int64_t i = k / GLA_LANES; i < rv; i++)
    y[i] = num_fnma (y[i], v[i], t);
}

// Makes the reflector of the rows of c from k on, with its vector in v; returns beta and tau. Rows
// whose squares lose digits are scaled up first, and count as zero if they still do.
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

// Stores column k: R above, beta, and the elements of v after its 1.
static void store_reflector (int64_t m, const num *c, const num *v, int64_t k, real beta, real *a)
{
  for (int64_t i = 0; i < m; i++)
    ((scalar *)a)[i] = i < k ? row_get (c, i) : i > k ? row_get (v, i) : scalar_make (beta, 0);
}

// Finds A P = Q R as qr_pivot does; lanes has room for n + 1 columns.
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

// Sets C = Q C or Q' C as apply_q does, for C of n <= 64 columns; lanes has room for n + 1 columns.
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

//------------------------------------------------------------------------------
// the factorisations of LAPACK on plain arrays
//------------------------------------------------------------------------------

// Workspace of LAPACK. If the task is known, the functions below poll it between pieces of some 10
// ms and return early when the work must end; the caller polls, too.
typedef struct {
  const gla_cpu_gsvd_task *task; // NULL: small matrices, or a thread that does not poll
  real *work;
  gla_blas_int lwork;
  pivots pivots; // where there is pivoting
  num *lanes;    // for small matrices
} lapack_work;

// Lays it out for matrices of so many columns. Blocks have up to 64, as in LAPACK's own ilaenv.
static void lapack_layout (char *base, size_t *at, int64_t columns, lapack_work *w)
{
  w->lwork = (gla_blas_int)(columns * 64 + 64 * 80);
  w->work = gla_carve (base, at, (size_t)w->lwork * sizeof (scalar));
  w->lanes = gla_carve (base, at, (size_t)(registers_for (SMALL) * (SMALL + 1)) * sizeof (num));
}

static int must_end (const lapack_work *w)
{
  return w->task != NULL && gla_cpu_gsvd_stopped (w->task);
}

// Returns how many rows, columns or reflectors, `flops` each, make a piece: a multiple of 16.
static int64_t piece (double flops)
{
  const double count = 1.5e8 / 16 / flops;
  return 16 * (count < 1 ? 1 : count > 1e6 ? 1000000 : (int64_t)count);
}

// Finds A P = Q R in place; column j of A P is column perm[j] of A.
static void qr_pivot (int64_t m, int64_t n, real *a, int64_t lda, real *tau, int *perm,
                      const lapack_work *w)
{
  if (m > 0 && is_small (m, n)) {
    small_qr_pivot (m, n, a, lda, tau, perm, w->lanes);
    return;
  }
  for (int64_t j = 0; j < n; j++)
    perm[j] = (int)j;
  if (m == 0)
    return;
  pivots p = w->pivots;
  p.tau = tau;
  pivot_factor (w->task->region, w->task->thread, m, n, a, lda, &p);
  for (int64_t j = 0; j < n; j++)
    perm[j] = (int)p.jpvt[j] - 1;
}

// Sets C = Q C, or Q' C if adjoint, in one call of LAPACK; C has n columns and the rows of the
// reflectors.
static void apply_piece (int adjoint, const factor *q, int64_t n, real *c, int64_t ldc,
                         const lapack_work *w)
{
  const gla_blas_int im = (gla_blas_int)q->rows, in = (gla_blas_int)n;
  const gla_blas_int ik = (gla_blas_int)q->count, ia = (gla_blas_int)q->lda, ic = (gla_blas_int)ldc;
  const char *op = !adjoint ? "N" : GLA_COMPLEX ? "C" : "T";
  gla_blas_int info;
  gla_blas_in ();
  GLA_UNMQR ("L", op, &im, &in, &ik, q->a, &ia, q->tau, c, &ic, w->work, &w->lwork, &info, 1, 1);
  gla_blas_out ();
}

// Reflectors at a time, where matrices are large.
enum { REFLECTOR_GROUP = 256 };

// Does the same by pieces: groups of reflectors, each on some columns of C.
static void apply_q (int adjoint, const factor *q, int64_t n, real *c, int64_t ldc,
                     const lapack_work *w)
{
  const int64_t m = q->rows, k = q->count, part = GLA_PARTS;
  if (m == 0 || n == 0 || k == 0)
    return;
  if (is_small (m, n)) {
    small_apply_q (adjoint, q, n, c, ldc, w->lanes);
    return;
  }
  const int64_t groups = (k - 1) / REFLECTOR_GROUP + 1;
  const int64_t columns = piece (4. * (double)(m * gla_min (k, REFLECTOR_GROUP) * part * part));
  for (int64_t g = 0; g < groups; g++) {
    const int64_t first = (adjoint ? g : groups - 1 - g) * REFLECTOR_GROUP;
    const factor group = {.a = q->a + (first + first * q->lda) * part,
                          .tau = q->tau + first * part,
                          .lda = q->lda,
                          .rows = m - first,
                          .count = gla_min (REFLECTOR_GROUP, k - first)};
    for (int64_t j = 0; j < n && !must_end (w); j += columns)
      apply_piece (adjoint, &group, gla_min (columns, n - j), c + (first + j * ldc) * part, ldc, w);
  }
}

// Finds A = Q R in place, in panels.
static void qr_plain (int64_t m, int64_t n, real *a, int64_t lda, real *tau, const lapack_work *w)
{
  const int64_t k = gla_min (m, n), part = GLA_PARTS;
  const double flops = 4. * (double)(m * n * part * part);
  const int64_t width = gla_min (piece (flops), REFLECTOR_GROUP);
  const gla_blas_int il = (gla_blas_int)lda;
  gla_blas_int info;
  for (int64_t j = 0; j < k && !must_end (w); j += width) {
    // the last panel has the columns to its right in one call
    const int64_t end = k - j <= width ? n : j + width;
    const gla_blas_int rows = (gla_blas_int)(m - j), columns = (gla_blas_int)(end - j);
    real *panel = a + (j + j * lda) * part, *right = a + (j + end * lda) * part;
    gla_blas_in ();
    GLA_BLAS (geqrf) (&rows, &columns, panel, &il, tau + j * part, w->work, &w->lwork, &info);
    gla_blas_out ();
    const factor q = {panel, tau + j * part, lda, 0, m - j, end - j};
    apply_q (1, &q, n - end, right, lda, w);
  }
}

// Sets X = X R^-1, for the n x n upper triangle of r, some rows of X (m x n) at a time.
static void divide (int64_t m, int64_t n, const real *r, int64_t ldr, real *x, int64_t ldx,
                    const lapack_work *w)
{
  const int64_t rows = piece ((double)(n * n * GLA_PARTS * GLA_PARTS));
  for (int64_t i = 0; i < m && !must_end (w); i += rows)
    trsm ((triangle_form){"R", "U", "N", "N"}, gla_min (rows, m - i), n, 1, r, ldr,
          x + i * GLA_PARTS, ldx);
}

// Finds the upper Cholesky factor in place; nonzero if there is none.
static int cholesky (int64_t n, real *a, int64_t lda)
{
  const gla_blas_int in = (gla_blas_int)n, il = (gla_blas_int)lda;
  gla_blas_int info;
  gla_blas_in ();
  GLA_BLAS (potrf) ("U", &in, a, &il, &info, 1);
  gla_blas_out ();
  return info != 0;
}

#endif

// svd_lanes_start.h: where the Jacobi sweeps of small matrices begin, one per lane of a register
// SPDX-License-Identifier: GPL-3.0-or-later
//
// W = R' is multiplied from the right by the eigenvectors Y of W'*W = R*R', so that its columns are
// almost orthogonal and one sweep does what six do otherwise. Y is orthogonal to working precision
// however inaccurate the small eigenvalues are, and the product leaves an error of that size in
// each row of W, which is what a rotation of two columns leaves, too. So small values keep their
// own digits, as with sweeps alone. The cosines that are left are about eps*s1^2/(si*sj): where
// the least diagonal element of R is below the square root of eps times the first, the sweeps begin
// with Y = I.

#ifndef GPULINALG_CPU_SVD_SVD_LANES_START_H
#define GPULINALG_CPU_SVD_SVD_LANES_START_H

#include "cpu/common/carve.h"
#include "cpu/common/lanes_ql.h"
#include "cpu/common/lanes_tridiagonal.h"

#include "svd_lanes_qr.h"

// The order from which on sweeps alone take longer.
enum { LANES_START_FROM = 6, LANES_START_ITERATIONS = 30 };

typedef struct {
  num *gram;        // k x k: W'*W, then reflectors
  num *product;     // k x k
  num *tau, *cross; // k each
  num *work;        // 4 (k + 3)
  ql_group q;       // of the tridiagonal matrix
  real *scratch;    // 2 k
} lanes_start;

static void lanes_start_layout (char *base, size_t *at, int64_t k, lanes_start *s)
{
  const size_t n = (size_t)k;
  memset (s, 0, sizeof *s);
  if (k < LANES_START_FROM)
    return;
  s->gram = gla_carve (base, at, n * n * sizeof (num));
  s->product = gla_carve (base, at, n * n * sizeof (num));
  s->tau = gla_carve (base, at, n * sizeof (num));
  s->cross = gla_carve (base, at, n * sizeof (num));
  s->work = gla_carve (base, at, 4 * (n + 3) * sizeof (num));
  s->q.d = gla_carve (base, at, n * sizeof (vec));
  s->q.e = gla_carve (base, at, n * sizeof (vec));
  s->q.rotations = gla_carve (base, at, QL_SWEEPS * n * sizeof (ql_rotation));
  s->q.ldz = ql_row_length ((int)k);
  s->q.z = gla_carve (base, at, n * (size_t)s->q.ldz * sizeof (vec));
  s->scratch = gla_carve (base, at, 2 * n * sizeof (real));
}

//------------------------------------------------------------------------------
// products; w is lower triangular
//------------------------------------------------------------------------------

enum { START_COLUMNS = GLA_COMPLEX ? 2 : 4 };

// Rows i.. of column j of w'*w times `scale`.
static inline __attribute__ ((always_inline)) void gram_rows (int k, const num *w, vec scale, int i,
                                                              int j, int count, num *gram)
{
  num sum[START_COLUMNS];
  for (int c = 0; c < count; c++)
    sum[c] = num_zero ();
  for (int r = i; r < k; r++)
    for (int c = 0; c < count; c++)
      sum[c] = num_fmac (sum[c], w[r + (i + c) * k], w[r + j * k]);
  for (int c = 0; c < count; c++)
    gram[i + c + j * k] = num_scale (scale, sum[c]);
}

// The lower triangle of w'*w times `scale`.
static void gram_of (int k, const num *w, vec scale, num *gram)
{
  for (int j = 0; j < k; j++) {
    int i = j;
    for (; i + START_COLUMNS <= k; i += START_COLUMNS)
      gram_rows (k, w, scale, i, j, START_COLUMNS, gram);
    for (; i < k; i++)
      gram_rows (k, w, scale, i, j, 1, gram);
  }
}

// Rows i and i+1 (or row i alone) of `columns` columns of w*y from column c on.
static inline __attribute__ ((always_inline)) void
product_rows (int k, const num *w, const num *y, int i, int c, int rows, int columns, num *to)
{
  num sum[2][START_COLUMNS];
  for (int r = 0; r < rows; r++)
    for (int q = 0; q < columns; q++)
      sum[r][q] = num_zero ();
  for (int j = 0; j < i + rows; j++)
    for (int r = 0; r < rows; r++)
      for (int q = 0; q < columns; q++)
        sum[r][q] = num_fma (sum[r][q], w[i + r + j * k], y[j + (c + q) * k]);
  for (int r = 0; r < rows; r++)
    for (int q = 0; q < columns; q++)
      to[i + r + (c + q) * k] = sum[r][q];
}

static void product_of (int k, const num *w, const num *y, num *to)
{
  int c = 0;
  for (; c + START_COLUMNS <= k; c += START_COLUMNS) {
    int i = 0;
    for (; i + 2 <= k; i += 2)
      product_rows (k, w, y, i, c, 2, START_COLUMNS, to);
    for (; i < k; i++)
      product_rows (k, w, y, i, c, 1, START_COLUMNS, to);
  }
  for (; c < k; c++)
    for (int i = 0; i < k; i++)
      product_rows (k, w, y, i, c, 1, 1, to);
}

//------------------------------------------------------------------------------
// the start
//------------------------------------------------------------------------------

// The eigenvectors of w'*w into y, in the lanes `some`. Squares of squares would be out of range,
// so w'*w is divided by its first element.
static void start_vectors (int k, const num *w, mask some, const lanes_start *start, num *y)
{
  const vec one = vec_broadcast (1), zero = vec_broadcast (0);
  const vec inverse = one / vec_select (some, num_abs2 (w[0]), one);
  ql_group q = start->q;
  gram_of (k, w, vec_select (some, inverse, zero), start->gram);
  tridiagonalise (k, start->gram, q.d, q.e, start->tau, start->work);
  ql_begin (k, &q, GLA_EPS, LANES_START_ITERATIONS, start->scratch);
  while (ql_next_sweep (k, 1, &q))
    continue;
  back_prepare (k, start->gram, start->cross);
  for (int j = 0; j < k; j += BACK_COLUMNS) {
    const int count = k - j < BACK_COLUMNS ? k - j : BACK_COLUMNS;
    for (int c = 0; c < count; c++)
      for (int i = 0; i < k; i++)
        y[i + (j + c) * k] = num_from_real (q.z[i + (j + c) * q.ldz]);
    back_transform (k, start->gram, start->tau, start->cross, y + j * k, count);
  }
}

// Lanes where R is not so graded that sweeps alone are as good.
static mask worth_a_start (int k, const num *w)
{
  const vec first = num_abs2 (w[0]), last = num_abs2 (w[k * k - 1]);
  return last > vec_broadcast (GLA_EPS) * first;
}

// w <- w*y, where y are the eigenvectors of w'*w, or the identity in lanes where they are of no
// use.
static void start_lanes (int k, const lanes_start *start, num *w, num *y)
{
  const mask some = k < LANES_START_FROM ? (mask){0} : worth_a_start (k, w);
  const vec one = vec_broadcast (1);
  if (mask_any (some))
    start_vectors (k, w, some, start, y);
  for (int j = 0; j < k; j++)
    for (int i = 0; i < k; i++) {
      const num identity = i == j ? num_from_real (one) : num_zero ();
      y[i + j * k] = mask_any (some) ? num_select (some, y[i + j * k], identity) : identity;
    }
  if (!mask_any (some))
    return;
  product_of (k, w, y, start->product);
  memcpy (w, start->product, (size_t)(k * k) * sizeof *w);
}

#endif

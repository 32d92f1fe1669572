// svd_lanes_start.h: where the Jacobi sweeps of small matrices begin, one per lane of a register
// SPDX-License-Identifier: GPL-3.0-or-later
//
// W = R' is multiplied from the right by the eigenvectors Y of W'*W = R*R', so that its columns are
// almost orthogonal: one step of first order (svd_lanes_correct.h), or one sweep, does what six
// sweeps do otherwise. Y is orthogonal to working precision
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

#include "svd_lanes_correct.h"
#include "svd_lanes_products.h"
#include "svd_lanes_qr.h"

// The order from which on sweeps alone take longer.
enum { LANES_START_FROM = 5, LANES_START_ITERATIONS = 30 };

// An off-diagonal element of the tridiagonal matrix counts as zero where it is so small beside the
// two on the diagonal: it becomes a cosine, which the correction takes away.
#define START_TOL (GLA_SINGLE ? (real)0x1p-20 : (real)0x1p-36)

typedef struct {
  num *gram;        // k x k: W'*W, then reflectors
  num *product;     // k x k: w*y
  num *turned;      // k x k: product*(I + E)
  num *tau, *cross; // k each
  num *work;        // 4 (k + 3)
  ql_group q;       // of the tridiagonal matrix
  real *scratch;    // 2 k
  lanes_norms norms;
} lanes_start;

// How start_correct ends. level: lanes whose R was not pivoted.
typedef struct {
  int vectors;
  real tol;
  mask level;
} svd_turn;

static void lanes_start_layout (char *base, size_t *at, int64_t k, lanes_start *s)
{
  const size_t n = (size_t)k;
  memset (s, 0, sizeof *s);
  if (k < LANES_START_FROM)
    return;
  s->gram = gla_carve (base, at, n * n * sizeof (num));
  s->product = gla_carve (base, at, n * n * sizeof (num));
  s->turned = gla_carve (base, at, n * n * sizeof (num));
  s->tau = gla_carve (base, at, n * sizeof (num));
  s->cross = gla_carve (base, at, n * sizeof (num));
  s->work = gla_carve (base, at, 4 * (n + 3) * sizeof (num));
  s->q.d = gla_carve (base, at, n * sizeof (vec));
  s->q.e = gla_carve (base, at, n * sizeof (vec));
  s->q.rotations = gla_carve (base, at, QL_SWEEPS * n * sizeof (ql_rotation));
  s->q.ldz = ql_row_length ((int)k);
  s->q.z = gla_carve (base, at, n * (size_t)s->q.ldz * sizeof (vec));
  s->norms.norm2 = gla_carve (base, at, n * sizeof (vec));
  s->norms.inverse = gla_carve (base, at, n * sizeof (vec));
  s->scratch = gla_carve (base, at, 2 * n * sizeof (real));
}

//------------------------------------------------------------------------------
// the start
//------------------------------------------------------------------------------

// Lanes where R is not so graded that sweeps alone are as good.
static mask worth_a_start (int k, const num *w)
{
  const vec first = num_abs2 (w[0]), last = num_abs2 (w[k * k - 1]);
  return last > vec_broadcast (GLA_EPS) * first;
}

// The tridiagonal matrix of w'*w, ready for QL. Squares of squares would be out of range, so w'*w
// is divided by its first element. Lanes that are not worth it have zeros, whose vectors are I;
// where none is worth it nothing is done.
static mask start_begin (int k, const num *w, lanes_start *s)
{
  const vec one = vec_broadcast (1), zero = vec_broadcast (0);
  const mask some = worth_a_start (k, w);
  if (!mask_any (some))
    return some;
  const vec inverse = one / vec_select (some, num_abs2 (w[0]), one);
  const lanes_product gram = {
      .k = k, .lower = 1, .a = w, .scale = vec_select (some, inverse, zero), .to = s->gram};
  gram_of (&gram);
  tridiagonalise (k, s->gram, s->q.d, s->q.e, s->tau, s->work);
  ql_begin (k, &s->q, GLA_EPS, LANES_START_ITERATIONS, s->scratch);
  s->q.tol2 = vec_broadcast (START_TOL * START_TOL);
  return some;
}

// The eigenvectors of w'*w into y, and w*y into s->product.
static void start_end (int k, const num *w, lanes_start *s, num *y)
{
  back_prepare (k, s->gram, s->cross);
  for (int j = 0; j < k; j += BACK_COLUMNS) {
    const int count = k - j < BACK_COLUMNS ? k - j : BACK_COLUMNS;
    for (int c = 0; c < count; c++)
      for (int i = 0; i < k; i++)
        y[i + (j + c) * k] = num_from_real (s->q.z[i + (j + c) * s->q.ldz]);
    back_transform (k, s->gram, s->tau, s->cross, y + j * k, count);
  }
  const lanes_product product = {.k = k, .lower = 1, .a = w, .b = y, .to = s->product};
  product_of (&product);
}

// Lanes of `level` whose longest column of s->product is more than 8 times as long as the shortest.
static mask lengths_differ (int k, mask level, const lanes_norms *n)
{
  vec most = n->norm2[0], least = most;
  for (int j = 1; j < k; j++) {
    const vec x = n->norm2[j];
    most = vec_select (x > most, x, most);
    least = vec_select (x < least, x, least);
  }
  return level & (most > vec_broadcast (64) * least);
}

// y <- y*(I + E), w <- w*(I + E) as w*y anew: the columns are orthogonal then in the lanes of
// s->norms.done. Without `vectors` only these and the lengths are found. s->product becomes w*y, w
// is left as it is.
//
// w*y has errors of eps times the length of each row of w. Column pivoting makes the elements of y
// small that meet long rows in short columns, so that the angles of these do not suffer. Where R
// was not pivoted and lengths differ, they do: there the columns of which E was found are turned.
static void start_correct (int k, const num *w, const svd_turn *wanted, lanes_start *s, num **y)
{
  const lanes_product gram = {.k = k, .a = s->product, .scale = vec_broadcast (1), .to = s->gram};
  gram_of (&gram);
  small_angles (k, s->gram, wanted->tol, &s->norms);
  if (!wanted->vectors || !mask_any (s->norms.done))
    return;
  keep_angles (k, s->norms.done, s->gram);
  const mask differ = s->norms.done & lengths_differ (k, wanted->level, &s->norms);
  num *to = s->product;
  if (mask_any (differ)) {
    const lanes_product turned = {.k = k, .a = to, .b = s->gram, .plus = to, .to = s->turned};
    product_of (&turned);
  }
  const lanes_product turn = {.k = k, .a = *y, .b = s->gram, .plus = *y, .to = to};
  product_of (&turn);
  s->product = *y;
  *y = to;
  const lanes_product again = {.k = k, .lower = 1, .a = w, .b = *y, .to = s->product};
  product_of (&again);
  for (int i = 0; mask_any (differ) && i < k * k; i++)
    s->product[i] = num_select (differ, s->turned[i], s->product[i]);
}

#endif

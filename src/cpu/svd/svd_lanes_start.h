// svd_lanes_start.h: the start of the Jacobi sweeps of small matrices, one per lane of a register
// SPDX-License-Identifier: GPL-3.0-or-later
//
// W = R' is multiplied from the right by the eigenvectors Y of W'*W = R*R', so that its columns are
// almost orthogonal: one step of first order (above), or one sweep, then replaces six sweeps. Y is
// orthogonal to working precision however inaccurate the small eigenvalues are, and the product
// leaves an error of that size in each row of W, as a rotation of two columns does. So small values
// keep their own digits, as with sweeps alone. The remaining cosines are about eps*s1^2/(si*sj): if
// the least diagonal element of R is below the square root of eps times the first, the sweeps begin
// with Y = I.

#ifndef GPULINALG_CPU_SVD_SVD_LANES_START_H
#define GPULINALG_CPU_SVD_SVD_LANES_START_H

#include "cpu/common/carve.h"
#include "cpu/common/lanes.h"
#include "cpu/common/lanes_ql.h"
#include "cpu/common/lanes_tridiagonal.h"
#include "svd_lanes_qr.h"

//------------------------------------------------------------------------------
// products of small matrices, one per lane of a register
//------------------------------------------------------------------------------

// All matrices are k x k. Blocks of results stay in registers.

enum {
  PRODUCT_COLUMNS = GLA_COMPLEX ? 2 : 4,
  PRODUCT_ROWS = GLA_VECTOR_BYTES == 64 ? 4 : 2 // as many as there are registers for
};

// A product a*b or w'*w. Where a or w is lower triangular, only that part of it is used.
typedef struct {
  int k, lower;
  const num *a, *b;
  const num *plus; // is added; may be NULL
  vec scale;       // of w'*w
  num *to;
} lanes_product;

// Computes rows x columns results from (i, c) on.
static inline __attribute__ ((always_inline)) void product_block (const lanes_product *p, int i,
                                                                  int c, int rows, int columns)
{
  const int k = p->k, inner = p->lower ? i + rows : k;
  num sum[PRODUCT_ROWS][PRODUCT_COLUMNS];
  for (int r = 0; r < rows; r++)
    for (int q = 0; q < columns; q++)
      sum[r][q] = p->plus ? p->plus[i + r + (c + q) * k] : num_zero ();
  for (int j = 0; j < inner; j++)
    for (int r = 0; r < rows; r++)
      for (int q = 0; q < columns; q++)
        sum[r][q] = num_fma (sum[r][q], p->a[i + r + j * k], p->b[j + (c + q) * k]);
  for (int r = 0; r < rows; r++)
    for (int q = 0; q < columns; q++)
      p->to[i + r + (c + q) * k] = sum[r][q];
}

static void product_of (const lanes_product *p)
{
  const int k = p->k;
  int c = 0;
  for (; c + PRODUCT_COLUMNS <= k; c += PRODUCT_COLUMNS) {
    int i = 0;
    for (; i + PRODUCT_ROWS <= k; i += PRODUCT_ROWS)
      product_block (p, i, c, PRODUCT_ROWS, PRODUCT_COLUMNS);
    for (; i < k; i++)
      product_block (p, i, c, 1, PRODUCT_COLUMNS);
  }
  for (; c < k; c++)
    for (int i = 0; i < k; i++)
      product_block (p, i, c, 1, 1);
}

// Computes rows x columns elements of w'*w from (i, j) on; those above the diagonal are not used.
static inline __attribute__ ((always_inline)) void gram_block (const lanes_product *p, int i, int j,
                                                               int rows, int columns)
{
  const int k = p->k;
  const num *w = p->a;
  num sum[PRODUCT_ROWS][PRODUCT_COLUMNS];
  for (int r = 0; r < rows; r++)
    for (int q = 0; q < columns; q++)
      sum[r][q] = num_zero ();
  for (int l = p->lower ? i : 0; l < k; l++)
    for (int r = 0; r < rows; r++)
      for (int q = 0; q < columns; q++)
        sum[r][q] = num_fmac (sum[r][q], w[l + (i + r) * k], w[l + (j + q) * k]);
  for (int r = 0; r < rows; r++)
    for (int q = 0; q < columns; q++)
      p->to[i + r + (j + q) * k] = num_scale (p->scale, sum[r][q]);
}

// Computes the lower triangle of w'*w times `scale`, w = p->a.
static void gram_of (const lanes_product *p)
{
  const int k = p->k;
  int j = 0;
  for (; j + PRODUCT_COLUMNS <= k; j += PRODUCT_COLUMNS) {
    int i = j;
    for (; i + PRODUCT_ROWS <= k; i += PRODUCT_ROWS)
      gram_block (p, i, j, PRODUCT_ROWS, PRODUCT_COLUMNS);
    for (; i < k; i++)
      gram_block (p, i, j, 1, PRODUCT_COLUMNS);
  }
  for (; j < k; j++)
    for (int i = j; i < k; i++)
      gram_block (p, i, j, 1, 1);
}

//------------------------------------------------------------------------------
// the last step of the SVD of small matrices by products, one per lane
//------------------------------------------------------------------------------

// The columns w_i of W = R'*Y are almost orthogonal. With g = W'*W, d its diagonal, and the
// skew-Hermitian E, e_ij = g_ij/(d_j - d_i), those of W*(I + E) are orthogonal up to second order
// (Ogita and Aishima 2018 do so for eigenvectors). Let t be the largest |e_ij| times the longer
// length over the shorter one. Cosines of columns of W*(I + E) and of Y*(I + E) are at most 2*k*t^2
// and k*t^2, whatever the lengths are, and the lengths are right to within k*t^2. So if k*t^2 is
// below the rounding errors this is as good as a sweep of rotations, and it takes products only.
// Lanes with larger t, for instance if values are so close that the quotient is large, continue
// with sweeps. Pairs that a sweep would leave unchanged have e_ij = 0.

// What is known of the columns of W.
typedef struct {
  vec *norm2, *inverse; // k each: d and 1 ./ d
  mask done;            // lanes that need no sweeps
} lanes_norms;

// Finds d and its reciprocals from the diagonal of g.
static void norms_of (int k, const num *g, lanes_norms *n)
{
  const vec one = vec_broadcast (1), nothing = vec_broadcast (GLA_SVD_NOTHING);
  for (int j = 0; j < k; j++) {
    const vec d = g[j + j * k].re;
    const mask some = d > nothing;
    n->done &= some;
    n->norm2[j] = d;
    n->inverse[j] = vec_reciprocal (vec_select (some, d, one));
  }
}

// Replaces g = W'*W, of which the lower triangle is given, by E. Lanes where t is too large are
// removed from n->done.
static void small_angles (int k, num *g, real tol, lanes_norms *n)
{
  const vec one = vec_broadcast (1), zero = vec_broadcast (0);
  const vec tol2 = vec_broadcast (tol * tol), most = vec_broadcast (GLA_EPS / (real)k);
  norms_of (k, g, n);
  for (int j = 0; j < k; j++) {
    g[j + j * k] = num_zero ();
    for (int i = j + 1; i < k; i++) {
      const num x = g[i + j * k];
      // the square of the product of the lengths may be out of range
      vec cosine2 = (x.re * n->inverse[i]) * (x.re * n->inverse[j]);
#if GLA_COMPLEX
      cosine2 += (x.im * n->inverse[i]) * (x.im * n->inverse[j]);
#endif
      const vec di = n->norm2[i], dj = n->norm2[j];
      const mask right = cosine2 <= tol2, longer = di > dj;
      const vec gap = vec_select (right, one, dj - di);
      const num e = num_scale (vec_select (right, zero, vec_reciprocal (gap)), x);
      const vec ratio = vec_select (longer, di * n->inverse[j], dj * n->inverse[i]);
      n->done &= num_abs2 (e) * ratio <= most; // false for NaN
      g[i + j * k] = e;
      g[j + i * k] = num_sub (num_zero (), num_conj (e));
    }
  }
}

// Sets E to zero in the lanes that are not in `done`, where it may be NaN.
static void keep_angles (int k, mask done, num *e)
{
  if (!mask_any (~done))
    return;
  for (int i = 0; i < k * k; i++)
    e[i] = num_select (done, e[i], num_zero ());
}

//------------------------------------------------------------------------------
// where the Jacobi sweeps of small matrices begin, one per lane of a register
//------------------------------------------------------------------------------

// The order from which on sweeps alone take longer.
enum { LANES_START_FROM = 5, LANES_START_ITERATIONS = 30 };

// An off-diagonal element of the tridiagonal matrix counts as zero if it is so small relative to
// the two on the diagonal: it becomes a cosine, which the correction removes.
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

// Returns lanes where R is not so graded that sweeps alone are as good.
static mask worth_a_start (int k, const num *w)
{
  const vec first = num_abs2 (w[0]), last = num_abs2 (w[k * k - 1]);
  return last > vec_broadcast (GLA_EPS) * first;
}

// Makes the tridiagonal matrix of w'*w, ready for QL. Squares of squares would be out of range, so
// w'*w is divided by its first element. Lanes that are not worth it have zeros, whose vectors are
// I; if none is worth it nothing is done.
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

// Stores the eigenvectors of w'*w in y, and w*y in s->product.
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

// Returns lanes of `level` whose longest column of s->product is more than 8 times as long as the
// shortest.
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

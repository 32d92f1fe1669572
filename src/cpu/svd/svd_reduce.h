// svd_reduce.h: reduces one page to bidiagonal form, rows in lanes; multiplies by its reflectors
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_SVD_SVD_REDUCE_H
#define GPULINALG_CPU_SVD_SVD_REDUCE_H

#include <string.h>

#include "cpu/common/carve.h"
#include "cpu/common/exponent.h"
#include "cpu/common/minmax.h"
#include "cpu/common/reflector.h"
#include "cpu/common/rows.h"
#include "cpu/common/rows_reflector.h"
#include "svd_vectors.h"

//------------------------------------------------------------------------------
// one page to bidiagonal form, its rows side by side in lanes
//------------------------------------------------------------------------------

// T = Q B P' with the reflectors of LAPACK's ?gebd2, Q = H_0 H_1 ..., P = G_0 G_1 .... The
// remaining columns are read and written once per step (Howell and others, 2008). While a few of
// them are in the nearest cache, the update of the previous step, T - u y' - x v', is done; then
// their products with the next left reflector complete the row for the next right reflector, and
// their sum, weighted by the elements of that row, is the product with the right reflector but for
// its scale. LAPACK reads them twice and does half of that by a slow product.

// Columns of a pass that are done together: what 32 or 16 registers hold.
enum { REDUCE_COLUMNS = (GLA_VECTOR_BYTES == 64 ? 8 : 4) / GLA_PARTS };
enum { REDUCE_STEPS = 16 }; // between two questions whether to stop

typedef struct {
  int64_t m, k;        // m >= k
  int64_t rv, kv;      // registers of a column of m and of k numbers
  num *a;              // rv x k: T, then the left reflectors with their ones and zeros
  num *p;              // kv x k: the right reflectors, likewise
  scalar *tauq, *taup; // k
  real *d, *e;         // k and k - 1
  num *x, *sum;        // rv: x of the step before, T times the row of this one
  num *y;              // kv: y of the step before, then of this one
  num *none;           // rv zeros
} reduction;

static void reduction_layout (char *base, size_t *at, int64_t m, int64_t k, reduction *r)
{
  r->m = m;
  r->k = k;
  r->rv = registers_for (m);
  r->kv = registers_for (k);
  const size_t rows = (size_t)r->rv * sizeof (num), columns = (size_t)r->kv * sizeof (num);
  r->a = gla_carve (base, at, rows * (size_t)k);
  r->p = gla_carve (base, at, columns * (size_t)k);
  r->x = gla_carve (base, at, rows);
  r->sum = gla_carve (base, at, rows);
  r->none = gla_carve (base, at, rows);
  r->y = gla_carve (base, at, columns);
}

//------------------------------------------------------------------------------
// reflectors
//------------------------------------------------------------------------------

// Makes the reflector of rows `row`.. of x, whose last register is `end`; rows above become 0, row
// `row` becomes 1. A column whose squares would underflow has only rounding errors left and counts
// as 0.
static reflector reduce_reflector (num *x, int64_t row, int64_t end)
{
  const int64_t skip = row / GLA_LANES;
  const scalar alpha = row_get (x, row);
  for (int64_t i = skip * GLA_LANES; i <= row; i++)
    row_set (x, i, scalar_make (0, 0));
  vec sum0 = vec_broadcast (0), sum1 = sum0;
  int64_t i = skip;
  for (; i + 2 <= end; i += 2) {
    sum0 += num_abs2 (x[i]);
    sum1 += num_abs2 (x[i + 1]);
  }
  if (i < end)
    sum0 += num_abs2 (x[i]);
  const real sum = sum_lanes (sum0 + sum1);
  const int some = sum + scalar_abs2 (alpha) >= GLA_QR_SMALL && (sum > 0 || __imag__ alpha != 0);
  const reflector h = some ? reflect (alpha, sum) : no_reflector (alpha);
  const num inverse = num_broadcast (h.inv);
  for (i = skip; i < end; i++)
    x[i] = num_mul (inverse, x[i]);
  row_set (x, row, scalar_make (1, 0));
  return h;
}

//------------------------------------------------------------------------------
// a step
//------------------------------------------------------------------------------

// u, v: the reflectors of the previous step; next: the left one of this step.
typedef struct {
  const num *u, *v, *next;
  scalar factor; // conj (tau) of `next`
  int64_t step;
} reduce_step;

// Sums the lanes of `count` numbers.
static inline __attribute__ ((always_inline)) void reduce_sums (const num *x, int count,
                                                                scalar *sum)
{
  vec part[GLA_LANES];
  real out[REDUCE_COLUMNS * GLA_PARTS + GLA_LANES];
  for (int at = 0; at < count * GLA_PARTS; at += GLA_LANES) {
    for (int l = 0; l < GLA_LANES; l++)
      part[l] = at + l < count * GLA_PARTS ? ((const vec *)x)[at + l] : vec_broadcast (0);
    const vec s = sum_each (part);
    memcpy (out + at, &s, sizeof s);
  }
  for (int c = 0; c < count; c++)
    sum[c] = scalar_make (out[c * GLA_PARTS], GLA_COMPLEX ? out[c * GLA_PARTS + GLA_COMPLEX] : 0);
}

// Does `count` columns from j on. The first column after the diagonal is added later, because its
// element of the right reflector is 1.
static inline __attribute__ ((always_inline)) void
reduce_columns (const reduction *r, const reduce_step *s, int64_t j, int count)
{
  const int64_t rv = r->rv, skip = s->step / GLA_LANES;
  num *a = r->a + j * rv, *z = r->p + s->step * r->kv;
  num y[REDUCE_COLUMNS], v[REDUCE_COLUMNS], sum[REDUCE_COLUMNS];
  scalar dot[REDUCE_COLUMNS];
  for (int c = 0; c < count; c++) {
    y[c] = num_broadcast (row_get (r->y, j + c));
    v[c] = num_broadcast (scalar_conj (row_get (s->v, j + c)));
    sum[c] = num_zero ();
  }
  for (int64_t i = skip; i < rv; i++) {
    const num ui = s->u[i], xi = r->x[i], next = s->next[i];
    for (int c = 0; c < count; c++) {
      const num t = num_fnma (num_fnma (a[i + c * rv], ui, y[c]), xi, v[c]);
      a[i + c * rv] = t;
      sum[c] = num_fmac (sum[c], next, t);
    }
  }
  reduce_sums (sum, count, dot);
  for (int c = 0; c < count; c++) {
    const scalar along = scalar_mul (s->factor, dot[c]);
    const scalar element = scalar_conj (row_get (a + c * rv, s->step) - along);
    row_set (r->y, j + c, along);
    row_set (z, j + c, element);
    y[c] = j + c > s->step + 1 ? num_broadcast (element) : num_zero ();
  }
  for (int64_t i = skip; i < rv; i++) {
    num t = r->sum[i];
    for (int c = 0; c < count; c++)
      t = num_fma (t, a[i + c * rv], y[c]);
    r->sum[i] = t;
  }
}

static void reduce_pass (const reduction *r, const reduce_step *s)
{
  int64_t j = s->step + 1;
  memset (r->sum + s->step / GLA_LANES, 0, (size_t)(r->rv - s->step / GLA_LANES) * sizeof *r->sum);
  for (; j + REDUCE_COLUMNS <= r->k; j += REDUCE_COLUMNS)
    reduce_columns (r, s, j, REDUCE_COLUMNS);
  for (; j + 2 <= r->k; j += 2)
    reduce_columns (r, s, j, 2);
  for (; j < r->k; j++)
    reduce_columns (r, s, j, 1);
}

// Applies the previous step to the next column, and makes its reflector.
static reflector reduce_column (const reduction *r, const reduce_step *s)
{
  const int64_t j = s->step;
  num *a = r->a + j * r->rv;
  const num y = num_broadcast (row_get (r->y, j));
  const num v = num_broadcast (scalar_conj (row_get (s->v, j)));
  for (int64_t i = j / GLA_LANES; i < r->rv; i++)
    a[i] = num_fnma (num_fnma (a[i], s->u[i], y), r->x[i], v);
  memset (a, 0, (size_t)(j / GLA_LANES) * sizeof *a);
  return reduce_reflector (a, j, r->rv);
}

// Makes the right reflector of the row of the pass, and x = tau (T v - u (y' v)).
static void reduce_row (const reduction *r, const reduce_step *s)
{
  const int64_t j = s->step;
  num *z = r->p + j * r->kv;
  const reflector h = reduce_reflector (z, j + 1, r->kv);
  num along = num_zero ();
  for (int64_t i = (j + 1) / GLA_LANES; i < r->kv; i++)
    along = num_fma (along, r->y[i], z[i]);
  const num f = num_broadcast (scalar_mul (h.tau, sum_num (along)));
  const num tau = num_broadcast (h.tau), scale = num_broadcast (scalar_mul (h.tau, h.inv));
  const num *first = r->a + (j + 1) * r->rv;
  for (int64_t i = j / GLA_LANES; i < r->rv; i++) {
    const num t = num_fma (num_mul (scale, r->sum[i]), tau, first[i]);
    r->x[i] = num_fnma (t, f, s->next[i]);
  }
  r->taup[j] = h.tau;
  r->e[j] = h.beta;
}

// Returns early if the work must end.
static void reduce_rows (gla_cpu_svd_task *task, const reduction *r)
{
  memset (r->none, 0, (size_t)r->rv * sizeof *r->none);
  memset (r->x, 0, (size_t)r->rv * sizeof *r->x);
  memset (r->y, 0, (size_t)r->kv * sizeof *r->y);
  memset (r->p, 0, (size_t)(r->kv * r->k) * sizeof *r->p);
  reduce_step s = {.u = r->none, .v = r->none};
  for (int64_t j = 0; j < r->k; j++) {
    if (j % REDUCE_STEPS == 0 && gla_cpu_svd_stopped (task))
      return;
    s.step = j;
    const reflector h = reduce_column (r, &s);
    s.next = r->a + j * r->rv;
    s.factor = scalar_conj (h.tau);
    r->tauq[j] = h.tau;
    r->d[j] = h.beta;
    if (j + 1 < r->k) {
      reduce_pass (r, &s);
      reduce_row (r, &s);
    }
    s.u = s.next;
    s.v = r->p + j * r->kv;
  }
}

//------------------------------------------------------------------------------
// columns times the reflectors of svd_reduce.h, in blocks
//------------------------------------------------------------------------------

// H_0 H_1 ... in blocks I - V T V' of BACK_BLOCK reflectors (Schreiber and Van Loan 1989). V has
// its ones and zeros, so that products of matrices do all.

enum { BACK_BLOCK = 32 };

// Reflector i is column i of v and begins with row i + shift.
typedef struct {
  const scalar *v;
  int64_t ld, rows, count, shift;
  const scalar *tau;
} reflectors;

// Makes T of a block, with zeros below its diagonal. cross: BACK_BLOCK x BACK_BLOCK.
static void back_triangle (const reflectors *h, int64_t first, gla_blas_int count, scalar *t,
                           scalar *cross)
{
  const int64_t row = first + h->shift;
  const gla_blas_int rows = (gla_blas_int)(h->rows - row), ld = (gla_blas_int)h->ld;
  const gla_blas_int ldt = BACK_BLOCK;
  const real one[2] = {1, 0}, zero[2] = {0, 0};
  const real *v = (const real *)(h->v + row + first * h->ld);
  gla_blas_in ();
  GLA_BLAS (gemm)
  ("C", "N", &count, &count, &rows, one, v, &ld, v, &ld, zero, (real *)cross, &ldt, 1, 1);
  gla_blas_out ();
  memset (t, 0, BACK_BLOCK * BACK_BLOCK * sizeof *t);
  for (int64_t j = 0; j < count; j++)
    t[j + j * BACK_BLOCK] = h->tau[first + j];
  fill_triangle (count, t, BACK_BLOCK, cross, BACK_BLOCK);
}

// Sets c = H_0 H_1 ... c for `columns` columns; w: BACK_BLOCK x (2 columns + 2 BACK_BLOCK).
static void back_multiply (const reflectors *h, scalar *c, int64_t ldc, int64_t columns, scalar *w)
{
  const gla_blas_int nc = (gla_blas_int)columns, lda = (gla_blas_int)h->ld;
  const gla_blas_int to = (gla_blas_int)ldc, ldw = BACK_BLOCK;
  const real one[2] = {1, 0}, zero[2] = {0, 0}, minus[2] = {-1, 0};
  scalar *t = w + 2 * BACK_BLOCK * columns, *w2 = w + BACK_BLOCK * columns;
  const int64_t blocks = (h->count + BACK_BLOCK - 1) / BACK_BLOCK;
  for (int64_t first = (blocks - 1) * BACK_BLOCK; first >= 0; first -= BACK_BLOCK) {
    const int64_t row = first + h->shift;
    const gla_blas_int count = (gla_blas_int)gla_min (BACK_BLOCK, h->count - first);
    const gla_blas_int rows = (gla_blas_int)(h->rows - row);
    const real *v = (const real *)(h->v + row + first * h->ld);
    real *at = (real *)(c + row);
    back_triangle (h, first, count, t, t + BACK_BLOCK * BACK_BLOCK);
    gla_blas_in ();
    GLA_BLAS (gemm)
    ("C", "N", &count, &nc, &rows, one, v, &lda, at, &to, zero, (real *)w, &ldw, 1, 1);
    GLA_BLAS (gemm)
    ("N", "N", &count, &nc, &count, one, (const real *)t, &ldw, (const real *)w, &ldw, zero,
     (real *)w2, &ldw, 1, 1);
    GLA_BLAS (gemm)
    ("N", "N", &rows, &nc, &count, minus, v, &lda, (const real *)w2, &ldw, one, at, &to, 1, 1);
    gla_blas_out ();
  }
}

#endif

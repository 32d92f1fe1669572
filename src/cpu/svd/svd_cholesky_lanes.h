// svd_cholesky_lanes.h: the triangles of svd_cholesky.h, one page per lane of a register
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Triangles are k x k, element (i, j) of all pages at r[i + j*k]; below the diagonal nothing is
// read. The reciprocals of their diagonals are stored separately.

#ifndef GPULINALG_CPU_SVD_SVD_CHOLESKY_LANES_H
#define GPULINALG_CPU_SVD_SVD_CHOLESKY_LANES_H

#include "svd_lanes_page.h"
#include "svd_tall_gram.h"

// The independent part of a column, squares over squares, must be at least this: then rounding T'*T
// makes an error of about 2^-12 in T1'*T1, times a number that grows with m and k.
#define CHOLESKY_LEAST (4096 * GLA_EPS)

// R1 is accurate enough up to this sum of the squares of the elements of inv (R1), for T with
// columns of length 1.
#define CHOLESKY_ONCE 64

// Squares of diagonal elements of R whose quotients are at least this need no order.
#define CHOLESKY_LEVEL ((real)0x1p-16)

// One register of pages.
typedef struct {
  lanes_page p; // of R
  int64_t page[GLA_LANES];
  mask live;          // lanes that have a page
  mask once;          // of these, those with R2 = I and T in place of T1
  tall_space space;   // T, or T1, of all lanes, one behind the other
  num *gram;          // T'*T, then T1'*T1; the factorisation works there
  num *r1, *r2;       // triangles
  vec *over1, *over2; // k: reciprocals of their diagonals
  num *inverse;       // of R1
  vec *lengths2;      // k: squares of the lengths of T's columns
} cholesky_lanes;

static void cholesky_lanes_layout (char *base, size_t *at, int64_t m, int64_t k, cholesky_lanes *t)
{
  const size_t square = (size_t)(k * k) * sizeof (num), row = (size_t)k * sizeof (vec);
  *at += lanes_page_layout (base ? base + *at : NULL, k, k, &t->p);
  tall_layout (base, at, m, k, GLA_LANES, INT64_MAX, &t->space);
  t->gram = gla_carve (base, at, square);
  t->r1 = gla_carve (base, at, square);
  t->r2 = gla_carve (base, at, square);
  t->inverse = gla_carve (base, at, square);
  t->over1 = gla_carve (base, at, row);
  t->over2 = gla_carve (base, at, row);
  t->lengths2 = gla_carve (base, at, row);
}

//------------------------------------------------------------------------------
// what T'*T and T1'*T1 say about pages
//------------------------------------------------------------------------------

static mask all_lanes (void)
{
  return ~(mask){0};
}

// Stores the squares of the lengths of columns in t->lengths2. Returns the lanes where they are in
// range.
static mask columns_in_range (cholesky_lanes *t)
{
  const int64_t k = t->space.k;
  mask right = all_lanes ();
  for (int64_t j = 0; j < k; j++) { // false for NaN
    const vec d = t->gram[j + j * k].re;
    right &= (d >= vec_broadcast (GLA_QR_SMALL)) & (d <= vec_broadcast (1 / GLA_QR_SMALL));
    t->lengths2[j] = d;
  }
  return right;
}

// Finds powers of two that bring the longest column of T to 2^GLA_SVD_TOP.
static void scale_by_lengths (cholesky_lanes *t)
{
  vec most = t->lengths2[0];
  for (int64_t j = 1; j < t->space.k; j++)
    most = vec_select (t->lengths2[j] > most, t->lengths2[j], most);
  for (int l = 0; l < GLA_LANES; l++) {
    svd_scale *s = &t->p.scale[l];
    *s = (svd_scale){0, {1, 1}, {1, 1}};
    if (!t->live[l])
      continue;
    const int shift = GLA_SVD_TOP - exponent_of (abs_bits (most[l])) / 2, half = shift / 2;
    s->down[0] = power_of_two (half);
    s->down[1] = power_of_two (shift - half);
    s->up[0] = power_of_two (-half);
    s->up[1] = power_of_two (half - shift);
  }
}

// Returns the lanes where g, the lower triangle of T1'*T1, differs from I by at most 1/4.
static mask near_identity (int k, const num *g)
{
  const vec one = vec_broadcast (1), most = vec_broadcast (1 / (real)(16 * k * k));
  mask right = all_lanes ();
  for (int j = 0; j < k; j++)
    for (int i = j; i < k; i++) { // false for NaN
      const num x = i == j ? num_sub (g[i + j * k], num_from_real (one)) : g[i + j * k];
      right &= num_abs2 (x) <= most;
    }
  return right;
}

//------------------------------------------------------------------------------
// triangles
//------------------------------------------------------------------------------

// Finds R with R'*R = g for the lanes of *live; the given lower triangle of g is overwritten. Lanes
// where pivot j is below part*lengths2[j] are removed from *live.
static void cholesky_in_lanes (int k, num *g, real part, const vec *lengths2, mask *live, num *r,
                               vec *over)
{
  const vec one = vec_broadcast (1);
  for (int j = 0; j < k; j++) {
    num *l = g + j * k;
    *live &= l[j].re >= part * lengths2[j];
    const vec pivot = vec_select (*live, l[j].re, one);
    over[j] = vec_rsqrt (pivot);
    r[j + j * k] = num_from_real (pivot * over[j]);
    for (int i = j + 1; i < k; i++) {
      l[i] = num_scale (over[j], l[i]);
      r[j + i * k] = num_conj (l[i]);
    }
    for (int c = j + 1; c < k; c++)
      for (int i = c; i < k; i++)
        g[i + c * k] = num_fnma (g[i + c * k], l[i], r[j + c * k]);
  }
}

// Finds inv (R1), and t->once by CHOLESKY_ONCE.
static void invert_first (cholesky_lanes *t)
{
  const int k = (int)t->space.k;
  vec sum = vec_broadcast (0);
  for (int j = 0; j < k; j++) {
    num *x = t->inverse + j * k;
    x[j] = num_from_real (t->over1[j]);
    sum += t->lengths2[j] * num_abs2 (x[j]);
    for (int i = j - 1; i >= 0; i--) {
      num y = num_zero ();
      for (int q = i + 1; q <= j; q++)
        y = num_fnma (y, t->r1[i + q * k], x[q]);
      x[i] = num_scale (t->over1[i], y);
      sum += t->lengths2[i] * num_abs2 (x[i]);
    }
  }
  t->once = t->live & (sum <= vec_broadcast (CHOLESKY_ONCE));
}

// Sets R2 = I in the lanes of t->once.
static void settle_second (cholesky_lanes *t)
{
  const int64_t k = t->space.k;
  const num one = num_from_real (vec_broadcast (1));
  for (int64_t j = 0; j < k; j++) {
    t->over2[j] = vec_select (t->once, one.re, t->over2[j]);
    for (int64_t i = 0; i <= j; i++)
      t->r2[i + j * k] = num_select (t->once, i == j ? one : num_zero (), t->r2[i + j * k]);
  }
}

// Returns element (i, j) of R2*R1. If R2 = I it is that of R1, also its sign if it is 0, so that a
// page has the same bits whatever its neighbours.
static num product_element (const cholesky_lanes *t, int64_t i, int64_t j)
{
  const int64_t k = t->space.k;
  num sum = num_zero ();
  for (int64_t q = i; q <= j; q++)
    sum = num_fma (sum, t->r2[i + q * k], t->r1[q + j * k]);
  return num_select (t->once, t->r1[i + j * k], sum);
}

// Copies R, scaled, to the input of QR; I to lanes that are not live. If its diagonal is level, QR
// leaves it unchanged: one-sided Jacobi needs an order for convergence only.
static void form_R (cholesky_lanes *t)
{
  const int64_t k = t->space.k;
  const int twice = mask_any (t->live & ~t->once);
  vec down0, down1;
  for (int l = 0; l < GLA_LANES; l++) {
    down0[l] = t->p.scale[l].down[0];
    down1[l] = t->p.scale[l].down[1];
  }
  num *r = t->p.s.qr.a;
  for (int64_t j = 0; j < k; j++)
    for (int64_t i = 0; i < k; i++) {
      const num x = i > j ? num_zero () : twice ? product_element (t, i, j) : t->r1[i + j * k];
      const num other = num_from_real (vec_broadcast (i == j ? (real)1 : (real)0));
      r[i + j * k] = num_select (t->live, num_scale (down1, num_scale (down0, x)), other);
    }
  vec most = num_abs2 (r[0]), least = most;
  for (int64_t j = 1; j < k; j++) {
    const vec x = num_abs2 (r[j + j * k]);
    most = vec_select (x > most, x, most);
    least = vec_select (x < least, x, least);
  }
  t->p.s.qr.level = least >= vec_broadcast (CHOLESKY_LEVEL) * most;
}

// Replaces columns of c, which are Q*Y of R, by inv (R2)*c, and if R2 = I by inv (R1)*c: T1, or T,
// times these gives the long vectors.
static void long_factors (const cholesky_lanes *t, int64_t columns, num *c)
{
  const int64_t k = t->space.k;
  const int once = mask_any (t->once), twice = mask_any (t->live & ~t->once);
  for (int64_t j = 0; j < columns; j++, c += k) {
    for (int64_t i = k - 1; twice && i >= 0; i--) {
      num x = c[i];
      for (int64_t q = i + 1; q < k; q++)
        x = num_fnma (x, t->r2[i + q * k], c[q]);
      c[i] = num_scale (t->over2[i], x);
    }
    for (int64_t i = 0; once && i < k; i++) {
      num x = num_zero ();
      for (int64_t q = i; q < k; q++)
        x = num_fma (x, t->inverse[i + q * k], c[q]);
      c[i] = num_select (t->once, x, c[i]);
    }
  }
}

#endif

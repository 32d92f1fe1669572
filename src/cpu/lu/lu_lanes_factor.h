// lu_lanes_factor.h: kinds of pages, and their factors, one page per lane
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Element (i, j) of all pages stands in a[i + j*n]. A factorisation leaves L below the diagonal,
// U on and above it, and the reciprocals of U's diagonal.

#ifndef GPULINALG_CPU_LU_LANES_FACTOR_H
#define GPULINALG_CPU_LU_LANES_FACTOR_H

#include "lu_lanes_move.h"

// Lanes by kind, a bit each. Each lane is of the first kind that fits.
typedef struct {
  unsigned finite, upper, lower, definite; // definite: Hermitian with a positive diagonal
} lanes_by_kind;

static inline mask lanes_all_zero (vec x)
{
  // -0 is 0, too
  return vec_abs (x) == vec_broadcast (0);
}

static inline vec lanes_join_bits (vec a, vec b)
{
  return (vec)((mask)a | (mask)b);
}

static inline vec lanes_join_num (vec all, num x)
{
#if GLA_COMPLEX
  all = lanes_join_bits (all, x.im);
#endif
  return lanes_join_bits (all, x.re);
}

static inline __attribute__ ((always_inline)) lanes_by_kind lanes_kinds (const num *a, int n)
{
  const vec zero = vec_broadcast (0);
  vec below = zero, above = zero, skew = zero; // all bits of these elements
  vec sum = zero;                              // 0, or NaN where something is not finite
  vec least = vec_broadcast (GLA_MAX);
  for (int j = 0; j < n; j++) {
    const num d = a[j + j * n];
    least = vec_select (d.re < least, d.re, least);
    sum += d.re * zero;
#if GLA_COMPLEX
    sum += d.im * zero;
    skew = lanes_join_bits (skew, d.im);
#endif
    for (int i = j + 1; i < n; i++) {
      const num x = a[i + j * n], y = a[j + i * n];
      sum += x.re * zero;
      sum += y.re * zero;
      below = lanes_join_num (below, x);
      above = lanes_join_num (above, y);
      skew = lanes_join_bits (skew, x.re - y.re);
#if GLA_COMPLEX
      sum += x.im * zero;
      sum += y.im * zero;
      skew = lanes_join_bits (skew, x.im + y.im);
#endif
    }
  }
  lanes_by_kind k = {.finite = lanes_bits (sum == sum),
                     .upper = lanes_bits (lanes_all_zero (below)),
                     .lower = lanes_bits (lanes_all_zero (above)),
                     .definite = lanes_bits (lanes_all_zero (skew) & (least > zero))};
  k.lower &= ~k.upper;
  k.definite &= ~(k.upper | k.lower);
  return k;
}

//------------------------------------------------------------------------------
// pivots
//------------------------------------------------------------------------------

// 1/d. Takes the lanes out of `good` where it is not a normal number, as where d is 0 or NaN.
static inline num lanes_reciprocal (num d, mask *good)
{
  const vec one = vec_broadcast (1), tiny = vec_broadcast (GLA_TINY),
            most = vec_broadcast (GLA_MAX);
#if GLA_COMPLEX
  // d/s has a part from 1 to 2, with s a power of two
  const vec re = vec_abs (d.re), im = vec_abs (d.im), larger = vec_select (re > im, re, im);
  const bits field = ((bits)2 * GLA_BIAS + 1) << GLA_FRACTION;
  const mask exponent = (mask)larger & field;
  const vec down = (vec)(((bits)2 * GLA_BIAS << GLA_FRACTION) - exponent);
  d = num_scale (down, d);
  const vec q = one / num_abs2 (d);
  num r = num_scale (down, num_scale (q, num_conj (d)));
  const vec a = vec_abs (r.re), b = vec_abs (r.im), size = vec_select (a > b, a, b);
  *good &= (larger >= tiny) & (larger <= most / 2) & (size >= tiny) & (size <= most);
#else
  num r = {one / d.re};
  const vec size = vec_abs (r.re);
  *good &= (size >= tiny) & (size <= most);
#endif
  return r;
}

// The size by which LAPACK chooses pivots.
static inline vec lanes_pivot_size (num x)
{
#if GLA_COMPLEX
  return vec_abs (x.re) + vec_abs (x.im);
#else
  return vec_abs (x.re);
#endif
}

//------------------------------------------------------------------------------
// A = P'*L*U
//------------------------------------------------------------------------------

// The row of each lane's pivot in column k: the first of the largest.
static inline __attribute__ ((always_inline)) mask lanes_pivot_rows (const num *column, int k,
                                                                     int n)
{
  vec best = lanes_pivot_size (column[k]);
  mask row = (mask){0} + k;
  for (int i = k + 1; i < n; i++) {
    const vec size = lanes_pivot_size (column[i]);
    const mask more = size > best;
    best = vec_select (more, size, best);
    row = (more & i) | (~more & row);
  }
  return row;
}

// Exchanges rows k and i of N columns in the lanes of at[i], for all i > k.
static inline __attribute__ ((always_inline)) void lanes_exchange_rows (num *a, int N, int k, int n,
                                                                        const mask *at)
{
  num top[4], pivot[4];
  for (int j = 0; j < N; j++)
    top[j] = pivot[j] = a[k + j * n];
  for (int i = k + 1; i < n; i++) {
    const mask m = at[i];
    for (int j = 0; j < N; j++) {
      const num x = a[i + j * n];
      pivot[j] = num_select (m, x, pivot[j]);
      a[i + j * n] = num_select (m, top[j], x);
    }
  }
  for (int j = 0; j < N; j++)
    a[k + j * n] = pivot[j];
}

// a(i,j) -= l(i) * a(k,j) for the rows below k of N columns.
static inline __attribute__ ((always_inline)) void lanes_eliminate (num *a, int N, int k, int n,
                                                                    const num *l)
{
  num top[4];
  for (int j = 0; j < N; j++)
    top[j] = a[k + j * n];
  for (int i = k + 1; i < n; i++) {
    const num x = l[i];
    for (int j = 0; j < N; j++)
      a[i + j * n] = num_fnma (a[i + j * n], x, top[j]);
  }
}

static inline __attribute__ ((always_inline)) void lanes_exchange_perm (mask *perm, int k, int n,
                                                                        const mask *at)
{
  const mask top = perm[k];
  mask pivot = top;
  for (int i = k + 1; i < n; i++) {
    pivot = (at[i] & perm[i]) | (~at[i] & pivot);
    perm[i] = (at[i] & top) | (~at[i] & perm[i]);
  }
  perm[k] = pivot;
}

// Row i of P*A is row perm[i] of A. at: space for n masks. Returns the lanes with good pivots, and
// whether some rows were exchanged.
static inline __attribute__ ((always_inline)) mask
lanes_factor_general (num *a, int n, num *r, mask *perm, mask *at, int *exchanged)
{
  mask good = ~(mask){0};
  *exchanged = 0;
  for (int i = 0; i < n; i++)
    perm[i] = (mask){0} + i;
  for (int k = 0; k < n; k++) {
    num *column = a + k * n;
    const mask row = lanes_pivot_rows (column, k, n);
    if (lanes_bits (row != k)) {
      *exchanged = 1;
      for (int i = k + 1; i < n; i++)
        at[i] = row == i;
      int j = 0;
      for (; j + 4 <= n; j += 4)
        lanes_exchange_rows (a + j * n, 4, k, n, at);
      for (; j < n; j++)
        lanes_exchange_rows (a + j * n, 1, k, n, at);
      lanes_exchange_perm (perm, k, n, at);
    }
    r[k] = lanes_reciprocal (column[k], &good);
    for (int i = k + 1; i < n; i++)
      column[i] = num_mul (column[i], r[k]);
    int j = k + 1;
    for (; j + 4 <= n; j += 4)
      lanes_eliminate (a + j * n, 4, k, n, column);
    for (; j < n; j++)
      lanes_eliminate (a + j * n, 1, k, n, column);
  }
  return good;
}

//------------------------------------------------------------------------------
// A = L*D*L', U = D*L'
//------------------------------------------------------------------------------

// Reads the lower triangle. Returns the lanes where D is positive.
static inline __attribute__ ((always_inline)) mask lanes_factor_definite (num *a, int n, num *r)
{
  mask good = ~(mask){0};
  for (int k = 0; k < n; k++) {
    num *column = a + k * n;
    const vec d = column[k].re, inverse = vec_broadcast (1) / d;
    good &= (d > vec_broadcast (0)) & (inverse >= vec_broadcast (GLA_TINY)) &
            (inverse <= vec_broadcast (GLA_MAX));
    column[k] = num_from_real (d);
    r[k] = num_from_real (inverse);
    for (int i = k + 1; i < n; i++) {
      a[k + i * n] = num_conj (column[i]);
      column[i] = num_scale (inverse, column[i]);
    }
    for (int j = k + 1; j < n; j++) {
      const num u = a[k + j * n];
      for (int i = j; i < n; i++)
        a[i + j * n] = num_fnma (a[i + j * n], column[i], u);
    }
  }
  return good;
}

//------------------------------------------------------------------------------
// triangles
//------------------------------------------------------------------------------

static inline __attribute__ ((always_inline)) mask lanes_factor_upper (const num *a, int n, num *r)
{
  mask good = ~(mask){0};
  for (int k = 0; k < n; k++)
    r[k] = lanes_reciprocal (a[k + k * n], &good);
  return good;
}

// Turns the order of so many numbers round. That of a lower triangular matrix is upper triangular.
static inline void lanes_reverse_order (num *x, int count)
{
  for (int i = 0; i < count / 2; i++) {
    const num y = x[i];
    x[i] = x[count - 1 - i];
    x[count - 1 - i] = y;
  }
}

#endif

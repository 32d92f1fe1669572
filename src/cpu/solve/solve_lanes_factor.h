// solve_lanes_factor.h: kinds of pages, and their factors, one page per lane
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Element (i, j) of all pages is a[i + j*n]. A factorisation leaves L below the diagonal, U on and
// above it, and the reciprocals of U's diagonal.

#ifndef GPULINALG_CPU_SOLVE_LANES_FACTOR_H
#define GPULINALG_CPU_SOLVE_LANES_FACTOR_H

#include "solve_lanes_move.h"

// Rows of a column that are computed at a time.
enum { LANES_ROWS = GLA_COMPLEX ? 2 : 4 };

// Lanes by kind, a bit each. Each lane is of the first kind that fits.
typedef struct {
  unsigned usual;                  // finite, and no entry is near the overflow
  unsigned upper, lower, definite; // definite: Hermitian with a positive diagonal
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
  const vec zero = vec_broadcast (0), growth = vec_broadcast ((real)(1 << 24));
  vec below = zero, above = zero, skew = zero; // all bits of these elements
  vec sum = zero; // not finite where an entry is not, or is so large that LU might overflow
  vec least = vec_broadcast (GLA_MAX);
  for (int j = 0; j < n; j++) {
    const num d = a[j + j * n];
    vec large = d.re * growth; // a sum for each column: with one for all each addition would wait
                               // for the previous one
    least = vec_select (d.re < least, d.re, least);
#if GLA_COMPLEX
    large += d.im * growth;
    skew = lanes_join_bits (skew, d.im);
#endif
    for (int i = j + 1; i < n; i++) {
      const num x = a[i + j * n], y = a[j + i * n];
      large += x.re * growth;
      large += y.re * growth;
      below = lanes_join_num (below, x);
      above = lanes_join_num (above, y);
      skew = lanes_join_bits (skew, x.re - y.re);
#if GLA_COMPLEX
      large += x.im * growth;
      large += y.im * growth;
      skew = lanes_join_bits (skew, x.im + y.im);
#endif
    }
    sum += large;
  }
  lanes_by_kind k = {.usual = lanes_bits (vec_abs (sum) <= vec_broadcast (GLA_MAX)),
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

// Returns 1/d. Removes from `good` lanes where it is not a normal number, as for d = 0 or NaN.
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

// Returns the size by which LAPACK chooses pivots.
static inline vec lanes_pivot_size (num x)
{
#if GLA_COMPLEX
  return vec_abs (x.re) + vec_abs (x.im);
#else
  return vec_abs (x.re);
#endif
}

// Removes from `good` lanes where a pivot may be mere rounding error, by the reciprocals of the
// pivots: solve_lapack.h decides which pages are singular.
static inline mask lanes_pivots_are_level (const num *r, int n, mask good)
{
  const vec errors = vec_broadcast ((real)(16 * n) * GLA_EPS);
  vec most = lanes_pivot_size (r[0]), least = most;
  for (int k = 1; k < n; k++) {
    const vec size = lanes_pivot_size (r[k]);
    most = vec_select (size > most, size, most);
    least = vec_select (size < least, size, least);
  }
  return good & (most * errors < least);
}

//------------------------------------------------------------------------------
// A = P'*L*U
//------------------------------------------------------------------------------

// Returns the row of each lane's pivot in column k: the first of the largest.
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

// Exchanges rows k and i of N columns in the lanes of at[i], for all i > k; then, if `l` is not
// NULL, a(i,j) -= l(i) * a(k,j).
static inline __attribute__ ((always_inline)) void lanes_exchange (num *a, int N, int k, int n,
                                                                   const mask *at, const num *l)
{
  num top[4], pivot[4];
  for (int j = 0; j < N; j++)
    top[j] = pivot[j] = a[k + j * n];
  for (int i = k + 1; i < n; i++)
    for (int j = 0; j < N; j++)
      pivot[j] = num_select (at[i], a[i + j * n], pivot[j]);
  for (int i = k + 1; i < n; i++)
    for (int j = 0; j < N; j++) {
      const num x = num_select (at[i], top[j], a[i + j * n]);
      a[i + j * n] = l ? num_fnma (x, l[i], pivot[j]) : x;
    }
  for (int j = 0; j < N; j++)
    a[k + j * n] = pivot[j];
}

// Computes a(i,j) -= l(i) * a(k,j) for the rows below k of N columns.
static inline __attribute__ ((always_inline)) void lanes_eliminate (num *a, int N, int k, int n,
                                                                    const num *l)
{
  num top[4];
  for (int j = 0; j < N; j++)
    top[j] = a[k + j * n];
  for (int i = k + 1; i < n; i++)
    for (int j = 0; j < N; j++)
      a[i + j * n] = num_fnma (a[i + j * n], l[i], top[j]);
}

// Brings the pivots of column k, which are in the rows `row`, to row k. at: space for n masks.
static inline __attribute__ ((always_inline)) void lanes_pivot (num *a, int n, int k, mask row,
                                                                mask *perm, mask *at)
{
  const mask top = perm[k];
  mask pivot = top;
  for (int i = k + 1; i < n; i++) {
    const mask m = row == i;
    at[i] = m;
    pivot = (m & perm[i]) | (~m & pivot);
    perm[i] = (m & top) | (~m & perm[i]);
  }
  perm[k] = pivot;
  int j = 0;
  for (; j + 4 <= k + 1; j += 4)
    lanes_exchange (a + j * n, 4, k, n, at, NULL);
  for (; j <= k; j++)
    lanes_exchange (a + j * n, 1, k, n, at, NULL);
}

// Row i of P*A is row perm[i] of A. Returns the lanes with good pivots, and whether some rows were
// exchanged.
static inline __attribute__ ((always_inline)) mask
lanes_factor_general (num *a, int n, num *r, mask *perm, mask *at, int *exchanged)
{
  mask good = ~(mask){0};
  *exchanged = 0;
  for (int i = 0; i < n; i++)
    perm[i] = (mask){0} + i;
  for (int k = 0; k < n; k++) {
    num *l = a + k * n;
    const mask row = lanes_pivot_rows (l, k, n);
    const int exchange = lanes_bits (row != k) != 0;
    *exchanged |= exchange;
    if (exchange)
      lanes_pivot (a, n, k, row, perm, at);
    r[k] = lanes_reciprocal (l[k], &good);
    for (int i = k + 1; i < n; i++)
      l[i] = num_mul (l[i], r[k]);
    int j = k + 1;
    for (; j + 4 <= n && exchange; j += 4)
      lanes_exchange (a + j * n, 4, k, n, at, l);
    for (; j + 4 <= n; j += 4)
      lanes_eliminate (a + j * n, 4, k, n, l);
    for (; j < n && exchange; j++)
      lanes_exchange (a + j * n, 1, k, n, at, l);
    for (; j < n; j++)
      lanes_eliminate (a + j * n, 1, k, n, l);
  }
  return lanes_pivots_are_level (r, n, good);
}

//------------------------------------------------------------------------------
// A = L*D*L', U = D*L'
//------------------------------------------------------------------------------

// Computes rows i .. i+N-1 of column j of L*D, after the previous columns.
static inline __attribute__ ((always_inline)) void lanes_definite_column (num *a, int n, int j,
                                                                          int i, int N)
{
  num s[LANES_ROWS];
  for (int x = 0; x < N; x++)
    s[x] = a[i + x + j * n];
  for (int k = 0; k < j; k++)
    for (int x = 0; x < N; x++)
      s[x] = num_fnma (s[x], a[i + x + k * n], a[k + j * n]);
  for (int x = 0; x < N; x++)
    a[i + x + j * n] = s[x];
}

// Reads the lower triangle. Returns the lanes where D is positive.
static inline __attribute__ ((always_inline)) mask lanes_factor_definite (num *a, int n, num *r)
{
  mask good = ~(mask){0};
  for (int j = 0; j < n; j++) {
    num *column = a + j * n;
    int i = j;
    for (; i + LANES_ROWS <= n; i += LANES_ROWS)
      lanes_definite_column (a, n, j, i, LANES_ROWS);
    for (; i < n; i++)
      lanes_definite_column (a, n, j, i, 1);
    const vec d = column[j].re, inverse = vec_broadcast (1) / d;
    good &= (d > vec_broadcast (0)) & (inverse >= vec_broadcast (GLA_TINY)) &
            (inverse <= vec_broadcast (GLA_MAX));
    column[j] = num_from_real (d);
    r[j] = num_from_real (inverse);
    for (i = j + 1; i < n; i++) {
      a[j + i * n] = num_conj (column[i]);
      column[i] = num_scale (inverse, column[i]);
    }
  }
  return lanes_pivots_are_level (r, n, good);
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

// Reverses the order of so many numbers, which makes a lower triangular matrix upper triangular.
static inline void lanes_reverse_order (num *x, int count)
{
  for (int i = 0; i < count / 2; i++) {
    const num y = x[i];
    x[i] = x[count - 1 - i];
    x[count - 1 - i] = y;
  }
}

#endif

// lanes_tridiagonal.h: Householder reduction of several Hermitian matrices at a time
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A = Q T Q^H as LAPACK's hetd2 does it with the lower triangle: reflector k is
// H_k = I - tau_k v v^H with v(k+1) = 1 and v(k+2:n-1) left in column k of a; Q = H_0 H_1 ...
// The rank-2 update of one step and the matrix-vector product of the next are one pass over the
// triangle, so every element is read and written once per step.

#ifndef GPULINALG_CPU_COMMON_LANES_TRIDIAGONAL_H
#define GPULINALG_CPU_COMMON_LANES_TRIDIAGONAL_H

#include "lanes.h"

#include <string.h>

// Columns of one pass: two if the registers suffice.
enum { PASS_COLUMNS = GLA_COMPLEX && GLA_VECTOR_BYTES < 64 ? 1 : 2 };

// Sums of conj (a) v in independent pieces.
typedef struct {
  num re;
#if GLA_COMPLEX
  num im;
#endif
} dot;

static inline dot dot_add (dot s, num a, num v)
{
  s.re.re += a.re * v.re;
#if GLA_COMPLEX
  s.re.im += a.re * v.im;
  s.im.re += a.im * v.re;
  s.im.im += a.im * v.im;
#endif
  return s;
}

static inline num dot_value (dot s)
{
#if GLA_COMPLEX
  s.re.re += s.im.im;
  s.re.im -= s.im.re;
#endif
  return s.re;
}

//------------------------------------------------------------------------------
// reduction
//------------------------------------------------------------------------------

// Makes reflector k from column k; returns e_k. A column whose squares would underflow has only
// rounding errors left and counts as zero: then tau = 0.
static inline vec next_reflector (int n, num *column, int k, num *tau)
{
  const vec one = vec_broadcast (1), zero = vec_broadcast (0);
  num alpha = column[k + 1];
  vec total = num_abs2 (alpha);
  for (int i = k + 2; i < n; i++)
    total += num_abs2 (column[i]);
  mask some = total > vec_broadcast (GLA_TINY / (GLA_EPS * GLA_EPS));
  vec norm = vec_sqrt (total);
  vec beta = vec_select (some, vec_select (alpha.re >= zero, -norm, norm), one);

  num z = alpha, t;
  z.re = alpha.re - beta;
  vec inverse = one / vec_select (some, num_abs2 (z), one);
  num f = num_scale (vec_select (some, inverse, zero), num_conj (z));
  for (int i = k + 2; i < n; i++)
    column[i] = num_mul (f, column[i]);
  t = num_scale (-one / beta, z);
  *tau = num_select (some, t, num_zero ());
  return vec_select (some, beta, zero);
}

// The data of a pass over the triangle: A -= x y^H + y x^H, then p += A v.
typedef struct {
  const num *x, *y, *v;
  num *p;
} triangle_pass;

// Handles `count` columns from j on.
static inline __attribute__ ((always_inline)) void pass_over (int n, num *a, int j, triangle_pass w,
                                                              int count)
{
  num xj[2], yj[2], vj[2];
  dot sum[2] = {0};
  for (int c = 0; c < count; c++) {
    xj[c] = num_conj (w.x[j + c]);
    yj[c] = num_conj (w.y[j + c]);
    vj[c] = w.v[j + c];
  }
  // the corner on the diagonal
  for (int c = 0; c < count; c++)
    for (int i = j + c; i < j + count; i++) {
      num *at = a + i + (j + c) * n;
      *at = num_fnma (num_fnma (*at, w.x[i], yj[c]), w.y[i], xj[c]);
      if (i > j + c) {
        w.p[i] = num_fma (w.p[i], *at, vj[c]);
        sum[c] = dot_add (sum[c], *at, w.v[i]);
      } else
        w.p[i] = num_add (w.p[i], num_scale (at->re, vj[c]));
    }
  for (int i = j + count; i < n; i++) {
    num p = w.p[i];
    for (int c = 0; c < count; c++) {
      num *at = a + i + (j + c) * n;
      num aij = num_fnma (num_fnma (*at, w.x[i], yj[c]), w.y[i], xj[c]);
      *at = aij;
      p = num_fma (p, aij, vj[c]);
      sum[c] = dot_add (sum[c], aij, w.v[i]);
    }
    w.p[i] = p;
  }
  for (int c = 0; c < count; c++)
    w.p[j + c] = num_add (w.p[j + c], dot_value (sum[c]));
}

// Replaces p = A v by y = tau p - 1/2 tau (tau p)^H v v.
static inline void second_vector (int n, int k, num tau, const num *v, num *p)
{
  dot sum = {0};
  for (int i = k + 1; i < n; i++) {
    p[i] = num_mul (tau, p[i]);
    sum = dot_add (sum, p[i], v[i]);
  }
  num f = num_scale (vec_broadcast ((real)-0.5), num_mul (tau, dot_value (sum)));
  for (int i = k + 1; i < n; i++)
    p[i] = num_fma (p[i], f, v[i]);
}

// d has n, e n-1 and tau n-1 registers; work has 4 (n + 3) elements.
static void tridiagonalise (int n, num *a, vec *d, vec *e, num *tau, num *work)
{
  const int apart = n + 3; // not a power of two
  num *x = work, *y = x + apart, *v = y + apart, *p = v + apart;
  memset (work, 0, (size_t)apart * 4 * sizeof *work);
  for (int k = 0; k + 1 < n; k++) {
    // column k is updated before the others: the next reflector comes from it
    num *column = a + k * n, xk = num_conj (x[k]), yk = num_conj (y[k]);
    for (int i = k; i < n; i++)
      column[i] = num_fnma (num_fnma (column[i], x[i], yk), y[i], xk);
    d[k] = column[k].re;
    e[k] = next_reflector (n, column, k, &tau[k]);
    v[k + 1] = num_from_real (vec_broadcast (1));
    for (int i = k + 2; i < n; i++)
      v[i] = column[i];
    for (int i = k + 1; i < n; i++)
      p[i] = num_zero ();

    triangle_pass w = {x, y, v, p};
    int j = k + 1;
    for (; j + PASS_COLUMNS <= n; j += PASS_COLUMNS)
      pass_over (n, a, j, w, PASS_COLUMNS);
    for (; j < n; j++)
      pass_over (n, a, j, w, 1);
    second_vector (n, k, tau[k], v, p);
    num *swap = x;
    x = v;
    v = swap;
    swap = y;
    y = p;
    p = swap;
  }
  num *last = a + n * n - 1;
  d[n - 1] =
      num_fnma (num_fnma (*last, x[n - 1], num_conj (y[n - 1])), y[n - 1], num_conj (x[n - 1])).re;
}

//------------------------------------------------------------------------------
// transformation back
//------------------------------------------------------------------------------

// Columns that are transformed at a time: as many as there are registers for sums.
enum { BACK_COLUMNS = GLA_COMPLEX ? 2 : 4 };

// Stores the products v_(k-1)^H v_k of pairs of reflectors in cross[k], for k = n-2, n-4, ...
static void back_prepare (int n, const num *a, num *cross)
{
  for (int k = n - 2; k > 0; k -= 2) {
    const num *v = a + k * n, *u = v - n;
    num sum = num_conj (u[k + 1]);
    for (int i = k + 2; i < n; i++)
      sum = num_fmac (sum, u[i], v[i]);
    cross[k] = sum;
  }
}

// Sets z <- H_(k-1) H_k z on `count` columns. Two reflectors at a time halve the memory traffic of
// z.
static inline __attribute__ ((always_inline)) void
reflect_pair (int n, const num *a, const num *tau, num cross, int k, num *z, int count)
{
  const num *v = a + k * n, *u = v - n;
  num f[4], g[4];
  for (int c = 0; c < count; c++) {
    num *zc = z + c * n;
    f[c] = zc[k + 1];
    g[c] = num_fmac (zc[k], u[k + 1], zc[k + 1]);
  }
  for (int i = k + 2; i < n; i++)
    for (int c = 0; c < count; c++) {
      f[c] = num_fmac (f[c], v[i], z[i + c * n]);
      g[c] = num_fmac (g[c], u[i], z[i + c * n]);
    }
  for (int c = 0; c < count; c++) {
    num *zc = z + c * n;
    f[c] = num_mul (tau[k], f[c]);
    g[c] = num_mul (tau[k - 1], num_fnma (g[c], cross, f[c]));
    zc[k] = num_sub (zc[k], g[c]);
    zc[k + 1] = num_fnma (num_sub (zc[k + 1], f[c]), u[k + 1], g[c]);
  }
  for (int i = k + 2; i < n; i++)
    for (int c = 0; c < count; c++) {
      num *zi = z + i + c * n;
      *zi = num_fnma (num_fnma (*zi, v[i], f[c]), u[i], g[c]);
    }
}

// Sets z <- H_0 z, the remaining reflector if n is even.
static inline void reflect_first (int n, const num *v, num tau, num *z)
{
  num sum = z[1];
  for (int i = 2; i < n; i++)
    sum = num_fmac (sum, v[i], z[i]);
  sum = num_mul (tau, sum);
  z[1] = num_sub (z[1], sum);
  for (int i = 2; i < n; i++)
    z[i] = num_fnma (z[i], v[i], sum);
}

// Sets z <- Q z on at most BACK_COLUMNS columns, so few that they stay in the first cache.
static void back_transform (int n, const num *a, const num *tau, const num *cross, num *z,
                            int count)
{
  if (count == BACK_COLUMNS)
    for (int k = n - 2; k > 0; k -= 2)
      reflect_pair (n, a, tau, cross[k], k, z, BACK_COLUMNS);
  else
    for (int c = 0; c < count; c++)
      for (int k = n - 2; k > 0; k -= 2)
        reflect_pair (n, a, tau, cross[k], k, z + c * n, 1);
  for (int c = 0; n > 1 && n % 2 == 0 && c < count; c++)
    reflect_first (n, a, tau[0], z + c * n);
}

#endif

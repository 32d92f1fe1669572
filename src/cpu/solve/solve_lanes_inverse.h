// solve_lanes_inverse.h: inverses from factors, in place, one page per lane
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_SOLVE_LANES_INVERSE_H
#define GPULINALG_CPU_SOLVE_LANES_INVERSE_H

#include "solve_lanes_factor.h"

// Computes rows i .. i+N-1 of W*c, for W upper triangular; row i of c is overwritten.
static inline __attribute__ ((always_inline)) void lanes_upper_rows (const num *w, int n, int i,
                                                                     int N, int end, num *c)
{
  num s[LANES_ROWS];
  for (int x = 0; x < N; x++)
    s[x] = num_zero ();
  for (int k = i; k < i + N; k++)
    for (int x = 0; x <= k - i; x++)
      s[x] = num_fma (s[x], w[i + x + k * n], c[k]);
  for (int k = i + N; k < end; k++)
    for (int x = 0; x < N; x++)
      s[x] = num_fma (s[x], w[i + x + k * n], c[k]);
  for (int x = 0; x < N; x++)
    c[i + x] = s[x];
}

// Computes the inverse of the upper triangle, with the reciprocals of its diagonal.
static inline __attribute__ ((always_inline)) void lanes_invert_upper (num *a, int n, const num *r)
{
  for (int j = 0; j < n; j++) {
    num *c = a + j * n;
    int i = 0;
    for (; i + LANES_ROWS <= j; i += LANES_ROWS)
      lanes_upper_rows (a, n, i, LANES_ROWS, j, c);
    for (; i < j; i++)
      lanes_upper_rows (a, n, i, 1, j, c);
    num minus = num_sub (num_zero (), r[j]);
    for (i = 0; i < j; i++)
      c[i] = num_mul (minus, c[i]);
    c[j] = r[j];
  }
}

static inline void lanes_clear_below (num *a, int n)
{
  for (int j = 0; j < n; j++)
    for (int i = j + 1; i < n; i++)
      a[i + j * n] = num_zero ();
}

// Computes c(i..i+N-1) -= Z(i..i+N-1, first..n-1) * l(first..n-1).
static inline __attribute__ ((always_inline)) void
lanes_subtract_rows (const num *z, int n, int i, int N, int first, const num *l, num *c)
{
  num s[LANES_ROWS];
  for (int x = 0; x < N; x++)
    s[x] = c[i + x];
  for (int k = first; k < n; k++)
    for (int x = 0; x < N; x++)
      s[x] = num_fnma (s[x], z[i + x + k * n], l[k]);
  for (int x = 0; x < N; x++)
    c[i + x] = s[x];
}

// Finds Z with Z*L = inv (U). l: space for n numbers.
static inline __attribute__ ((always_inline)) void lanes_invert_general (num *a, int n,
                                                                         const num *r, num *l)
{
  lanes_invert_upper (a, n, r);
  for (int j = n - 2; j >= 0; j--) {
    num *c = a + j * n;
    for (int i = j + 1; i < n; i++) {
      l[i] = c[i];
      c[i] = num_zero ();
    }
    int i = 0;
    for (; i + LANES_ROWS <= n; i += LANES_ROWS)
      lanes_subtract_rows (a, n, i, LANES_ROWS, j + 1, l, c);
    for (; i < n; i++)
      lanes_subtract_rows (a, n, i, 1, j + 1, l, c);
  }
}

//------------------------------------------------------------------------------
// inv (L*D*L') = M'*inv (D)*M with M = inv (L)
//------------------------------------------------------------------------------

// Computes rows i .. i+N-1 of column j of M.
static inline __attribute__ ((always_inline)) void
lanes_unit_lower_rows (num *a, int n, int j, int i, int N, const num *r)
{
  num *c = a + j * n, l[LANES_ROWS], s[LANES_ROWS];
  for (int x = 0; x < N; x++)
    s[x] = l[x] = c[i + x];
  for (int k = j + 1; k < i; k++)
    for (int x = 0; x < N; x++)
      s[x] = num_fma (s[x], a[i + x + k * n], c[k]);
  for (int y = 0; y < N; y++)
    for (int x = y + 1; x < N; x++)
      s[x] = num_fma (s[x], a[i + x + (i + y) * n], l[y]);
  for (int x = 0; x < N; x++) {
    c[i + x] = num_sub (num_zero (), s[x]);
    a[j + (i + x) * n] = num_scale (r[i + x].re, c[i + x]);
  }
}

// Stores M below the diagonal, T = inv (D)*M transposed on and above it.
static inline __attribute__ ((always_inline)) void lanes_invert_unit_lower (num *a, int n,
                                                                            const num *r)
{
  for (int j = n - 1; j >= 0; j--) {
    int i = n;
    for (; i - LANES_ROWS > j; i -= LANES_ROWS)
      lanes_unit_lower_rows (a, n, j, i - LANES_ROWS, LANES_ROWS, r);
    for (; i - 1 > j; i--)
      lanes_unit_lower_rows (a, n, j, i - 1, 1, r);
    a[j + j * n] = r[j];
  }
}

// Computes elements (i, j .. j+N-1), all in the lower triangle.
static inline __attribute__ ((always_inline)) void lanes_definite_row (num *a, int n, int i, int j,
                                                                       int N)
{
  num s[LANES_ROWS];
  for (int x = 0; x < N; x++)
    s[x] = a[j + x + i * n];
  for (int k = i + 1; k < n; k++)
    for (int x = 0; x < N; x++)
      s[x] = num_fmac (s[x], a[k + i * n], a[j + x + k * n]);
  for (int x = 0; x < N; x++)
    a[i + (j + x) * n] = s[x];
}

static inline __attribute__ ((always_inline)) void lanes_invert_definite (num *a, int n,
                                                                          const num *r)
{
  lanes_invert_unit_lower (a, n, r);
  for (int i = 0; i < n; i++) {
    int j = 0;
    for (; j + LANES_ROWS <= i + 1; j += LANES_ROWS)
      lanes_definite_row (a, n, i, j, LANES_ROWS);
    for (; j <= i; j++)
      lanes_definite_row (a, n, i, j, 1);
  }
  for (int j = 0; j < n; j++) {
    a[j + j * n] = num_from_real (a[j + j * n].re);
    for (int i = j + 1; i < n; i++)
      a[j + i * n] = num_conj (a[i + j * n]);
  }
}

//------------------------------------------------------------------------------
// condition
//------------------------------------------------------------------------------

// Returns the largest sum of sizes of a column, or NaN.
static inline __attribute__ ((always_inline)) vec lanes_norm1 (const num *a, int n)
{
  vec most = vec_broadcast (0), all = most;
  for (int j = 0; j < n; j++) {
    vec sum = vec_broadcast (0);
    for (int i = 0; i < n; i++)
#if GLA_COMPLEX
      sum += vec_sqrt (num_abs2 (a[i + j * n]));
#else
      sum += vec_abs (a[i + j * n].re);
#endif
    most = vec_select (sum > most, sum, most);
    all += sum;
  }
  return vec_select (all == all, most, all);
}

#endif

// jacobi.h: two-sided Jacobi on several Hermitian matrices at a time
// SPDX-License-Identifier: GPL-3.0-or-later
//
// This is the small method of Huang, Liu, Zhao (2023) with one page per lane. Only the lower
// triangle is stored: element (i, j), i >= j, is at a[i + j*n].

#ifndef GPULINALG_CPU_EIG_JACOBI_H
#define GPULINALG_CPU_EIG_JACOBI_H

#include "cpu/common/lanes.h"
#include "eig/jacobi.h"

// The rotation [c, sigma; -conj (sigma), c] that makes element (p, q) zero, with t of smallest
// angle: t = sgn (delta) 2|a_pq| / (|delta| + sqrt (delta^2 + 4|a_pq|^2)), delta = a_qq - a_pp. It
// stores h = 1 - c: for a small angle c rounds to 1, and thousands of rotations that are too long
// by the same half ulp would cost orthogonality (Rutishauser 1966).
typedef struct {
  vec h;
  num sigma;
} rotation;

// x - h x
static inline num shrink (vec h, num x)
{
  x.re -= h * x.re;
#if GLA_COMPLEX
  x.im -= h * x.im;
#endif
  return x;
}

// columns (u, w) -> (c u - conj (sigma) w, sigma u + c w)
static inline void rotate (rotation r, num *u, num *w)
{
  num x = *u, y = *w;
  *u = num_fnmac (shrink (r.h, x), r.sigma, y);
  *w = num_fma (shrink (r.h, y), r.sigma, x);
}

// Rotates rows and columns p < q of a, except for the four elements where they meet.
static inline void jacobi_update (int n, num *a, int p, int q, rotation r)
{
  rotation rc = {r.h, num_conj (r.sigma)};
  for (int k = 0; k < p; k++)
    rotate (rc, &a[p + k * n], &a[q + k * n]);
  for (int k = p + 1; k < q; k++) {
    num w = num_conj (a[q + k * n]);
    rotate (r, &a[k + p * n], &w);
    a[q + k * n] = num_conj (w);
  }
  num *ap = a + p * n, *aq = a + q * n; // gcc 14 warned of an overflow of k + q * n
  for (int k = q + 1; k < n; k++)
    rotate (r, &ap[k], &aq[k]);
}

// Whether |a_pq| is too small to matter: against the norm of the matrix or against its diagonal.
static inline mask negligible (vec a2, vec app, vec aqq, vec floor2, vec tol2)
{
  return (a2 <= floor2) | (a2 <= tol2 * vec_abs (app * aqq));
}

// Makes (p, q) zero in the lanes where it is not negligible; returns these lanes.
static inline mask jacobi_pair (int n, num *a, num *v, int p, int q, vec floor2, vec tol2)
{
  num apq = num_conj (a[q + p * n]);
  vec app = a[p + p * n].re, aqq = a[q + q * n].re, a2 = num_abs2 (apq);
  mask large = ~negligible (a2, app, aqq, floor2, tol2);
  if (!mask_any (large))
    return large;

  const vec one = vec_broadcast (1), zero = vec_broadcast (0);
  vec delta = aqq - app;
  vec den = vec_abs (delta) + vec_sqrt (delta * delta + 4 * a2);
  vec g = vec_select (delta >= zero, 2 * one, -2 * one) / vec_select (large, den, one);
  g = vec_select (large, g, zero);
  rotation r;
  vec t2 = a2 * g * g, c = one / vec_sqrt (one + t2);
  r.h = t2 * c * c / (one + c);
  r.sigma = num_scale (c * g, apq);

  jacobi_update (n, a, p, q, r);
  a[p + p * n].re = app - a2 * g;
  a[q + q * n].re = aqq + a2 * g;
  a[q + p * n] = num_select (large, num_zero (), a[q + p * n]);
  if (v)
    for (int k = 0; k < n; k++)
      rotate (r, &v[k + p * n], &v[k + q * n]);
  return large;
}

// Sweeps until no lane rotates anything, at most `sweeps` times. A lane that has converged stays
// unchanged. Returns the lanes that still rotated in the last sweep.
static mask jacobi_sweeps (int n, num *a, num *v, vec floor2, vec tol2, int sweeps)
{
  int m = n + n % 2;
  mask rotated = {0};
  for (int sweep = 0; sweep < sweeps; sweep++) {
    rotated ^= rotated;
    for (int r = 0; r < m - 1; r++)
      for (int k = 0; k < m / 2; k++) {
        int p, q;
        gla_round_robin (m, r, k, &p, &q);
        if (q < n)
          rotated |= jacobi_pair (n, a, v, p, q, floor2, tol2);
      }
    if (!mask_any (rotated))
      break;
  }
  return rotated;
}

static void set_identity (int n, num *v)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      v[i + j * n] = num_from_real (vec_broadcast (i == j));
}

// Returns the square of tol*normF/n of each lane.
static vec jacobi_floor2 (int n, const num *a, real tol)
{
  vec sum = vec_broadcast (0);
  for (int j = 0; j < n; j++) {
    vec below = vec_broadcast (0);
    for (int i = j + 1; i < n; i++)
      below += num_abs2 (a[i + j * n]);
    sum += a[j + j * n].re * a[j + j * n].re + 2 * below;
  }
  real f = tol / n;
  return sum * (f * f);
}

// Diagonalises a; v (or NULL) receives the eigenvectors. unconverged[l] counts the columns of lane
// l that still have a too large element off the diagonal.
static void jacobi_solve (int n, num *a, num *v, real tol, int sweeps, int *unconverged)
{
  vec floor2 = jacobi_floor2 (n, a, tol), tol2 = vec_broadcast (tol * tol);
  for (int l = 0; l < GLA_LANES; l++)
    unconverged[l] = 0;
  if (v)
    set_identity (n, v);
  mask rotated = jacobi_sweeps (n, a, v, floor2, tol2, sweeps);
  if (!mask_any (rotated))
    return;
  for (int j = 0; j < n; j++) {
    mask large = {0};
    for (int i = 0; i < n; i++)
      if (i != j) {
        num aij = i > j ? a[i + j * n] : a[j + i * n];
        large |= ~negligible (num_abs2 (aij), a[i + i * n].re, a[j + j * n].re, floor2, tol2);
      }
    for (int l = 0; l < GLA_LANES; l++)
      unconverged[l] += large[l] != 0;
  }
}

#endif

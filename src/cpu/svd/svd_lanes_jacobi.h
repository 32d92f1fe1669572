// svd_lanes_jacobi.h: one-sided Jacobi on small square matrices, one per lane of a register
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Columns of w are made orthogonal in pairs (Hestenes 1958); the same is done to y, which begins as
// the identity. Only the cosine of two columns decides, never their lengths, so that small values
// keep their own digits. A lane that has converged stays as it is.

#ifndef GPULINALG_CPU_SVD_SVD_LANES_JACOBI_H
#define GPULINALG_CPU_SVD_SVD_LANES_JACOBI_H

#include "common/jacobi.h"
#include "cpu/common/lanes.h"

#include "svd_lanes_qr.h"

typedef struct {
  int k;
  num *w, *y;         // k x k; y is NULL where it is not wanted
  const short *pairs; // of one sweep, step after step, two numbers each
  int steps, per_step;
  real tol;
  int sweeps; // at most
} lanes_jacobi;

// Pairs of a sweep on k columns: `steps` times `per_step` that have no column in common.
static void fill_pairs (int k, short *pairs, int *steps, int *per_step)
{
  const int players = k + k % 2;
  *steps = k > 1 ? players - 1 : 0;
  *per_step = k / 2;
  for (int s = 0; s < *steps; s++)
    for (int i = 0; i < players / 2; i++) {
      int p, q;
      gla_round_robin (players, s, i, &p, &q);
      if (q >= k)
        continue;
      *pairs++ = (short)p;
      *pairs++ = (short)q;
    }
}

static size_t pairs_bytes (int64_t k)
{
  return (size_t)(k * k + 2) * sizeof (short);
}

// |x|^2, |y|^2, x'y
typedef struct {
  vec xx, yy;
  num xy;
} lanes_products;

static inline lanes_products products_of (int k, const num *x, const num *y)
{
  lanes_products r = {vec_broadcast (0), vec_broadcast (0), num_zero ()};
  for (int i = 0; i < k; i++) {
    r.xx += num_abs2 (x[i]);
    r.yy += num_abs2 (y[i]);
    r.xy = num_fmac (r.xy, x[i], y[i]);
  }
  return r;
}

// The largest squares of a cosine and of a sine that rotations had.
typedef struct {
  vec cosine2, sine2;
} lanes_angles;

// [c sigma; -conj (sigma) c] from the right; h is 1 - c, because thousands of rotations that are
// too long by half an ulp of c would cost orthogonality (Rutishauser 1966).
typedef struct {
  vec h;
  num sigma;
  mask rotate;
} lanes_rotation;

// Squares of cosines are formed from quotients, because the products of lengths may be out of
// range.
static inline lanes_rotation rotation_for (const lanes_products *a, mask live, vec tol2,
                                           lanes_angles *angles)
{
  const vec one = vec_broadcast (1), zero = vec_broadcast (0);
  const vec nothing = vec_broadcast (GLA_SVD_NOTHING);
  const mask some = (a->xx > nothing) & (a->yy > nothing);
  const vec ix = one / vec_select (some, a->xx, one), iy = one / vec_select (some, a->yy, one);
  vec cosine2 = (a->xy.re * ix) * (a->xy.re * iy);
#if GLA_COMPLEX
  cosine2 += (a->xy.im * ix) * (a->xy.im * iy);
#endif
  lanes_rotation r;
  r.rotate = live & some & (cosine2 > tol2);
  const vec inverse = vec_select (a->xx > a->yy, ix, iy); // of the larger one
  const vec d = (a->yy - a->xx) * inverse;
  const num x = num_select (r.rotate, num_scale (inverse, a->xy), num_zero ());
  const vec x2 = num_abs2 (x), root = vec_abs (d) + vec_sqrt (d * d + 4 * x2);
  const vec g = vec_select (d >= zero, 2 * one, -2 * one) / vec_select (r.rotate, root, one);
  const vec t2 = x2 * g * g, secant = vec_sqrt (one + t2);
  r.h = t2 / (secant * (one + secant));
  r.sigma = num_scale (g / secant, x);
  cosine2 = vec_select (r.rotate, cosine2, zero);
  const vec sine2 = num_abs2 (r.sigma);
  angles->cosine2 = vec_select (cosine2 > angles->cosine2, cosine2, angles->cosine2);
  angles->sine2 = vec_select (sine2 > angles->sine2, sine2, angles->sine2);
  return r;
}

// columns (x, y) -> (c x - conj (sigma) y, sigma x + c y)
static inline void rotate_lanes (int k, const lanes_rotation *r, num *x, num *y)
{
  const vec h = -r->h;
  const num s = r->sigma;
  for (int i = 0; i < k; i++) {
    const num u = x[i], w = y[i];
    x[i] = num_fnmac (num_add (u, num_scale (h, u)), s, w);
    y[i] = num_fma (num_add (w, num_scale (h, w)), s, u);
  }
}

enum { PAIRS_AT_ONCE = 2 }; // roots and quotients of one go on while those of the other wait

static inline __attribute__ ((always_inline)) void rotate_pairs (const lanes_jacobi *j,
                                                                 const short *pairs, int count,
                                                                 mask live, vec tol2,
                                                                 lanes_angles *angles)
{
  lanes_products a[PAIRS_AT_ONCE];
  lanes_rotation r[PAIRS_AT_ONCE];
  const int k = j->k;
  for (int i = 0; i < count; i++)
    a[i] = products_of (k, j->w + pairs[2 * i] * k, j->w + pairs[2 * i + 1] * k);
  for (int i = 0; i < count; i++)
    r[i] = rotation_for (&a[i], live, tol2, angles);
  for (int i = 0; i < count; i++) {
    if (!mask_any (r[i].rotate))
      continue;
    rotate_lanes (k, &r[i], j->w + pairs[2 * i] * k, j->w + pairs[2 * i + 1] * k);
    if (j->y)
      rotate_lanes (k, &r[i], j->y + pairs[2 * i] * k, j->y + pairs[2 * i + 1] * k);
  }
}

static lanes_angles sweep_lanes (const lanes_jacobi *j, mask live)
{
  lanes_angles angles = {vec_broadcast (0), vec_broadcast (0)};
  const vec tol2 = vec_broadcast (j->tol * j->tol);
  for (int s = 0; s < j->steps; s++) {
    const short *pairs = j->pairs + (int64_t)s * j->per_step * 2;
    int i = 0;
    for (; i + PAIRS_AT_ONCE <= j->per_step; i += PAIRS_AT_ONCE)
      rotate_pairs (j, pairs + 2 * i, PAIRS_AT_ONCE, live, tol2, &angles);
    for (; i < j->per_step; i++)
      rotate_pairs (j, pairs + 2 * i, 1, live, tol2, &angles);
  }
  return angles;
}

// Lanes where the next sweep would find something. The cosines that a sweep leaves are of the size
// of those it met times how far columns moved: by the sine, and a short one by the cosine. Among
// equal values rounding errors rotate columns by any angle, for ever.
static mask unfinished (const lanes_angles *a, int k, real tol)
{
  const vec cosine = vec_sqrt (a->cosine2), sine = vec_sqrt (a->sine2);
  const vec most = vec_select (cosine > sine, cosine, sine);
  return (cosine > vec_broadcast (4 * tol)) & (cosine * most * (real)k > vec_broadcast (tol));
}

// Counts the columns that are not orthogonal to all others.
static void count_unconverged (const lanes_jacobi *j, mask live, int *unconverged)
{
  const vec tol2 = vec_broadcast (16 * j->tol * j->tol);
  for (int p = 0; p < j->k; p++) {
    mask bad = {0};
    for (int q = 0; q < j->k; q++) {
      lanes_angles ignored = {tol2, tol2};
      if (q == p)
        continue;
      const lanes_products a = products_of (j->k, j->w + p * j->k, j->w + q * j->k);
      bad |= rotation_for (&a, live, tol2, &ignored).rotate;
    }
    for (int l = 0; l < GLA_LANES; l++)
      unconverged[l] += bad[l] != 0;
  }
}

// unconverged[l]: columns of lane l that are not orthogonal to all others.
static void jacobi_in_lanes (const lanes_jacobi *j, int *unconverged)
{
  mask live = ~(mask){0};
  for (int l = 0; l < GLA_LANES; l++)
    unconverged[l] = 0;
  for (int i = 0; j->y && i < j->k * j->k; i++)
    j->y[i] = num_from_real (vec_broadcast (i % (j->k + 1) == 0));
  for (int s = 0; s < j->sweeps && mask_any (live); s++) {
    const lanes_angles angles = sweep_lanes (j, live);
    live &= unfinished (&angles, j->k, j->tol);
  }
  if (mask_any (live))
    count_unconverged (j, live, unconverged);
}

#endif

// svd_lanes_jacobi.h: one-sided Jacobi on small square matrices, one per lane of a register
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Columns of w are made orthogonal in pairs (Hestenes 1958); y gets the same rotations. Only the
// cosine of two columns decides, never their lengths, so that small values keep their own digits. A
// lane that has converged stays unchanged.

#ifndef GPULINALG_CPU_SVD_SVD_LANES_JACOBI_H
#define GPULINALG_CPU_SVD_SVD_LANES_JACOBI_H

#include "cpu/common/lanes.h"

#include "svd_lanes_qr.h"

typedef struct {
  int k;
  num *w, *y; // k x k; y is NULL where it is not wanted
  vec *norm2; // k: of the columns of w, kept up to date
  const signed char *groups;
  real tol;
  int sweeps; // at most
} lanes_jacobi;

//------------------------------------------------------------------------------
// the order of pairs
//------------------------------------------------------------------------------

// Pairs without a common column that are done together: roots and quotients of one overlap with the
// waits of the others. Pairs are taken by blocks of so many columns, so that the data of a step
// stays in the nearest cache.
enum { PAIRS_AT_ONCE = 4 };

static void put_pair (signed char *group, int k, int p, int q)
{
  if (p < k && q < k) {
    group[1 + 2 * group[0]] = (signed char)p;
    group[2 + 2 * group[0]] = (signed char)q;
    group[0]++;
  }
}

static signed char *next_pairs (signed char *group)
{
  if (group[0] > 0)
    group += 1 + 2 * group[0];
  group[0] = 0;
  return group;
}

// Lists a sweep: groups of a number of pairs and the pairs; a group of none ends it.
static void fill_groups (int k, signed char *group)
{
  enum { B = PAIRS_AT_ONCE };
  static const signed char inner[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}};
  group[0] = 0;
  for (int i = 0; i < k; i += 2 * B)
    for (int r = 0; r < 3; r++) {
      for (int x = 0; x < 4; x++)
        put_pair (group, k, i + (x / 2) * B + inner[r][2 * (x % 2)],
                  i + (x / 2) * B + inner[r][2 * (x % 2) + 1]);
      group = next_pairs (group);
    }
  for (int i = 0; i < k; i += B)
    for (int j = i + B; j < k; j += B)
      for (int r = 0; r < B; r++) {
        for (int x = 0; x < B; x++)
          put_pair (group, k, i + x, j + (x + r) % B);
        group = next_pairs (group);
      }
}

static size_t groups_bytes (int64_t k)
{
  return (size_t)(2 * k * k + 16);
}

//------------------------------------------------------------------------------
// rotations
//------------------------------------------------------------------------------

// The largest squares of a cosine and of a sine that rotations had.
typedef struct {
  vec cosine2, sine2;
} lanes_angles;

// Applies [c sigma; -conj (sigma) c] from the right; h is 1 - c, because thousands of rotations
// that are too long by half an ulp of c would cost orthogonality (Rutishauser 1966). xx and yy
// become the squares of the lengths after it.
typedef struct {
  vec h;
  num sigma;
  mask rotate, again; // lanes that rotate, and those whose lengths must be computed anew
} lanes_rotation;

static inline lanes_rotation rotation_for (vec *xx, vec *yy, num xy, mask live, vec tol2,
                                           lanes_angles *angles)
{
  const vec one = vec_broadcast (1), zero = vec_broadcast (0);
  const vec nothing = vec_broadcast (GLA_SVD_NOTHING);
  const mask longer = *xx > *yy, some = (*xx > nothing) & (*yy > nothing);
  const vec large = vec_select (longer, *xx, *yy), small = vec_select (longer, *yy, *xx);
  const vec inverse = vec_reciprocal (vec_select (some, large, one));
  const vec other = vec_reciprocal (vec_select (some, small, one));
  // the square of the product of the lengths may be out of range
  vec cosine2 = (xy.re * inverse) * (xy.re * other);
#if GLA_COMPLEX
  cosine2 += (xy.im * inverse) * (xy.im * other);
#endif
  lanes_rotation r;
  r.rotate = live & some & (cosine2 > tol2);
  const vec d = (*yy - *xx) * inverse;
  const num x = num_select (r.rotate, num_scale (inverse, xy), num_zero ());
  const vec x2 = num_abs2 (x), square = vec_select (r.rotate, d * d + 4 * x2, one);
  const vec root = vec_abs (d) + square * vec_rsqrt (square);
  const vec g = vec_select (longer, -2 * one, 2 * one) * vec_reciprocal (root);
  const vec t2 = x2 * g * g, c = vec_rsqrt (one + t2);
  r.h = t2 * c * c * vec_reciprocal (one + c);
  r.sigma = num_scale (g * c, x);
  const vec c2 = vec_select (r.rotate, cosine2, zero), s2 = num_abs2 (r.sigma);
  angles->cosine2 = vec_select (c2 > angles->cosine2, c2, angles->cosine2);
  angles->sine2 = vec_select (s2 > angles->sine2, s2, angles->sine2);
  const vec moved = x2 * g * large;
  r.again = r.rotate & ((vec_abs (moved) + vec_abs (moved)) > small);
  *xx -= moved;
  *yy += moved;
  return r;
}

// columns (x, y) -> (c x - conj (sigma) y, sigma x + c y)
static inline void rotate_lanes (int k, const lanes_rotation *r, num *x, num *y)
{
  const vec h = -r->h;
  const num s = r->sigma;
#pragma GCC unroll 2
  for (int i = 0; i < k; i++) {
    const num u = x[i], w = y[i];
    x[i] = num_fnmac (num_add (u, num_scale (h, u)), s, w);
    y[i] = num_fma (num_add (w, num_scale (h, w)), s, u);
  }
}

static inline __attribute__ ((always_inline)) void rotate_group (const lanes_jacobi *j,
                                                                 const signed char *pairs,
                                                                 const int count, mask live,
                                                                 vec tol2, lanes_angles *angles)
{
  const int k = j->k;
  num *x[PAIRS_AT_ONCE], *y[PAIRS_AT_ONCE], xy[PAIRS_AT_ONCE];
  lanes_rotation r[PAIRS_AT_ONCE];
  for (int c = 0; c < count; c++) {
    x[c] = j->w + pairs[2 * c] * k;
    y[c] = j->w + pairs[2 * c + 1] * k;
    xy[c] = num_zero ();
  }
  for (int i = 0; i < k; i++)
    for (int c = 0; c < count; c++)
      xy[c] = num_fmac (xy[c], x[c][i], y[c][i]);
  for (int c = 0; c < count; c++)
    r[c] = rotation_for (j->norm2 + pairs[2 * c], j->norm2 + pairs[2 * c + 1], xy[c], live, tol2,
                         angles);
  for (int c = 0; c < count; c++) {
    if (!mask_any (r[c].rotate))
      continue;
    rotate_lanes (k, &r[c], x[c], y[c]);
    if (j->y)
      rotate_lanes (k, &r[c], j->y + pairs[2 * c] * k, j->y + pairs[2 * c + 1] * k);
    for (int e = 0; e < 2 && mask_any (r[c].again); e++) {
      vec *n = j->norm2 + pairs[2 * c + e];
      *n = vec_select (r[c].again, lanes_norm2 (k, e ? y[c] : x[c]), *n);
    }
  }
}

static lanes_angles sweep_lanes (const lanes_jacobi *j, mask live)
{
  lanes_angles a = {vec_broadcast (0), vec_broadcast (0)};
  const vec tol2 = vec_broadcast (j->tol * j->tol);
  for (int c = 0; c < j->k; c++)
    j->norm2[c] = lanes_norm2 (j->k, j->w + c * j->k);
  for (const signed char *g = j->groups; g[0] > 0; g += 1 + 2 * g[0])
    switch (g[0]) {
    case 1:
      rotate_group (j, g + 1, 1, live, tol2, &a);
      break;
    case 2:
      rotate_group (j, g + 1, 2, live, tol2, &a);
      break;
    case 3:
      rotate_group (j, g + 1, 3, live, tol2, &a);
      break;
    default:
      rotate_group (j, g + 1, 4, live, tol2, &a);
    }
  return a;
}

//------------------------------------------------------------------------------
// convergence
//------------------------------------------------------------------------------

// Returns lanes that need another sweep. The cosines that a sweep leaves are of the size of those
// it met times how far columns moved: by the sine, and a short one by the cosine. Among equal
// values rounding errors rotate columns by any angle, for ever.
static mask unfinished (const lanes_angles *a, int k, real tol)
{
  const vec cosine = vec_sqrt (a->cosine2), sine = vec_sqrt (a->sine2);
  const vec most = vec_select (cosine > sine, cosine, sine);
  return (cosine > vec_broadcast (4 * tol)) & (cosine * most * (real)k > vec_broadcast (tol));
}

// Counts the columns that are not orthogonal to all others.
static void count_unconverged (const lanes_jacobi *j, mask live, int *unconverged)
{
  const real tol = 4 * j->tol;
  for (int p = 0; p < j->k; p++) {
    mask bad = {0};
    for (int q = 0; q < j->k; q++) {
      lanes_angles ignored = {vec_broadcast (0), vec_broadcast (0)};
      num xy = num_zero ();
      for (int i = 0; i < j->k; i++)
        xy = num_fmac (xy, j->w[i + p * j->k], j->w[i + q * j->k]);
      vec xx = lanes_norm2 (j->k, j->w + p * j->k), yy = lanes_norm2 (j->k, j->w + q * j->k);
      if (q != p)
        bad |= rotation_for (&xx, &yy, xy, live, vec_broadcast (tol * tol), &ignored).rotate;
    }
    for (int l = 0; l < GLA_LANES; l++)
      unconverged[l] += bad[l] != 0;
  }
}

// unconverged[l]: columns of lane l that are not orthogonal to all others.
static void jacobi_in_lanes (const lanes_jacobi *j, mask live, int *unconverged)
{
  for (int l = 0; l < GLA_LANES; l++)
    unconverged[l] = 0;
  for (int s = 0; s < j->sweeps && mask_any (live); s++) {
    const lanes_angles angles = sweep_lanes (j, live);
    live &= unfinished (&angles, j->k, j->tol);
  }
  if (mask_any (live))
    count_unconverged (j, live, unconverged);
}

#endif

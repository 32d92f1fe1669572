// geev_lanes_values.h: eigenvalues from the Schur forms in lanes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Real pages: every 2 x 2 block is brought to LAPACK's standard form, equal diagonal elements and
// others of opposite signs, or made triangular where its eigenvalues are real (lanv2).

#ifndef GPULINALG_CPU_GEEV_GEEV_LANES_VALUES_H
#define GPULINALG_CPU_GEEV_GEEV_LANES_VALUES_H

#include "geev_lanes.h"

#if GLA_COMPLEX

static void lanes_values (const lanes_work *w, int schur, int vectors)
{
  (void)schur, (void)vectors;
  for (int i = 0; i < w->n; i++)
    w->lambda[i] = pair_of (w->h[i + i * w->ld]);
}

#else

// [a, b; c, d] and the rotation that made it.
typedef struct {
  vec a, b, c, d, cos, sin;
} block_form;

static inline vec sign_of (vec x)
{
  return vec_select (x < 0, vec_broadcast (-1), vec_broadcast (1));
}

// sqrt (x^2 + y^2) without overflow.
static inline vec vec_hypot (vec x, vec y)
{
  const vec most = vec_larger (vec_abs (x), vec_abs (y)), down = inverse_power (most);
  const vec a = x * down, b = y * down;
  vec sum = a * a;
  sum += b * b;
  return power_below (most) * vec_sqrt (sum);
}

// Eigenvalues that are real and apart: the block becomes triangular.
static block_form block_real (block_form f, vec p, vec z, vec product)
{
  const vec root = p + sign_of (p) * z, tau = vec_hypot (f.c, root), d = f.d;
  f.a = d + root;
  f.d = d - product / root;
  f.cos = root / tau;
  f.sin = f.c / tau;
  f.b -= f.c;
  f.c = vec_broadcast (0);
  return f;
}

// Blocks with equal signs of b and c behind block_equal have real eigenvalues after all.
static block_form block_split (block_form f)
{
  const vec root_b = vec_sqrt (vec_abs (f.b)), root_c = vec_sqrt (vec_abs (f.c));
  const vec p = sign_of (f.c) * root_b * root_c, middle = f.a;
  const vec tau = vec_broadcast (1) / vec_sqrt (vec_abs (f.b + f.c));
  const vec cos = root_b * tau, sin = root_c * tau, c = f.cos, s = f.sin;
  f.a = middle + p;
  f.d = middle - p;
  f.b -= f.c;
  f.c = vec_broadcast (0);
  f.cos = c * cos - s * sin;
  f.sin = c * sin + s * cos;
  return f;
}

static block_form block_select (mask m, block_form yes, block_form no)
{
  return (block_form){vec_select (m, yes.a, no.a),     vec_select (m, yes.b, no.b),
                      vec_select (m, yes.c, no.c),     vec_select (m, yes.d, no.d),
                      vec_select (m, yes.cos, no.cos), vec_select (m, yes.sin, no.sin)};
}

// Complex eigenvalues, or real ones that are nearly equal: the diagonal elements become equal.
static block_form block_equal (block_form f, vec gap)
{
  const vec zero = vec_broadcast (0), half = vec_broadcast ((real)0.5);
  const vec sum = f.b + f.c, tau = vec_hypot (sum, gap);
  const vec cos = vec_sqrt (half * (vec_broadcast (1) + vec_abs (sum) / tau));
  const vec sin = -(half * gap / (tau * cos)) * sign_of (sum);
  const vec aa = f.a * cos + f.b * sin, bb = f.b * cos - f.a * sin;
  const vec cc = f.c * cos + f.d * sin, dd = f.d * cos - f.c * sin;
  const vec middle = half * ((aa * cos + cc * sin) + (dd * cos - bb * sin));
  f = (block_form){middle, bb * cos + dd * sin, cc * cos - aa * sin, middle, cos, sin};
  const mask split = (f.c != zero) & (f.b != zero) & ((f.b < zero) == (f.c < zero));
  const mask turn = (f.c != zero) & (f.b == zero);
  const block_form turned = {f.a, -f.c, zero, f.d, -f.sin, f.cos};
  f = block_select (turn, turned, f);
  return mask_any (split) ? block_select (split, block_split (f), f) : f;
}

// The standard form of blocks with c != 0.
static block_form block_standard (vec a, vec b, vec c, vec d)
{
  const vec zero = vec_broadcast (0), one = vec_broadcast (1), gap = a - d;
  const block_form f = {a, b, c, d, one, zero}, swapped = {d, -c, zero, a, zero, one};
  const vec p = (real)0.5 * gap, least = vec_smaller (vec_abs (b), vec_abs (c));
  const vec most = vec_larger (vec_abs (b), vec_abs (c)),
            product = sign_of (b) * sign_of (c) * least;
  const vec scale = vec_larger (vec_abs (p), most);
  vec z = p / scale * p;
  z += most / scale * product;
  const mask is_real = z >= vec_broadcast (4 * GLA_EPS),
             is_standard = (gap == zero) & ((b < zero) != (c < zero));
  const vec root = vec_sqrt (scale) * vec_sqrt (vec_larger (z, zero));
  block_form r =
      block_select (is_real, block_real (f, p, root, most * product), block_equal (f, gap));
  r = block_select (is_standard, f, r);
  return block_select (b == zero, swapped, r);
}

// Rotates rows or columns i and i+1 of which `count` elements are `apart`.
static inline void rotate_lanes (num *x, num *y, int apart, int count, vec c, vec s)
{
  for (int i = 0; i < count; i++, x += apart, y += apart) {
    vec a = c * x->re, b = c * y->re;
    a += s * y->re;
    b -= s * x->re;
    x->re = a;
    y->re = b;
  }
}

// Block k, k+1 in the lanes that have one there.
static void lanes_standardise (const lanes_work *w, int k, mask here, int schur, int vectors)
{
  const int n = w->n, ld = w->ld;
  const vec zero = vec_broadcast (0), one = vec_broadcast (1);
  num *at = w->h + k + k * ld;
  block_form f = {at[0].re, at[ld].re, at[1].re, at[ld + 1].re, one, zero};
  // others compute with a block that has an answer
  const block_form f_here =
      block_standard (vec_select (here, f.a, zero), vec_select (here, f.b, -one),
                      vec_select (here, f.c, one), vec_select (here, f.d, zero));
  f = block_select (here, f_here, f);
  at[0].re = f.a;
  at[ld].re = f.b;
  at[1].re = f.c;
  at[ld + 1].re = f.d;
  if (schur && k + 2 < n)
    rotate_lanes (at + 2 * ld, at + 1 + 2 * ld, ld, n - k - 2, f.cos, f.sin);
  if (schur)
    rotate_lanes (w->h + k * ld, w->h + (k + 1) * ld, 1, k, f.cos, f.sin);
  if (vectors)
    rotate_lanes (w->z + k * ld, w->z + (k + 1) * ld, 1, n, f.cos, f.sin);
}

// Of a complex pair the eigenvalue with the positive imaginary part comes first.
static void lanes_values (const lanes_work *w, int schur, int vectors)
{
  const int n = w->n, ld = w->ld;
  const vec zero = vec_broadcast (0);
  for (int k = 0; k + 1 < n; k++) {
    const mask here = w->h[k + 1 + k * ld].re != zero;
    if (mask_any (here))
      lanes_standardise (w, k, here, schur, vectors);
  }
  for (int k = 0; k < n; k++)
    w->lambda[k] = (pair){w->h[k + k * ld].re, zero};
  for (int k = 0; k + 1 < n; k++) {
    const vec b = w->h[k + (k + 1) * ld].re, c = w->h[k + 1 + k * ld].re;
    const vec im = vec_select (c != zero, vec_sqrt (vec_abs (b)) * vec_sqrt (vec_abs (c)), zero);
    w->lambda[k].im += im;
    w->lambda[k + 1].im -= im;
  }
}

#endif

#endif

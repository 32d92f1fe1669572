// phase.h: gives eigenvectors the phase of common/phase.h
// SPDX-License-Identifier: GPL-3.0-or-later
//
// `unit` says that vectors have length 1. Others are scaled, so that no square of their components
// overflows or underflows.

#ifndef GPULINALG_CPU_COMMON_PHASE_H
#define GPULINALG_CPU_COMMON_PHASE_H

#include "common/phase.h"
#include "cpu/common/lanes.h"

#include <math.h>

// The size that components are compared by is |x|, for complex ones |scale*x|^2.
static const real PHASE_NEAR = GLA_COMPLEX ? GLA_PHASE_NEAR * GLA_PHASE_NEAR : GLA_PHASE_NEAR;

static inline vec phase_larger (vec a, vec b)
{
  vec r;
  for (int l = 0; l < GLA_LANES; l++) // one instruction
    r[l] = a[l] > b[l] ? a[l] : b[l];
  return r;
}

//------------------------------------------------------------------------------
// pages in lanes
//------------------------------------------------------------------------------

static inline __attribute__ ((always_inline)) vec phase_size (num x, vec scale, int unit)
{
#if GLA_COMPLEX
  return num_abs2 (unit ? x : num_scale (scale, x));
#else
  (void)scale;
  (void)unit;
  return vec_abs (x.re);
#endif
}

#if GLA_COMPLEX
// Returns a power of two that brings the largest real or imaginary part near 1.
static inline vec phase_scale (int n, const num *x)
{
  vec most = vec_broadcast (GLA_TINY);
  for (int i = 0; i < n; i++)
    most = phase_larger (vec_abs (x[i].re), phase_larger (vec_abs (x[i].im), most));
  const mask exponent = (mask)vec_broadcast (INFINITY);
  return vec_broadcast (1) / (vec)(exponent & (mask)most);
}

// Finds the phase that makes `first` real and positive, as cosine and sine; 1 and 0 if it already
// is.
static inline void phase_angle (num first, vec scale, vec *c, vec *s)
{
  const vec zero = vec_broadcast (0), one = vec_broadcast (1);
  const num f = num_scale (scale, first);
  const vec r = one / vec_sqrt (num_abs2 (f));
  const mask turn = (f.im != zero) | ~(f.re > zero);
  *c = vec_select (turn, f.re * r, one);
  *s = vec_select (turn, f.im * r, zero);
}

static inline __attribute__ ((always_inline)) void lanes_turn (int n, num *x, vec at, vec scale)
{
  num first;
  vec c, s;
  for (int l = 0; l < GLA_LANES; l++) {
    first.re[l] = x[(int)at[l]].re[l];
    first.im[l] = x[(int)at[l]].im[l];
  }
  phase_angle (first, scale, &c, &s);
  for (int i = 0; i < n; i++) {
    const num y = {c * x[i].re + s * x[i].im, c * x[i].im - s * x[i].re};
    x[i] = y;
  }
  for (int l = 0; l < GLA_LANES; l++)
    ((real *)&x[(int)at[l]].im)[l] = 0;
}
#endif

// Handles one vector of each page, n registers.
static inline __attribute__ ((always_inline)) void lanes_phase (int n, num *x, int unit)
{
  const vec one = vec_broadcast (1);
#if GLA_COMPLEX
  const vec scale = unit ? one : phase_scale (n, x);
#else
  const vec scale = one;
#endif
  vec most = vec_broadcast (0);
  for (int i = 0; i < n; i++)
    most = phase_larger (phase_size (x[i], scale, unit), most);
  const vec least = PHASE_NEAR * most;
#if GLA_COMPLEX
  vec at = vec_broadcast ((real)(n - 1)), here = at;
  for (int i = n - 2; i >= 0; i--) {
    here -= one;
    at = vec_select (phase_size (x[i], scale, unit) >= least, here, at);
  }
  lanes_turn (n, x, at, scale);
#else
  vec first = x[n - 1].re;
  for (int i = n - 2; i >= 0; i--)
    first = vec_select (vec_abs (x[i].re) >= least, x[i].re, first);
  const mask sign = (mask)vec_broadcast (-(real)0) & (mask)first;
  for (int i = 0; i < n; i++)
    x[i].re = (vec)((mask)x[i].re ^ sign);
#endif
}

//------------------------------------------------------------------------------
// a page
//------------------------------------------------------------------------------

// Returns the sizes of the components in a register, each twice if they are complex.
static inline vec phase_row_sizes (const real *x, real scale)
{
  vec v = *(const vec_anywhere *)x;
#if GLA_COMPLEX
  v *= scale;
  v *= v;
  return v + exchange_lanes (v, v, 1);
#else
  (void)scale;
  return vec_abs (v);
#endif
}

static inline real phase_row_size (const real *x, real scale)
{
#if GLA_COMPLEX
  return scale * x[0] * (scale * x[0]) + scale * x[1] * (scale * x[1]);
#else
  (void)scale;
  return real_abs (x[0]);
#endif
}

// Does what phase_scale does.
static inline real phase_row_scale (int64_t count, const real *x)
{
  vec most = vec_broadcast (0);
  int64_t i = 0;
  for (; i + GLA_LANES <= count; i += GLA_LANES)
    most = phase_larger (vec_abs (*(const vec_anywhere *)(x + i)), most);
  real largest = GLA_TINY;
  for (int l = 0; l < GLA_LANES; l++)
    largest = most[l] > largest ? most[l] : largest;
  for (; i < count; i++)
    largest = real_abs (x[i]) > largest ? real_abs (x[i]) : largest;
  const vec all = vec_broadcast (largest);
  const mask exponent = (mask)vec_broadcast (INFINITY);
  return 1 / ((vec)(exponent & (mask)all))[0];
}

// Whether one of the next four registers has a component of size `least`.
static inline int phase_in_four (const real *x, real scale, vec least)
{
  vec most = phase_row_sizes (x, scale);
  for (int k = 1; k < 4; k++)
    most = phase_larger (phase_row_sizes (x + k * GLA_LANES, scale), most);
  return mask_any (most >= least);
}

// Returns the place of the component that becomes real and positive, counted in numbers.
static inline int64_t phase_place (int64_t count, const real *x, real scale)
{
  const int64_t whole = count / GLA_LANES * GLA_LANES;
  vec most = vec_broadcast (0), other = most;
  int64_t at = 0;
  for (; at + 2 * GLA_LANES <= whole; at += 2 * GLA_LANES) {
    most = phase_larger (phase_row_sizes (x + at, scale), most);
    other = phase_larger (phase_row_sizes (x + at + GLA_LANES, scale), other);
  }
  if (at < whole)
    most = phase_larger (phase_row_sizes (x + at, scale), most);
  most = phase_larger (most, other);
  real largest = 0;
  for (int l = 0; l < GLA_LANES; l++)
    largest = most[l] > largest ? most[l] : largest;
  for (int64_t i = whole; i < count; i += GLA_PARTS) {
    const real size = phase_row_size (x + i, scale);
    largest = size > largest ? size : largest;
  }
  int64_t i = 0;
  const vec least = PHASE_NEAR * vec_broadcast (largest);
  while (i + 4 * GLA_LANES <= whole && !phase_in_four (x + i, scale, least))
    i += 4 * GLA_LANES;
  while (i < whole && !mask_any (phase_row_sizes (x + i, scale) >= least))
    i += GLA_LANES;
  while (i + GLA_PARTS < count && !(phase_row_size (x + i, scale) >= least[0]))
    i += GLA_PARTS;
  return i;
}

// Handles a vector of n elements.
static inline void page_phase (int64_t n, real *x, int unit)
{
  const int64_t count = n * GLA_PARTS, whole = count / GLA_LANES * GLA_LANES;
  const real scale = GLA_COMPLEX && !unit ? phase_row_scale (count, x) : 1;
  const int64_t first = phase_place (count, x, scale);
#if GLA_COMPLEX
  const real re = scale * x[first], im = scale * x[first + 1];
  const real length = real_sqrt (re * re + im * im);
  if ((im == 0 && re > 0) || !(length > 0))
    return;
  const real c = re / length, s = im / length;
  vec both = {0};
  for (int l = 0; l < GLA_LANES; l++)
    both[l] = l % 2 ? -s : s;
  for (int64_t i = 0; i < whole; i += GLA_LANES) {
    const vec v = *(const vec_anywhere *)(x + i);
    *(vec_anywhere *)(x + i) = c * v + both * exchange_lanes (v, v, 1);
  }
  for (int64_t i = whole; i < count; i += 2) {
    const real a = x[i], b = x[i + 1];
    x[i] = c * a + s * b;
    x[i + 1] = c * b - s * a;
  }
  x[first + 1] = 0;
#else
  (void)whole;
  if (x[first] < 0)
    for (int64_t i = 0; i < count; i++)
      x[i] = -x[i];
#endif
}

#endif

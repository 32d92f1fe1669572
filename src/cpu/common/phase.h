// phase.h: gives eigenvectors the phase of common/phase.h
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_COMMON_PHASE_H
#define GPULINALG_CPU_COMMON_PHASE_H

#include "common/phase.h"
#include "cpu/common/lanes.h"

//------------------------------------------------------------------------------
// pages in lanes
//------------------------------------------------------------------------------

// The size that components are compared by: |x|, for complex ones |scale*x|^2.
static inline vec phase_size (num x, vec scale)
{
#if GLA_COMPLEX
  return num_abs2 (num_scale (scale, x));
#else
  (void)scale;
  return vec_abs (x.re);
#endif
}

// 1 over the largest real or imaginary part, so that no square overflows or vanishes.
static inline vec phase_scale (int n, const num *x)
{
  const vec one = vec_broadcast (1);
#if GLA_COMPLEX
  vec most = vec_broadcast (GLA_TINY);
  for (int i = 0; i < n; i++) {
    const vec re = vec_abs (x[i].re), im = vec_abs (x[i].im);
    most = vec_select (re > most, re, most);
    most = vec_select (im > most, im, most);
  }
  return one / most;
#else
  (void)n;
  (void)x;
  return one;
#endif
}

// One vector of each page, n registers.
static inline void lanes_phase (int n, num *x)
{
  const real near = GLA_COMPLEX ? GLA_PHASE_NEAR * GLA_PHASE_NEAR : GLA_PHASE_NEAR;
  const vec scale = phase_scale (n, x);
  vec most = vec_broadcast (0);
  for (int i = 0; i < n; i++) {
    const vec size = phase_size (x[i], scale);
    most = vec_select (size > most, size, most);
  }
  const vec least = near * most;
  num first = x[n - 1];
  for (int i = n - 2; i >= 0; i--)
    first = num_select (phase_size (x[i], scale) >= least, x[i], first);
#if GLA_COMPLEX
  // + GLA_TINY: a lane that failed may be 0
  const vec length = vec_sqrt (num_abs2 (num_scale (scale, first))) + vec_broadcast (GLA_TINY);
  const vec c = scale * first.re / length, s = scale * first.im / length;
  for (int i = 0; i < n; i++) {
    const mask real_now = (x[i].re == first.re) & (x[i].im == first.im);
    const num y = {c * x[i].re + s * x[i].im, c * x[i].im - s * x[i].re};
    x[i].re = y.re;
    x[i].im = vec_select (real_now, vec_broadcast (0), y.im);
  }
#else
  const mask sign = (mask)vec_broadcast (-(real)0) & (mask)first.re;
  for (int i = 0; i < n; i++)
    x[i].re = (vec)((mask)x[i].re ^ sign);
#endif
}

//------------------------------------------------------------------------------
// a page
//------------------------------------------------------------------------------

// The largest of the sizes; several at a time, so that they fill registers.
static inline real phase_largest (const real *size, int64_t n)
{
  enum { WIDTH = 4 * GLA_LANES };
  real most[WIDTH] = {0}, largest = 0;
  int64_t i = 0;
  for (; i + WIDTH <= n; i += WIDTH)
    for (int k = 0; k < WIDTH; k++)
      most[k] = size[i + k] > most[k] ? size[i + k] : most[k];
  for (; i < n; i++)
    largest = size[i] > largest ? size[i] : largest;
  for (int k = 0; k < WIDTH; k++)
    largest = most[k] > largest ? most[k] : largest;
  return largest;
}

// A vector of n elements; `size` is scratch of n numbers.
static inline void page_phase (int64_t n, real *x, real *size)
{
  int64_t first = 0;
#if GLA_COMPLEX
  for (int64_t i = 0; i < n; i++) {
    const real re = real_abs (x[2 * i]), im = real_abs (x[2 * i + 1]);
    size[i] = re > im ? re : im;
  }
  const real part = phase_largest (size, n), scale = 1 / (part > GLA_TINY ? part : GLA_TINY);
  for (int64_t i = 0; i < n; i++) {
    const real re = scale * x[2 * i], im = scale * x[2 * i + 1];
    size[i] = re * re + im * im;
  }
  const real least = (real)(GLA_PHASE_NEAR * GLA_PHASE_NEAR) * phase_largest (size, n);
  while (first + 1 < n && !(size[first] >= least))
    first++;
  const real re = scale * x[2 * first], im = scale * x[2 * first + 1];
  const real length = real_sqrt (re * re + im * im) + GLA_TINY;
  const real c = re / length, s = im / length;
  for (int64_t i = 0; i < n; i++) {
    const real a = x[2 * i], b = x[2 * i + 1];
    x[2 * i] = c * a + s * b;
    x[2 * i + 1] = c * b - s * a;
  }
  x[2 * first + 1] = 0;
#else
  for (int64_t i = 0; i < n; i++)
    size[i] = real_abs (x[i]);
  const real least = (real)GLA_PHASE_NEAR * phase_largest (size, n);
  while (first + 1 < n && !(size[first] >= least))
    first++;
  if (x[first] < 0)
    for (int64_t i = 0; i < n; i++)
      x[i] = -x[i];
#endif
}

#endif

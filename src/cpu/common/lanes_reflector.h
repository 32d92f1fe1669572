// lanes_reflector.h: Householder reflectors of several pages, one per lane
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Element i of a column of all pages is register i. Columns are updated a few at a time, so that
// enough sums are computed at once.

#ifndef GPULINALG_CPU_COMMON_LANES_REFLECTOR_H
#define GPULINALG_CPU_COMMON_LANES_REFLECTOR_H

#include "lanes.h"

enum { LANES_COLUMNS = GLA_COMPLEX ? 2 : 4 }; // updated at a time

typedef struct {
  vec beta;
  num tau, inv;
} lanes_reflector;

// Does what reflect does, with H = I in the lanes of `none`. It is not inlined, so that it rounds
// in the same places for every caller.
static __attribute__ ((noinline)) lanes_reflector lanes_reflect (num alpha, vec sum, mask none)
{
  const vec one = vec_broadcast (1);
  const mask sign = (mask)vec_broadcast (-(real)0);
  lanes_reflector h;
  vec size = vec_sqrt (num_abs2 (alpha) + sum);
  h.beta = (vec)((mask)size ^ (~(mask)alpha.re & sign));
  h.beta = vec_select (none, one, h.beta);
  num d = alpha;
  d.re = vec_select (none, one, alpha.re - h.beta);
  h.tau.re = (h.beta - alpha.re) / h.beta;
#if GLA_COMPLEX
  h.tau.im = -alpha.im / h.beta;
  h.inv = num_scale (one / num_abs2 (d), num_conj (d));
#else
  h.inv.re = one / d.re;
#endif
  h.tau = num_select (none, num_zero (), h.tau);
  h.inv = num_select (none, num_zero (), h.inv);
  h.beta = vec_select (none, alpha.re, h.beta);
  return h;
}

// Sets c = c - [1; v] f ([1; v]'*c) for nc columns c, with f = tau or its conjugate.
static inline __attribute__ ((always_inline)) void
lanes_update_of (int64_t rows, const num *v, num f, num *c, int64_t ldc, int nc)
{
  num sum[LANES_COLUMNS];
  for (int q = 0; q < nc; q++)
    sum[q] = c[q * ldc];
  for (int64_t i = 1; i < rows; i++)
    for (int q = 0; q < nc; q++)
      sum[q] = num_fmac (sum[q], v[i], c[i + q * ldc]);
  for (int q = 0; q < nc; q++) {
    sum[q] = num_mul (f, sum[q]);
    c[q * ldc] = num_sub (c[q * ldc], sum[q]);
  }
  for (int64_t i = 1; i < rows; i++)
    for (int q = 0; q < nc; q++)
      c[i + q * ldc] = num_fnma (c[i + q * ldc], v[i], sum[q]);
}

static void lanes_update (int64_t rows, const num *v, num f, num *c, int64_t ldc, int64_t nc)
{
  int64_t q = 0;
  for (; q + LANES_COLUMNS <= nc; q += LANES_COLUMNS)
    lanes_update_of (rows, v, f, c + q * ldc, ldc, LANES_COLUMNS);
  for (; q < nc; q++)
    lanes_update_of (rows, v, f, c + q * ldc, ldc, 1);
}

#endif

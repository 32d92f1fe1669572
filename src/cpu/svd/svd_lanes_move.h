// svd_lanes_move.h: pages to lanes, scaled, and results back
// SPDX-License-Identifier: GPL-3.0-or-later
//
// As lanes_blocks.h, with what each number needs on its way, which saves a pass over long pages.

#ifndef GPULINALG_CPU_SVD_SVD_LANES_MOVE_H
#define GPULINALG_CPU_SVD_SVD_LANES_MOVE_H

#include "cpu/common/lanes_blocks.h"

// Numbers are multiplied by down0, then by down1; lanes where down0 is 0 become 0, whatever they
// have: 0 * NaN is NaN.
typedef struct {
  vec down0, down1;
} lanes_scale;

static inline vec lanes_scaled (const lanes_scale *s, vec x)
{
  const vec zero = vec_broadcast (0);
  return vec_select (s->down0 != zero, s->down1 * (s->down0 * x), zero);
}

static inline __attribute__ ((always_inline)) void
load_scaled_block (vec *to, const lanes_sources *from, int64_t at, const lanes_scale *s)
{
  lanes_load_block (to, from, at);
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++)
    to[at + l] = lanes_scaled (s, to[at + l]);
}

static __attribute__ ((noinline)) void load_scaled_run (vec *to, const lanes_sources *from,
                                                        int64_t count, const lanes_scale *s)
{
  const lanes_scale scale = *s;
  int64_t i = 0;
  for (; i + GLA_LANES <= count; i += GLA_LANES)
    load_scaled_block (to, from, i, &scale);
  if (i > 0 && count - i > FEW_NUMBERS) {
    load_scaled_block (to, from, count - GLA_LANES, &scale);
    return;
  }
  for (; i < count; i++)
    to[i] = lanes_scaled (&scale, lanes_gather_real (from, i));
}

// -0 becomes 0.
static inline __attribute__ ((always_inline)) void
store_positive_block (const lanes_targets *to, const vec *from, int64_t at)
{
  vec x[GLA_LANES];
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++)
    x[l] = from[at + l] + vec_broadcast (0);
  lanes_transpose (x);
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++)
    if (to->live >> l & 1)
      *(vec_anywhere *)(to->at[l] + at) = (vec_anywhere)x[l];
}

static __attribute__ ((noinline)) void store_positive_run (const lanes_targets *to, const vec *from,
                                                           int64_t count)
{
  int64_t i = 0;
  for (; i + GLA_LANES <= count; i += GLA_LANES)
    store_positive_block (to, from, i);
  if (i > 0 && count - i > FEW_NUMBERS) {
    store_positive_block (to, from, count - GLA_LANES);
    return;
  }
  for (; i < count; i++)
    lanes_scatter_real (to, i, from[i] + vec_broadcast (0));
}

#endif

// lanes_move.h: copies contiguous runs of numbers between memory and lanes
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_COMMON_LANES_MOVE_H
#define GPULINALG_CPU_COMMON_LANES_MOVE_H

#include "lanes_blocks.h"

// Up to so many numbers at the end of a run are moved one by one; more are moved as a block that
// begins earlier and ends with the run.
enum { FEW_NUMBERS = GLA_LANES / 4 };

// Loads number i of every lane to register i.
static __attribute__ ((noinline)) void lanes_load_run (vec *to, const lanes_sources *from,
                                                       int64_t count)
{
  int64_t i = 0;
  for (; i + GLA_LANES <= count; i += GLA_LANES)
    lanes_load_block (to, from, i);
  if (i > 0 && count - i > FEW_NUMBERS) {
    lanes_load_block (to, from, count - GLA_LANES);
    return;
  }
  for (; i < count; i++)
    to[i] = lanes_gather_real (from, i);
}

static __attribute__ ((noinline)) void lanes_store_run (const lanes_targets *to, const vec *from,
                                                        int64_t count)
{
  int64_t i = 0;
  for (; i + GLA_LANES <= count; i += GLA_LANES)
    lanes_store_block (to, from, i);
  if (i > 0 && count - i > FEW_NUMBERS) {
    lanes_store_block (to, from, count - GLA_LANES);
    return;
  }
  for (; i < count; i++)
    lanes_scatter_real (to, i, from[i]);
}

#endif

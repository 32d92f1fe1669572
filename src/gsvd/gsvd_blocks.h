// gsvd_blocks.h: blocks of columns for the sweeps of a pair on the CPU
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_GSVD_BLOCKS_H
#define GPULINALG_GSVD_BLOCKS_H

#include <stdint.h>

// Columns up to which they are paired one by one; columns of a block above, and at most.
enum { GLA_GSVD_SINGLE = 192, GLA_GSVD_BLOCK = 32, GLA_GSVD_BLOCK_MOST = 64 };

// Returns the columns of a block of p, if the caller has asked for `wanted` (0: nothing); 0: no
// blocks.
static inline int gla_gsvd_width (int64_t p, int wanted)
{
  const int most = wanted < GLA_GSVD_BLOCK_MOST ? wanted : GLA_GSVD_BLOCK_MOST;
  const int width = wanted == 0 ? GLA_GSVD_BLOCK : most;
  return (wanted == 0 && p <= GLA_GSVD_SINGLE) || p <= 2 * width ? 0 : width;
}

#endif

// lanes_square.h: small square pages in lanes: element (i, j) of all pages in register i + j*ld
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_COMMON_LANES_SQUARE_H
#define GPULINALG_CPU_COMMON_LANES_SQUARE_H

#include "lanes_move.h"

// Up to this order columns have no gaps.
enum { LANES_PACKED_MAX = 16 };

// With an odd distance, columns of larger pages do not compete for the same lines of the cache.
static inline __attribute__ ((always_inline)) int lanes_ld (int n)
{
  return n <= LANES_PACKED_MAX ? n : n | 1;
}

// Loads n x n pages, whose columns are so many elements apart in memory.
static __attribute__ ((noinline)) void lanes_load_square (num *to, lanes_sources from,
                                                          int64_t column_stride, int n)
{
  const int ld = lanes_ld (n);
  if (column_stride == n && ld == n) {
    lanes_load_run ((vec *)to, &from, (int64_t)n * n * GLA_PARTS);
    return;
  }
  for (int j = 0; j < n; j++) {
    lanes_load_run ((vec *)(to + j * ld), &from, (int64_t)n * GLA_PARTS);
    for (int l = 0; l < GLA_LANES; l++)
      from.at[l] += column_stride * GLA_PARTS;
  }
}

#endif

// minmax.h: the smaller and the larger of two sizes
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_MINMAX_H
#define GPULINALG_CPU_MINMAX_H

#include <stdint.h>

static inline int64_t gla_min (int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static inline int64_t gla_max (int64_t a, int64_t b)
{
  return a > b ? a : b;
}

#endif

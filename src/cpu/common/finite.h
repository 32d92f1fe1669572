// finite.h: whether all entries of an array are finite
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_COMMON_FINITE_H
#define GPULINALG_CPU_COMMON_FINITE_H

#include "exponent.h"

// Whether the largest entry is neither Inf nor NaN, by its bits (see largest_of).
static inline int is_finite_size (bits largest)
{
  return (int)(largest >> GLA_FRACTION) <= 2 * GLA_BIAS;
}

#endif

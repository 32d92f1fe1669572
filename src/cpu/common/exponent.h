// exponent.h: the largest entry of an array, and powers of two
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bits of |x|, read as an integer, grow with |x|, and Inf and NaN come last. So one integer maximum
// finds the largest entry and whether all are finite.

#ifndef GPULINALG_CPU_COMMON_EXPONENT_H
#define GPULINALG_CPU_COMMON_EXPONENT_H

#include "common/types.h"

#include <string.h>

// Sums of squares below this have lost digits to underflow.
#define GLA_QR_SMALL (GLA_TINY / GLA_EPS / GLA_EPS)

typedef bits aliased_bits __attribute__ ((may_alias));

static inline bits abs_bits (real x)
{
  const bits all_but_sign = (((bits)1 << (8 * sizeof (bits) - 2)) - 1) * 2 + 1;
  bits b;
  memcpy (&b, &x, sizeof b);
  return b & all_but_sign;
}

static bits largest_of (const real *x, int64_t count, bits largest)
{
  const bits all_but_sign = (((bits)1 << (8 * sizeof (bits) - 2)) - 1) * 2 + 1;
  for (int64_t i = 0; i < count; i++) {
    bits b = ((const aliased_bits *)x)[i] & all_but_sign;
    largest = b > largest ? b : largest;
  }
  return largest;
}

// 2^e for e of normal numbers.
static inline real power_of_two (int e)
{
  bits b = (bits)(e + GLA_BIAS) << GLA_FRACTION;
  real x;
  memcpy (&x, &b, sizeof x);
  return x;
}

// The e with 2^-e * x in the middle of the range, 0 for zeros and where something is not finite.
// Both 2^e and 2^-e are normal numbers. Scaling is exact and undone on R; it leaves the reflectors
// as they are, and no sum of squares can overflow after it, or underflow where it matters.
static int exponent_of (bits largest)
{
  const int e = (int)(largest >> GLA_FRACTION);
  if (largest == 0 || e > 2 * GLA_BIAS)
    return 0;
  return e < 1 ? 1 - GLA_BIAS : e > 2 * GLA_BIAS - 1 ? GLA_BIAS - 1 : e - GLA_BIAS;
}

static inline int column_exponent (const real *x, int64_t count)
{
  return exponent_of (largest_of (x, count * GLA_PARTS, 0));
}

#endif

// exponent.h: the largest entry of an array, whether all are finite, and powers of two
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_COMMON_EXPONENT_H
#define GPULINALG_CPU_COMMON_EXPONENT_H

#include <string.h>

#include "common/types.h"

// Bits of |x|, read as an integer, grow with |x|, and Inf and NaN come last. So one integer maximum
// finds the largest entry and whether all are finite.

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

// Returns 2^e for e of normal numbers.
static inline real power_of_two (int e)
{
  bits b = (bits)(e + GLA_BIAS) << GLA_FRACTION;
  real x;
  memcpy (&x, &b, sizeof x);
  return x;
}

// Returns e with 2^-e * x in the middle of the range, 0 for zeros and if something is not finite.
// Both 2^e and 2^-e are normal numbers. Scaling is exact and undone on R; it leaves the reflectors
// unchanged, and no sum of squares can overflow after it, or underflow where it matters.
static int exponent_of (bits largest)
{
  const int e = (int)(largest >> GLA_FRACTION);
  if (largest == 0 || e > 2 * GLA_BIAS)
    return 0;
  return e < 1 ? 1 - GLA_BIAS : e > 2 * GLA_BIAS - 1 ? GLA_BIAS - 1 : e - GLA_BIAS;
}

// Returns the largest exponent of columns of m rows that reflectors can be applied to without
// overflow. A product with a reflector is at most 2 sqrt (2m) times the largest entry, and
// intermediate sums of the products of a block get some bits more.
static inline int exponent_limit (int64_t m)
{
  int half = 0; // 4^half >= m
  while (half < 31 && ((int64_t)1 << (2 * half)) < m)
    half++;
  return GLA_BIAS - 8 - half;
}

// Returns e > 0 with 2^-e * x just below that limit, 0 if x is below it or not finite.
static inline int exponent_above (bits largest, int64_t m)
{
  const int e = (int)(largest >> GLA_FRACTION) - GLA_BIAS, limit = exponent_limit (m);
  return e > GLA_BIAS || e <= limit ? 0 : e - limit;
}

static inline int column_exponent (const real *x, int64_t count)
{
  return exponent_of (largest_of (x, count * GLA_PARTS, 0));
}

//------------------------------------------------------------------------------
// whether all entries of an array are finite
//------------------------------------------------------------------------------

// Whether the largest entry is neither Inf nor NaN, by its bits (see largest_of).
static inline int is_finite_size (bits largest)
{
  return (int)(largest >> GLA_FRACTION) <= 2 * GLA_BIAS;
}

#endif

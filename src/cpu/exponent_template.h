// exponent_template.h: the largest entry of an array, and powers of two
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bits of |x|, read as an integer, grow with |x|, and Inf and NaN come last. So one integer maximum
// finds the largest entry and whether all are finite.

typedef GLA_BITS N (bits) __attribute__ ((may_alias));

enum {
  N (element_parts) = GLA_PARTS // real numbers in one element
};

static inline GLA_BITS N (abs_bits) (GLA_REAL x)
{
  const GLA_BITS all_but_sign = (((GLA_BITS)1 << (8 * sizeof (GLA_BITS) - 2)) - 1) * 2 + 1;
  GLA_BITS b;
  memcpy (&b, &x, sizeof b);
  return b & all_but_sign;
}

static GLA_BITS N (largest_of) (const GLA_REAL *x, int64_t count, GLA_BITS largest)
{
  const GLA_BITS all_but_sign = (((GLA_BITS)1 << (8 * sizeof (GLA_BITS) - 2)) - 1) * 2 + 1;
  for (int64_t i = 0; i < count; i++) {
    GLA_BITS b = ((const N (bits) *)x)[i] & all_but_sign;
    largest = b > largest ? b : largest;
  }
  return largest;
}

// 2^e for e of normal numbers.
static inline GLA_REAL N (power_of_two) (int e)
{
  GLA_BITS b = (GLA_BITS)(e + GLA_BIAS) << GLA_FRACTION;
  GLA_REAL x;
  memcpy (&x, &b, sizeof x);
  return x;
}

// qr_element_template.h: single numbers, and columns scaled by powers of two
// SPDX-License-Identifier: GPL-3.0-or-later

#if GLA_COMPLEX
typedef GLA_REAL _Complex N (el);
#else
typedef GLA_REAL N (el);
#endif

static inline N (el) N (make) (GLA_REAL re, GLA_REAL im)
{
#if GLA_COMPLEX
  N (el) x;
  __real__ x = re;
  __imag__ x = im;
  return x;
#else
  (void)im;
  return re;
#endif
}

static inline N (el) N (el_conj) (N (el) a)
{
  return N (make) (__real__ a, -__imag__ a);
}

// Written out, because * of C looks for infinities.
static inline N (el) N (el_mul) (N (el) a, N (el) b)
{
#if GLA_COMPLEX
  return N (make) (__real__ a * __real__ b - __imag__ a * __imag__ b,
                   __real__ a * __imag__ b + __imag__ a * __real__ b);
#else
  return a * b;
#endif
}

static inline N (el) N (el_scale) (GLA_REAL s, N (el) a)
{
  return N (make) (s * __real__ a, s * __imag__ a);
}

static inline GLA_REAL N (el_abs2) (N (el) a)
{
  return __real__ a * __real__ a + __imag__ a * __imag__ a;
}

// 1/a for |a| in the middle of the range.
static inline N (el) N (el_inverse) (N (el) a)
{
#if GLA_COMPLEX
  return N (el_scale) (1 / N (el_abs2) (a), N (el_conj) (a));
#else
  return 1 / a;
#endif
}

//------------------------------------------------------------------------------
// scaling
//------------------------------------------------------------------------------

// The e with 2^-e * x in the middle of the range, 0 for zeros and where something is not finite.
// Both 2^e and 2^-e are normal numbers. Scaling is exact and undone on R; it leaves the reflectors
// as they are, and no sum of squares can overflow after it, or underflow where it matters.
static int N (exponent_of) (GLA_BITS largest)
{
  const int e = (int)(largest >> GLA_FRACTION);
  if (largest == 0 || e > 2 * GLA_BIAS)
    return 0;
  return e < 1 ? 1 - GLA_BIAS : e > 2 * GLA_BIAS - 1 ? GLA_BIAS - 1 : e - GLA_BIAS;
}

static inline int N (column_exponent) (const GLA_REAL *x, int64_t count)
{
  return N (exponent_of) (N (largest_of) (x, count * GLA_PARTS, 0));
}

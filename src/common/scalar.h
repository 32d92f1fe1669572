// scalar.h: arithmetic of single numbers of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_COMMON_SCALAR_H
#define GPULINALG_COMMON_SCALAR_H

#include "types.h"

static inline scalar scalar_make (real re, real im)
{
#if GLA_COMPLEX
  scalar x;
  __real__ x = re;
  __imag__ x = im;
  return x;
#else
  (void)im;
  return re;
#endif
}

static inline scalar scalar_conj (scalar a)
{
  return scalar_make (__real__ a, -__imag__ a);
}

// The product is written out, because * of C tests for infinities.
static inline scalar scalar_mul (scalar a, scalar b)
{
#if GLA_COMPLEX
  return scalar_make (__real__ a * __real__ b - __imag__ a * __imag__ b,
                      __real__ a * __imag__ b + __imag__ a * __real__ b);
#else
  return a * b;
#endif
}

static inline scalar scalar_scale (real s, scalar a)
{
  return scalar_make (s * __real__ a, s * __imag__ a);
}

static inline real scalar_abs2 (scalar a)
{
  return __real__ a * __real__ a + __imag__ a * __imag__ a;
}

// Returns 1/a for |a| in the middle of the range.
static inline scalar scalar_inverse (scalar a)
{
#if GLA_COMPLEX
  return scalar_scale (1 / scalar_abs2 (a), scalar_conj (a));
#else
  return 1 / a;
#endif
}

#endif

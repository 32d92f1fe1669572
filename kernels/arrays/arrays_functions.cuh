// arrays_functions.cuh: elementary functions of single elements, real and complex
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_ARRAYS_FUNCTIONS_CUH
#define GPULINALG_ARRAYS_FUNCTIONS_CUH

#include "arrays_math.cuh"

#include <thrust/complex.h>

template <class R> GLA_DEVICE R remainder_of (R x, R y, bool mod)
{
  const R eps = limits<R>::eps;
  R r;
  if (y == 0)
    r = mod ? x : (R)NAN;
  else {
    const R q = x / y, n = floor (q + (R)0.5);
    if (floor (y + (R)0.5) != y && fabs ((q - n) / n) < eps)
      r = 0;
    else
      r = rounded_sum (x, -rounded_product (y, mod ? floor (q) : trunc (q)));
  }
  return x != y && y != 0 ? copysign (r, mod ? y : x) : r;
}

// Whether a real element leaves the domain in which the function is real.
template <class R> GLA_DEVICE bool nd_leaves (int op, R x, R y)
{
  switch (op) {
  case GLA_ND_POW:
    return x < 0 && y != floor (y);
  case GLA_ND_SQRT:
  case GLA_ND_LOG:
  case GLA_ND_LOG2:
  case GLA_ND_LOG10:
    return x < 0;
  case GLA_ND_LOG1P:
    return x < -1;
  case GLA_ND_ASIN:
  case GLA_ND_ACOS:
  case GLA_ND_ATANH:
    return x > 1 || x < -1;
  case GLA_ND_ACOSH:
    return x < 1;
  default:
    return false;
  }
}
template <class R> GLA_DEVICE bool nd_leaves (int, cx<R>, cx<R>)
{
  return false;
}

template <class R> GLA_DEVICE R nd_function (int op, R x, R y, bool, bool)
{
  switch (op) {
  case GLA_ND_POW:
    return pow (x, y);
  case GLA_ND_MOD:
    return remainder_of (x, y, true);
  case GLA_ND_REM:
    return remainder_of (x, y, false);
  case GLA_ND_ATAN2:
    return atan2 (x, y);
  case GLA_ND_HYPOT:
    return hypot (x, y);
  case GLA_ND_EXP:
    return exp (x);
  case GLA_ND_EXPM1:
    return expm1 (x);
  case GLA_ND_LOG:
    return log (x);
  case GLA_ND_LOG2:
    return log2 (x);
  case GLA_ND_LOG10:
    return log10 (x);
  case GLA_ND_LOG1P:
    return log1p (x);
  case GLA_ND_SQRT:
    return sqrt (x);
  case GLA_ND_SIN:
    return sin (x);
  case GLA_ND_COS:
    return cos (x);
  case GLA_ND_TAN:
    return tan (x);
  case GLA_ND_SINH:
    return sinh (x);
  case GLA_ND_COSH:
    return cosh (x);
  case GLA_ND_TANH:
    return tanh (x);
  case GLA_ND_ASIN:
    return asin (x);
  case GLA_ND_ACOS:
    return acos (x);
  case GLA_ND_ATAN:
    return atan (x);
  case GLA_ND_ASINH:
    return asinh (x);
  case GLA_ND_ACOSH:
    return acosh (x);
  case GLA_ND_ATANH:
    return atanh (x);
  case GLA_ND_CBRT:
    return cbrt (x);
  case GLA_ND_ERF:
    return erf (x);
  default:
    return erfc (x);
  }
}

// Returns the logarithm of a negative element.
template <class R> GLA_DEVICE cx<R> negative_log (int op, R x)
{
  if (op == GLA_ND_LOG2)
    return {log2 (-x), (R)4.53236014182719380963};
  if (op == GLA_ND_LOG10)
    return {log10 (-x), (R)1.36437635384184134749};
  return {log (-x), (R)3.14159265358979323846};
}

// Returns x^y. As in Octave, a power of 0 with a real exponent is 0 or Inf.
template <class R>
GLA_DEVICE thrust::complex<R> power (thrust::complex<R> x, thrust::complex<R> y, bool y_real)
{
  if (y_real && y.real () == 0)
    return thrust::complex<R> (1);
  if (x.real () == 0 && x.imag () == 0 && y_real)
    return thrust::complex<R> (y.real () > 0 ? (R)0 : (R)INFINITY);
  return thrust::pow (x, y);
}

// Returns log (1 + a). Octave adds 1 + a if a is large, so that an imaginary part -0 becomes 0.
template <class R> GLA_DEVICE thrust::complex<R> log_of_sum (cx<R> a)
{
  const R u = 2 * a.x + a.x * a.x + a.y * a.y, w = 1 + a.x;
  const R im = fabs (a.x) < (R)0.5 ? a.y : rounded_sum (a.y, (R)0);
  return thrust::complex<R> (u > (R)-0.5 && u < 1 ? log1p (u) / 2 : log (hypot (w, a.y)),
                             atan2 (im, w));
}

// x_real, y_real: the elements have no imaginary part, and are in an array some of whose elements
// leave the domain; those that do not have the values of the real function. Octave takes the branch
// cut of asin and acos beyond 1 from the other side. It is a separate function because it is long,
// and called in several places.
template <class R>
__device__ __noinline__ cx<R> nd_function (int op, cx<R> a, cx<R> b, bool x_real, bool y_real)
{
  if (x_real && y_real && !nd_leaves (op, a.x, b.x))
    return {nd_function (op, a.x, b.x, true, true), 0};
  if (x_real && y_real && op >= GLA_ND_LOG && op <= GLA_ND_LOG10)
    return negative_log (op, a.x);
  typedef thrust::complex<R> complex;
  const complex x (a.x, a.y), y (b.x, b.y);
  const bool cut = a.y == 0 && a.x > 1;
  complex z;
  switch (op) {
  case GLA_ND_POW:
    z = power (x, y, y_real);
    break;
  case GLA_ND_EXP:
    z = thrust::exp (x);
    break;
  case GLA_ND_EXPM1: {
    const R s = sin (a.y / 2), e = expm1 (a.x);
    z = complex (e * cos (a.y) - 2 * s * s, exp (a.x) * sin (a.y));
    break;
  }
  case GLA_ND_LOG:
    z = thrust::log (x);
    break;
  case GLA_ND_LOG2:
    z = thrust::log (x) / (R)0.693147180559945309417;
    break;
  case GLA_ND_LOG10:
    z = thrust::log (x) / (R)2.30258509299404568402;
    break;
  case GLA_ND_LOG1P:
    z = log_of_sum (a);
    break;
  case GLA_ND_SQRT:
    z = thrust::sqrt (x);
    break;
  case GLA_ND_SIN:
    z = thrust::sin (x);
    break;
  case GLA_ND_COS:
    z = thrust::cos (x);
    break;
  case GLA_ND_TAN:
    z = thrust::tan (x);
    break;
  case GLA_ND_SINH:
    z = thrust::sinh (x);
    break;
  case GLA_ND_COSH:
    z = thrust::cosh (x);
    break;
  case GLA_ND_TANH:
    z = thrust::tanh (x);
    break;
  case GLA_ND_ASIN:
    z = cut ? thrust::conj (thrust::asin (x)) : thrust::asin (x);
    break;
  case GLA_ND_ACOS:
    z = cut ? thrust::conj (thrust::acos (x)) : thrust::acos (x);
    break;
  case GLA_ND_ATAN:
    z = thrust::atan (x);
    break;
  case GLA_ND_ASINH:
    z = thrust::asinh (x);
    break;
  case GLA_ND_ACOSH:
    z = thrust::acosh (x);
    break;
  default:
    z = thrust::atanh (x);
    break;
  }
  return {z.real (), z.imag ()};
}

#endif

// reflector.cuh: one Householder reflector (LAPACK's ?larfg)
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_REFLECTOR_CUH
#define GPULINALG_REFLECTOR_CUH

#include "scalar.cuh"

// 1/a and 1/sqrt(a) within about one unit in the last place, for a far from overflow and underflow:
// the hardware's 20 bits and one step of third order.
GLA_DEVICE double fast_reciprocal (double a)
{
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
  double e = fma (-a, y, 1.0);
  return fma (y * e, 1.0 + e, y);
}
GLA_DEVICE float fast_reciprocal (float a)
{
  return __frcp_rn (a);
}
GLA_DEVICE double fast_rsqrt (double a)
{
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
  double e = fma (-a * y, y, 1.0);
  return fma (y * e, fma (0.375, e, 0.5), y);
}
GLA_DEVICE float fast_rsqrt (float a)
{
  return __frsqrt_rn (a);
}

// The reflector of [alpha; x], from alpha and x'x.
template <class T> struct reflector {
  typedef real_t<T> R;
  T tau, inverse, factor, pivot; // v = x*inverse; factor = conj(tau)*inverse; pivot = 1/inverse
  R beta;
  GLA_DEVICE reflector (T alpha, R xx)
  {
    R total = xx + abs2 (alpha), r = fast_rsqrt (total);
    beta = -copy_sign (total * r, re (alpha));
    pivot = alpha - from_real<T> (beta);
    R down = -copy_sign (r, re (alpha)); // 1/beta
    if constexpr (is_complex_v<T>) {
      inverse = scale (fast_reciprocal (abs2 (pivot)), conj (pivot));
      tau = {(beta - alpha.x) * down, -alpha.y * down};
      factor = conj (tau) * inverse;
    } else {
      inverse = fast_reciprocal (pivot);
      tau = (beta - alpha) * down;
      factor = -down;
    }
    if (xx == 0 && im (alpha) == 0) {
      tau = inverse = factor = pivot = from_real<T> (0);
      beta = re (alpha);
    }
  }
};

#endif

// svd_rotation.cuh: the rotation of one-sided Jacobi that makes two columns orthogonal
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_ROTATION_CUH
#define GPULINALG_SVD_ROTATION_CUH

#include "common/reflector.cuh"
#include "common/wide.cuh"

// 2^k for |k| <= 1000
GLA_DEVICE double power_of_two (int k)
{
  return __hiloint2double ((1023 + k) << 20, 0);
}

// x_p <- c*x_p - conj(s)*x_q, x_q <- s*x_p + c*x_q. c^2 + |s|^2 is 1 within a rounding error, which
// is the same for all entries of both matrices that are rotated.
template <class T> struct svd_rotation {
  real_t<T> c;
  T s;          // of columns of X
  T s_p, s_q;   // of those of W, which are kept divided by powers of two: -conj(s) and s for them
  bool on;

  // From the squares p and q of the lengths of both columns and x_p'*x_q, where x_q has been divided
  // by 2^more times the power of x_p. In double precision for all types: squares of squares stay in
  // range. `on` where the cosine is above tol. Columns that have become very short in this sweep
  // wait for the next one.
  GLA_DEVICE svd_rotation (real_t<T> p, real_t<T> q, T dot, int more, double tol2)
  {
    typedef real_t<T> R;
    constexpr int FAR = 400; // beyond, the angle is 0 next to those entries
    more = more > FAR ? FAR : more < -FAR ? -FAR : more;
    const double up = power_of_two (more), down = power_of_two (-more);
    const double g = abs2 (widen (dot)), d = q * up - p * down;
    constexpr R shortest = sizeof (R) == 8 ? 1e-60 : 1e-24;
    on = g > tol2 * p * q && p > shortest && q > shortest;
    const double r = fma (d, d, 4 * g);
    const double u = copysign (2.0, d) * fast_reciprocal (fabs (d) + r * fast_rsqrt (r));
    const double cosine = fast_rsqrt (fma (u * u, g, 1.0)); // u*|dot| is the tangent
    const wide<T> sine = scale (cosine * u, widen (dot));
    c = (R)cosine;
    s = narrow<T> (sine);
    s_p = narrow<T> (scale (-up, conj (sine)));
    s_q = narrow<T> (scale (down, sine));
  }
};

#endif

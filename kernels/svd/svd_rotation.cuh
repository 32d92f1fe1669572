// svd_rotation.cuh: the rotation of one-sided Jacobi that makes two columns orthogonal
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_ROTATION_CUH
#define GPULINALG_SVD_ROTATION_CUH

#include "common/reflector.cuh"
#include "common/wide.cuh"

// Squares of lengths below this, of pages whose largest number is 1 to 2, are too small to be
// squared again, or have lost digits; such columns are not rotated.
template <class R> constexpr double svd_dead_square = sizeof (R) == 8 ? 1e-130 : 1e-31;

// x_p <- c*x_p - conj(s)*x_q, x_q <- s*x_p + c*x_q. c^2 + |s|^2 is 1 within a rounding error, which
// is the same for all entries of both matrices that are rotated.
template <class T> struct svd_rotation {
  real_t<T> c;
  T s;
  bool on;

  // From the squares of the lengths of both columns and x_p'*x_q. In double precision for all
  // types: squares of squares stay in range. `on` where the cosine is above tol.
  GLA_DEVICE svd_rotation (real_t<T> p, real_t<T> q, T dot, double tol2)
  {
    typedef real_t<T> R;
    const double a = p, b = q, g = abs2 (widen (dot)), d = b - a;
    on = g > tol2 * a * b && a >= svd_dead_square<R> && b >= svd_dead_square<R>;
    const double r = fma (d, d, 4 * g);
    const double u = copysign (2.0, d) * fast_reciprocal (fabs (d) + r * fast_rsqrt (r));
    const double cosine = fast_rsqrt (fma (u * u, g, 1.0)); // u*|dot| is the tangent
    c = (R)cosine;
    s = narrow<T> (scale (cosine * u, widen (dot)));
  }
};

#endif

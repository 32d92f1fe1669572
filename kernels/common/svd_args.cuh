// svd_args.cuh: one-sided Jacobi: the arguments of its kernels, and the rotation of two columns
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Used by the kernels of svd, and by eig (jacobi.cuh) and gsvd through svd_lanes.cuh.

#ifndef GPULINALG_SVD_ARGS_CUH
#define GPULINALG_SVD_ARGS_CUH

#include "pages.cuh"
#include "reflector.cuh"
#include "scalar.cuh"

// The pages have rows >= columns. With `flip` A holds their adjoints, U and V are those of the
// other side, and the phase is that of U.
//
// info[p]: 0; columns+1 where A holds NaN or Inf; else the number of columns that were rotated in
// the last of maxit sweeps. If it is not 0, the results are NaN.
template <class T> struct svd_args {
  page_matrix<const T> A;
  page_matrix<T> U, V; // both have NULL data: values alone; one of the two may be NULL
  real_t<T> *S;
  int64_t row_s, page_s; // distances of values, and of pages
  int rows, columns;
  int flip;
  int values, u_columns, v_columns; // numbers of them that are written
  int64_t pages;
  double tol;
  int maxit;
  int32_t *info;
  int *any;            // on the host: becomes 1 where a page has info
  const int32_t *only; // of svd_lanes: if not NULL, pages with 0 are skipped
};

// The largest number of rows of a page in registers.
enum { SVD_LANES_MAX = 64, SVD_LANES_WARP = 32 }; // up to SVD_LANES_WARP rows by a warp or two

//------------------------------------------------------------------------------
// the rotation of one-sided Jacobi that makes two columns orthogonal
//------------------------------------------------------------------------------

// 2^k for |k| <= 1000
GLA_DEVICE double power_of_two (int k)
{
  return __hiloint2double ((1023 + k) << 20, 0);
}

// x_p <- c*(x_p - conj(t)*x_q), x_q <- c*(x_q + t*x_p), with the cosine c and a tangent t of
// modulus at most 1. c and t are the same for all entries of both matrices that are rotated, so an
// error of c stretches both columns by the same factor.
template <class T> struct svd_rotation {
  bool on;
  real_t<T> c;
  wide<T> t;
  double up, down; // 2^more and its reciprocal
  double change;   // the increase of the square of x_q's length, times 2^more

  // Made from the squares p and q of the lengths of both columns and x_p'*x_q, where x_q has been
  // divided by 2^more times the power of x_p. In double precision for all types, so that squares of
  // squares stay in range. `on` is true where the cosine is above tol. Columns that have become
  // very short in this sweep are left for the next one.
  GLA_DEVICE svd_rotation (real_t<T> p, real_t<T> q, wide<T> dot, int more, double tol2)
  {
    typedef real_t<T> R;
    constexpr int FAR = 400; // beyond this the angle is negligible
    constexpr R shortest = sizeof (R) == 8 ? 1e-60 : 1e-24;
    more = more > FAR ? FAR : more < -FAR ? -FAR : more;
    up = power_of_two (more);
    down = power_of_two (-more);
    const double g = abs2 (dot), d = q * up - p * down;
    on = g > tol2 * p * q && p > shortest && q > shortest;
    const double r = fma (d, d, 4 * g);
    const double u = copysign (2.0, d) * fast_reciprocal (fabs (d) + r * fast_rsqrt (r));
    change = u * g;
    c = (R)fast_rsqrt (fma (u, change, 1.0)); // u*|dot| is the modulus of t
    t = scale (u, dot);
  }
};

#endif

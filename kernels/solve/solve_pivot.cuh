// solve_pivot.cuh: what the kernels of this folder know about one number: its size, its reciprocal
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SOLVE_PIVOT_CUH
#define GPULINALG_SOLVE_PIVOT_CUH

#include "common/reflector.cuh"

// The sign-free upper bits of a number: integers of the same order as the magnitudes. NaN and Inf
// are at least `not_finite`. A page is scaled by a power of two where its largest entry is below
// `small` or above `large`; the reciprocal of a pivot is taken from `least` to `most`, so that
// neither it nor, of complex numbers, the square of the pivot leaves the range.
template <class R> struct lu_size;
template <> struct lu_size<double> {
  static constexpr int not_finite = 0x7ff00000, bias = 1023, fraction = 20;
  static constexpr int small = (bias - 400) << fraction, large = (bias + 400) << fraction;
  static constexpr int least = (bias - 1000) << fraction, most = (bias + 1000) << fraction;
  static constexpr int least_square = (bias - 500) << fraction;
  static constexpr int most_square = (bias + 500) << fraction, most_power = 1000;
};
template <> struct lu_size<float> {
  static constexpr int not_finite = 0x7f800000, bias = 127, fraction = 23;
  static constexpr int small = (bias - 40) << fraction, large = (bias + 40) << fraction;
  static constexpr int least = (bias - 120) << fraction, most = (bias + 120) << fraction;
  static constexpr int least_square = (bias - 60) << fraction;
  static constexpr int most_square = (bias + 60) << fraction, most_power = 120;
};

GLA_DEVICE int size_bits (float a)
{
  return __float_as_int (a) & INT_MAX;
}
GLA_DEVICE int size_bits (double a)
{
  return __double2hiint (a) & INT_MAX;
}
template <class R> GLA_DEVICE int size_bits (cx<R> a)
{
  return max (size_bits (a.x), size_bits (a.y));
}

// The measure of pivots, LAPACK's |re| + |im|, as bits.
GLA_DEVICE int pivot_bits (float a)
{
  return size_bits (a);
}
GLA_DEVICE int pivot_bits (double a)
{
  return size_bits (a);
}
template <class R> GLA_DEVICE int pivot_bits (cx<R> a)
{
  return size_bits (absmax (a.x) + absmax (a.y));
}

template <class T> GLA_DEVICE bool is_zero (T a)
{
  return re (a) == 0 && im (a) == 0;
}
template <class T> GLA_DEVICE bool is_same (T a, T b)
{
  return re (a) == re (b) && im (a) == im (b);
}

// 1/d, and whether d is a size for that; else 0.
template <class T> GLA_DEVICE T pivot_reciprocal (T d, bool &good)
{
  typedef lu_size<real_t<T>> S;
  const int bits = size_bits (d);
  T r;
  if constexpr (is_complex_v<T>) {
    good = bits >= S::least_square && bits <= S::most_square;
    r = scale (fast_reciprocal (abs2 (d)), conj (d));
  } else {
    good = bits >= S::least && bits <= S::most;
    r = fast_reciprocal (d);
  }
  return good ? r : from_real<T> (0);
}

// |a| without overflow of squares.
GLA_DEVICE float magnitude_of (float a)
{
  return fabsf (a);
}
GLA_DEVICE double magnitude_of (double a)
{
  return fabs (a);
}
template <class R> GLA_DEVICE R magnitude_of (cx<R> a)
{
  const R x = absmax (a.x), y = absmax (a.y), most = x > y ? x : y, least = x > y ? y : x;
  const R q = least / most;
  return most > 0 ? most * sqrt_of (madd (q, q, R (1))) : most;
}

// c - a*b
template <class T> GLA_DEVICE T subtract_product (T c, T a, T b)
{
  return madd (-a, b, c);
}

// What X is filled with where there is no solution: Inf or NaN.
template <class T> GLA_DEVICE T lu_filling (bool infinite)
{
  const real_t<T> zero = 0;
  T a = from_real<T> (infinite ? 1 / zero : zero / zero);
  if constexpr (is_complex_v<T>)
    a.y = infinite ? zero : a.x;
  return a;
}

// (a + conj (b))/2 without overflow of the sum.
template <class T> GLA_DEVICE T lu_mean (T a, T b)
{
  const real_t<T> half = (real_t<T>)0.5;
  return scale (half, a) + scale (half, conj (b));
}

// From the 1-norms of a matrix and of its inverse; 0 where the page failed.
template <class R> GLA_DEVICE R lu_rcond (R norm, R inverse, bool finite, bool failed)
{
  const R zero = 0, rcond = 1 / inverse / norm;
  return !finite ? zero / zero : !failed && rcond >= 0 ? rcond : zero;
}

#endif

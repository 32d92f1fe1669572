// solve_pivot.cuh: size and reciprocal of a pivot, and which pivots may be mere rounding error
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SOLVE_PIVOT_CUH
#define GPULINALG_SOLVE_PIVOT_CUH

#include "common/reduce.cuh"
#include "common/reflector.cuh"

//------------------------------------------------------------------------------
// what the kernels of this folder know about one number: its size, its reciprocal
//------------------------------------------------------------------------------

// The upper bits of a number without its sign: integers in the order of the magnitudes. NaN and Inf
// are at least `not_finite`. A page is scaled by a power of two if its largest entry is below
// `small` or above `large`; reciprocals are taken of pivots from `least` to `most`, so that neither
// they nor, of complex numbers, the squares of pivots over- or underflow.
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

// Returns the measure of pivots, LAPACK's |re| + |im|, as bits.
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

// Returns 1/d, and whether d has a size for that; else 0.
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

// Returns |a| without overflow of squares.
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

// Returns c - a*b.
template <class T> GLA_DEVICE T subtract_product (T c, T a, T b)
{
  return madd (-a, b, c);
}

// Returns what fills X if there is no solution: Inf or NaN.
template <class T> GLA_DEVICE T lu_filling (bool infinite)
{
  const real_t<T> zero = 0;
  T a = from_real<T> (infinite ? 1 / zero : zero / zero);
  if constexpr (is_complex_v<T>)
    a.y = infinite ? zero : a.x;
  return a;
}

// Returns (a + conj (b))/2 without overflow of the sum.
template <class T> GLA_DEVICE T lu_mean (T a, T b)
{
  const real_t<T> half = (real_t<T>)0.5;
  return scale (half, a) + scale (half, conj (b));
}

// Takes the 1-norms of a matrix and of its inverse; returns 0 if the page failed.
template <class R> GLA_DEVICE R lu_rcond (R norm, R inverse, bool finite, bool failed)
{
  const R zero = 0, rcond = 1 / inverse / norm;
  return !finite ? zero / zero : !failed && rcond >= 0 ? rcond : zero;
}

//------------------------------------------------------------------------------
// which pivots of a page are nothing but rounding error
//------------------------------------------------------------------------------

// A page with such a pivot gets an info, and the CPU decides by its rank. A pivot is compared with
// the terms whose difference it is, and not with other pivots, so that rows and columns may have
// any scale. Terms of D in A = L*D*L' sum to the diagonal of A.

// Terms are summed only if a pivot is less than so many units of rounding of the largest one, times
// n.
enum { LU_LOOK = 64 };

// A pivot is rounding error if it is at most this part of its terms, as for rounding_of_pivots of
// src/cpu/solve/solve_lapack.h.
template <class R> GLA_DEVICE real_t<R> lu_errors (int n)
{
  typedef real_t<R> real;
  return 16 * limits<real>::eps *
         (sizeof (real) == sizeof (double) ? real (n) : sqrt_of (real (n)));
}

GLA_DEVICE float sum_of_parts (float a)
{
  return fabsf (a);
}
GLA_DEVICE double sum_of_parts (double a)
{
  return fabs (a);
}
template <class R> GLA_DEVICE R sum_of_parts (cx<R> a)
{
  return absmax (a.x) + absmax (a.y);
}

// Returns by how much the bits of the pivots, or of their reciprocals, may differ if none is
// checked. R: the type of the page, V: that of the arithmetic.
template <class R, class V> GLA_DEVICE int lu_plain_range (int n)
{
  const V ratio = 1 / ((V)(LU_LOOK * n) * (V)limits<real_t<R>>::eps);
  return size_bits (ratio) - size_bits (V (1));
}

// Checks pivot j of the factors, whose entry (i, k) is factor (i, k), with the reciprocals of
// pivots.
template <class R, class F> GLA_DEVICE bool lu_is_rounded (int n, int j, F factor)
{
  const auto pivot = 1 / sum_of_parts (factor (j, j));
  auto terms = pivot;
  for (int i = 0; i < j; i++)
    terms += sum_of_parts (factor (j, i)) * sum_of_parts (factor (i, j));
  return pivot <= lu_errors<R> (n) * terms;
}

// Checks a pivot of D by its reciprocal, and the entry of the diagonal of A.
template <class R, class V> GLA_DEVICE bool lu_is_rounded_definite (int n, V reciprocal, V diagonal)
{
  return !(reciprocal * diagonal * (V)lu_errors<R> (n) < 1);
}

// Returns the first such pivot of a page that a block of threads has, from 1, or 0; the same in all
// threads, which all call it. largest: of a number of each thread.
template <class R, class F, class MOST>
GLA_DEVICE int lu_first_rounded (int n, F factor, MOST largest)
{
  int most = 0, least = INT_MAX;
  for (int k = threadIdx.x % 32; k < n; k += 32) {
    const int bits = size_bits (factor (k, k));
    most = max (most, bits);
    least = min (least, bits);
  }
  if (warp_max (most) + warp_max (-least) < lu_plain_range<R, double> (n))
    return 0;
  int first = INT_MAX;
  for (int j = threadIdx.x; j < n && first == INT_MAX; j += blockDim.x)
    if (lu_is_rounded<R> (n, j, factor))
      first = j + 1;
  const double found = -largest (-(double)first);
  return found <= n ? (int)found : 0;
}

#endif

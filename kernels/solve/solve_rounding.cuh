// solve_rounding.cuh: which pivots of a page are nothing but rounding error
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Such a page gets an info, and the CPU decides by its rank. A pivot is compared with the terms
// whose difference it is, and not with other pivots, so that rows and columns may have any scale.
// Those of D in A = L*D*L' add up to the diagonal of A.

#ifndef GPULINALG_SOLVE_ROUNDING_CUH
#define GPULINALG_SOLVE_ROUNDING_CUH

#include "common/reduce.cuh"
#include "solve_pivot.cuh"

// Terms are only added up where a pivot is less than so many units of rounding of the largest one,
// times n.
enum { LU_LOOK = 64 };

// A pivot is rounding error where it is at most this part of its terms, as for rounding_of_pivots
// of src/cpu/solve/solve_lapack.h.
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

// By how much the bits of the pivots, or of their reciprocals, may differ where none is looked at.
// R: the type of the page, V: that of the arithmetic.
template <class R, class V> GLA_DEVICE int lu_plain_range (int n)
{
  const V ratio = 1 / ((V)(LU_LOOK * n) * (V)limits<real_t<R>>::eps);
  return size_bits (ratio) - size_bits (V (1));
}

// Pivot j of the factors, whose entry (i, k) is factor (i, k), with the reciprocals of pivots.
template <class R, class F> GLA_DEVICE bool lu_is_rounded (int n, int j, F factor)
{
  const auto pivot = 1 / sum_of_parts (factor (j, j));
  auto terms = pivot;
  for (int i = 0; i < j; i++)
    terms += sum_of_parts (factor (j, i)) * sum_of_parts (factor (i, j));
  return pivot <= lu_errors<R> (n) * terms;
}

// A pivot of D by its reciprocal, and the entry of the diagonal of A.
template <class R, class V> GLA_DEVICE bool lu_is_rounded_definite (int n, V reciprocal, V diagonal)
{
  return !(reciprocal * diagonal * (V)lu_errors<R> (n) < 1);
}

// The first such pivot of a page that a block of threads has, from 1, or 0; the same in all
// threads. All call. largest: of a number of each thread.
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

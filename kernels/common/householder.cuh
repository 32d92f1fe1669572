// householder.cuh: a reflector from the norm of a column, and sums over lanes for its products
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_HOUSEHOLDER_CUH
#define GPULINALG_HOUSEHOLDER_CUH

#include "scalar.cuh"

// The reflector of a column [alpha; x]: H = I - tau v v', v = [1; factor x], H' [alpha; x] = beta.
template <class T> struct householder {
  real_t<T> beta;
  T tau, factor;
};

// From alpha and |x|^2, both of the column times `up`; factor is for the column as it is. Squares
// of tiny entries lose digits, so a caller that finds small_column () scales up and calls again;
// the page has norm 1 or more, so a column that is still tiny then counts as zero.
template <class T>
GLA_DEVICE householder<T> make_householder (T alpha, real_t<T> square, real_t<T> up)
{
  typedef real_t<T> R;
  householder<T> h;
  if (square + abs2 (alpha) < limits<R>::small_square) {
    square = 0;
    alpha = from_real<T> (0);
  }
  h.beta = re (alpha);
  h.tau = h.factor = from_real<T> (0);
  if (square > 0 || im (alpha) != 0) {
    R norm2 = square + abs2 (alpha), inverse = copy_sign (rsqrt_of (norm2), re (alpha));
    h.beta = -norm2 * inverse;
    T difference = alpha - from_real<T> (h.beta);
    h.tau = scale (inverse, difference);
    // up / (alpha - beta); up last, lest it overflows
    h.factor = scale (up, scale (1 / abs2 (difference), conj (difference)));
  }
  if (up != 1)
    h.beta *= limits<R>::down;
  return h;
}

template <class T> GLA_DEVICE bool small_column (T alpha, real_t<T> square)
{
  return square + abs2 (alpha) < limits<real_t<T>>::small_square;
}

// Sums of N values over groups of N lanes, N a power of two: lane l gets its group's sum of a[l %
// N]. Overwrites a.
template <int N, class T> GLA_DEVICE T group_sums (T (&a)[N])
{
#pragma unroll
  for (int mask = 1; mask < N; mask *= 2) {
    bool upper = threadIdx.x & mask;
#pragma unroll
    for (int q = 0; q < N; q += 2 * mask) {
      T keep = upper ? a[q + mask] : a[q], give = upper ? a[q] : a[q + mask];
      a[q] = keep + shuffle_xor (give, mask);
    }
  }
  return a[0];
}

#endif

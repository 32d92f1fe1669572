// svd_reflection.cuh: the reflectors that make a page bidiagonal, and sums over the lanes of a warp
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_REFLECTION_CUH
#define GPULINALG_SVD_REFLECTION_CUH

#include "common/quick_reciprocal.cuh"
#include "common/scalar.cuh"

// H = I - tau*v*v', v = [1; factor*x], H'*[alpha; x] = beta, which may be complex where x is 0.
template <class T> struct reflection {
  real_t<T> beta; // its modulus
  T tau, factor;
};
// From the square of the length of [alpha; x].
template <class T> GLA_DEVICE reflection<T> reflect_whole (T alpha, real_t<T> norm2)
{
  typedef real_t<T> real;
  const real inverse = copy_sign (rsqrt_of (norm2), re (alpha));
  const T difference = alpha + from_real<T> (norm2 * inverse);
  const T factor = is_complex_v<T> ? scale (quick_reciprocal (abs2 (difference)), conj (difference))
                                   : from_real<T> (quick_reciprocal (re (difference)));
  return {fabs (norm2 * inverse), scale (inverse, difference), factor};
}
// square: |x|^2. The page has an entry of 1 or more, so that an x whose square loses digits is 0.
template <class T> GLA_DEVICE reflection<T> reflect (T alpha, real_t<T> square)
{
  if (square < limits<real_t<T>>::small_square)
    return {sqrt_of (abs2 (alpha)), from_real<T> (0), from_real<T> (0)};
  return reflect_whole (alpha, square + abs2 (alpha));
}

// Sums over the lanes of C values, C a power of two; lane l gets that of a[l % C].
template <int C, class T> GLA_DEVICE T sums_of (T (&a)[C])
{
#pragma unroll
  for (int mask = 1; mask < C; mask *= 2) {
    const bool upper = threadIdx.x & mask;
#pragma unroll
    for (int q = 0; q < C; q += 2 * mask) {
      const T keep = upper ? a[q + mask] : a[q], give = upper ? a[q] : a[q + mask];
      a[q] = keep + shuffle_xor (give, mask);
    }
  }
  T sum = a[0];
#pragma unroll
  for (int mask = C; mask < 32; mask *= 2)
    sum = sum + shuffle_xor (sum, mask);
  return sum;
}

#endif

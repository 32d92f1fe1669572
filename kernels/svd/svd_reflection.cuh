// svd_reflection.cuh: the entries of a page, and the reflectors that make it bidiagonal
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_REFLECTION_CUH
#define GPULINALG_SVD_REFLECTION_CUH

#include "common/quick_reciprocal.cuh"
#include "common/scalar.cuh"
#include "common/svd_args.cuh"

//------------------------------------------------------------------------------
// the entries of a page that a block has, and the power of two that scales it
//------------------------------------------------------------------------------

// Element (i, j) of the page from A: with `flip` it is the transposed one, whose values are the
// same. f (i, j, a) by all threads.
template <class T, class F> GLA_DEVICE void for_page (const svd_args<T> &a, F f)
{
  const T *A = a.A.data + (int64_t)blockIdx.x * a.A.page;
  const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const int across = a.flip ? a.rows : a.columns, down = a.flip ? a.columns : a.rows;
  for (int c = threadIdx.x / 32; c < across; c += warps)
    for (int r = lane; r < down; r += 32)
      f (a.flip ? c : r, a.flip ? r : c, A[r + (int64_t)c * a.A.ld]);
}

// The exponent of the largest entry, or INT_MAX where one is not finite.
template <class T> GLA_DEVICE int exponent_of_page (const svd_args<T> &a)
{
  __shared__ double work[32];
  double most = 0;
  for_page (a, [&] (int, int, T x) {
    const double here = (double)absmax (x);
    most = here > most || here != here ? here : most;
  });
  for (int mask = 16; mask > 0; mask /= 2) {
    const double other = shuffle_xor (most, mask);
    most = other > most || other != other ? other : most;
  }
  if (threadIdx.x % 32 == 0)
    work[threadIdx.x / 32] = most;
  __syncthreads ();
  for (int w = 0; w < (int)blockDim.x / 32; w++)
    most = work[w] > most || work[w] != work[w] ? work[w] : most;
  return !(most <= DBL_MAX) ? INT_MAX : most > 0 ? ilogb (most) : 0;
}

//------------------------------------------------------------------------------
// the reflectors that make a page bidiagonal, and sums over the lanes of a warp
//------------------------------------------------------------------------------

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

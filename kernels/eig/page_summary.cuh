// page_summary.cuh: largest entry, norm, asymmetry and NaN of a page, before it is solved
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PAGE_SUMMARY_CUH
#define GPULINALG_PAGE_SUMMARY_CUH

#include "eig_kernels.cuh"
#include "backend.h"

// Sums and maxima that one thread gathers; joined over the block in a fixed order.
template <class R> struct summary {
  R largest;   // largest |re| or |im|
  double skew; // half the largest |A - A'|
  R square;    // sum of squares of the scaled entries
  int bad;     // a NaN or an Inf was seen
};

template <class R> GLA_DEVICE void join (summary<R> &a, R largest, double skew, R square, int bad)
{
  a.largest = a.largest > largest ? a.largest : largest;
  a.skew = a.skew > skew ? a.skew : skew;
  a.square += square;
  a.bad |= bad;
}

template <class R> GLA_DEVICE summary<R> block_join (summary<R> a, summary<R> *shared)
{
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2)
    join (a, shuffle_xor (a.largest, mask), shuffle_xor (a.skew, mask),
          shuffle_xor (a.square, mask), shuffle_xor (a.bad, mask));
  __syncthreads ();
  if (threadIdx.x % 32 == 0)
    shared[threadIdx.x / 32] = a;
  __syncthreads ();
  a = shared[0];
  for (unsigned w = 1; w < blockDim.x / 32; w++)
    join (a, shared[w].largest, shared[w].skew, shared[w].square, shared[w].bad);
  return a;
}

// Looks at one entry (lower) or one pair of mirror images.
template <class T> GLA_DEVICE void look (summary<real_t<T>> &s, T lower, bool diagonal)
{
  real_t<T> here = diagonal ? absmax (re (lower)) : absmax (lower);
  join (s, here, 0, real_t<T> (0), !(here <= limits<real_t<T>>::big));
}

template <class T> GLA_DEVICE void look_at_pair (summary<real_t<T>> &s, T lower, T upper)
{
  typedef real_t<T> R;
  R here = absmax (lower), there = absmax (upper);
  int bad = !(here <= limits<R>::big) || !(there <= limits<R>::big);
  T half = scale (R (0.5), lower) - scale (R (0.5), conj (upper));
  join (s, here > there ? here : there, hypot ((double)re (half), (double)im (half)), R (0), bad);
}

// The power of two that the page is multiplied by, as its exponent: what is largest comes to 1..2.
template <class R> GLA_DEVICE int scaling_of (const summary<R> &s)
{
  return s.bad || s.largest == 0 ? 0 : -ilogb (s.largest);
}

// What the page's info starts with.
template <class R> GLA_DEVICE int32_t info_of (const summary<R> &s, int n)
{
  bool skewed = 2 * s.skew > 10.0 * n * limits<R>::eps * s.largest;
  return s.bad ? n + 1 : skewed ? GLA_INFO_NOT_HERMITIAN : 0;
}

#endif

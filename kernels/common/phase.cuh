// phase.cuh: gives eigenvectors the phase of common/phase.h
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Used by eig, svd and pairs, for columns that lanes hold in registers and for columns in memory. A
// column of NaN stays one.

#ifndef GPULINALG_PHASE_CUH
#define GPULINALG_PHASE_CUH

#include <climits>

#include "common/phase.h"
#include "scalar.cuh"

// phase_size is the size by which components are compared: |x|, or |x|^2 of complex ones. A
// component that has this share of the largest size counts as equal to it.
GLA_DEVICE float phase_size (float x)
{
  return fabsf (x);
}
GLA_DEVICE double phase_size (double x)
{
  return fabs (x);
}
template <class R> GLA_DEVICE R phase_size (cx<R> x)
{
  return abs2 (x);
}
template <class T>
constexpr double phase_near = is_complex_v<T> ? GLA_PHASE_NEAR *GLA_PHASE_NEAR : GLA_PHASE_NEAR;

// The factor that makes x real and positive; 1 for 0 and NaN.
GLA_DEVICE float phase_factor (float x)
{
  return x < 0 ? -1.0f : 1.0f;
}
GLA_DEVICE double phase_factor (double x)
{
  return x < 0 ? -1.0 : 1.0;
}
template <class R> GLA_DEVICE cx<R> phase_factor (cx<R> x)
{
  R size = abs2 (x);
  return size > 0 ? scale (1 / sqrt_of (size), conj (x)) : cx<R>{1, 0};
}

// factor*x; its imaginary part is 0 exactly where x is the component that becomes real.
template <class T> GLA_DEVICE T phase_turned (T factor, T x, bool made_real)
{
  T y = factor * x;
  return made_real ? from_real<T> (re (y)) : y;
}

// The upper bits of a size as an integer, which is faster to compare than a double. The bits left
// out are less than a millionth of the size.
GLA_DEVICE int phase_key (float size)
{
  return __float_as_int (size);
}
GLA_DEVICE int phase_key (double size)
{
  return __double2hiint (size);
}

// The key of phase_near times the size with this key.
template <class T> GLA_DEVICE int phase_least (int key)
{
  if constexpr (sizeof (real_t<T>) == 8)
    return phase_key (phase_near<T> * __hiloint2double (key, 0));
  else
    return phase_key ((float)phase_near<T> * __int_as_float (key));
}

// Gives its phase to a column in registers. This lane has rows row_of (0) < row_of (1) < ..., and
// the others are in lanes whose numbers differ in the bits LOW, 2*LOW, ... below HIGH; with LOW =
// HIGH the lane has all. Rows behind the end are 0. All lanes of a warp call.
template <int LOW, int HIGH, class T, int ROWS, class ROW>
GLA_DEVICE void column_phase (T (&x)[ROWS], ROW row_of)
{
  int most = 0;
#pragma unroll
  for (int r = 0; r < ROWS; r++)
    most = max (most, phase_key (phase_size (x[r])));
#pragma unroll
  for (int mask = LOW; mask < HIGH; mask *= 2)
    most = max (most, shuffle_xor (most, mask));
  int least = phase_least<T> (most), first = INT_MAX;
  T component = from_real<T> (0);
#pragma unroll
  for (int r = ROWS - 1; r >= 0; r--) {
    bool large = phase_key (phase_size (x[r])) >= least;
    first = large ? row_of (r) : first;
    component = large ? x[r] : component;
  }
  if constexpr (LOW < HIGH) {
    int own = first;
#pragma unroll
    for (int mask = LOW; mask < HIGH; mask *= 2)
      first = min (first, shuffle_xor (first, mask));
    component = own == first ? component : from_real<T> (0);
#pragma unroll
    for (int mask = LOW; mask < HIGH; mask *= 2)
      component = component + shuffle_xor (component, mask);
  }
  T factor = phase_factor (component);
#pragma unroll
  for (int r = 0; r < ROWS; r++)
    x[r] = phase_turned (factor, x[r], row_of (r) == first);
}

// One warp gives its phase to a column of n elements, from `from` to `to`, which may be the same.
template <class T> GLA_DEVICE void warp_phase (const T *from, T *to, int n)
{
  typedef real_t<T> R;
  int lane = threadIdx.x % 32, first = n - 1;
  R most = 0;
  for (int i = lane; i < n; i += 32) {
    R size = phase_size (from[i]);
    most = size > most ? size : most;
  }
#pragma unroll
  for (int mask = 1; mask < 32; mask *= 2) {
    R other = shuffle_xor (most, mask);
    most = other > most ? other : most;
  }
  R least = (R)phase_near<T> * most;
  for (int i = lane; i < n; i += 32)
    first = phase_size (from[i]) >= least ? min (first, i) : first;
#pragma unroll
  for (int mask = 1; mask < 32; mask *= 2)
    first = min (first, shuffle_xor (first, mask));
  T factor = phase_factor (from[first]);
  __syncwarp ();
  for (int i = lane; i < n; i += 32)
    to[i] = phase_turned (factor, from[i], i == first);
}

#endif

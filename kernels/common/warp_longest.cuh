// warp_longest.cuh: the largest positive number of the lanes of a warp
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_WARP_LONGEST_CUH
#define GPULINALG_WARP_LONGEST_CUH

#include "warp_reduce.cuh"

// `at` of the lane with the largest number that is not negative, of equal ones of the first; that
// of lane 0 where all are negative or NaN. All 32 lanes call, and all get the same.
GLA_DEVICE int warp_longest (double mine, int at)
{
  // the bits of such numbers are ordered as these are
  const bool counts = mine >= 0;
  const int high = warp_max (counts ? __double2hiint (mine) : -1);
  const bool near = counts && __double2hiint (mine) == high;
  const int bits = __double2loint (mine) ^ INT_MIN, low = warp_max (near ? bits : INT_MIN);
  const unsigned equal = __ballot_sync (0xffffffffu, near && bits == low);
  return __shfl_sync (0xffffffffu, at, equal == 0 ? 0 : __ffs ((int)equal) - 1);
}

// Of P numbers in shared memory, P being 8, 16, 32 or 64: the place of the largest.
template <int P, class R> GLA_DEVICE int longest_of (const R *number)
{
  const int lane = threadIdx.x % 32;
  double mine = lane < P ? (double)number[lane] : -1.0;
  int at = lane;
  if (P > 32 && (double)number[P / 2 + lane] > mine) {
    mine = (double)number[P / 2 + lane];
    at = P / 2 + lane;
  }
  return warp_longest (mine, at);
}

#endif

// reduce.cuh: sums, largest numbers and norms over the lanes of a warp or the threads of a block
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All lanes of the warp, or all threads of the block, call each function.

#ifndef GPULINALG_REDUCE_CUH
#define GPULINALG_REDUCE_CUH

#include "scalar.cuh"

//------------------------------------------------------------------------------
// sum and largest of integers over the lanes of a warp
//------------------------------------------------------------------------------

// All 32 lanes call, and all get the result. From compute capability 8.0 on this is one
// instruction, before that five exchanges.

GLA_DEVICE unsigned warp_sum (unsigned x)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync (0xffffffffu, x);
#else
  for (int mask = 16; mask > 0; mask /= 2)
    x += __shfl_xor_sync (0xffffffffu, x, mask);
  return x;
#endif
}

GLA_DEVICE int warp_max (int x)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync (0xffffffffu, x);
#else
  for (int mask = 16; mask > 0; mask /= 2)
    x = max (x, __shfl_xor_sync (0xffffffffu, x, mask));
  return x;
#endif
}

//------------------------------------------------------------------------------
// the largest positive number of the lanes of a warp
//------------------------------------------------------------------------------

// Returns `at` of the lane with the largest number that is not negative, the first of equal ones;
// that of lane 0 where all are negative or NaN. All 32 lanes call, and all get the same.
GLA_DEVICE int warp_longest (double mine, int at)
{
  // the bits of numbers that are not negative are ordered as the numbers are
  const bool counts = mine >= 0;
  const int high = warp_max (counts ? __double2hiint (mine) : -1);
  const bool near = counts && __double2hiint (mine) == high;
  const int bits = __double2loint (mine) ^ INT_MIN, low = warp_max (near ? bits : INT_MIN);
  const unsigned equal = __ballot_sync (0xffffffffu, near && bits == low);
  return __shfl_sync (0xffffffffu, at, equal == 0 ? 0 : __ffs ((int)equal) - 1);
}

// The place of the largest of P numbers in shared memory; P is 8, 16, 32 or 64.
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

//------------------------------------------------------------------------------
// norms of columns by a block of threads, safe from over- and underflow
//------------------------------------------------------------------------------

// The sum, or the largest, over the threads of a block; every thread gets the same bits.
template <int THREADS, bool LARGEST> GLA_DEVICE double over_block (double a, double *work)
{
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) {
    double other = shuffle_xor (a, mask);
    a = LARGEST ? (other > a || other != other ? other : a) : a + other;
  }
  __syncthreads ();
  if (threadIdx.x % 32 == 0)
    work[threadIdx.x / 32] = a;
  __syncthreads ();
  a = work[0];
  for (int w = 1; w < THREADS / 32; w++)
    a = LARGEST ? (work[w] > a || work[w] != work[w] ? work[w] : a) : a + work[w];
  return a;
}

// The largest entry of a column of `count` entries, and the square of the norm of the column times
// 2^-exponent; the exponent is at least -1000.
template <int THREADS> struct block_norm {
  double largest, square;
  int exponent;
  template <class T> GLA_DEVICE block_norm (const T *a, int64_t count, double *work)
  {
    double most = 0, sum = 0;
    for (int64_t i = threadIdx.x; i < count; i += THREADS) {
      double x = (double)absmax (a[i]);
      most = x > most || x != x ? x : most;
    }
    largest = over_block<THREADS, true> (most, work);
    exponent = largest > 0 && largest <= DBL_MAX ? max (ilogb (largest), -1000) : 0;
    double down = times_power (1.0, -exponent);
    for (int64_t i = threadIdx.x; i < count; i += THREADS) {
      double x = (double)re (a[i]) * down, y = (double)im (a[i]) * down;
      sum = fma (x, x, fma (y, y, sum));
    }
    square = over_block<THREADS, false> (sum, work);
  }
  GLA_DEVICE double norm () const { return times_power (sqrt (square), exponent); }
};

#endif

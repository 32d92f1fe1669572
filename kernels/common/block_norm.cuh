// block_norm.cuh: norms of columns by a block of threads, safe from over- and underflow
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_BLOCK_NORM_CUH
#define GPULINALG_BLOCK_NORM_CUH

#include "scalar.cuh"

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

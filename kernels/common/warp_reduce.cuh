// warp_reduce.cuh: sum and largest of integers over the lanes of a warp
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All 32 lanes call, and all get the result. From compute capability 8.0 on that is one
// instruction; before, five exchanges.

#ifndef GPULINALG_WARP_REDUCE_CUH
#define GPULINALG_WARP_REDUCE_CUH

#include "scalar.cuh"

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

#endif

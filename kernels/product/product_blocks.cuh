// product_blocks.cuh: how many blocks of a kernel are launched
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PRODUCT_BLOCKS_CUH
#define GPULINALG_PRODUCT_BLOCKS_CUH

#include <cuda_runtime.h>
#include <cstdint>

#include "common/runtime.cuh"

// Blocks of a kernel that the device holds at a time, and leave to use so much shared memory.
template <class K>
cudaError_t blocks_at_once (K kernel, int threads, size_t bytes, int multiprocessors,
                            int64_t &blocks)
{
  int on_each = 0;
  cudaError_t error = allow_shared (kernel, bytes);
  if (error == cudaSuccess)
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor (&on_each, kernel, threads, bytes);
  blocks = (int64_t)multiprocessors * (on_each > 0 ? on_each : 1);
  return error;
}

#endif

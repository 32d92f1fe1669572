// arrays_find.cuh: the positions of nonzero bytes
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_ARRAYS_FIND_CUH
#define GPULINALG_ARRAYS_FIND_CUH

#include "arrays.cuh"

enum { FIND_THREADS = 256, FIND_LENGTH = 4096 };

inline int64_t nd_find_blocks (int64_t n)
{
  return (n + FIND_LENGTH - 1) / FIND_LENGTH;
}

// counts has nd_find_blocks (n) + 1 numbers: how many positions come before each block, and the
// total. n >= 1.
cudaError_t nd_find_count (const void *mask, int64_t n, int64_t *counts, cudaStream_t stream);
cudaError_t nd_find_write (const void *mask, int64_t n, const int64_t *counts, int64_t *list,
                           cudaStream_t stream);

#endif

// memory.cuh: how much memory this process holds on each GPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Memory is counted over all engines of a device, because several contexts may have one. Work space
// is what an engine keeps for its next call; copies are matrices of plans; arrays are those of the
// caller that stay there, and heaps what is kept for more of them.

#ifndef GPULINALG_MEMORY_CUH
#define GPULINALG_MEMORY_CUH

#include <cuda_runtime.h>
#include <cstddef>
#include <cstdint>

enum memory_kind {
  MEMORY_WORK = 0,
  MEMORY_COPIES,
  MEMORY_PINNED,
  MEMORY_ENGINES,
  MEMORY_ARRAYS,
  MEMORY_HEAPS,
  MEMORY_KINDS
};

// Adds to what the device holds of this kind (bytes; engines are counted one by one).
void memory_count (int device, memory_kind kind, int64_t change);
int64_t memory_held (int device, memory_kind kind);

// Call cudaMalloc on the current device, and cudaFree on the memory's device, for copies, and count
// them. Freeing NULL is allowed.
cudaError_t memory_take_copy (int device, void **memory, size_t bytes);
void memory_free_copy (void *memory);

#endif

// heap.cuh: memory of a GPU for arrays that stay there
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An engine's heap takes segments from the driver and returns pieces of them, because the driver
// takes longer than a small operation. All work on these arrays is in the order of one stream, the
// first slot's, so freed memory can be reused at once: its old user precedes its new one. A segment
// that is entirely free goes back to the driver if memory is short, or if more than a quarter of
// the device's is kept.

#ifndef GPULINALG_HEAP_CUH
#define GPULINALG_HEAP_CUH

#include "ordered.cuh"

// Returns cudaErrorMemoryAllocation also if the host has no memory.
cudaError_t heap_take (cuda_engine *e, size_t bytes, void **memory);
void heap_give (cuda_engine *e, void *memory); // NULL is allowed
// Frees what the driver can have back from the heaps of all engines of this device.
void heap_trim (int device);
// Frees all, also what is in use.
void heap_close (cuda_engine *e);
// Returns NULL if the engine has never had such an array.
array_order *heap_order (cuda_engine *e);
gla_memory_info heap_query (const cuda_engine *e);

#endif

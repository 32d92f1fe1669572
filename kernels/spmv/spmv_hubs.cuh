// spmv_hubs.cuh: columns with many entries, kept in shared memory
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A graph's entries fetch numbers of x from the second-level cache, which serves one fetch per
// slice and clock, and this is most of the time. Its hubs (dense columns) are
// fetched most: x at these is gathered before every product, and each multiprocessor keeps a copy.
// In the coded columns of such a matrix an entry in a hub is SPMV_HUB + its slot, any other its
// column.

#ifndef GPULINALG_SPMV_HUBS_CUH
#define GPULINALG_SPMV_HUBS_CUH

#include "engine/engine.cuh"
#include "spmv.cuh"

static const uint32_t SPMV_HUB = 0x80000000u;

// Slots that fit into `bytes` of shared memory beside what the product needs; and its kernel
// is allowed that much. Always the same number of bytes, for the kernel serves other matrices too.
int spmv_hub_slots (const gpu_sparse &M, int bytes);
cudaError_t spmv_allow_hubs (const gpu_sparse &M, int bytes);

// Device memory that stays until spmv_free; arenas are freed if it is short.
gla_status spmv_take (cuda_engine *e, void **memory, size_t bytes);

// Gives slots to columns that are hubs if that makes products faster. M, whose tiles are on the
// device, stays as it is if it does not, or if memory is short.
gla_status spmv_find_hubs (cuda_engine *e, gpu_sparse *M, const gla_csr *csr);

#endif

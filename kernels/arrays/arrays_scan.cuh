// arrays_scan.cuh: reductions and scans of slices, with the memory that they need
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_ARRAYS_SCAN_CUH
#define GPULINALG_ARRAYS_SCAN_CUH

#include "arrays_reduce.cuh"
#include "engine/heap.cuh"

// A step of a reduction of elements of this type; in the steps behind the first one `type` is still
// that of the first.
cudaError_t nd_reduce_step (gla_reduction op, int type, const nd_reduction &r, bool first,
                            cudaStream_t stream);
// `to` may be the array itself where its type is that of the sums.
gla_status nd_scan (cuda_engine *e, gla_reduction op, const gla_slices *x, void *to);

#endif

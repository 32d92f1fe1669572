// peers.cuh: copies between GPUs of one process
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PEERS_CUH
#define GPULINALG_PEERS_CUH

#include <cuda_runtime.h>

// Lets kernels and copies on one GPU reach the memory of another, once; where that cannot be,
// copies go through the host. Makes `device` the current one where it has something to do.
void peers_connect (int device, int peer);
// Whether that was so, or both are the same.
bool peers_reach (int device, int peer);

// From memory of one GPU to memory of another, or of the same one, in the order of a stream of
// either.
cudaError_t peers_copy (void *to, int to_device, const void *from, int from_device, size_t bytes,
                        cudaStream_t stream);

#endif

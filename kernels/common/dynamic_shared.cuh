// dynamic_shared.cuh: leave for a kernel to use more than 48 KB of shared memory
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_DYNAMIC_SHARED_CUH
#define GPULINALG_DYNAMIC_SHARED_CUH

#include <cuda_runtime.h>

// A kernel may use 48 KB of shared memory, static variables included, without leave, which is state
// of the kernel on a device, and so of all threads of the process. It is only ever raised here: a
// thread that set it to what its own launch needs could take it from another thread between that
// thread's call and its launch. On the device of the calling thread.
cudaError_t allow_dynamic_shared (const void *kernel, size_t bytes);

// Kernels that are launched with more dynamic shared memory than this have less than 16 KB of
// static variables.
template <class K> inline cudaError_t allow_shared (K kernel, size_t bytes)
{
  return bytes <= 32 * 1024 ? cudaSuccess
                            : allow_dynamic_shared (reinterpret_cast<const void *> (kernel), bytes);
}

#endif

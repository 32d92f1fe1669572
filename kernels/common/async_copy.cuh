// async_copy.cuh: copies from global to shared memory that do not wait
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Before compute capability 8.0 there are none; the copies are then ordinary ones.

#ifndef GPULINALG_ASYNC_COPY_CUH
#define GPULINALG_ASYNC_COPY_CUH

#include "scalar.cuh"

// Copies the first `valid` of BYTES bytes and fills the rest with 0. BYTES is 4, 8 or 16, and both
// addresses are multiples of it. `from` is not read where `valid` is 0.
template <int BYTES> GLA_DEVICE void async_copy (void *to, const void *from, int valid)
{
#if __CUDA_ARCH__ >= 800
  const unsigned shared = (unsigned)__cvta_generic_to_shared (to);
  if constexpr (BYTES == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from),
                 "r"(valid)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(from),
                 "n"(BYTES), "r"(valid)
                 : "memory");
#else
  for (int k = 0; k < BYTES; k += 4)
    *reinterpret_cast<float *> (static_cast<char *> (to) + k) =
        k < valid ? *reinterpret_cast<const float *> (static_cast<const char *> (from) + k) : 0;
#endif
}

// Ends a group of copies of this thread.
GLA_DEVICE void async_commit ()
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most the LEFT last groups of this thread are not done.
template <int LEFT> GLA_DEVICE void async_wait ()
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
}

#endif

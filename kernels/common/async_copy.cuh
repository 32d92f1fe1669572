// async_copy.cuh: copies from global to shared memory that do not wait
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All kernels that copy so use these functions: of eig, gsvd, product, qr, solve and svd. Before
// compute capability 8.0 the GPU has no such copies, and the functions copy in the ordinary way.

#ifndef GPULINALG_ASYNC_COPY_CUH
#define GPULINALG_ASYNC_COPY_CUH

#include "scalar.cuh"

// Copies one U of 4, 8 or 16 bytes; both addresses are multiples of its size.
template <class U> GLA_DEVICE void async_copy (U *to, const U *from)
{
  static_assert (sizeof (U) == 4 || sizeof (U) == 8 || sizeof (U) == 16, "sizes that there are");
#if __CUDA_ARCH__ >= 800
  const unsigned shared = (unsigned)__cvta_generic_to_shared (to);
  if constexpr (sizeof (U) == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(from),
                 "n"(sizeof (U))
                 : "memory");
#else
  *to = *from;
#endif
}

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

// Copies one U, or 0 where it is not `inside`; then `from` is not read.
template <class U> GLA_DEVICE void async_copy (U *to, const U *from, bool inside)
{
  async_copy<sizeof (U)> (to, from, inside ? (int)sizeof (U) : 0);
}

// Does the same for data that are not read again soon: the L2 cache evicts their line before all
// others. Other copies have no hint: naming the default policy gains nothing
// (doc/notebook/eig-gpu.md).
template <class U> GLA_DEVICE void async_copy_once (U *to, const U *from, bool inside)
{
#if __CUDA_ARCH__ >= 800
  const unsigned shared = (unsigned)__cvta_generic_to_shared (to);
  const int valid = inside ? (int)sizeof (U) : 0;
  uint64_t evict_first;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(evict_first));
  if constexpr (sizeof (U) == 16)
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(shared),
                 "l"(from), "r"(valid), "l"(evict_first)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], %2, %3, %4;" ::"r"(shared),
                 "l"(from), "n"(sizeof (U)), "r"(valid), "l"(evict_first)
                 : "memory");
#else
  async_copy (to, from, inside);
#endif
}

// Copies 16 bytes to an address in shared memory where `sign` is not negative, without a branch.
GLA_DEVICE void async_copy_by_sign (int sign, unsigned shared, const void *from)
{
#if __CUDA_ARCH__ >= 800
  asm volatile("{.reg .pred wanted; setp.ge.s32 wanted, %0, 0;\n\t"
               "@wanted cp.async.cg.shared.global [%1], [%2], 16;}" ::"r"(sign),
               "r"(shared), "l"(from)
               : "memory");
#else
  if (sign >= 0)
    *static_cast<uint4 *> (__cvta_shared_to_generic (shared)) = *static_cast<const uint4 *> (from);
#endif
}

// Ends a group of copies of this thread.
GLA_DEVICE void async_commit ()
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most the last LEFT groups of this thread are still going on. Other threads see the
// copied data after a barrier.
template <int LEFT> GLA_DEVICE void async_wait ()
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
}

// Waits for all copies of this thread, in a group or not.
GLA_DEVICE void async_wait_all ()
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

#endif

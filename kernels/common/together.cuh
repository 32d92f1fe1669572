// together.cuh: blocks of threads that are all on the GPU at once, and wait for each other
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_TOGETHER_CUH
#define GPULINALG_TOGETHER_CUH

#include <cuda_runtime.h>
#include "scalar.cuh"

// A launch of blocks that are all on the GPU at the same time, so that they may wait for each
// other; cudaErrorMemoryAllocation where they do not fit.
template <class K, class... ARGS>
cudaError_t launch_together (K kernel, int blocks, int threads, size_t shared, cudaStream_t stream,
                             ARGS... args)
{
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3 ((unsigned)blocks);
  config.blockDim = dim3 ((unsigned)threads);
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaError_t error = cudaLaunchKernelEx (&config, kernel, args...);
  return error == cudaErrorCooperativeLaunchTooLarge ? cudaErrorMemoryAllocation : error;
}

// What other blocks have written: the number that a flag has reached, seen so that what was written
// before it is seen, too; and the flag of this block, raised by one thread behind a barrier.
GLA_DEVICE int flag_value (const int *flag)
{
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}
GLA_DEVICE void raise_flag (int *flag, int value)
{
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

// All blocks of the grid, which come here for the k-th time.
GLA_DEVICE void grid_barrier (unsigned *counter, unsigned k)
{
  __syncthreads ();
  if (gridDim.x == 1)
    return;
  if (threadIdx.x == 0) {
    __threadfence ();
    atomicAdd (counter, 1u);
    while ((unsigned)flag_value (reinterpret_cast<const int *> (counter)) < k * gridDim.x)
      ;
  }
  __syncthreads ();
}

// `blocks` blocks of the grid, each with a rank from 0 on, which are all on the GPU at once. The
// counter begins with 0; its sign changes when all have come, and the rest of it is 0 again, so
// the number of blocks may differ from one launch to the next.
GLA_DEVICE void blocks_barrier (unsigned *counter, int rank, int blocks)
{
  __syncthreads ();
  if (blocks == 1)
    return;
  if (threadIdx.x == 0) {
    const unsigned sign = 0x80000000u, more = rank == 0 ? sign - (unsigned)(blocks - 1) : 1u;
    __threadfence ();
    const unsigned before = atomicAdd (counter, more);
    while ((((unsigned)flag_value (reinterpret_cast<const int *> (counter)) ^ before) & sign) == 0)
      ;
  }
  __syncthreads ();
}

// Loads and stores past the first cache, which other multiprocessors do not see.
GLA_DEVICE float shared_load (const float *from)
{
  return __ldcg (from);
}
GLA_DEVICE double shared_load (const double *from)
{
  return __ldcg (from);
}
GLA_DEVICE cx<float> shared_load (const cx<float> *from)
{
  float2 x = __ldcg (reinterpret_cast<const float2 *> (from));
  return {x.x, x.y};
}
GLA_DEVICE cx<double> shared_load (const cx<double> *from)
{
  double2 x = __ldcg (reinterpret_cast<const double2 *> (from));
  return {x.x, x.y};
}
GLA_DEVICE void shared_store (float *to, float x)
{
  __stcg (to, x);
}
GLA_DEVICE void shared_store (double *to, double x)
{
  __stcg (to, x);
}
GLA_DEVICE void shared_store (cx<float> *to, cx<float> x)
{
  __stcg (reinterpret_cast<float2 *> (to), make_float2 (x.x, x.y));
}
GLA_DEVICE void shared_store (cx<double> *to, cx<double> x)
{
  __stcg (reinterpret_cast<double2 *> (to), make_double2 (x.x, x.y));
}

#endif

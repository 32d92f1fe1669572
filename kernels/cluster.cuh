// cluster.cuh: blocks of threads that work together
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Before compute capability 9.0 there are no clusters, and `blocks` is 1 everywhere.

#ifndef GPULINALG_CLUSTER_CUH
#define GPULINALG_CLUSTER_CUH

#include <cuda_runtime.h>
#include "scalar.cuh"

// All threads of the cluster have come here, and see what the others wrote before.
GLA_DEVICE void cluster_barrier (int blocks)
{
#if __CUDA_ARCH__ >= 900
  if (blocks > 1) {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
    return;
  }
#endif
  __syncthreads ();
}

// The same variable in the shared memory of block `rank` of the cluster.
template <class P> GLA_DEVICE P *in_block (P *here, int rank, int blocks)
{
#if __CUDA_ARCH__ >= 900
  if (blocks > 1) {
    void *there;
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(here), "r"(rank));
    return static_cast<P *> (there);
  }
#endif
  return here;
}

// A launch of clusters of `blocks` blocks.
struct cluster_launch {
  cudaLaunchAttribute attribute = {};
  cudaLaunchConfig_t config = {};
  cluster_launch (const cluster_launch &) = delete; // config points into it
  cluster_launch (int64_t clusters, int blocks, int threads, size_t shared, cudaStream_t stream)
  {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = blocks;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = dim3 ((unsigned)(clusters * blocks));
    config.blockDim = dim3 (threads);
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = blocks > 1 ? 1 : 0;
  }
};

// Lets a kernel have this much shared memory and clusters of up to 16 blocks.
template <class K> inline cudaError_t allow_cluster (K kernel, int blocks, size_t shared)
{
  cudaError_t error = cudaSuccess;
  if (shared > 48 * 1024)
    error = cudaFuncSetAttribute (kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
  if (error == cudaSuccess && blocks > 8)
    error = cudaFuncSetAttribute (kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  return error;
}

#endif

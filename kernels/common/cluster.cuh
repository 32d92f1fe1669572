// cluster.cuh: blocks of threads that work together: clusters, and grids with barriers
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Before compute capability 9.0 there are no clusters, and `blocks` is 1 everywhere. Code that
// was compiled for such a GPU does not use clusters on a newer one either. Used by the kernels of
// eig, qr, svd and lanczos that give one matrix to several blocks.

#ifndef GPULINALG_CLUSTER_CUH
#define GPULINALG_CLUSTER_CUH

#include <atomic>
#include <cuda_runtime.h>

#include "scalar.cuh"

// True if kernels can have clusters on the current device; before a GPU is open, on the one that
// predictions assume.
bool clusters_work ();
// Bytes of shared memory that a block may have on that device.
size_t block_shared_most ();

// Is a barrier of all threads of the cluster; what they wrote before it is visible to all after it.
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

//------------------------------------------------------------------------------
// messages between the blocks of a cluster
//------------------------------------------------------------------------------
//
// A message is one number, stored into the shared memory of another block. An empty slot holds a
// NaN that no arithmetic produces, so that the number itself shows that it has arrived. That takes
// half the time of a barrier of the cluster.

GLA_DEVICE double remote_empty (double)
{
  return __longlong_as_double (-1);
}
GLA_DEVICE float remote_empty (float)
{
  return __int_as_float (-1);
}
template <class R> GLA_DEVICE cx<R> remote_empty (cx<R>)
{
  return {remote_empty (R ()), remote_empty (R ())};
}
GLA_DEVICE bool remote_missing (double a)
{
  return __double_as_longlong (a) == -1;
}
GLA_DEVICE bool remote_missing (float a)
{
  return __float_as_int (a) == -1;
}
template <class R> GLA_DEVICE bool remote_missing (cx<R> a)
{
  return remote_missing (a.x) || remote_missing (a.y);
}

// The address of the same variable in block `rank`.
template <class P> GLA_DEVICE unsigned remote_address (P *here, int rank)
{
  unsigned place = (unsigned)__cvta_generic_to_shared (here);
#if __CUDA_ARCH__ >= 900
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(place) : "r"(place), "r"(rank));
#endif
  return place;
}

// The number as it is sent: a NaN becomes one that differs from that of an empty slot.
GLA_DEVICE double remote_value (double a)
{
  return a == a ? a : __longlong_as_double (0x7ff8000000000000ll);
}
GLA_DEVICE float remote_value (float a)
{
  return a == a ? a : __int_as_float (0x7fc00000);
}
template <class R> GLA_DEVICE cx<R> remote_value (cx<R> a)
{
  return {remote_value (a.x), remote_value (a.y)};
}

// Sends what remote_value returned.
GLA_DEVICE void remote_store (unsigned to, double a)
{
#if __CUDA_ARCH__ >= 900
  asm volatile("st.relaxed.cluster.shared::cluster.f64 [%0], %1;" ::"r"(to), "d"(a) : "memory");
#endif
}
GLA_DEVICE void remote_store (unsigned to, float a)
{
#if __CUDA_ARCH__ >= 900
  asm volatile("st.relaxed.cluster.shared::cluster.f32 [%0], %1;" ::"r"(to), "f"(a) : "memory");
#endif
}
template <class R> GLA_DEVICE void remote_store (unsigned to, cx<R> a)
{
  remote_store (to, a.x);
  remote_store (to + (unsigned)sizeof (R), a.y);
}

// The current content of a slot of this block.
GLA_DEVICE double remote_load (const double *slot)
{
#if __CUDA_ARCH__ >= 900
  double a;
  asm volatile("ld.relaxed.cluster.shared.f64 %0, [%1];"
               : "=d"(a)
               : "r"((unsigned)__cvta_generic_to_shared (slot))
               : "memory");
  return a;
#else
  return *slot; // written by this block, before a barrier
#endif
}
GLA_DEVICE float remote_load (const float *slot)
{
#if __CUDA_ARCH__ >= 900
  float a;
  asm volatile("ld.relaxed.cluster.shared.f32 %0, [%1];"
               : "=f"(a)
               : "r"((unsigned)__cvta_generic_to_shared (slot))
               : "memory");
  return a;
#else
  return *slot; // written by this block, before a barrier
#endif
}
template <class R> GLA_DEVICE cx<R> remote_load (const cx<R> *slot)
{
  return {remote_load (&slot->x), remote_load (&slot->y)};
}

// A launch of clusters of `blocks` blocks. With `early` the kernel may start before the previous
// kernel of the stream has ended; it must call wait_for_previous before it accesses memory. Without
// clusters a kernel cannot wait like that, and `early` has no effect.
struct cluster_launch {
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = {};
  cluster_launch (const cluster_launch &) = delete; // config points into it
  cluster_launch (int64_t clusters, int blocks, int threads, size_t shared, cudaStream_t stream,
                  bool early = false)
  {
    config.gridDim = dim3 ((unsigned)(clusters * blocks));
    config.blockDim = dim3 (threads);
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = attributes;
    if (blocks > 1) {
      cudaLaunchAttribute *a = &attributes[config.numAttrs++];
      a->id = cudaLaunchAttributeClusterDimension;
      a->val.clusterDim.x = blocks;
      a->val.clusterDim.y = a->val.clusterDim.z = 1;
    }
    if (early && clusters_work ()) {
      cudaLaunchAttribute *a = &attributes[config.numAttrs++];
      a->id = cudaLaunchAttributeProgrammaticStreamSerialization;
      a->val.programmaticStreamSerializationAllowed = 1;
    }
  }
};

// Waits until the kernels before this one in the stream have ended and their results are visible.
GLA_DEVICE void wait_for_previous ()
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// From here on the next kernel in the stream may start if it was launched with `early`.
GLA_DEVICE void let_next_start ()
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Allows a kernel so many bytes of shared memory, the same in every call, and clusters of up to 16
// blocks. `configured`, a static variable of the kernel's launcher, has a bit for each device on
// which that has been done.
template <class K>
inline cudaError_t allow_cluster (K kernel, size_t shared, std::atomic<uint64_t> *configured)
{
  int device = 0;
  cudaError_t error = cudaGetDevice (&device);
  uint64_t bit = (uint64_t)1 << device % 64;
  if (error != cudaSuccess || (configured->load () & bit) != 0)
    return error;
  if (shared > 32 * 1024) // up to 48 KB, static variables included, need no permission
    error = cudaFuncSetAttribute (kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
  if (error == cudaSuccess && clusters_work ())
    error = cudaFuncSetAttribute (kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  if (error == cudaSuccess)
    configured->fetch_or (bit);
  return error;
}

//------------------------------------------------------------------------------
// blocks of threads that are all on the GPU at once, and wait for each other
//------------------------------------------------------------------------------

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

// flag_value reads the flag of another block: what that block wrote before it raised its flag to
// this number is then visible here. raise_flag sets the flag of this block; one thread calls it
// after a barrier.
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

// Is a barrier of all blocks of the grid; each calls it for the k-th time.
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

// Is a barrier of `blocks` blocks of the grid, with ranks from 0 on, which are all on the GPU at
// once. The counter begins with 0. Its sign changes when all blocks have come, and the rest of it
// is 0 again, so the number of blocks may differ from one launch to the next.
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

// Load and store past the first-level cache, which other multiprocessors do not see.
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

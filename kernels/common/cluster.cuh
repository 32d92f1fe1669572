// cluster.cuh: blocks of threads that work together
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Before compute capability 9.0 there are no clusters, and `blocks` is 1 everywhere. Code that was
// compiled for such a GPU knows none on a later one either.

#ifndef GPULINALG_CLUSTER_CUH
#define GPULINALG_CLUSTER_CUH

#include <atomic>
#include <cuda_runtime.h>
#include "scalar.cuh"

// Whether kernels can have clusters on the current device.
bool clusters_work ();
// Bytes of shared memory that a block may have on the current device.
size_t block_shared_most ();

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

//------------------------------------------------------------------------------
// mail between the blocks of a cluster
//------------------------------------------------------------------------------
//
// A letter is one number, stored into the shared memory of another block, where an empty slot
// holds a NaN that no arithmetic makes: the number itself says that it has come. That takes half
// the time of a barrier of the cluster.

GLA_DEVICE double mail_empty (double)
{
  return __longlong_as_double (-1);
}
GLA_DEVICE float mail_empty (float)
{
  return __int_as_float (-1);
}
template <class R> GLA_DEVICE cx<R> mail_empty (cx<R>)
{
  return {mail_empty (R ()), mail_empty (R ())};
}
GLA_DEVICE bool mail_missing (double a)
{
  return __double_as_longlong (a) == -1;
}
GLA_DEVICE bool mail_missing (float a)
{
  return __float_as_int (a) == -1;
}
template <class R> GLA_DEVICE bool mail_missing (cx<R> a)
{
  return mail_missing (a.x) || mail_missing (a.y);
}

// The address of the same variable in block `rank`.
template <class P> GLA_DEVICE unsigned mail_address (P *here, int rank)
{
  unsigned place = (unsigned)__cvta_generic_to_shared (here);
#if __CUDA_ARCH__ >= 900
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(place) : "r"(place), "r"(rank));
#endif
  return place;
}

// The number, or where it is NaN one that is not that of an empty slot.
GLA_DEVICE double mail_letter (double a)
{
  return a == a ? a : __longlong_as_double (0x7ff8000000000000ll);
}
GLA_DEVICE float mail_letter (float a)
{
  return a == a ? a : __int_as_float (0x7fc00000);
}
template <class R> GLA_DEVICE cx<R> mail_letter (cx<R> a)
{
  return {mail_letter (a.x), mail_letter (a.y)};
}

// Sends what mail_letter made.
GLA_DEVICE void mail_send (unsigned to, double a)
{
#if __CUDA_ARCH__ >= 900
  asm volatile("st.relaxed.cluster.shared::cluster.f64 [%0], %1;" ::"r"(to), "d"(a) : "memory");
#endif
}
GLA_DEVICE void mail_send (unsigned to, float a)
{
#if __CUDA_ARCH__ >= 900
  asm volatile("st.relaxed.cluster.shared::cluster.f32 [%0], %1;" ::"r"(to), "f"(a) : "memory");
#endif
}
template <class R> GLA_DEVICE void mail_send (unsigned to, cx<R> a)
{
  mail_send (to, a.x);
  mail_send (to + (unsigned)sizeof (R), a.y);
}

// What a slot of this block holds now.
GLA_DEVICE double mail_look (const double *slot)
{
#if __CUDA_ARCH__ >= 900
  double a;
  asm volatile("ld.relaxed.cluster.shared.f64 %0, [%1];"
               : "=d"(a)
               : "r"((unsigned)__cvta_generic_to_shared (slot))
               : "memory");
  return a;
#else
  return *slot; // a block's own, behind a barrier
#endif
}
GLA_DEVICE float mail_look (const float *slot)
{
#if __CUDA_ARCH__ >= 900
  float a;
  asm volatile("ld.relaxed.cluster.shared.f32 %0, [%1];"
               : "=f"(a)
               : "r"((unsigned)__cvta_generic_to_shared (slot))
               : "memory");
  return a;
#else
  return *slot; // a block's own, behind a barrier
#endif
}
template <class R> GLA_DEVICE cx<R> mail_look (const cx<R> *slot)
{
  return {mail_look (&slot->x), mail_look (&slot->y)};
}

// A launch of clusters of `blocks` blocks. Where `early` is set the kernel may start while the one
// before it in the stream ends; it must call wait_for_previous before it touches memory. Where
// there are no clusters a kernel cannot wait like that, and is not started early.
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

// Until the kernels before this one in the stream have ended and their results can be seen.
GLA_DEVICE void wait_for_previous ()
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// From here on the next kernel in the stream may start, where it was launched early.
GLA_DEVICE void let_next_start ()
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Lets a kernel have this much shared memory, always the same, and clusters of up to 16 blocks.
// `told`, a static variable of the kernel's launcher, has a bit for every device that knows.
template <class K>
inline cudaError_t allow_cluster (K kernel, size_t shared, std::atomic<uint64_t> *told)
{
  int device = 0;
  cudaError_t error = cudaGetDevice (&device);
  uint64_t bit = (uint64_t)1 << device % 64;
  if (error != cudaSuccess || (told->load () & bit) != 0)
    return error;
  if (shared > 32 * 1024) // 48 KB with the kernel's own variables go without leave
    error = cudaFuncSetAttribute (kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
  if (error == cudaSuccess && clusters_work ())
    error = cudaFuncSetAttribute (kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  if (error == cudaSuccess)
    told->fetch_or (bit);
  return error;
}

#endif

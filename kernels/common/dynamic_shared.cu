// dynamic_shared.cu: leave for a kernel to use more than 48 KB of shared memory
// SPDX-License-Identifier: GPL-3.0-or-later

#include "dynamic_shared.cuh"

#include <cstdint>

#include <pthread.h>

namespace
{

// What kernels may use on each device, in a table of open addresses. Where it is full, each launch
// asks the driver, as if it were the first.
struct allowed {
  const void *kernel;
  int device;
  size_t bytes;
};
const int PLACES = 4096;
allowed table[PLACES];
pthread_mutex_t table_mutex = PTHREAD_MUTEX_INITIALIZER;

// The place of this kernel, or the free one that it takes; null if there is none.
allowed *place_of (const void *kernel, int device)
{
  const uint64_t key = ((uint64_t)(uintptr_t)kernel >> 4) * 31 + (uint64_t)device;
  for (uint64_t k = 0; k < PLACES; k++) {
    allowed *const a = &table[(key * 0x9e3779b97f4a7c15u + k) % PLACES];
    if (a->kernel == nullptr)
      *a = {kernel, device, 0};
    if (a->kernel == kernel && a->device == device)
      return a;
  }
  return nullptr;
}

// The caller has the mutex.
cudaError_t raise (const void *kernel, int device, size_t bytes)
{
  allowed *const a = place_of (kernel, device);
  if (a != nullptr && bytes <= a->bytes)
    return cudaSuccess;
  const cudaError_t error =
      cudaFuncSetAttribute (kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
  if (error == cudaSuccess && a != nullptr)
    a->bytes = bytes;
  return error;
}

} // namespace

cudaError_t allow_dynamic_shared (const void *kernel, size_t bytes)
{
  int device = 0;
  cudaError_t error = cudaGetDevice (&device);
  if (error != cudaSuccess)
    return error;
  pthread_mutex_lock (&table_mutex);
  error = raise (kernel, device, bytes);
  pthread_mutex_unlock (&table_mutex);
  return error;
}

// runtime.cu: questions to the CUDA runtime about devices, each of which is asked once
// SPDX-License-Identifier: GPL-3.0-or-later
//
// See runtime.cuh.

#include <atomic>
#include <climits>
#include <cstdint>
#include <cuda_runtime.h>
#include <mutex>

#include "runtime.cuh"

// ------------------------------------------------------------------------------
// permission for a kernel to use more than 48 KB of shared memory
// ------------------------------------------------------------------------------

namespace
{

// The bytes that kernels may use on each device, in a hash table with open addressing. Where it is
// full, each launch asks the driver as the first one does.
struct allowed {
  const void *kernel;
  int device;
  size_t bytes;
};
const int PLACES = 4096;
allowed table[PLACES];
std::mutex table_mutex;

// The entry of this kernel, or a free one that it takes; NULL if there is none.
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

// The caller holds the mutex.
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
  const std::lock_guard<std::mutex> guard (table_mutex);
  return raise (kernel, device, bytes);
}

//------------------------------------------------------------------------------
// whether this process has opened a GPU, and questions that wait until it has
//------------------------------------------------------------------------------

static std::atomic<bool> opened;

bool device_opened ()
{
  return opened.load ();
}

void device_note_opened ()
{
  opened.store (true);
}

bool device_has_code_of (int device, int capability)
{
  static const int compiled_for[] = {__CUDA_ARCH_LIST__};
  int major = 0, minor = 0, newest = 0;
  if (cudaDeviceGetAttribute (&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
      cudaDeviceGetAttribute (&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
    return true;
  for (int compiled : compiled_for)
    if (compiled <= 100 * major + 10 * minor && compiled > newest)
      newest = compiled;
  return newest >= capability;
}

// Shared memory of a block; 0 if the code does not copy asynchronously; INT_MAX for a device that
// does not answer.
static int async_shared_of (int device)
{
  int bytes = 0;
  if (!device_has_code_of (device, 800))
    return 0;
  return cudaDeviceGetAttribute (&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) ==
                 cudaSuccess
             ? bytes
             : INT_MAX;
}

bool devices_serve (size_t shared_bytes)
{
  static std::atomic<int> of_all{-1};
  int count = 0, least = of_all.load ();
  if (!device_opened ())
    return true;
  if (least < 0) {
    if (cudaGetDeviceCount (&count) != cudaSuccess)
      return true;
    least = INT_MAX;
    for (int device = 0; device < count; device++) {
      const int bytes = async_shared_of (device);
      least = bytes < least ? bytes : least;
    }
    of_all.store (least);
  }
  return shared_bytes <= (size_t)least;
}

//------------------------------------------------------------------------------
// copies between GPUs of one process
//------------------------------------------------------------------------------

enum { DEVICES = 64 };

static std::atomic<uint64_t> settled[DEVICES];

bool peers_reach (int device, int peer)
{
  const uint64_t bit = (uint64_t)1 << peer % DEVICES;
  return device == peer || (settled[device % DEVICES] & bit) != 0;
}

void peers_connect (int device, int peer)
{
  const uint64_t bit = (uint64_t)1 << peer % DEVICES;
  int possible = 0;
  if (peers_reach (device, peer))
    return;
  cudaError_t status = cudaDeviceCanAccessPeer (&possible, device, peer);
  if (status == cudaSuccess && possible) {
    status = cudaSetDevice (device);
    status = status == cudaSuccess ? cudaDeviceEnablePeerAccess (peer, 0) : status;
  }
  if (status == cudaSuccess || status == cudaErrorPeerAccessAlreadyEnabled)
    settled[device % DEVICES] |= bit;
  cudaGetLastError (); // others may have enabled it
}

cudaError_t peers_copy (void *to, int to_device, const void *from, int from_device, size_t bytes,
                        cudaStream_t stream)
{
  if (to_device == from_device)
    return cudaMemcpyAsync (to, from, bytes, cudaMemcpyDeviceToDevice, stream);
  return cudaMemcpyPeerAsync (to, to_device, from, from_device, bytes, stream);
}

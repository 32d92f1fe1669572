// opened.cu: whether this process has opened a GPU, and questions that wait until it has
// SPDX-License-Identifier: GPL-3.0-or-later

#include "opened.cuh"

#include <atomic>
#include <climits>
#include <cuda_runtime.h>

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

// Shared memory of a block, 0 without code that copies asynchronously; INT_MAX of a device that
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

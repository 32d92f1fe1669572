// opened.cu: whether this process has opened a GPU, and questions that wait until it has
// SPDX-License-Identifier: GPL-3.0-or-later

#include "opened.cuh"

#include <atomic>
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

bool devices_serve (std::atomic<int> *known, bool (*serves) (int device))
{
  enum { UNKNOWN = 0, NO, YES };
  int count = 0, answer = known->load ();
  if (!device_opened ())
    return true;
  if (answer != UNKNOWN || cudaGetDeviceCount (&count) != cudaSuccess)
    return answer != NO;
  answer = YES;
  for (int device = 0; device < count; device++)
    if (!serves (device))
      answer = NO;
  known->store (answer);
  return answer == YES;
}

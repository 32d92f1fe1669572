// cluster.cu: clusters and shared memory of the current device
// SPDX-License-Identifier: GPL-3.0-or-later
//
// See cluster.cuh. Asks the driver once for each device; before a GPU is open it answers for
// MODEL_SHARED's GPU.

#include "cluster.cuh"
#include "runtime.cuh"

namespace
{

// Stands for all kernels of the library, which are compiled for the same architectures. It is never
// launched.
__global__ void any_kernel () {}

enum { DEVICES = 64 };
// Shared memory of the GPU that predictions assume before one is open.
const size_t MODEL_SHARED = 227 * 1024;
enum { UNKNOWN = 0, WITHOUT, WITH };

// False also where the GPU supports clusters and the code does not, because the driver compiled it
// from PTX for an older architecture.
bool ask_for_clusters (int device)
{
  int chip = 0;
  cudaFuncAttributes code = {};
  if (cudaDeviceGetAttribute (&chip, cudaDevAttrClusterLaunch, device) == cudaSuccess && chip &&
      cudaFuncGetAttributes (&code, any_kernel) == cudaSuccess)
    return code.ptxVersion >= 90;
  cudaGetLastError ();
  return false;
}

int current_device ()
{
  int device = 0;
  if (cudaGetDevice (&device) != cudaSuccess)
    cudaGetLastError ();
  return device;
}

} // namespace

bool clusters_work ()
{
  static std::atomic<int> known[DEVICES];
  if (!device_opened ())
    return true;
  int device = current_device (), answer = known[device % DEVICES].load ();
  if (answer == UNKNOWN) {
    answer = ask_for_clusters (device) ? WITH : WITHOUT;
    known[device % DEVICES].store (answer);
  }
  return answer == WITH;
}

size_t block_shared_most ()
{
  static std::atomic<int> known[DEVICES];
  if (!device_opened ())
    return MODEL_SHARED;
  int device = current_device (), bytes = known[device % DEVICES].load ();
  if (bytes == 0) {
    if (cudaDeviceGetAttribute (&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) !=
        cudaSuccess)
      cudaGetLastError ();
    known[device % DEVICES].store (bytes);
  }
  return (size_t)bytes;
}

// fake_launch.c: the stand-in for the CUDA runtime: kernels, their attributes and launches
// SPDX-License-Identifier: GPL-3.0-or-later

#include "fake_cuda.h"
#include "fake_kernels.h"
#include "fake_state.h"

#include <cuda_runtime_api.h>

// The kernels that do something, as the library has to see it.
static void run (const fake_kernel *k, void **arguments)
{
  int one = 1;
  if (strstr (k->name, "probe_kernel") != NULL)
    memcpy (*(int **)arguments[0], &one, sizeof one);
  if (strstr (k->name, "any_info_kernel") != NULL && fake_cuda_answer.any_info)
    memcpy (*(int **)arguments[2], &one, sizeof one);
  if (strstr (k->name, "12small_kernelI") != NULL && fake_cuda_answer.any_info)
    memcpy (*(int **)arguments[1], &one, sizeof one);
  if (strstr (k->name, "12whole_kernelI") != NULL && fake_cuda_answer.any_info)
    memcpy (*(int **)arguments[2], &one, sizeof one);
  if (strstr (k->name, "find_extreme_kernel") != NULL && fake_cuda_answer.any_info)
    memcpy (*(int **)arguments[4], &one, sizeof one);
}

static cudaError_t launch (const void *function, dim3 grid, dim3 block, void **arguments,
                           size_t shared, cudaStream_t stream, int cluster, int early)
{
  const fake_kernel *k = kernel_of (function);
  if (fake_state.trace != NULL)
    flockfile (fake_state.trace); // a line is not mixed with another thread's
  FAKE_TRACE ("launch %s <%u %u %u> <%u %u %u> %zu, stream %p, cluster %d %d:", k->name, grid.x,
              grid.y, grid.z, block.x, block.y, block.z, shared, (void *)stream, cluster, early);
  for (int p = 0; p < k->parameters && fake_state.trace != NULL; p++)
    FAKE_TRACE (" %d/%llx", k->bytes[p], fake_hash (arguments[p], (size_t)k->bytes[p]));
  FAKE_TRACE ("\n");
  if (fake_state.trace != NULL)
    funlockfile (fake_state.trace);
  fake_state.launches++;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.y > 65535 || grid.z > 65535 ||
      block.x * block.y * block.z == 0 || block.x * block.y * block.z > 1024 ||
      shared > (size_t)227 << 10)
    fake_bug (k->name, function, shared);
  if (fake_fails (FAKE_DEVICE))
    return fake_thread.last_error;
  run (k, arguments);
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel (const void *function, dim3 grid, dim3 block, void **arguments,
                              size_t shared, cudaStream_t stream)
{
  return launch (function, grid, block, arguments, shared, stream, 1, 0);
}
cudaError_t __cudaGetKernel (const void **kernel, const void *function)
{
  *kernel = function;
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel (const void *kernel, dim3 grid, dim3 block, void **arguments,
                                size_t shared, cudaStream_t stream)
{
  return launch (kernel, grid, block, arguments, shared, stream, 1, 0);
}
cudaError_t cudaLaunchKernelExC (const cudaLaunchConfig_t *config, const void *function,
                                 void **arguments)
{
  int cluster = 1, early = 0;
  for (unsigned a = 0; a < config->numAttrs; a++)
    if (config->attrs[a].id == cudaLaunchAttributeClusterDimension)
      cluster = (int)config->attrs[a].val.clusterDim.x;
    else if (config->attrs[a].id == cudaLaunchAttributeProgrammaticStreamSerialization)
      early = 1;
  return launch (function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                 config->stream, cluster, early);
}

static _Thread_local struct {
  dim3 grid, block;
  size_t shared;
  void *stream;
} pushed;

unsigned __cudaPushCallConfiguration (dim3 grid, dim3 block, size_t shared, void *stream)
{
  pushed.grid = grid;
  pushed.block = block;
  pushed.shared = shared;
  pushed.stream = stream;
  return 0;
}
cudaError_t __cudaPopCallConfiguration (dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
  *grid = pushed.grid;
  *block = pushed.block;
  *shared = pushed.shared;
  memcpy (stream, &pushed.stream, sizeof pushed.stream);
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute (const void *function, enum cudaFuncAttribute attribute, int value)
{
  FAKE_TRACE ("attribute %s %d %d\n", kernel_of (function)->name, (int)attribute, value);
  if (!fake_state.attribute_fails)
    return cudaSuccess;
  fake_state.attribute_fails = 0;
  fake_state.failed = FAKE_DEVICE;
  fake_thread.last_error = cudaErrorInvalidValue;
  return fake_thread.last_error;
}
cudaError_t cudaFuncGetAttributes (struct cudaFuncAttributes *attributes, const void *function)
{
  fake_state.questions++;
  (void)function;
  memset (attributes, 0, sizeof *attributes);
  attributes->ptxVersion = 90;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags (int *count,
                                                                    const void *function,
                                                                    int threads, size_t bytes,
                                                                    unsigned flags)
{
  fake_state.questions++;
  (void)function, (void)threads, (void)bytes, (void)flags;
  *count = 4;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveClusters (int *count, const void *function,
                                            const cudaLaunchConfig_t *config)
{
  fake_state.questions++;
  (void)function, (void)config;
  *count = 16;
  return cudaSuccess;
}

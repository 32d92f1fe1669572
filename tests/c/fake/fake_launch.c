// fake_launch.c: the stand-in for the CUDA runtime: kernels, their attributes and launches
// SPDX-License-Identifier: GPL-3.0-or-later

#include "fake_cuda.h"
#include "fake_state.h"

#include <cuda_runtime_api.h>
#include <elf.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//------------------------------------------------------------------------------
// the kernels that objects of nvcc register, and the sizes of their parameters
//------------------------------------------------------------------------------

// A kernel, and the sizes of its parameters, as its machine code has them; -1: unknown.
typedef struct {
  const void *function;
  const char *name;
  int parameters;
  int bytes[24];
} fake_kernel;
static fake_kernel *kernels;
static int kernel_count;

// The parameters that a section .nv.info.NAME describes: records of 4 bytes and what follows them.
static void read_parameters (fake_kernel *k, const unsigned char *at, size_t bytes)
{
  enum { SIZED = 4, PARAMETER = 0x17 };
  for (size_t p = 0; p + 4 <= bytes;) {
    uint16_t length;
    memcpy (&length, at + p + 2, sizeof length);
    if (at[p] == SIZED && at[p + 1] == PARAMETER) {
      uint32_t ordinal_offset, size;
      memcpy (&ordinal_offset, at + p + 8, 4);
      memcpy (&size, at + p + 12, 4);
      int ordinal = (int)(ordinal_offset & 0xffff);
      if (ordinal < 24) {
        k->bytes[ordinal] = (int)(size >> 18);
        k->parameters = ordinal + 1 > k->parameters ? ordinal + 1 : k->parameters;
      }
    }
    p += at[p] == SIZED ? 4 + (size_t)length : 4;
  }
}

// Looks into the first ELF image of what nvcc put into the object.
static void describe (fake_kernel *k, const unsigned char *image)
{
  const Elf64_Ehdr *elf = (const Elf64_Ehdr *)image;
  if (memcmp (image, ELFMAG, SELFMAG) != 0)
    return;
  const Elf64_Shdr *section = (const Elf64_Shdr *)(image + elf->e_shoff);
  const char *names = (const char *)image + section[elf->e_shstrndx].sh_offset;
  for (int s = 0; s < elf->e_shnum; s++) {
    const char *name = names + section[s].sh_name;
    if (strncmp (name, ".nv.info.", 9) == 0 && strcmp (name + 9, k->name) == 0)
      read_parameters (k, image + section[s].sh_offset, section[s].sh_size);
  }
}

void **__cudaRegisterFatBinary (void *wrapper)
{
  // the image behind the header of 16 bytes and that of the first entry
  const unsigned char *fat = ((unsigned char **)wrapper)[1];
  uint32_t entry;
  memcpy (&entry, fat + 16 + 4, sizeof entry);
  return (void **)(fat + 16 + entry);
}
void __cudaRegisterFatBinaryEnd (void **handle)
{
  (void)handle;
}
void __cudaUnregisterFatBinary (void **handle)
{
  (void)handle;
}
// Variables on the device, which headers of CUDA declare; no kernel runs that would read them.
void __cudaRegisterVar (void **handle, char *host, char *address, const char *name, int external,
                        size_t size, int constant, int global)
{
  (void)handle, (void)host, (void)address, (void)name, (void)external, (void)size, (void)constant;
  (void)global;
}
void __cudaRegisterFunction (void **handle, const char *function, char *device_function,
                             const char *name, int thread_limit, void *tid, void *bid, void *block,
                             void *grid, int *warp_size)
{
  (void)device_function, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid;
  (void)warp_size;
  kernels = realloc (kernels, (size_t)(kernel_count + 1) * sizeof *kernels);
  fake_kernel *k = &kernels[kernel_count++];
  *k = (fake_kernel){.function = function, .name = name};
  describe (k, (const unsigned char *)handle);
}

static int compare (const void *a, const void *b)
{
  const fake_kernel *x = a, *y = b;
  return (x->function > y->function) - (x->function < y->function);
}

static void sort_kernels (void)
{
  qsort (kernels, (size_t)kernel_count, sizeof *kernels, compare);
}

static const fake_kernel *kernel_of (const void *function)
{
  static pthread_once_t sorted = PTHREAD_ONCE_INIT;
  pthread_once (&sorted, sort_kernels);
  fake_kernel key = {.function = function};
  const fake_kernel *k = bsearch (&key, kernels, (size_t)kernel_count, sizeof key, compare);
  if (k == NULL) {
    fprintf (stderr, "fake_cuda: launch of what is not a kernel\n");
    abort ();
  }
  return k;
}

//------------------------------------------------------------------------------
// attributes and launches
//------------------------------------------------------------------------------

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

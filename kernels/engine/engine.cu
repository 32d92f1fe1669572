// engine.cu: one GPU with its streams and buffers
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cufft.cuh"
#include "engine.cuh"
#include "heap.cuh"
#include "memory.cuh"
#include "common/runtime.cuh"
#include "common/work_limits.cuh"
#include "backend.h"
#include "lanczos/job.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

//------------------------------------------------------------------------------
// devices
//------------------------------------------------------------------------------

int engine_device_count (char *why, size_t why_size)
{
  int count = 0;
  cudaError_t error = cudaGetDeviceCount (&count);
  if (error != cudaSuccess) {
    cudaGetLastError ();
    int driver = 0; // stays 0 if none is installed, which CUDA reports as one that is too old
    cudaDriverGetVersion (&driver);
    if (error == cudaErrorInsufficientDriver && driver == 0)
      snprintf (why, why_size, "no NVIDIA driver was found");
    else
      snprintf (why, why_size, "no usable GPU: %s", cudaGetErrorString (error));
    return 0;
  }
  if (count == 0)
    snprintf (why, why_size, "no GPU in this machine");
  return count;
}

gla_status engine_device_query (int device, gla_device_info *info)
{
  cudaDeviceProp properties;
  size_t free_bytes = 0, total = 0;
  cudaError_t error = cudaGetDeviceProperties (&properties, device);
  const bool started = memory_held (device, MEMORY_ENGINES) > 0;
  if (error == cudaSuccess && started) // the query would start the device otherwise
    error = cudaSetDevice (device);
  if (error == cudaSuccess && started)
    error = cudaMemGetInfo (&free_bytes, &total);
  if (error != cudaSuccess)
    return engine_status (error);
  snprintf (info->name, sizeof info->name, "%s", properties.name);
  info->major = properties.major;
  info->minor = properties.minor;
  info->multiprocessors = properties.multiProcessorCount;
  info->memory_total = (int64_t)(started ? total : properties.totalGlobalMem);
  info->memory_free = started ? (int64_t)free_bytes : -1;
  info->started = started;
  info->memory_kept = memory_held (device, MEMORY_WORK) + memory_held (device, MEMORY_COPIES) +
                      memory_held (device, MEMORY_HEAPS);
  info->host_kept = memory_held (device, MEMORY_PINNED);
  info->memory_arrays = memory_held (device, MEMORY_ARRAYS);
  return GLA_OK;
}

//------------------------------------------------------------------------------
// open and close
//------------------------------------------------------------------------------

// One thread writes the word.
__global__ void probe_kernel (int *word)
{
  *word = 1;
}

// Whether this build holds code for the device and the device runs it.
static cudaError_t probe (cuda_engine *e)
{
  int *word = nullptr, answer = 0;
  cudaError_t error = cudaMalloc (&word, sizeof *word);
  if (error != cudaSuccess)
    return error;
  probe_kernel<<<1, 1, 0, e->slots[0].stream>>> (word);
  error = cudaGetLastError ();
  if (error == cudaSuccess)
    error =
        cudaMemcpyAsync (&answer, word, sizeof answer, cudaMemcpyDeviceToHost, e->slots[0].stream);
  if (error == cudaSuccess)
    error = cudaStreamSynchronize (e->slots[0].stream);
  cudaFree (word);
  return error == cudaSuccess && answer != 1 ? cudaErrorUnknown : error;
}

// Until a device is open its properties are unknown; those of the GPU that the formulas were fitted
// to are used instead.
static cuda_engine typical ()
{
  cuda_engine e = {};
  e.base.backend = &gla_backend_cuda;
  e.smem_limit = 227 * 1024 - 2048;
  e.multiprocessors = 132;
  e.memory_total = (size_t)80 << 30;
  return e;
}

gla_engine *engine_model ()
{
  static cuda_engine model = typical ();
  return &model.base;
}

gla_status engine_open (int device, gla_engine **engine)
{
  *engine = nullptr;
  cuda_engine *e = static_cast<cuda_engine *> (calloc (1, sizeof *e));
  if (e == nullptr)
    return GLA_ERROR_OUT_OF_MEMORY;
  e->base.backend = &gla_backend_cuda;
  e->base.device = device;
  memory_count (device, MEMORY_ENGINES, 1);

  cudaDeviceProp properties;
  cudaError_t error = cudaSetDevice (device);
  if (error == cudaSuccess)
    error = cudaGetDeviceProperties (&properties, device);
  if (error == cudaSuccess) {
    // a kernel may have 1.5 KB of static shared memory
    e->smem_limit = (int)properties.sharedMemPerBlockOptin - 2048;
    e->multiprocessors = properties.multiProcessorCount;
    e->memory_total = properties.totalGlobalMem;
    e->blas_bytes = (size_t)(properties.major >= 9 ? 32 : 4) << 20; // as cuBLAS's manual says
  }
  int lowest = 0, highest = 0;
  if (error == cudaSuccess)
    error = cudaDeviceGetStreamPriorityRange (&lowest, &highest);
  if (error == cudaSuccess)
    error = cudaStreamCreateWithPriority (&e->side, cudaStreamNonBlocking, lowest);
  if (error == cudaSuccess)
    error = cudaEventCreateWithFlags (&e->side_start, cudaEventDisableTiming);
  if (error == cudaSuccess)
    error = cudaEventCreateWithFlags (&e->side_done, cudaEventDisableTiming);
  for (int k = 0; k < ENGINE_SLOTS && error == cudaSuccess; k++) {
    error = cudaStreamCreateWithPriority (&e->slots[k].stream, cudaStreamNonBlocking, highest);
    if (error == cudaSuccess)
      error = cudaEventCreateWithFlags (&e->slots[k].done, cudaEventDisableTiming);
  }
  if (error == cudaSuccess)
    error = probe (e);
  if (error == cudaSuccess)
    error = engine_make_ring (e, e->up);
  if (error == cudaSuccess)
    error = engine_make_ring (e, e->down);
  if (error == cudaSuccess)
    error = cudaHostAlloc (reinterpret_cast<void **> (&e->counter), ENGINE_SLOTS * sizeof (int),
                           cudaHostAllocDefault);
  if (error != cudaSuccess) {
    gla_status status = engine_status (error);
    engine_close (&e->base);
    return status;
  }
  device_note_opened ();
  *engine = &e->base;
  return GLA_OK;
}

cuda_engine *engine_of (gla_engine *engine)
{
  cuda_engine *e = reinterpret_cast<cuda_engine *> (engine);
  cudaSetDevice (e->base.device);
  return e;
}

const cuda_engine *engine_facts (const gla_engine *engine)
{
  return reinterpret_cast<const cuda_engine *> (engine);
}

static void free_buffers (cuda_engine *e, ring_buffer *ring)
{
  for (int k = 0; k < RING_BUFFERS; k++) {
    if (ring[k].host == nullptr)
      continue;
    cudaFreeHost (ring[k].host);
    memory_count (e->base.device, MEMORY_PINNED, -(int64_t)RING_BYTES);
    ring[k].host = nullptr;
  }
}

static void free_ring (cuda_engine *e, ring_buffer *ring)
{
  free_buffers (e, ring);
  for (int k = 0; k < RING_BUFFERS; k++)
    if (ring[k].free != nullptr)
      cudaEventDestroy (ring[k].free);
}

static void close_blas (cuda_engine *e, gpu_blas *blas)
{
  if (blas->handle != nullptr)
    memory_count (e->base.device, MEMORY_WORK, -(int64_t)e->blas_bytes);
  gpu_blas_close (blas);
}

void engine_close (gla_engine *engine)
{
  cuda_engine *e = engine_of (engine);
  cuda_krylov_ops.end (engine);
  engine_drop_fft (e);
  heap_close (e);
  engine_release (e);
  close_blas (e, &e->side_blas);
  if (e->side_start != nullptr)
    cudaEventDestroy (e->side_start);
  if (e->side_done != nullptr)
    cudaEventDestroy (e->side_done);
  if (e->side != nullptr)
    cudaStreamDestroy (e->side);
  for (int k = 0; k < ENGINE_SLOTS; k++) {
    close_blas (e, &e->slots[k].blas);
    if (e->slots[k].done != nullptr)
      cudaEventDestroy (e->slots[k].done);
    if (e->slots[k].stream != nullptr)
      cudaStreamDestroy (e->slots[k].stream);
  }
  free_ring (e, e->up);
  free_ring (e, e->down);
  if (e->counter != nullptr)
    cudaFreeHost (e->counter);
  cudaGetLastError ();
  memory_count (e->base.device, MEMORY_ENGINES, -1);
  free (e);
}

//------------------------------------------------------------------------------
// device memory
//------------------------------------------------------------------------------

static void release_slot (cuda_engine *e, engine_slot *slot)
{
  if (slot->memory != nullptr)
    cudaFree (slot->memory); // waits for the work that uses it
  memory_count (e->base.device, MEMORY_WORK, -(int64_t)slot->size);
  slot->memory = nullptr;
  slot->size = 0;
}

void engine_release (cuda_engine *e)
{
  for (int k = 0; k < ENGINE_SLOTS; k++)
    release_slot (e, &e->slots[k]);
}

int64_t engine_kept (gla_engine *engine)
{
  return memory_held (engine->device, MEMORY_WORK);
}

static engine_slot *largest_slot (cuda_engine *e)
{
  engine_slot *largest = &e->slots[0];
  for (int k = 1; k < ENGINE_SLOTS; k++)
    if (e->slots[k].size > largest->size)
      largest = &e->slots[k];
  return largest;
}

void engine_shrink (gla_engine *engine, int64_t most)
{
  cuda_engine *e = engine_of (engine);
  if (most == 0) {
    engine_drop_fft (e);
    heap_trim (e->base.device);
  }
  while (engine_kept (engine) > most && largest_slot (e)->size > 0)
    release_slot (e, largest_slot (e));
  if (most == 0) {
    for (int k = 0; k < ENGINE_SLOTS; k++)
      close_blas (e, &e->slots[k].blas);
    close_blas (e, &e->side_blas);
    free_buffers (e, e->up);
    free_buffers (e, e->down);
  }
  cudaGetLastError ();
}

gla_status engine_reserve (cuda_engine *e, int slot, size_t bytes)
{
  engine_slot *s = &e->slots[slot];
  if (s->size >= bytes)
    return GLA_OK;
  release_slot (e, s);
  cudaError_t error = cudaMalloc (reinterpret_cast<void **> (&s->memory), bytes);
  if (error == cudaErrorMemoryAllocation) {
    // unused memory of arrays, and arenas of slots without a chunk, may be missing
    cudaGetLastError ();
    heap_trim (e->base.device);
    for (int k = 0; k < ENGINE_SLOTS; k++)
      if (e->slots[k].chunk == nullptr)
        release_slot (e, &e->slots[k]);
    error = cudaMalloc (reinterpret_cast<void **> (&s->memory), bytes);
  }
  if (error != cudaSuccess) {
    s->memory = nullptr;
    return engine_status (error);
  }
  s->size = bytes;
  memory_count (e->base.device, MEMORY_WORK, (int64_t)bytes);
  return GLA_OK;
}

double engine_pages_in_memory (cuda_engine *e, double bytes_of_page)
{
  size_t free_bytes = 0, total = 0;
  if (cudaMemGetInfo (&free_bytes, &total) != cudaSuccess)
    cudaGetLastError ();
  for (int k = 0; k < ENGINE_SLOTS; k++)
    free_bytes += e->slots[k].size;
  return MEMORY_SHARE * free_bytes / ENGINE_SLOTS / bytes_of_page;
}

double engine_fit_in_memory (cuda_engine *e, double pages, double bytes_of_page)
{
  if (pages * bytes_of_page <= (double)e->slots[0].size)
    return pages;
  const double most = engine_pages_in_memory (e, bytes_of_page);
  return pages > most ? most : pages;
}

//------------------------------------------------------------------------------
// handles of cuBLAS
//------------------------------------------------------------------------------

static gla_status open_blas (cuda_engine *e, gpu_blas *blas)
{
  if (blas->handle != nullptr)
    return GLA_OK;
  gla_status status = gpu_blas_open (blas);
  if (status == GLA_OK)
    memory_count (e->base.device, MEMORY_WORK, (int64_t)e->blas_bytes);
  return status;
}

gla_status engine_open_blas (cuda_engine *e, int slot)
{
  gla_status status = open_blas (e, &e->slots[slot].blas);
  return status == GLA_OK ? open_blas (e, &e->side_blas) : status;
}

// tests/c/fake_cuda.c: a stand-in for the CUDA runtime, in which kernels do nothing
// SPDX-License-Identifier: GPL-3.0-or-later

#include "fake_cuda.h"
#include "fake_kernels.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

fake_cuda_answers fake_cuda_answer;
int fake_cuda_alike;

static FILE *trace;
static int64_t calls, fail_at, live, launches, questions;
static fake_cuda_failure failed;
static cudaError_t last_error;
static int device, attribute_fails;

// What must never happen, whatever the library does.
static void bug (const char *what, const void *address, size_t bytes)
{
  fprintf (stderr, "fake_cuda: %s: %p, %zu bytes\n", what, address, bytes);
  abort ();
}

#define TRACE(...)                                                                                 \
  do {                                                                                             \
    if (trace != NULL)                                                                             \
      fprintf (trace, __VA_ARGS__);                                                                \
  } while (0)

void fake_cuda_trace (FILE *to)
{
  trace = to;
}
void fake_cuda_fail_at (int64_t n)
{
  calls = 0;
  fail_at = n;
  failed = FAKE_NONE;
  last_error = cudaSuccess;
  attribute_fails = 0;
}
void fake_cuda_fail_attribute (void)
{
  fake_cuda_fail_at (0);
  attribute_fails = 1;
}
int64_t fake_cuda_calls (void)
{
  return calls;
}
fake_cuda_failure fake_cuda_has_failed (void)
{
  return failed;
}
int64_t fake_cuda_live (void)
{
  return live;
}
int64_t fake_cuda_launches (void)
{
  return launches;
}
int64_t fake_cuda_questions (void)
{
  return questions;
}

// Whether this call is the one to fail.
static int fails (fake_cuda_failure kind)
{
  if (++calls != fail_at)
    return 0;
  failed = kind;
  last_error = kind == FAKE_ALLOCATION ? cudaErrorMemoryAllocation : cudaErrorLaunchFailure;
  TRACE ("fails\n");
  return 1;
}

static cudaError_t result (fake_cuda_failure kind)
{
  return fails (kind) ? last_error : cudaSuccess;
}

cudaError_t cudaGetLastError (void)
{
  cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}
cudaError_t cudaPeekAtLastError (void)
{
  return last_error;
}
const char *cudaGetErrorString (cudaError_t error)
{
  return error == cudaSuccess ? "no error" : "an error of the stand-in";
}

//------------------------------------------------------------------------------
// memory
//------------------------------------------------------------------------------

// Allocations are never made twice at one address, and begin at pages with one between them that
// cannot be touched.
enum { PAGE = 4096, ALLOCATIONS = 1 << 20 };
static const size_t SPACE = (size_t)1 << 42;
static const uintptr_t START = 0x300000000000;

static struct {
  char *at;
  size_t bytes;
  int used;
} allocation[ALLOCATIONS];
static int allocations;
static size_t taken;

static void *take (size_t bytes, int fill)
{
  if (taken == 0 && mmap ((void *)START, SPACE, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
                          0) != (void *)START)
    bug ("no address space", (void *)START, SPACE);
  size_t whole = (bytes + PAGE - 1) / PAGE * PAGE;
  char *at = (char *)START + taken;
  if (allocations == ALLOCATIONS || taken + whole + PAGE > SPACE ||
      (whole > 0 && mprotect (at, whole, PROT_READ | PROT_WRITE) != 0))
    bug ("no memory", at, bytes);
  taken += whole + PAGE;
  if (fill != 0)
    memset (at, fill, bytes);
  allocation[allocations].at = at;
  allocation[allocations].bytes = bytes;
  allocation[allocations++].used = 1;
  live++;
  return at;
}

// The allocation that holds the address.
static int find (const void *address)
{
  int low = 0, high = allocations;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (allocation[middle].at <= (const char *)address)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static void give_back (void *memory)
{
  if (memory == NULL)
    return;
  int k = find (memory);
  if (allocations == 0 || allocation[k].at != memory || !allocation[k].used)
    bug ("freed what is not allocated", memory, 0);
  size_t whole = (allocation[k].bytes + PAGE - 1) / PAGE * PAGE;
  madvise (memory, whole, MADV_DONTNEED);
  mprotect (memory, whole, PROT_NONE);
  allocation[k].used = 0;
  live--;
}

// A range of the device lies within one allocation.
static void check_range (const void *from, size_t bytes)
{
  int k = find (from);
  if (allocations == 0 || !allocation[k].used || (const char *)from < allocation[k].at ||
      (const char *)from + bytes > allocation[k].at + allocation[k].bytes)
    bug ("outside of device memory", from, bytes);
}

cudaError_t cudaMalloc (void **memory, size_t bytes)
{
  TRACE ("malloc %zu\n", bytes);
  if (fails (FAKE_ALLOCATION))
    return last_error;
  *memory = take (bytes, fake_cuda_answer.fill);
  return cudaSuccess;
}
cudaError_t cudaFree (void *memory)
{
  TRACE ("free %p\n", memory);
  give_back (memory);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc (void **memory, size_t bytes, unsigned flags)
{
  TRACE ("host %zu %u\n", bytes, flags);
  if (fails (FAKE_ALLOCATION))
    return last_error;
  *memory = take (bytes, 0);
  return cudaSuccess;
}
cudaError_t cudaFreeHost (void *memory)
{
  TRACE ("host free %p\n", memory);
  give_back (memory);
  return cudaSuccess;
}
void *fake_cuda_array (size_t bytes)
{
  return take (bytes, 0);
}
void fake_cuda_array_free (void *array)
{
  give_back (array);
}
cudaError_t cudaPointerGetAttributes (struct cudaPointerAttributes *a, const void *memory)
{
  int k = find (memory);
  questions++;
  memset (a, 0, sizeof *a);
  const int known = allocations > 0 && allocation[k].used &&
                    (const char *)memory >= allocation[k].at &&
                    (const char *)memory < allocation[k].at + allocation[k].bytes;
  a->type = known ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo (size_t *free_bytes, size_t *total)
{
  questions++;
  *total = (size_t)1 << 33;
  *free_bytes = *total / 2;
  return cudaSuccess;
}

//------------------------------------------------------------------------------
// copies
//------------------------------------------------------------------------------

static unsigned long long hash_of (const void *from, size_t bytes)
{
  const unsigned char *at = from;
  unsigned long long hash = 14695981039346656037ull;
  for (size_t k = 0; k < bytes; k++)
    hash = (hash ^ at[k]) * 1099511628211ull;
  return hash;
}

static void copy (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
  if (kind != cudaMemcpyHostToDevice)
    check_range (from, bytes);
  if (kind != cudaMemcpyDeviceToHost)
    check_range (to, bytes);
  if (kind == cudaMemcpyHostToDevice)
    TRACE ("  to %p, %zu bytes, %llx\n", to, bytes, hash_of (from, bytes));
  else
    TRACE ("  from %p, %zu bytes\n", from, bytes);
  memmove (to, from, bytes);
  if (kind == cudaMemcpyDeviceToHost && bytes == sizeof (int) && fake_cuda_answer.words > 0) {
    fake_cuda_answer.words--;
    memcpy (to, &fake_cuda_answer.word, sizeof (int));
  }
}

cudaError_t cudaMemcpyAsync (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                             cudaStream_t stream)
{
  TRACE ("copy %d, stream %p\n", (int)kind, (void *)stream);
  if (fails (FAKE_DEVICE))
    return last_error;
  copy (to, from, bytes, kind);
  return cudaSuccess;
}
cudaError_t cudaMemcpyPeerAsync (void *to, int to_device, const void *from, int from_device,
                                 size_t bytes, cudaStream_t stream)
{
  TRACE ("copy from device %d to %d, stream %p\n", from_device, to_device, (void *)stream);
  if (fails (FAKE_DEVICE))
    return last_error;
  copy (to, from, bytes, cudaMemcpyDeviceToDevice);
  return cudaSuccess;
}
cudaError_t cudaMemcpy (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
  TRACE ("copy %d and wait\n", (int)kind);
  if (fails (FAKE_DEVICE))
    return last_error;
  copy (to, from, bytes, kind);
  double one = 1;
  if (fake_cuda_answer.ones && kind == cudaMemcpyDeviceToHost)
    for (size_t k = 0; k < bytes / sizeof one; k++)
      memcpy ((char *)to + k * sizeof one, &one, sizeof one);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync (void *to, int value, size_t bytes, cudaStream_t stream)
{
  TRACE ("set %p, %d, %zu bytes, stream %p\n", to, value, bytes, (void *)stream);
  check_range (to, bytes);
  if (fails (FAKE_DEVICE))
    return last_error;
  memset (to, value, bytes);
  return cudaSuccess;
}

//------------------------------------------------------------------------------
// streams and events
//------------------------------------------------------------------------------

static int64_t handles;

// Numbers in the place of pointers, the same in every run.
static void *new_handle (void)
{
  live++;
  return (void *)(uintptr_t)++handles;
}

cudaError_t cudaStreamCreateWithPriority (cudaStream_t *stream, unsigned flags, int priority)
{
  TRACE ("stream %u %d\n", flags, priority);
  if (fails (FAKE_DEVICE))
    return last_error;
  *stream = new_handle ();
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy (cudaStream_t stream)
{
  TRACE ("end of stream %p\n", (void *)stream);
  live--;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags (cudaEvent_t *event, unsigned flags)
{
  TRACE ("event %u\n", flags);
  if (fails (FAKE_DEVICE))
    return last_error;
  *event = new_handle ();
  return cudaSuccess;
}
cudaError_t cudaEventDestroy (cudaEvent_t event)
{
  TRACE ("end of event %p\n", (void *)event);
  live--;
  return cudaSuccess;
}
cudaError_t cudaEventRecord (cudaEvent_t event, cudaStream_t stream)
{
  TRACE ("record %p, stream %p\n", (void *)event, (void *)stream);
  return result (FAKE_DEVICE);
}
cudaError_t cudaEventQuery (cudaEvent_t event)
{
  TRACE ("query %p\n", (void *)event);
  return result (FAKE_DEVICE);
}
cudaError_t cudaStreamWaitEvent (cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
  TRACE ("stream %p waits for %p, %u\n", (void *)stream, (void *)event, flags);
  return result (FAKE_DEVICE);
}
cudaError_t cudaStreamSynchronize (cudaStream_t stream)
{
  TRACE ("synchronize %p\n", (void *)stream);
  return cudaSuccess;
}

//------------------------------------------------------------------------------
// devices
//------------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount (int *count)
{
  questions++;
  *count = FAKE_DEVICES;
  return cudaSuccess;
}
cudaError_t cudaGetDevice (int *current)
{
  questions++;
  *current = device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice (int wanted)
{
  questions++;
  device = wanted;
  return wanted < FAKE_DEVICES ? cudaSuccess : cudaErrorInvalidDevice;
}
static int first (int of)
{
  return of == 0 || fake_cuda_alike;
}
cudaError_t cudaGetDeviceProperties (struct cudaDeviceProp *p, int of)
{
  questions++;
  memset (p, 0, sizeof *p);
  strcpy (p->name, "stand-in");
  p->major = first (of) ? 9 : 8;
  p->multiProcessorCount = first (of) ? 132 : 108;
  p->sharedMemPerBlockOptin = (size_t)(first (of) ? 227 : 163) << 10;
  p->totalGlobalMem = (size_t)1 << 33;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute (int *value, enum cudaDeviceAttr attribute, int of)
{
  questions++;
  *value = attribute == cudaDevAttrClusterLaunch                  ? first (of)
           : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? (first (of) ? 227 : 163) << 10
           : attribute == cudaDevAttrMultiProcessorCount          ? (first (of) ? 132 : 108)
           : attribute == cudaDevAttrComputeCapabilityMajor       ? first (of) ? 9 : 8
                                                                  : 0;
  return cudaSuccess;
}
// Only device 0 reaches the memory of the other one, once.
cudaError_t cudaDeviceCanAccessPeer (int *can, int of, int peer)
{
  questions++;
  *can = of == 0 && peer == 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess (int peer, unsigned flags)
{
  static int enabled;
  TRACE ("device %d reaches %d, %u\n", device, peer, flags);
  last_error = enabled++ ? cudaErrorPeerAccessAlreadyEnabled : cudaSuccess;
  return last_error;
}
cudaError_t cudaDeviceGetStreamPriorityRange (int *lowest, int *highest)
{
  *lowest = 0;
  *highest = -5;
  return cudaSuccess;
}

//------------------------------------------------------------------------------
// kernels
//------------------------------------------------------------------------------

// The two kernels that do something, as the library has to see it.
static void run (const fake_kernel *k, void **arguments)
{
  int one = 1;
  if (strstr (k->name, "probe_kernel") != NULL)
    memcpy (*(int **)arguments[0], &one, sizeof one);
  if (strstr (k->name, "any_info_kernel") != NULL && fake_cuda_answer.any_info)
    memcpy (*(int **)arguments[2], &one, sizeof one);
}

static cudaError_t launch (const void *function, dim3 grid, dim3 block, void **arguments,
                           size_t shared, cudaStream_t stream, int cluster, int early)
{
  const fake_kernel *k = kernel_of (function);
  TRACE ("launch %s <%u %u %u> <%u %u %u> %zu, stream %p, cluster %d %d:", k->name, grid.x, grid.y,
         grid.z, block.x, block.y, block.z, shared, (void *)stream, cluster, early);
  for (int p = 0; p < k->parameters && trace != NULL; p++)
    TRACE (" %d/%llx", k->bytes[p], hash_of (arguments[p], (size_t)k->bytes[p]));
  TRACE ("\n");
  launches++;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.y > 65535 || grid.z > 65535 ||
      block.x * block.y * block.z == 0 || block.x * block.y * block.z > 1024 ||
      shared > (size_t)227 << 10)
    bug (k->name, function, shared);
  if (fails (FAKE_DEVICE))
    return last_error;
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

static struct {
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
  TRACE ("attribute %s %d %d\n", kernel_of (function)->name, (int)attribute, value);
  if (!attribute_fails)
    return cudaSuccess;
  attribute_fails = 0;
  failed = FAKE_DEVICE;
  last_error = cudaErrorInvalidValue;
  return last_error;
}
cudaError_t cudaFuncGetAttributes (struct cudaFuncAttributes *attributes, const void *function)
{
  questions++;
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
  questions++;
  (void)function, (void)threads, (void)bytes, (void)flags;
  *count = 4;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveClusters (int *count, const void *function,
                                            const cudaLaunchConfig_t *config)
{
  questions++;
  (void)function, (void)config;
  *count = 16;
  return cudaSuccess;
}

//------------------------------------------------------------------------------
// what the stand-in for cuBLAS calls (fake_cublas.c)
//------------------------------------------------------------------------------

int fake_cublas_create (void **handle)
{
  enum { ALLOC_FAILED = 3 };
  TRACE ("cublas\n");
  if (fails (FAKE_ALLOCATION))
    return ALLOC_FAILED;
  *handle = new_handle ();
  return 0;
}
int fake_cublas_destroy (void *handle)
{
  TRACE ("end of cublas %p\n", handle);
  live--;
  return 0;
}
int fake_cublas_stream (void *handle, void *stream)
{
  TRACE ("cublas %p, stream %p\n", handle, stream);
  return 0;
}
int fake_cublas_gemm (const char *name, const int *sizes, const void *alpha, const void *beta,
                      const void *A, const void *B, const void *C)
{
  enum { EXECUTION_FAILED = 13 };
  size_t scalar = (size_t)(name[0] == 'S' ? 4 : name[0] == 'Z' ? 16 : 8);
  TRACE ("%sgemm %d %d, %d %d %d, %d %d %d, %llx %llx, %p %p %p\n", name, sizes[0], sizes[1],
         sizes[2], sizes[3], sizes[4], sizes[5], sizes[6], sizes[7], hash_of (alpha, scalar),
         hash_of (beta, scalar), A, B, C);
  return fails (FAKE_DEVICE) ? EXECUTION_FAILED : 0;
}

//------------------------------------------------------------------------------
// what the stand-in for cuFFT calls (fake_cufft.c)
//------------------------------------------------------------------------------

cudaError_t cudaStreamQuery (cudaStream_t stream)
{
  (void)stream;
  return cudaSuccess;
}

int fake_cufft_create (int *plan)
{
  enum { ALLOC_FAILED = 2 };
  static int plans;
  TRACE ("cufft\n");
  if (fails (FAKE_ALLOCATION))
    return ALLOC_FAILED;
  live++;
  *plan = ++plans;
  return 0;
}
int fake_cufft_destroy (int plan)
{
  (void)plan;
  TRACE ("end of a plan of cufft\n");
  live--;
  return 0;
}
int fake_cufft_plan (int plan, const long long *sizes, size_t *work)
{
  enum { ALLOC_FAILED = 2 };
  (void)plan;
  TRACE ("plan of cufft %lld %lld %lld %lld %lld\n", sizes[0], sizes[1], sizes[2], sizes[3],
         sizes[4]);
  *work = (size_t)(16 * sizes[0] * sizes[3]);
  return fails (FAKE_ALLOCATION) ? ALLOC_FAILED : 0;
}
int fake_cufft_run (int plan, const void *from, const void *to, int direction)
{
  enum { EXEC_FAILED = 6 };
  (void)plan;
  TRACE ("fft %d %p %p\n", direction, from, to);
  return fails (FAKE_DEVICE) ? EXEC_FAILED : 0;
}

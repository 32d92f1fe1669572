// fake_memory.c: the stand-in for the CUDA runtime: memory and copies
// SPDX-License-Identifier: GPL-3.0-or-later

#include "fake_cuda.h"
#include "fake_state.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

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
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of the variables above

static void *take_locked (size_t bytes)
{
  if (taken == 0 && mmap ((void *)START, SPACE, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
                          0) != (void *)START)
    fake_bug ("no address space", (void *)START, SPACE);
  size_t whole = (bytes + PAGE - 1) / PAGE * PAGE;
  char *at = (char *)START + taken;
  if (allocations == ALLOCATIONS || taken + whole + PAGE > SPACE ||
      (whole > 0 && mprotect (at, whole, PROT_READ | PROT_WRITE) != 0))
    fake_bug ("no memory", at, bytes);
  taken += whole + PAGE;
  allocation[allocations].at = at;
  allocation[allocations].bytes = bytes;
  allocation[allocations++].used = 1;
  fake_state.live++;
  return at;
}

static void *take (size_t bytes, int fill)
{
  pthread_mutex_lock (&lock);
  char *at = take_locked (bytes);
  pthread_mutex_unlock (&lock);
  if (fill != 0)
    memset (at, fill, bytes);
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
  pthread_mutex_lock (&lock);
  int k = find (memory);
  if (allocations == 0 || allocation[k].at != memory || !allocation[k].used)
    fake_bug ("freed what is not allocated", memory, 0);
  size_t whole = (allocation[k].bytes + PAGE - 1) / PAGE * PAGE;
  madvise (memory, whole, MADV_DONTNEED);
  mprotect (memory, whole, PROT_NONE);
  allocation[k].used = 0;
  fake_state.live--;
  pthread_mutex_unlock (&lock);
}

// Whether a range lies within one allocation that is in use.
static int is_taken (const void *from, size_t bytes)
{
  pthread_mutex_lock (&lock);
  int k = find (from);
  int taken_now = allocations > 0 && allocation[k].used && (const char *)from >= allocation[k].at &&
                  (const char *)from + bytes <= allocation[k].at + allocation[k].bytes;
  pthread_mutex_unlock (&lock);
  return taken_now;
}

static void check_range (const void *from, size_t bytes)
{
  if (!is_taken (from, bytes))
    fake_bug ("outside of device memory", from, bytes);
}

cudaError_t cudaMalloc (void **memory, size_t bytes)
{
  FAKE_TRACE ("malloc %zu\n", bytes);
  if (fake_fails (FAKE_ALLOCATION))
    return fake_thread.last_error;
  *memory = take (bytes, fake_cuda_answer.fill);
  return cudaSuccess;
}
cudaError_t cudaFree (void *memory)
{
  FAKE_TRACE ("free %p\n", memory);
  give_back (memory);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc (void **memory, size_t bytes, unsigned flags)
{
  FAKE_TRACE ("host %zu %u\n", bytes, flags);
  if (fake_fails (FAKE_ALLOCATION))
    return fake_thread.last_error;
  *memory = take (bytes, 0);
  return cudaSuccess;
}
cudaError_t cudaFreeHost (void *memory)
{
  FAKE_TRACE ("host free %p\n", memory);
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
  fake_state.questions++;
  memset (a, 0, sizeof *a);
  a->type = is_taken (memory, 1) ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo (size_t *free_bytes, size_t *total)
{
  fake_state.questions++;
  *total = (size_t)1 << 33;
  *free_bytes = *total / 2;
  return cudaSuccess;
}

//------------------------------------------------------------------------------
// copies
//------------------------------------------------------------------------------

unsigned long long fake_hash (const void *from, size_t bytes)
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
    FAKE_TRACE ("  to %p, %zu bytes, %llx\n", to, bytes, fake_hash (from, bytes));
  else
    FAKE_TRACE ("  from %p, %zu bytes\n", from, bytes);
  memmove (to, from, bytes);
  if (kind == cudaMemcpyHostToDevice)
    fake_state.uploaded += (int64_t)bytes;
  const int single = bytes == sizeof (int) || bytes == 3 * sizeof (int);
  if (kind == cudaMemcpyDeviceToHost && single && fake_cuda_answer.words > 0) {
    fake_cuda_answer.words--;
    for (size_t at = 0; at < bytes; at += sizeof (int))
      memcpy ((char *)to + at, &fake_cuda_answer.word, sizeof (int));
  }
}

cudaError_t cudaMemcpyAsync (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                             cudaStream_t stream)
{
  FAKE_TRACE ("copy %d, stream %p\n", (int)kind, (void *)stream);
  if (fake_fails (FAKE_DEVICE))
    return fake_thread.last_error;
  copy (to, from, bytes, kind);
  return cudaSuccess;
}
cudaError_t cudaMemcpyPeerAsync (void *to, int to_device, const void *from, int from_device,
                                 size_t bytes, cudaStream_t stream)
{
  FAKE_TRACE ("copy from device %d to %d, stream %p\n", from_device, to_device, (void *)stream);
  if (fake_fails (FAKE_DEVICE))
    return fake_thread.last_error;
  copy (to, from, bytes, cudaMemcpyDeviceToDevice);
  return cudaSuccess;
}
cudaError_t cudaMemcpy (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
  FAKE_TRACE ("copy %d and wait\n", (int)kind);
  if (fake_fails (FAKE_DEVICE))
    return fake_thread.last_error;
  copy (to, from, bytes, kind);
  double one = 1;
  if (fake_cuda_answer.ones && kind == cudaMemcpyDeviceToHost)
    for (size_t k = 0; k < bytes / sizeof one; k++)
      memcpy ((char *)to + k * sizeof one, &one, sizeof one);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync (void *to, int value, size_t bytes, cudaStream_t stream)
{
  FAKE_TRACE ("set %p, %d, %zu bytes, stream %p\n", to, value, bytes, (void *)stream);
  check_range (to, bytes);
  if (fake_fails (FAKE_DEVICE))
    return fake_thread.last_error;
  memset (to, value, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemset2DAsync (void *to, size_t pitch, int value, size_t width, size_t height,
                               cudaStream_t stream)
{
  FAKE_TRACE ("set %p, pitch %zu, %d, %zu x %zu bytes, stream %p\n", to, pitch, value, width,
              height, (void *)stream);
  check_range (to, height > 0 ? (height - 1) * pitch + width : 0);
  if (fake_fails (FAKE_DEVICE))
    return fake_thread.last_error;
  for (size_t k = 0; k < height; k++)
    memset ((char *)to + k * pitch, value, width);
  return cudaSuccess;
}

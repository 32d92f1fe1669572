// heap.cu: memory of a GPU for arrays that stay there
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A segment is a chain of free and used blocks, without two adjacent free ones. Free blocks are in
// lists by the power of 2 of their size; used ones are found by their address. Small blocks have
// their own segments, so that they do not fragment large ones.

#include "heap.cuh"
#include "memory.cuh"

#include <cstdlib>
#include <mutex>

namespace
{

const size_t ALIGNMENT = 512, SMALL = (size_t)1 << 20, SEGMENT = (size_t)2 << 20;
enum { BINS = 48, BUCKETS = 4096, KEPT_PART = 4 };

struct block {
  char *at;
  size_t size;
  bool used, small;
  block *before, *after; // in the segment
  block *last, *next;    // in the list of its bin; `next` also in its bucket
};

} // namespace

struct array_heap {
  int device;
  block *bins[2][BINS], *buckets[BUCKETS];
  int64_t live, peak, kept, limit;
  array_order order;
  array_heap *next; // of another engine
};

namespace
{

// The heaps of all engines: another engine trims them if its memory is short.
array_heap *heaps;
std::mutex lock;

int bin_of (size_t size)
{
  int bin = 0;
  for (size /= ALIGNMENT; size > 1 && bin < BINS - 1; size /= 2)
    bin++;
  return bin;
}

block **bucket_of (array_heap *h, const void *at)
{
  return &h->buckets[reinterpret_cast<uintptr_t> (at) / ALIGNMENT * 2654435761u / 64 % BUCKETS];
}

void count_kept (array_heap *h, int64_t change)
{
  h->kept += change;
  memory_count (h->device, MEMORY_HEAPS, change);
}

void put_free (array_heap *h, block *b)
{
  block **bin = &h->bins[b->small][bin_of (b->size)];
  b->used = false;
  b->last = nullptr;
  b->next = *bin;
  if (*bin != nullptr)
    (*bin)->last = b;
  *bin = b;
}

void take_free (array_heap *h, block *b)
{
  if (b->last != nullptr)
    b->last->next = b->next;
  else
    h->bins[b->small][bin_of (b->size)] = b->next;
  if (b->next != nullptr)
    b->next->last = b->last;
}

// Returns the smallest free block of at least this size in the first bin that has one.
block *best_free (array_heap *h, bool small, size_t size)
{
  for (int bin = bin_of (size); bin < BINS; bin++) {
    block *best = nullptr;
    for (block *b = h->bins[small][bin]; b != nullptr; b = b->next)
      if (b->size >= size && (best == nullptr || b->size < best->size))
        best = b;
    if (best != nullptr)
      return best;
  }
  return nullptr;
}

block *new_block (char *at, size_t size, bool small)
{
  block *b = static_cast<block *> (calloc (1, sizeof *b));
  if (b != nullptr) {
    b->at = at;
    b->size = size;
    b->small = small;
  }
  return b;
}

// Frees the rest of a block after `size` bytes. If there is no memory for that, the block stays
// whole.
void split (array_heap *h, block *b, size_t size)
{
  if (b->size - size < (b->small ? ALIGNMENT : SMALL))
    return;
  block *rest = new_block (b->at + size, b->size - size, b->small);
  if (rest == nullptr)
    return;
  rest->before = b;
  rest->after = b->after;
  if (b->after != nullptr)
    b->after->before = rest;
  b->after = rest;
  b->size = size;
  put_free (h, rest);
}

// Joins `b`, which is in no list, with the free block after it.
void join (array_heap *h, block *b)
{
  block *gone = b->after;
  take_free (h, gone);
  b->size += gone->size;
  b->after = gone->after;
  if (gone->after != nullptr)
    gone->after->before = b;
  free (gone);
}

// Memory is mostly taken and freed without the driver; the device is made the current one only if
// the driver is asked.
void make_current (const array_heap *h)
{
  cudaSetDevice (h->device);
}

// Frees segments that are entirely free until at most `most` bytes are kept. cudaFree waits for
// work that uses them.
void trim (array_heap *h, int64_t most)
{
  make_current (h);
  for (int bin = BINS - 1; bin >= 0 && h->kept > most; bin--)
    for (int small = 0; small < 2; small++)
      for (block *b = h->bins[small][bin], *next; b != nullptr && h->kept > most; b = next) {
        next = b->next;
        if (b->before != nullptr || b->after != nullptr)
          continue;
        take_free (h, b);
        count_kept (h, -(int64_t)b->size);
        cudaFree (b->at);
        free (b);
      }
  cudaGetLastError ();
}

void trim_device (int device)
{
  for (array_heap *h = heaps; h != nullptr; h = h->next)
    if (h->device == device)
      trim (h, 0);
}

cudaError_t new_segment (array_heap *h, bool small, size_t size, block **b)
{
  const size_t bytes = small ? SEGMENT : (size + SEGMENT - 1) / SEGMENT * SEGMENT;
  void *memory = nullptr;
  make_current (h);
  cudaError_t error = cudaMalloc (&memory, bytes);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError ();
    trim_device (h->device);
    error = cudaMalloc (&memory, bytes);
  }
  if (error != cudaSuccess)
    return error;
  *b = new_block (static_cast<char *> (memory), bytes, small);
  if (*b == nullptr) {
    cudaFree (memory);
    return cudaErrorMemoryAllocation;
  }
  count_kept (h, (int64_t)bytes);
  put_free (h, *b);
  return cudaSuccess;
}

cudaError_t open_heap (cuda_engine *e)
{
  if (e->heap != nullptr)
    return cudaSuccess;
  array_heap *h = static_cast<array_heap *> (calloc (1, sizeof *h));
  if (h == nullptr)
    return cudaErrorMemoryAllocation;
  h->device = e->base.device;
  make_current (h);
  const cudaError_t error = order_open (&h->order);
  if (error != cudaSuccess) {
    order_close (&h->order);
    free (h);
    return error;
  }
  h->limit = (int64_t)(e->memory_total / KEPT_PART);
  h->next = heaps;
  heaps = e->heap = h;
  return cudaSuccess;
}

cudaError_t take (cuda_engine *e, size_t size, void **memory)
{
  const cudaError_t opened = open_heap (e);
  array_heap *h = e->heap;
  if (opened != cudaSuccess)
    return opened;
  const bool small = size <= SMALL;
  block *b = best_free (h, small, size);
  if (b == nullptr) {
    const cudaError_t error = new_segment (h, small, size, &b);
    if (error != cudaSuccess)
      return error;
  }
  take_free (h, b);
  split (h, b, size);
  b->used = true;
  block **bucket = bucket_of (h, b->at);
  b->next = *bucket;
  *bucket = b;
  count_kept (h, -(int64_t)b->size);
  memory_count (h->device, MEMORY_ARRAYS, (int64_t)b->size);
  h->live += (int64_t)b->size;
  h->peak = h->live > h->peak ? h->live : h->peak;
  *memory = b->at;
  return cudaSuccess;
}

void give (array_heap *h, void *memory)
{
  block **at = bucket_of (h, memory);
  while (*at != nullptr && (*at)->at != memory)
    at = &(*at)->next;
  block *b = *at;
  if (b == nullptr)
    return;
  *at = b->next;
  h->live -= (int64_t)b->size;
  memory_count (h->device, MEMORY_ARRAYS, -(int64_t)b->size);
  count_kept (h, (int64_t)b->size);
  if (b->after != nullptr && !b->after->used)
    join (h, b);
  if (b->before != nullptr && !b->before->used) {
    block *whole = b->before;
    take_free (h, whole);
    put_free (h, b); // where join looks for it
    join (h, whole);
    b = whole;
  }
  put_free (h, b);
  if (h->kept > h->limit)
    trim (h, h->limit);
}

} // namespace

cudaError_t heap_take (cuda_engine *e, size_t bytes, void **memory)
{
  *memory = nullptr;
  if (bytes > (size_t)1 << 46)
    return cudaErrorMemoryAllocation;
  const size_t size = (bytes + (bytes == 0) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  const std::lock_guard<std::mutex> guard (lock);
  return take (e, size, memory);
}

void heap_give (cuda_engine *e, void *memory)
{
  const std::lock_guard<std::mutex> guard (lock);
  if (e->heap != nullptr && memory != nullptr)
    give (e->heap, memory);
}

void heap_trim (int device)
{
  const std::lock_guard<std::mutex> guard (lock);
  trim_device (device);
}

void heap_close (cuda_engine *e)
{
  const std::lock_guard<std::mutex> guard (lock);
  array_heap *h = e->heap;
  if (h != nullptr) {
    for (block *&bucket : h->buckets)
      while (bucket != nullptr)
        give (h, bucket->at);
    trim (h, 0);
    array_heap **at = &heaps;
    while (*at != h)
      at = &(*at)->next;
    *at = h->next;
    order_close (&h->order);
    free (h);
    e->heap = nullptr;
  }
}

array_order *heap_order (cuda_engine *e)
{
  return e->heap != nullptr ? &e->heap->order : nullptr;
}

gla_memory_info heap_query (const cuda_engine *e)
{
  gla_memory_info info = {sizeof info, 0, 0, 0};
  const std::lock_guard<std::mutex> guard (lock);
  if (e->heap != nullptr)
    info = {sizeof info, e->heap->live, e->heap->peak, e->heap->kept};
  return info;
}

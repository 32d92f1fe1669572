// memory.cu: how much memory this process holds on each GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "memory.cuh"

#include <atomic>
#include <cstdlib>
#include <mutex>

enum { DEVICES = 64 }; // as many as a context has

namespace
{

std::atomic<int64_t> held[DEVICES][MEMORY_KINDS];

// There are few copies, a dozen for each matrix: a list is enough.
struct copy_node {
  void *memory;
  size_t bytes;
  int device;
  copy_node *next;
};
copy_node *copies;
std::mutex copies_lock;

// Removes the node of this memory from the list; NULL if there is none.
copy_node *take_out (void *memory)
{
  const std::lock_guard<std::mutex> guard (copies_lock);
  copy_node **at = &copies;
  while (*at != nullptr && (*at)->memory != memory)
    at = &(*at)->next;
  copy_node *found = *at;
  if (found != nullptr)
    *at = found->next;
  return found;
}

} // namespace

void memory_count (int device, memory_kind kind, int64_t change)
{
  if (device >= 0 && device < DEVICES)
    held[device][kind] += change;
}

int64_t memory_held (int device, memory_kind kind)
{
  return device >= 0 && device < DEVICES ? held[device][kind].load () : 0;
}

cudaError_t memory_take_copy (int device, void **memory, size_t bytes)
{
  copy_node *node = static_cast<copy_node *> (malloc (sizeof *node));
  *memory = nullptr;
  if (node == nullptr)
    return cudaErrorMemoryAllocation;
  cudaError_t error = cudaMalloc (memory, bytes);
  if (error != cudaSuccess) {
    *memory = nullptr;
    free (node);
    return error;
  }
  memory_count (device, MEMORY_COPIES, (int64_t)bytes);
  const std::lock_guard<std::mutex> guard (copies_lock);
  *node = {*memory, bytes, device, copies};
  copies = node;
  return cudaSuccess;
}

void memory_free_copy (void *memory)
{
  if (memory == nullptr)
    return;
  copy_node *node = take_out (memory);
  if (node != nullptr) {
    memory_count (node->device, MEMORY_COPIES, -(int64_t)node->bytes);
    cudaSetDevice (node->device); // its engine may have been closed
  }
  free (node);
  cudaFree (memory);
}

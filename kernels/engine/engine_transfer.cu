// engine_transfer.cu: copies between host arrays and a GPU, and waiting for them
// SPDX-License-Identifier: GPL-3.0-or-later

#include "download_whole.cuh"
#include "memory.cuh"
#include "common/host_memory.h"
#include "common/system.h"
#include "common/work_limits.cuh"
#include "threads/schedule.h"

//------------------------------------------------------------------------------
// pinned buffers
//------------------------------------------------------------------------------

cudaError_t engine_make_ring (cuda_engine *e, ring_buffer *ring)
{
  cudaError_t error = cudaSuccess;
  for (int k = 0; k < RING_BUFFERS && error == cudaSuccess; k++) {
    if (ring[k].free == nullptr)
      error = cudaEventCreateWithFlags (&ring[k].free, cudaEventDisableTiming);
    if (error != cudaSuccess || ring[k].host != nullptr)
      continue;
    error =
        cudaHostAlloc (reinterpret_cast<void **> (&ring[k].host), RING_BYTES, cudaHostAllocDefault);
    if (error == cudaSuccess)
      memory_count (e->base.device, MEMORY_PINNED, (int64_t)RING_BYTES);
    else
      ring[k].host = nullptr;
  }
  return error;
}

// engine_shrink may have freed the buffers.
static gla_status need_ring (cuda_engine *e, ring_buffer *ring)
{
  return ring[RING_BUFFERS - 1].host != nullptr ? GLA_OK
                                                : engine_status (engine_make_ring (e, ring));
}

//------------------------------------------------------------------------------
// memory for results
//------------------------------------------------------------------------------

// Bytes that are prefaulted at a time: a huge page for each of 16 threads.
static const size_t PREFAULT_BYTES = (size_t)32 << 20;

static fresh_memory fresh_of (const gla_array *a)
{
  gla_packing packing = gla_packing_of (a);
  // gaps between columns or pages belong to the caller
  if (a->data == nullptr || packing.unit != packing.total || packing.total < RING_BYTES)
    return {nullptr, 0, 0};
  const size_t touched = gla_host_is_touched (packing.base, packing.total) ? packing.total : 0;
  return {packing.base, packing.total, touched};
}

static void prefault_next (fresh_memory *f)
{
  size_t left = f->total - f->done, bytes = left < PREFAULT_BYTES ? left : PREFAULT_BYTES;
  gla_host_prefault (f->base + f->done, bytes);
  f->done += bytes;
}

void engine_announce_results (cuda_engine *e, int slot, const gla_array *results)
{
  e->slots[slot].results = fresh_of (results);
}

// Prefaults a piece of the results of the chunk that `event` ends, or of another submitted chunk.
// Returns false if nothing is left to prefault.
static bool prefault_results (cuda_engine *e, cudaEvent_t event)
{
  int first = 0;
  while (first < ENGINE_SLOTS && e->slots[first].done != event)
    first++;
  for (int k = 0; first < ENGINE_SLOTS && k < ENGINE_SLOTS; k++) {
    fresh_memory *f = &e->slots[(first + k) % ENGINE_SLOTS].results;
    if (f->done < f->total) {
      prefault_next (f);
      return true;
    }
  }
  return false;
}

//------------------------------------------------------------------------------
// waiting
//------------------------------------------------------------------------------

// After this many seconds of a wait the thread sleeps between two polls of the event. A sleep takes
// at least 0.1 ms, a tenth of a short wait.
static const double SLEEP_AFTER = 5e-3;

gla_status engine_wait (cuda_engine *e, cudaEvent_t event)
{
  double start = gla_now (), asked = start;
  while (true) {
    cudaError_t error = cudaEventQuery (event);
    if (error != cudaErrorNotReady)
      return engine_status (error);
    bool worked = prefault_results (e, event);
    double now = gla_now ();
    if (now - asked > POLL_SECONDS) {
      asked = now;
      if (e->monitor.poll (e->monitor.user, 0))
        return GLA_ERROR_STOPPED;
    }
    if (!worked && now - start < SLEEP_AFTER)
      gla_yield ();
    else if (!worked)
      gla_nap (50000);
  }
}

gla_status engine_throttle (cuda_engine *e, int slot)
{
  cudaError_t error = cudaEventRecord (e->slots[slot].done, e->slots[slot].stream);
  return error == cudaSuccess ? engine_wait (e, e->slots[slot].done) : engine_status (error);
}

//------------------------------------------------------------------------------
// transfers
//------------------------------------------------------------------------------

gla_status engine_upload (cuda_engine *e, int slot, void *device, const gla_array *from)
{
  gla_packing packing = gla_packing_of (from);
  cudaStream_t stream = e->slots[slot].stream;
  gla_status made = need_ring (e, e->up);
  if (made != GLA_OK)
    return made;
  for (size_t at = 0; at < packing.total; at += RING_BYTES) {
    size_t bytes = packing.total - at < RING_BYTES ? packing.total - at : RING_BYTES;
    ring_buffer *buffer = &e->up[e->next_up];
    e->next_up = (e->next_up + 1) % RING_BUFFERS;
    gla_status status = engine_wait (e, buffer->free);
    if (status != GLA_OK)
      return status;
    gla_pack (&packing, at, bytes, buffer->host);
    cudaError_t error = cudaMemcpyAsync (static_cast<char *> (device) + at, buffer->host, bytes,
                                         cudaMemcpyHostToDevice, stream);
    if (error == cudaSuccess)
      error = cudaEventRecord (buffer->free, stream);
    if (error != cudaSuccess)
      return engine_status (error);
  }
  return GLA_OK;
}

gla_status engine_download (cuda_engine *e, int slot, const gla_array *to, const void *device)
{
  gla_packing packing = gla_packing_of (to);
  cudaStream_t stream = e->slots[slot].stream;
  gla_status made = need_ring (e, e->down);
  if (made != GLA_OK)
    return made;
  fresh_memory fresh = fresh_of (to), *expected = &e->slots[slot].results;
  if (fresh.base == expected->base) {
    fresh = *expected;
    *expected = {};
  }
  if (download_whole_serves (fresh))
    return download_whole (e, slot, fresh, device);
  size_t pieces = (packing.total + RING_BYTES - 1) / RING_BYTES;
  // piece k is copied out of its buffer while pieces k+1 .. k+RING_BUFFERS-1 are on the link
  for (size_t k = 0; k < pieces + RING_BUFFERS - 1; k++) {
    if (k < pieces) {
      ring_buffer *buffer = &e->down[k % RING_BUFFERS];
      size_t at = k * RING_BYTES;
      size_t bytes = packing.total - at < RING_BYTES ? packing.total - at : RING_BYTES;
      cudaError_t error = cudaMemcpyAsync (buffer->host, static_cast<const char *> (device) + at,
                                           bytes, cudaMemcpyDeviceToHost, stream);
      if (error == cudaSuccess)
        error = cudaEventRecord (buffer->free, stream);
      if (error != cudaSuccess)
        return engine_status (error);
    }
    if (k >= RING_BUFFERS - 1) {
      size_t piece = k - (RING_BUFFERS - 1), at = piece * RING_BYTES;
      size_t bytes = packing.total - at < RING_BYTES ? packing.total - at : RING_BYTES;
      if (at + bytes > fresh.done && fresh.done < fresh.total)
        prefault_next (&fresh);
      gla_status status = engine_wait (e, e->down[piece % RING_BUFFERS].free);
      if (status != GLA_OK)
        return status;
      gla_unpack (&packing, at, bytes, e->down[piece % RING_BUFFERS].host);
    }
  }
  return GLA_OK;
}

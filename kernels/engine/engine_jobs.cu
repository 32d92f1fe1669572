// engine_jobs.cu: jobs and chunks of one GPU, and the order of jobs whose arrays stay there
// SPDX-License-Identifier: GPL-3.0-or-later

#include "heap.cuh"
#include "ordered.cuh"

//------------------------------------------------------------------------------
// the order of arrays
//------------------------------------------------------------------------------

cudaError_t order_open (array_order *o)
{
  cudaError_t error = cudaEventCreateWithFlags (&o->begun, cudaEventDisableTiming);
  for (int k = 0; k < ORDERED_JOBS && error == cudaSuccess; k++)
    error = cudaEventCreateWithFlags (&o->ended[k], cudaEventDisableTiming);
  return error;
}

void order_close (array_order *o)
{
  if (o->begun != nullptr)
    cudaEventDestroy (o->begun);
  for (cudaEvent_t event : o->ended)
    if (event != nullptr)
      cudaEventDestroy (event);
  *o = {};
}

static array_order *current_order (cuda_engine *e)
{
  array_order *o = heap_order (e);
  return o != nullptr && o->on ? o : nullptr;
}

// The stream of another slot than the first begins after what the first has been given.
gla_status engine_take_slot (cuda_engine *e, int slot, const void *chunk)
{
  engine_slot *s = &e->slots[slot];
  array_order *o = current_order (e);
  s->chunk = chunk;
  e->used |= 1u << slot;
  if (o == nullptr)
    return GLA_OK;
  const bool first = (o->used >> slot & 1) == 0;
  o->used |= 1u << slot;
  if (!first) // to limit the number of chunks that Ctrl-C does not end
    return engine_wait (e, s->done);
  if (slot == 0)
    return engine_wait (e, o->ended[o->next]);
  return engine_status (cudaStreamWaitEvent (s->stream, o->begun, 0));
}

gla_status engine_wait_unordered (cuda_engine *e, int slot)
{
  return current_order (e) != nullptr ? GLA_OK : engine_wait (e, e->slots[slot].done);
}

// Makes the first slot's stream continue after the work of the others, and records where the job
// ends in it: if no other slot has worked, its own last event shows that. False if that is not
// possible.
static bool join_slots (cuda_engine *e, array_order *o)
{
  cudaError_t error = cudaSuccess;
  for (int k = 0; k < ENGINE_SLOTS; k++)
    if (e->slots[k].chunk != nullptr) // not finished: the job has failed, or is stopped
      return false;
  for (int k = 1; k < ENGINE_SLOTS && error == cudaSuccess; k++)
    if (o->used >> k & 1)
      error = cudaStreamWaitEvent (e->slots[0].stream, e->slots[k].done, 0);
  if (o->used == 1) {
    cudaEvent_t free_event = o->ended[o->next];
    o->ended[o->next] = e->slots[0].done;
    e->slots[0].done = free_event;
  } else if (error == cudaSuccess)
    error = cudaEventRecord (o->ended[o->next], e->slots[0].stream);
  o->next = (o->next + 1) % ORDERED_JOBS;
  return error == cudaSuccess;
}

//------------------------------------------------------------------------------
// jobs and chunks
//------------------------------------------------------------------------------

void engine_drain (cuda_engine *e)
{
  for (int k = 0; k < ENGINE_SLOTS; k++) {
    cudaStreamSynchronize (e->slots[k].stream);
    e->slots[k].chunk = nullptr;
    e->slots[k].results = {};
  }
  cudaStreamSynchronize (e->side);
  cudaGetLastError ();
}

void engine_begin_job (cuda_engine *e, const gla_job *job, int64_t pages)
{
  array_order *const heap = heap_order (e), *const o = job->device_arrays ? heap : nullptr;
  if (heap != nullptr)
    heap->on = false; // a job for which there was no memory has begun and not ended
  e->monitor = job->monitor;
  e->chunk_pages = pages;
  e->used = 0;
  for (int k = 0; k < ENGINE_SLOTS; k++)
    e->slots[k].chunk = nullptr;
  if (o == nullptr)
    return;
  o->used = 0;
  o->on = cudaEventRecord (o->begun, e->slots[0].stream) == cudaSuccess;
  if (!o->on)
    engine_drain (e);
}

// The value of e->used after a chunk has failed: the side stream may still work.
static const unsigned FAILED = ~0u;

gla_status engine_end_chunk (cuda_engine *e, int slot, gla_status status, int64_t pages)
{
  array_order *o = current_order (e);
  e->slots[slot].chunk = nullptr;
  if (status == GLA_OK && e->monitor.poll (e->monitor.user, pages))
    status = GLA_ERROR_STOPPED;
  if (status == GLA_OK)
    return GLA_OK;
  e->used = FAILED;
  if (o != nullptr)
    o->on = false;
  return status;
}

// Waits for the first slot and for those that have worked, if all chunks ended well: a query of a
// stream takes more than a microsecond. False if some did not.
static bool drain_used (cuda_engine *e)
{
  if (e->used == FAILED)
    return false;
  for (int k = 0; k < ENGINE_SLOTS; k++)
    if (e->slots[k].chunk != nullptr)
      return false;
  for (int k = 0; k < ENGINE_SLOTS; k++) {
    if (k == 0 || (e->used >> k & 1) != 0)
      cudaStreamSynchronize (e->slots[k].stream);
    e->slots[k].results = {};
  }
  cudaGetLastError ();
  return true;
}

void engine_end_job (gla_engine *engine)
{
  cuda_engine *e = engine_of (engine);
  array_order *o = current_order (e);
  if (o == nullptr && drain_used (e))
    return;
  if (o == nullptr || !join_slots (e, o))
    engine_drain (e);
  if (o != nullptr)
    o->on = false;
}

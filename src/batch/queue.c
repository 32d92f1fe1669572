// queue.c: the chunks that one engine has in flight, and what happens when one fails
// SPDX-License-Identifier: GPL-3.0-or-later

#include "queue.h"
#include "arrays.h"
#include "backend.h"
#include "common/system.h"

#include <stdlib.h>

//------------------------------------------------------------------------------
// the row of an operation
//------------------------------------------------------------------------------

static const gla_batch_ops *row_of (const gla_backend *backend, const gla_call *call)
{
  return backend->batch[call->operation->row];
}

const gla_batch_ops *gla_queue_row (const gla_queue *q)
{
  return row_of (q->engine->backend, q->call);
}

// A backend may lack an operation.
int gla_batch_supports (const gla_backend *backend, const void *call)
{
  const gla_call *c = call;
  const gla_batch_ops *row = row_of (backend, c);
  return row != NULL && row->supports (c->job);
}

double gla_batch_seconds (gla_engine *engine, const void *call, int64_t pages)
{
  const gla_call *c = call;
  return row_of (engine->backend, c)->seconds (engine, c->job, pages);
}

//------------------------------------------------------------------------------
// one chunk
//------------------------------------------------------------------------------

static gla_status begin (gla_queue *q, int64_t pages)
{
  const gla_operation *o = q->call->operation;
  const size_t slots = (size_t)q->engine->backend->slots;
  q->memory = malloc (slots * (o->chunk_bytes + (size_t)pages * o->page_bytes));
  if (q->memory == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  const gla_status status = gla_queue_row (q)->begin (q->engine, q->call->job, pages);
  if (status == GLA_OK) {
    q->chunk_pages = pages;
    return GLA_OK;
  }
  free (q->memory);
  q->memory = NULL;
  return status;
}

gla_status gla_queue_begin (gla_queue *q, int64_t pages)
{
  gla_status status = GLA_ERROR_OUT_OF_MEMORY;
  for (; pages >= 1 && status == GLA_ERROR_OUT_OF_MEMORY; pages /= 2)
    status = begin (q, pages);
  return status;
}

void gla_queue_end (gla_queue *q)
{
  gla_queue_row (q)->end (q->engine);
  free (q->memory);
  q->memory = NULL;
}

static void *chunk_of (const gla_queue *q, int slot)
{
  return q->memory + (size_t)slot * q->call->operation->chunk_bytes;
}

void gla_cut_chunk (const gla_call *call, gla_range range, void *chunk, void *memory)
{
  const gla_operation *o = call->operation;
  gla_array *arrays = chunk;
  for (int k = 0; k < o->arrays; k++)
    arrays[k] = gla_array_pages (&call->arrays[k], range.first, range.count);
  if (o->slice != NULL)
    o->slice (call, range, chunk, memory);
}

static void *slice (gla_queue *q, int slot, gla_range range)
{
  const gla_operation *o = q->call->operation;
  const size_t chunks = (size_t)q->engine->backend->slots * o->chunk_bytes;
  char *memory = q->memory + chunks + (size_t)slot * (size_t)q->chunk_pages * o->page_bytes;
  void *chunk = chunk_of (q, slot);
  gla_cut_chunk (q->call, range, chunk, memory);
  return chunk;
}

gla_status gla_queue_submit (gla_queue *q, gla_range range)
{
  gla_run *run = &q->call->run;
  const int slot = (q->head + q->count) % q->engine->backend->slots;
  q->ranges[slot] = range;
  pthread_mutex_lock (&run->lock);
  if (range.count > q->call->chunk_pages)
    q->call->chunk_pages = range.count;
  pthread_mutex_unlock (&run->lock);
  const gla_status status = gla_queue_row (q)->submit (q->engine, slot, slice (q, slot, range));
  if (status == GLA_OK)
    q->count++;
  else
    gla_run_give_back (run, range);
  return status;
}

gla_status gla_queue_finish (gla_queue *q)
{
  const gla_operation *o = q->call->operation;
  const int slot = q->head;
  const gla_range range = q->ranges[slot];
  gla_status status = gla_queue_row (q)->finish (q->engine, slot);
  if (status == GLA_OK && o->after_finish != NULL)
    status = o->after_finish (q->call, range, chunk_of (q, slot));
  q->head = (slot + 1) % q->engine->backend->slots;
  q->count--;
  if (status == GLA_OK)
    gla_run_complete (&q->call->run, range);
  else
    gla_run_give_back (&q->call->run, range);
  return status;
}

//------------------------------------------------------------------------------
// all chunks
//------------------------------------------------------------------------------

// Returns all pages in flight to the run, after a failure.
static void abandon (gla_queue *q)
{
  for (; q->count > 0; q->count--) {
    gla_run_give_back (&q->call->run, q->ranges[q->head]);
    q->head = (q->head + 1) % q->engine->backend->slots;
  }
}

// Memory is short: finishes what is in flight and begins again with smaller chunks, or, if they
// have one page each, with one of them at a time. Returns why that is not possible, or GLA_OK.
static gla_status shrink (gla_queue *q)
{
  const int others = q->count > 0;
  gla_status status = GLA_ERROR_OUT_OF_MEMORY;
  while (q->count > 0 && status == GLA_ERROR_OUT_OF_MEMORY) {
    const gla_status finished = gla_queue_finish (q);
    if (finished != GLA_OK && finished != GLA_ERROR_OUT_OF_MEMORY)
      status = finished;
  }
  if (status != GLA_ERROR_OUT_OF_MEMORY)
    return status;
  gla_queue_end (q);
  q->head = 0;
  if (q->chunk_pages > 1)
    return gla_queue_begin (q, q->chunk_pages / 2);
  if (!others)
    return GLA_ERROR_OUT_OF_MEMORY;
  q->alone = 1;
  return gla_queue_begin (q, 1);
}

// The engine has failed for this reason: it gets no more pages, and a broken GPU is closed.
static void give_up (gla_queue *q, gla_status reason)
{
  gla_run *run = &q->call->run;
  abandon (q);
  if (q->memory != NULL)
    gla_queue_end (q);
  if (reason == GLA_ERROR_DEVICE_FAILURE && q->engine->device != GLA_DEVICE_HOST) {
    pthread_mutex_lock (&run->lock);
    gla_context_lose (run->ctx, q->call->failed != NULL ? *q->call->failed : q->engine->device);
    pthread_mutex_unlock (&run->lock);
  }
  q->failure = reason;
  q->engine = NULL;
}

// Fills the free slots and waits for the oldest chunk. Returns GLA_ERROR_STOPPED if the user wants
// to stop, else GLA_OK.
static gla_status step (gla_queue *q)
{
  gla_run *run = &q->call->run;
  const int slots = q->alone ? 1 : q->engine->backend->slots;
  gla_status status = GLA_OK;
  if (q->count == 0)
    q->head = 0; // the slot that has memory
  while (status == GLA_OK && q->count < slots) {
    const gla_range range = gla_run_take (run, q->chunk_pages);
    if (range.count == 0)
      break;
    status = gla_queue_submit (q, range);
  }
  if (status == GLA_OK && q->count > 0)
    status = gla_queue_finish (q);
  if (status == GLA_OK)
    return gla_run_poll (run, 0) ? GLA_ERROR_STOPPED : GLA_OK;
  if (status == GLA_ERROR_OUT_OF_MEMORY)
    status = shrink (q);
  if (status == GLA_OK || status == GLA_ERROR_STOPPED)
    return status;
  give_up (q, status);
  return GLA_OK;
}

void gla_queue_work (gla_queue *q)
{
  gla_run *run = &q->call->run;
  gla_status status = GLA_OK;
  while (q->engine != NULL && status == GLA_OK && (q->count > 0 || gla_run_open (run))) {
    status = step (q);
    if (q->count == 0 && run->threaded) // another engine may fail and return its pages
      gla_nap (GLA_NAP_NANOSECONDS);
  }
  if (q->engine == NULL)
    return;
  if (status == GLA_ERROR_STOPPED)
    abandon (q);
  if (q->memory != NULL)
    gla_queue_end (q);
}

// diag_engine.cu: gla_pagediag on one GPU: memory of a chunk, its kernel, its transfers
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/pages.cuh"
#include "common/for_type.cuh"
#include "common/work_limits.cuh"
#include "diag.cuh"
#include "diag/job.h"
#include "engine/engine.cuh"
#include "engine/ordered.cuh"

namespace
{

gla_pagediag_job &kept (const cuda_engine *e)
{
  return kept_job<gla_pagediag_job> (e, GLA_BATCH_PAGEDIAG);
}

// Returns the bytes of the diagonal and of the result.
double page_bytes (const gla_pagediag_job &job)
{
  return ((double)job.n + (double)job.rows * (double)job.columns) *
         (double)gla_type_size (job.head.type);
}

// Returns the chunk in a slot's arena, or the caller's arrays on the device.
template <class T>
diag_args<T> args_in (const gla_pagediag_job &job, const gla_pagediag_chunk *chunk, carver c)
{
  diag_args<T> a = {};
  a.what = job.what;
  a.n = job.n;
  a.row = job.row;
  a.column = job.column;
  a.rows = job.rows;
  a.columns = job.columns;
  a.pages = chunk->D.pages;
  if (job.head.device_arrays) {
    a.A = static_cast<const T *> (chunk->A.data);
    a.step = chunk->A.column_stride;
    a.A_page = chunk->A.page_stride;
    a.D = static_cast<T *> (chunk->D.data);
    a.ld = chunk->D.column_stride;
    a.D_page = chunk->D.page_stride;
    return a;
  }
  a.step = 1;
  a.A_page = job.n;
  a.ld = job.rows;
  a.D_page = job.rows * job.columns;
  a.D = c.take<T> (a.pages * a.D_page);
  a.A = c.take<T> (a.pages * a.A_page);
  return a;
}

size_t arena_bytes (const gla_pagediag_job &job, int64_t pages)
{
  carver c = {nullptr, 0}; // counts bytes
  const int64_t size = (int64_t)gla_type_size (job.head.type);
  if (job.head.device_arrays)
    return 0;
  c.take<char> (pages * job.rows * job.columns * size);
  c.take<char> (pages * job.n * size);
  return c.used;
}

template <class T> gla_status submit (cuda_engine *e, int slot, const gla_pagediag_chunk *chunk)
{
  const diag_args<T> a = args_in<T> (kept (e), chunk, {e->slots[slot].memory, 0});
  if (!kept (e).head.device_arrays && a.n > 0)
    GLA_TRY (engine_upload (e, slot, const_cast<T *> (a.A), &chunk->A));
  GLA_TRY (diag_pages (a, e->slots[slot].stream));
  return engine_status (cudaEventRecord (e->slots[slot].done, e->slots[slot].stream));
}

template <class T> gla_status finish (cuda_engine *e, int slot, const gla_pagediag_chunk *chunk)
{
  const diag_args<T> a = args_in<T> (kept (e), chunk, {e->slots[slot].memory, 0});
  GLA_TRY (engine_wait_unordered (e, slot));
  return kept (e).head.device_arrays ? GLA_OK : engine_download (e, slot, &chunk->D, a.D);
}

//------------------------------------------------------------------------------
// the backend's functions
//------------------------------------------------------------------------------

int supports (const gla_job *)
{
  return 1;
}

// The time is that of the bytes over the link, or through the device's memory.
double seconds (gla_engine *, const gla_job *head, int64_t pages)
{
  const double bytes = (double)pages * page_bytes (*(const gla_pagediag_job *)head);
  return CALL_SECONDS + bytes / (head->device_arrays ? 2e12 : LINK_RATE);
}

int64_t chunk_pages (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const double bytes = page_bytes (*(const gla_pagediag_job *)head);
  if (head->device_arrays)
    return pages;
  double chunk = CHUNK_BYTES / bytes;
  const double by_memory = engine_pages_in_memory (engine_of (engine), bytes);
  chunk = chunk > by_memory ? by_memory : chunk;
  chunk = chunk > (double)pages ? (double)pages : chunk;
  return chunk < 1 ? 1 : (int64_t)chunk;
}

gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  kept (e) = *(const gla_pagediag_job *)head;
  engine_begin_job (e, head, pages);
  return engine_reserve (e, 0, arena_bytes (kept (e), pages));
}

gla_status submit (gla_engine *engine, int slot, const void *pages)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_pagediag_chunk *> (pages);
  GLA_TRY (engine_reserve (e, slot, arena_bytes (kept (e), e->chunk_pages)));
  GLA_TRY (engine_take_slot (e, slot, chunk));
  return for_type (kept (e).head.type,
                   [&] (auto zero) { return submit<decltype (zero)> (e, slot, chunk); });
}

gla_status finish (gla_engine *engine, int slot)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_pagediag_chunk *> (e->slots[slot].chunk);
  const gla_status status = for_type (
      kept (e).head.type, [&] (auto zero) { return finish<decltype (zero)> (e, slot, chunk); });
  return engine_end_chunk (e, slot, status, chunk->D.pages);
}

} // namespace

extern "C" const gla_batch_ops cuda_pagediag_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = chunk_pages,
    .begin = begin,
    .submit = submit,
    .finish = finish,
    .end = engine_end_job,
};

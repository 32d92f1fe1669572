// norm_engine.cu: gla_pagenorm on one GPU: memory of a chunk, its kernel, its transfers
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/pages.cuh"
#include "common/for_type.cuh"
#include "common/work_limits.cuh"
#include "engine/engine.cuh"
#include "engine/ordered.cuh"
#include "norm.cuh"
#include "norm/job.h"

// The current job.
static inline gla_pagenorm_job &kept_pagenorm_job (const cuda_engine *e)
{
  return kept_job<gla_pagenorm_job> (e, GLA_BATCH_PAGENORM);
}

namespace
{

double page_bytes (const gla_pagenorm_job &job)
{
  return (double)job.m * (double)job.n * (double)gla_type_size (job.head.type);
}

// Returns the chunk in a slot's arena; arrays on the device stay where they are.
template <class T> norm_args<T> args_of (const gla_pagenorm_job &job, int64_t pages, carver &c)
{
  norm_args<T> a = {};
  a.m = a.ld = job.m;
  a.n = job.n;
  a.page = job.m * job.n;
  a.pages = pages;
  a.norm = job.norm;
  a.norm_stride = 1;
  if (job.head.device_arrays)
    return a;
  a.A = c.take<T> (pages * a.page);
  a.norms = c.take<real_t<T>> (pages);
  return a;
}

template <class T> norm_args<T> args_in (cuda_engine *e, int slot, const gla_pagenorm_chunk *chunk)
{
  carver c = {e->slots[slot].memory, 0};
  norm_args<T> a = args_of<T> (kept_pagenorm_job (e), chunk->A.pages, c);
  if (!kept_pagenorm_job (e).head.device_arrays)
    return a;
  a.A = static_cast<const T *> (chunk->A.data);
  a.ld = chunk->A.column_stride;
  a.page = chunk->A.page_stride;
  a.norms = static_cast<real_t<T> *> (chunk->norms.data);
  a.norm_stride = chunk->norms.page_stride;
  return a;
}

size_t arena_bytes (const gla_pagenorm_job &job, int64_t pages)
{
  carver c = {nullptr, 0}; // counts bytes; a norm takes at most 8
  if (job.head.device_arrays)
    return 0;
  c.take<char> ((int64_t)(pages * job.m * job.n * (int64_t)gla_type_size (job.head.type)));
  c.take<double> (pages);
  return c.used;
}

template <class T> gla_status submit (cuda_engine *e, int slot, const gla_pagenorm_chunk *chunk)
{
  const norm_args<T> a = args_in<T> (e, slot, chunk);
  if (!kept_pagenorm_job (e).head.device_arrays)
    GLA_TRY (engine_upload (e, slot, const_cast<T *> (a.A), &chunk->A));
  GLA_TRY (norm_pages (a, e->slots[slot].stream));
  return engine_status (cudaEventRecord (e->slots[slot].done, e->slots[slot].stream));
}

template <class T> gla_status finish (cuda_engine *e, int slot, const gla_pagenorm_chunk *chunk)
{
  const norm_args<T> a = args_in<T> (e, slot, chunk);
  GLA_TRY (engine_wait_unordered (e, slot));
  return kept_pagenorm_job (e).head.device_arrays
             ? GLA_OK
             : engine_download (e, slot, &chunk->norms, a.norms);
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
  const double bytes = (double)pages * page_bytes (*(const gla_pagenorm_job *)head);
  return CALL_SECONDS + bytes / (head->device_arrays ? 2e12 : LINK_RATE);
}

int64_t chunk_pages (gla_engine *engine, const gla_job *head, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  const gla_pagenorm_job &job = *(const gla_pagenorm_job *)head;
  if (head->device_arrays)
    return pages;
  double chunk = CHUNK_BYTES / page_bytes (job);
  const double by_memory = engine_pages_in_memory (e, page_bytes (job));
  chunk = chunk > by_memory ? by_memory : chunk;
  chunk = chunk > (double)pages ? (double)pages : chunk;
  return chunk < 1 ? 1 : (int64_t)chunk;
}

gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  kept_pagenorm_job (e) = *(const gla_pagenorm_job *)head;
  engine_begin_job (e, head, pages);
  return engine_reserve (e, 0, arena_bytes (kept_pagenorm_job (e), pages));
}

gla_status submit (gla_engine *engine, int slot, const void *pages)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_pagenorm_chunk *> (pages);
  GLA_TRY (engine_reserve (e, slot, arena_bytes (kept_pagenorm_job (e), e->chunk_pages)));
  GLA_TRY (engine_take_slot (e, slot, chunk));
  return for_type (kept_pagenorm_job (e).head.type,
                   [&] (auto zero) { return submit<decltype (zero)> (e, slot, chunk); });
}

gla_status finish (gla_engine *engine, int slot)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_pagenorm_chunk *> (e->slots[slot].chunk);
  gla_status status = for_type (kept_pagenorm_job (e).head.type, [&] (auto zero) {
    return finish<decltype (zero)> (e, slot, chunk);
  });
  return engine_end_chunk (e, slot, status, chunk->A.pages);
}

} // namespace

extern "C" const gla_batch_ops cuda_pagenorm_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = chunk_pages,
    .begin = begin,
    .submit = submit,
    .finish = finish,
    .end = engine_end_job,
};

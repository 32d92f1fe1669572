// qr_engine.cu: gla_qr on one GPU: chunks of pages, their memory, their transfers
// SPDX-License-Identifier: GPL-3.0-or-later

#include <algorithm>
#include "common/for_type.cuh"
#include "common/runtime.cuh"
#include "common/work_limits.cuh"
#include "engine/download.cuh"
#include "engine/ordered.cuh"
#include "qr_chunk.cuh"

namespace
{

template <class T> size_t arena_of (const gla_qr_job &job, int64_t pages)
{
  carver c = {nullptr, 0};
  qr_chunk_memory<T> unused (job, pages, c);
  return c.used;
}

size_t arena_bytes (const gla_qr_job &job, int64_t pages)
{
  return for_type (job.head.type,
                   [&] (auto zero) { return arena_of<decltype (zero)> (job, pages); });
}

template <class T>
qr_chunk_memory<T> memory_of (cuda_engine *e, int slot, const gla_qr_chunk *chunk)
{
  carver c = {e->slots[slot].memory, 0};
  qr_chunk_memory<T> s (kept_qr_job (e), chunk->A.pages, c);
  if (kept_qr_job (e).head.device_arrays) {
    s.A = pages_of<T> (chunk->A);
    s.Q = pages_of<T> (chunk->Q);
    s.R = pages_of<T> (chunk->R);
    s.C = pages_of<T> (chunk->C);
    s.W = pages_of<T> (chunk->W);
    s.Y = pages_of<T> (chunk->Y);
  }
  return s;
}

template <class T> gla_status submit (cuda_engine *e, int slot, const gla_qr_chunk *chunk)
{
  qr_chunk_memory<T> s = memory_of<T> (e, slot, chunk);
  if (!kept_qr_job (e).head.device_arrays) {
    GLA_TRY (engine_upload (e, slot, s.A.data, &chunk->A));
    if (kept_qr_job (e).rhs > 0)
      GLA_TRY (engine_upload (e, slot, s.B.data, &chunk->B));
    engine_announce_results (e, slot, &chunk->Q);
  }
  GLA_TRY (qr_chunk_start<T> (e, slot, chunk, s));
  return engine_status (cudaEventRecord (e->slots[slot].done, e->slots[slot].stream));
}

gla_status download_jpvt (cuda_engine *e, int slot, const gla_qr_chunk *chunk, const int64_t *from)
{
  return download_words (e, slot, chunk->jpvt, from, kept_qr_job (e).n * chunk->A.pages);
}

template <class T> gla_status finish (cuda_engine *e, int slot, const gla_qr_chunk *chunk)
{
  qr_chunk_memory<T> s = memory_of<T> (e, slot, chunk);
  GLA_TRY (s.direct ? engine_wait (e, e->slots[slot].done) : engine_wait_unordered (e, slot));
  if (s.direct && e->counter[slot] > 0)
    GLA_TRY (qr_chunk_redo<T> (e, slot, chunk, s));
  if (kept_qr_job (e).head.device_arrays && kept_qr_job (e).pivot)
    return download_jpvt (e, slot, chunk, s.plan.pivots.jpvt);
  if (kept_qr_job (e).head.device_arrays)
    return GLA_OK;
  GLA_TRY (download_matrix (e, slot, chunk->R, s.R));
  GLA_TRY (download_matrix (e, slot, chunk->Q, s.Q));
  GLA_TRY (download_matrix (e, slot, chunk->C, s.C));
  GLA_TRY (download_matrix (e, slot, chunk->W, s.W));
  if (kept_qr_job (e).pivot)
    GLA_TRY (download_jpvt (e, slot, chunk, s.plan.pivots.jpvt));
  GLA_TRY (download_matrix (e, slot, chunk->Y, s.Y));
  gla_array Y = chunk->Y;
  if (kept_qr_job (e).wy && !s.small)
    for (int64_t page = 0; page < chunk->A.pages; page++) {
      Y.pages = 1;
      GLA_TRY (engine_download (e, slot, &Y, s.plan.Y.data + page * s.plan.Y.page));
      Y.data = static_cast<T *> (Y.data) + Y.page_stride;
    }
  return GLA_OK;
}

//------------------------------------------------------------------------------
// the backend's functions
//------------------------------------------------------------------------------

// cuBLAS counts in int.
int supports (const gla_job *head)
{
  const gla_qr_job *job = (const gla_qr_job *)head;
  const int64_t most = (int64_t)1 << 30;
  return job->m < most && job->n < most && job->rhs < most &&
         devices_serve (std::max (qr_larfb_shared (), qr_product_shared ())) &&
         (!qr_needs_blas (*job) || gpu_blas_expected ());
}

double seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_qr_job *job = (const gla_qr_job *)head;
  const cuda_engine *e = engine_facts (engine);
  double transfer = job->head.device_arrays ? 0 : pages * qr_page_bytes (job) / LINK_RATE;
  return CALL_SECONDS + transfer + qr_kernel_seconds (e, job, (double)pages);
}

int64_t chunk_pages (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_qr_job *job = (const gla_qr_job *)head;
  cuda_engine *e = engine_of (engine);
  double per_page = (double)arena_bytes (*job, 64) / 64, chunk = (double)pages;
  double by_bytes = CHUNK_BYTES / qr_page_bytes (job);
  if (!job->head.device_arrays && chunk > by_bytes)
    chunk = by_bytes;
  double one = qr_kernel_seconds (e, job, 1), two = qr_kernel_seconds (e, job, 2);
  double by_time = 2 * PIECE_SECONDS / (two - one);
  double fill = 4.0 * e->multiprocessors;
  if (chunk > by_time && chunk > fill)
    chunk = by_time > fill ? by_time : fill;
  chunk = engine_fit_in_memory (e, chunk, per_page);
  return chunk < 1 ? 1 : (int64_t)chunk;
}

bool uses_blas (const gla_qr_job &job)
{
  return !qr_small_serves (job) && (qr_needs_blas (job) || qr_cholesky_serves (job));
}

gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_qr_job *job = (const gla_qr_job *)head;
  cuda_engine *e = engine_of (engine);
  kept_qr_job (e) = *job;
  engine_begin_job (e, head, pages);
  GLA_TRY (uses_blas (*job) ? engine_open_blas (e, 0) : GLA_OK);
  return engine_reserve (e, 0, arena_bytes (*job, pages));
}

gla_status submit (gla_engine *engine, int slot, const void *pages)
{
  const gla_qr_chunk *chunk = static_cast<const gla_qr_chunk *> (pages);
  cuda_engine *e = engine_of (engine);
  GLA_TRY (engine_reserve (e, slot, arena_bytes (kept_qr_job (e), e->chunk_pages)));
  if (uses_blas (kept_qr_job (e)))
    GLA_TRY (engine_open_blas (e, slot));
  GLA_TRY (engine_take_slot (e, slot, chunk));
  return for_type (kept_qr_job (e).head.type,
                   [&] (auto zero) { return submit<decltype (zero)> (e, slot, chunk); });
}

gla_status finish (gla_engine *engine, int slot)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_qr_chunk *> (e->slots[slot].chunk);
  gla_status status = for_type (kept_qr_job (e).head.type, [&] (auto zero) {
    return finish<decltype (zero)> (e, slot, chunk);
  });
  return engine_end_chunk (e, slot, status, chunk->A.pages);
}

} // namespace

extern "C" const gla_batch_ops cuda_qr_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = chunk_pages,
    .begin = begin,
    .submit = submit,
    .finish = finish,
    .end = engine_end_job,
};

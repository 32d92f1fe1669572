// eig_engine.cu: batcheig on one GPU: its row of the backend's table
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/runtime.cuh"
#include "common/work_limits.cuh"
#include "engine/download.cuh"
#include "engine/eig_part.cuh"
#include "engine/ordered.cuh"
#include "eig_chunk.cuh"

namespace
{

enum { JACOBI_MAX = 2048, GRID_MAX = 32768 };

// Large pages need products by cuBLAS, and as much shared memory as GPUs have from compute
// capability 9.0 on.
int supports (const gla_job *head)
{
  const gla_eig_job *job = (const gla_eig_job *)head;
  if (job->method == GLA_EIG_METHOD_JACOBI)
    return job->n <= JACOBI_MAX;
  if (job->n > LARGE_MAX)
    return 0;
  return eig_table_row (job).way != EIG_LARGE ||
         (devices_serve (LARGE_SHARED) && gpu_blas_expected ());
}

double seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_eig_job *job = (const gla_eig_job *)head;
  const cuda_engine *e = engine_facts (engine);
  double n2 = (double)job->n * job->n * gla_type_size (job->head.type);
  double transfer = pages * n2 * (job->vectors ? 2 : 1) / 22e9; // as measured with 16 cores
  double work = pages * eig_page_seconds (e, job), alone = eig_page_latency (job);
  return CALL_SECONDS + (transfer > work ? transfer : work) + alone;
}

// How many pages of a chunk of `chunk` there is memory for. The driver is not queried if all pages
// fit into a slot as it is: the query takes longer than a small batch.
double pages_in_memory (cuda_engine *e, const gla_eig_job *job, int64_t chunk, int64_t pages)
{
  if (chunk == pages && eig_part_bytes (e, job, pages) <= e->slots[0].size)
    return (double)chunk;
  double per_page = (double)eig_part_bytes (e, job, 1024) / 1024;
  double by_memory = engine_pages_in_memory (e, per_page);
  return chunk > by_memory ? by_memory : (double)chunk;
}

int64_t chunk_pages (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_eig_job *job = (const gla_eig_job *)head;
  cuda_engine *e = engine_of (engine);
  if (eig_route_of (e, job) == ROUTE_LARGE)
    return 1;
  double by_time = PIECE_SECONDS / eig_page_seconds (e, job);
  // enough to fill the GPU; beyond that host arrays go in chunks of 32 MB, to overlap the copies
  double fill = 8.0 * e->multiprocessors;
  double by_bytes = 32e6 / ((double)job->n * job->n * gla_type_size (job->head.type));
  double chunk = by_time;
  if (!job->head.device_arrays && chunk > by_bytes)
    chunk = by_bytes;
  if (chunk < fill && eig_page_latency (job) > PIECE_SECONDS / 4)
    chunk = 2.0 * e->multiprocessors; // pages that take long are waited for one piece at a time
  else if (chunk < fill)
    chunk = fill;
  // large pages: four chunks, so that some are copied while others are worked on, or two where they
  // are so few that they take as long as one
  int64_t quarter = (pages + 3) / 4, half = (pages + 1) / 2;
  double part = (double)(quarter >= 16 ? quarter : half < 16 ? half : 16);
  part = part > by_bytes ? part : by_bytes;
  if (!job->head.device_arrays && chunk > part)
    chunk = part;
  chunk =
      chunk > GRID_MAX && eig_route_of (e, job) == ROUTE_JACOBI_BLOCK ? (double)GRID_MAX : chunk;
  chunk = chunk > (double)pages ? (double)pages : chunk;
  chunk = pages_in_memory (e, job, chunk < 1 ? 1 : (int64_t)chunk, pages);
  return chunk < 1 ? 1 : (int64_t)chunk;
}

gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_eig_job *job = (const gla_eig_job *)head;
  cuda_engine *e = engine_of (engine);
  kept_eig_job (e) = *job;
  engine_begin_job (e, head, pages);
  return engine_reserve (e, 0, eig_part_bytes (e, job, pages));
}

gla_status submit (gla_engine *engine, int slot, const void *pages)
{
  const gla_eig_chunk *chunk = static_cast<const gla_eig_chunk *> (pages);
  cuda_engine *e = engine_of (engine);
  GLA_TRY (engine_reserve (e, slot, eig_part_bytes (e, &kept_eig_job (e), e->chunk_pages)));
  GLA_TRY (engine_take_slot (e, slot, chunk));
  return eig_part_submit (e, slot, chunk);
}

gla_status finish (gla_engine *engine, int slot)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_eig_chunk *> (e->slots[slot].chunk);
  gla_status status = eig_chunk_finish (e, slot, chunk);
  return end_chunk (e, slot, status, chunk, chunk->A.pages);
}

} // namespace

extern "C" const gla_batch_ops cuda_eig_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = chunk_pages,
    .begin = begin,
    .submit = submit,
    .finish = finish,
    .end = engine_end_job,
};

// solve_engine.cu: gla_pagesolve on one GPU: memory of a chunk, its kernel, its transfers
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/for_type.cuh"
#include "common/work_limits.cuh"
#include "engine/download.cuh"
#include "engine/operand.cuh"
#include "engine/ordered.cuh"
#include "solve.cuh"
#include "solve/job.h"

// The current job.
static inline gla_pagesolve_job &kept_pagesolve_job (const cuda_engine *e)
{
  return kept_job<gla_pagesolve_job> (e, GLA_BATCH_PAGESOLVE);
}

namespace
{

//------------------------------------------------------------------------------
// predicted time and memory
//------------------------------------------------------------------------------

bool is_complex (gla_type type)
{
  return gla_type_is_complex (type) != 0;
}

// Returns bytes of X, and of A and B if each page of the result has its own.
double page_bytes (const gla_pagesolve_job &job)
{
  const double size = (double)gla_type_size (job.head.type),
               part = is_complex (job.head.type) ? 2 : 1;
  const double n = (double)job.n, r = (double)job.rhs;
  double a = n * n / (job.a_complex ? 1 : part), b = job.inverse ? 0 : n * r;
  b /= job.b_complex ? 1 : part;
  bool own_a = false, own_b = false;
  for (int d = 0; d < job.dims; d++) {
    own_a |= job.dim_size[d] > 1 && job.a_step[d] != 0;
    own_b |= job.dim_size[d] > 1 && !job.inverse && job.b_step[d] != 0;
  }
  return size * (n * r + (own_a ? a : 0) + (own_b ? b : 0)) + 8;
}

// Returns the seconds of the kernels for one page: bytes and operations at rates that they reach,
// see doc/notebook/solve.md.
double work_seconds (const gla_pagesolve_job &job)
{
  const double n = (double)job.n, r = (double)job.rhs, size = (double)gla_type_size (job.head.type);
  const double operations = (is_complex (job.head.type) ? 4 : 1) * n * n *
                            (n / 1.5 + 2 * r + (job.rcond && !job.inverse ? 2 * n : 0));
  return size * n * (n + 2 * r) / 2e12 + operations / 2e12;
}

//------------------------------------------------------------------------------
// a chunk
//------------------------------------------------------------------------------

// What a chunk has on the GPU, in the slot's arena; arrays on the device stay where they are.
struct chunk_memory {
  operand_memory A, B;
  gla_array X, rcond;
  int32_t *info;
  lu_norms *norms;
  lu_space space;
};

operand_steps steps_of_a (const gla_pagesolve_job &job)
{
  return {job.dims, job.dim_size, job.a_step};
}
operand_steps steps_of_b (const gla_pagesolve_job &job)
{
  return {job.dims, job.dim_size, job.b_step};
}
bool has_b (const gla_pagesolve_job &job)
{
  return !job.inverse && job.rhs > 0;
}

bool has_few (const gla_pagesolve_job &job)
{
  return !job.inverse && job.rhs <= LU_FEW;
}

// Whether several blocks may find the condition of a page: not if blocks share its right-hand
// sides, because those have no part for it.
bool has_norms (const gla_pagesolve_job &job)
{
  return job.rcond && !job.inverse && job.n > LU_LANES_MAX &&
         lu_slices (job.n, job.rhs, false) == 1;
}

// Takes space for the factors of the pages that are processed at the same time.
lu_space take_space (const cuda_engine *e, const gla_pagesolve_job &job, int64_t pages, carver &c)
{
  lu_space space = {};
  if (job.n <= LU_LANES_MAX)
    return space;
  const int n = (int)job.n, multiprocessors = e->multiprocessors;
  const int64_t crowd = for_type (job.head.type, [&] (auto zero) {
    return lu_panel_crowd<decltype (zero)> (n, has_few (job));
  });
  const int64_t wanted =
      pages * (has_norms (job) ? 1 + LU_SHARES : lu_slices (n, job.rhs, job.inverse));
  space.multiprocessors = multiprocessors;
  space.blocks = (int)(wanted < crowd * multiprocessors ? wanted : crowd * multiprocessors);
  space.each = (int64_t)(is_complex (job.head.type) ? 2 : 1) * n * lu_panel_stride (n);
  space.data = c.take<double> (space.blocks * space.each);
  return space;
}

gla_array take_result (const gla_array &to, carver &c)
{
  gla_array a = to;
  if (to.data == nullptr || to.device != GLA_DEVICE_HOST)
    return a;
  a.column_stride = a.rows;
  a.page_stride = a.rows * a.columns;
  a.data = c.take<char> (a.pages * a.page_stride * (int64_t)gla_type_size (a.type));
  return a;
}

chunk_memory memory_of (const cuda_engine *e, const gla_pagesolve_chunk *chunk, carver &c)
{
  const gla_pagesolve_job &job = kept_pagesolve_job (e);
  const int64_t pages = chunk->X.pages;
  chunk_memory m = {};
  m.A = operand_take (operand_source (e, 0, chunk->A), steps_of_a (job), chunk->first, pages, c);
  if (has_b (job))
    m.B = operand_take (operand_source (e, 1, chunk->B), steps_of_b (job), chunk->first, pages, c);
  m.X = take_result (chunk->X, c);
  m.rcond = take_result (chunk->rcond, c);
  m.info = c.take<int32_t> (pages);
  m.norms = has_norms (job) ? c.take<lu_norms> (pages) : nullptr;
  m.space = take_space (e, job, pages, c);
  return m;
}

gla_status upload (cuda_engine *e, int slot, const gla_pagesolve_chunk *chunk,
                   const chunk_memory &m)
{
  const gla_pagesolve_job &job = kept_pagesolve_job (e);
  const int64_t pages = chunk->X.pages;
  const gla_array A = operand_source (e, 0, chunk->A), B = operand_source (e, 1, chunk->B);
  GLA_TRY (operand_upload (e, slot, A, steps_of_a (job), chunk->first, pages, m.A));
  if (!has_b (job))
    return GLA_OK;
  return operand_upload (e, slot, B, steps_of_b (job), chunk->first, pages, m.B);
}

gla_status share (cuda_engine *e, int slot, const gla_pagesolve_chunk *chunk)
{
  const gla_pagesolve_job &job = kept_pagesolve_job (e);
  GLA_TRY (operand_share (e, slot, 0, chunk->A, steps_of_a (job)));
  return has_b (job) ? operand_share (e, slot, 1, chunk->B, steps_of_b (job)) : GLA_OK;
}

template <class T> lu_args<T> args_of (cuda_engine *e, int slot, const chunk_memory &m)
{
  const gla_pagesolve_job &job = kept_pagesolve_job (e);
  const bool right = job.side == GLA_SIDE_RIGHT;
  lu_args<T> a = {};
  a.A = m.A.of<T> ();
  a.B = m.B.of<T> ();
  a.n = (int)job.n;
  a.rhs = job.rhs;
  a.pages = m.X.pages;
  a.slice = lu_slice (job.n, job.rhs);
  a.inverse = job.inverse;
  a.transposed = (job.op_a != 'N') != right;
  a.conjugate = job.op_a == 'C';
  a.a_real = is_complex (job.head.type) && !job.a_complex;
  a.b_real = is_complex (job.head.type) && !job.b_complex;
  a.b_row = right ? m.B.ld : 1;
  a.b_column = right ? 1 : m.B.ld;
  a.X = static_cast<T *> (m.X.data);
  a.x_page = m.X.page_stride;
  a.x_row = right ? m.X.column_stride : 1;
  a.x_column = right ? 1 : m.X.column_stride;
  a.rcond = static_cast<real_t<T> *> (m.rcond.data);
  a.rcond_stride = m.rcond.page_stride;
  a.norms = m.norms;
  a.info = m.info;
  a.any = &e->counter[slot];
  return a;
}

template <class T> cudaError_t launch (cuda_engine *e, int slot, const chunk_memory &m)
{
  lu_args<T> a = args_of<T> (e, slot, m);
  const cudaStream_t stream = e->slots[slot].stream;
  if (a.n <= LU_LANES_MAX)
    return lu_lanes (a, stream);
  // blocks that share a page would not know whether it has been solved
  a.pending = !a.inverse && lu_slices (a.n, a.rhs, false) == 1;
  cudaError_t error = a.pending ? lu_definite (a, m.space, stream) : cudaSuccess;
  if (error != cudaSuccess)
    return error;
  const bool few = has_few (kept_pagesolve_job (e));
  error = lu_page_serves<T> (a.n, few) ? lu_page (a, m.space, stream)
                                       : lu_panels (a, few, m.space, stream);
  return error != cudaSuccess || a.norms == nullptr ? error : lu_find_rcond (a, stream);
}

chunk_memory memory_in (cuda_engine *e, int slot, const gla_pagesolve_chunk *chunk)
{
  carver c = {e->slots[slot].memory, 0};
  return memory_of (e, chunk, c);
}

//------------------------------------------------------------------------------
// the backend's functions
//------------------------------------------------------------------------------

int supports (const gla_job *head)
{
  return ((const gla_pagesolve_job *)head)->n <= LU_PANEL_MAX;
}

double seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_pagesolve_job &job = *(const gla_pagesolve_job *)head;
  const double scale = FITTED_MULTIPROCESSORS / engine_facts (engine)->multiprocessors;
  const double transfer = head->device_arrays ? 0 : page_bytes (job) / LINK_RATE;
  const double work = work_seconds (job) * scale;
  return CALL_SECONDS + (double)pages * (transfer > work ? transfer : work);
}

int64_t chunk_pages (gla_engine *engine, const gla_job *head, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  const gla_pagesolve_job &job = *(const gla_pagesolve_job *)head;
  double chunk = PIECE_SECONDS / work_seconds (job) * e->multiprocessors / FITTED_MULTIPROCESSORS;
  if (!head->device_arrays) {
    const double by_bytes = CHUNK_BYTES / page_bytes (job);
    const double by_memory = engine_pages_in_memory (e, page_bytes (job));
    chunk = chunk > by_bytes ? by_bytes : chunk;
    chunk = chunk > by_memory ? by_memory : chunk;
  }
  chunk = chunk > (double)pages ? (double)pages : chunk;
  return chunk < 1 ? 1 : (int64_t)chunk;
}

// The needs of a chunk for A and B are known only when it comes.
gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  kept_pagesolve_job (e) = *(const gla_pagesolve_job *)head;
  engine_begin_job (e, head, pages);
  operand_begin_job (e);
  const double bytes = head->device_arrays ? 4 : page_bytes (kept_pagesolve_job (e));
  return engine_reserve (e, 0, (size_t)((double)pages * bytes) + 2048);
}

gla_status submit (gla_engine *engine, int slot, const void *pages)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_pagesolve_chunk *> (pages);
  GLA_TRY (share (e, slot, chunk));
  GLA_TRY (operand_reserve (e, slot, [&] (carver &c) { memory_of (e, chunk, c); }));
  GLA_TRY (engine_take_slot (e, slot, chunk));
  const chunk_memory m = memory_in (e, slot, chunk);
  GLA_TRY (upload (e, slot, chunk, m));
  if (chunk->X.device == GLA_DEVICE_HOST && chunk->X.data != nullptr)
    engine_announce_results (e, slot, &chunk->X);
  e->counter[slot] = 0;
  GLA_TRY (for_type (kept_pagesolve_job (e).head.type,
                     [&] (auto zero) { return launch<decltype (zero)> (e, slot, m); }));
  return engine_status (cudaEventRecord (e->slots[slot].done, e->slots[slot].stream));
}

gla_status download (cuda_engine *e, int slot, const gla_pagesolve_chunk *chunk)
{
  const chunk_memory m = memory_in (e, slot, chunk);
  const bool on_host = !kept_pagesolve_job (e).head.device_arrays;
  if (on_host && kept_pagesolve_job (e).rhs > 0)
    GLA_TRY (engine_download (e, slot, &chunk->X, m.X.data));
  if (on_host && kept_pagesolve_job (e).rcond)
    GLA_TRY (engine_download (e, slot, &chunk->rcond, m.rcond.data));
  return download_info (e, slot, chunk, m.info, chunk->X.pages);
}

gla_status finish (gla_engine *engine, int slot)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_pagesolve_chunk *> (e->slots[slot].chunk);
  gla_status status = engine_wait (e, e->slots[slot].done);
  if (status == GLA_OK)
    status = download (e, slot, chunk);
  return end_chunk (e, slot, status, chunk, chunk->X.pages);
}

} // namespace

extern "C" const gla_batch_ops cuda_pagesolve_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = chunk_pages,
    .begin = begin,
    .submit = submit,
    .finish = finish,
    .end = operand_end_job,
};

// eig_chunk.cu: batcheig on one GPU: the kernels of a chunk, in order, and its transfers
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/runtime.cuh"
#include "common/work_limits.cuh"
#include "engine/download.cuh"
#include "engine/product_pieces.cuh"
#include "eig_chunk.cuh"
#include "eig_kernels.cuh"

namespace
{

template <class T> size_t arena_size (const cuda_engine *e, const gla_eig_job *job, int64_t pages)
{
  eig_args<T> unused = {};
  eig_range_args<T> unused_range = {};
  jacobi_start<T> unused_start = {};
  size_t used = eig_lay_out<T> (e, job, pages, nullptr, &unused);
  used = eig_lay_out_start<T> (e, job, pages, nullptr, used, unused, &unused_start);
  return eig_lay_out_range<T> (e, job, pages, nullptr, used, &unused_range);
}

// The counter of the chunk, once everything before it has run.
template <class T>
gla_status read_count (cuda_engine *e, int slot, const eig_args<T> &a, int *count)
{
  GLA_TRY (copy_to_host (&e->counter[slot], a.count, sizeof (int), a.stream));
  GLA_TRY (engine_throttle (e, slot));
  *count = e->counter[slot];
  return GLA_OK;
}

// W = A V.
template <class T>
gla_status multiply_pages (cuda_engine *e, int slot, const eig_args<T> &a, const T *A, const T *V)
{
  const int64_t n = a.n, page = n * n;
  product_args<T, T> p = {};
  p.A = {A, n, page, nullptr};
  p.B = {V, n, page, nullptr};
  p.C = a.W;
  p.ldc = n;
  p.page = page;
  p.pages = a.pages;
  p.m = p.k = p.n = (int)n;
  return product_in_pieces (e, slot, p);
}

// Z = V of "qr" and W = A V, or A and the identity for a page where "qr" failed.
template <class T>
gla_status start_from_qr (cuda_engine *e, int slot, const eig_args<T> &a,
                          const jacobi_start<T> &start)
{
  const int64_t n = a.n, page = n * n;
  GLA_TRY (cudaMemcpyAsync (start.A, a.W, a.pages * page * sizeof (T), cudaMemcpyDeviceToDevice,
                            a.stream));
  GLA_TRY (cudaMemcpyAsync (start.bad, a.info, a.pages * sizeof (int32_t), cudaMemcpyDeviceToDevice,
                            a.stream));
  GLA_TRY (eig_run_stages (e, slot, start.stages, nullptr));
  GLA_TRY (eig_block_forgive (a, start.bad));
  GLA_TRY (multiply_pages (e, slot, a, start.A, start.stages.V));
  GLA_TRY (eig_block_start (a));
  return engine_status (eig_block_begin (a, start.A, start.stages.V, start.bad));
}

template <class T>
gla_status run_block_jacobi (cuda_engine *e, int slot, const eig_args<T> &a,
                             const jacobi_start<T> &start)
{
  int rounds = eig_block_rounds (a.n), active = 0;
  GLA_TRY (start.A != nullptr ? start_from_qr (e, slot, a, start)
                              : engine_status (eig_block_start (a)));
  GLA_TRY (read_count (e, slot, a, &active));
  for (int sweep = 0; sweep < a.maxit && active > 0; sweep++) {
    double work = active * (double)(rounds + 1) / 2 * (a.n * 2e-7 + 6e-5) / e->multiprocessors;
    int together = 1 + (int)(PIECE_SECONDS / (work > 1e-5 ? work : 1e-5));
    for (int round = 0; round < rounds; round++) {
      GLA_TRY (eig_block_round (a, round, active));
      if ((round + 1) % together == 0)
        GLA_TRY (engine_throttle (e, slot));
    }
    GLA_TRY (eig_block_next (a, active));
    GLA_TRY (read_count (e, slot, a, &active));
  }
  GLA_TRY (eig_block_values (a, active));
  GLA_TRY (eig_sort (a, {}));
  if (a.vectors)
    GLA_TRY (eig_block_vectors (a));
  return GLA_OK;
}

template <class T> eig_args<T> args_of (cuda_engine *e, int slot, const gla_eig_chunk *chunk)
{
  typedef real_t<T> R;
  eig_args<T> a = {};
  const gla_eig_job *job = &kept_eig_job (e);
  a.n = (int)job->n;
  a.pages = chunk->A.pages;
  a.triangle = job->triangle;
  a.vectors = job->vectors;
  a.phase = job->phase;
  bool part = eig_forms_part (e, job);
  a.first = part && job->range != GLA_EIG_INTERVAL ? (int)job->il - 1 : 0;
  a.wanted = part ? (int)job->columns : a.n;
  a.tol = (R)job->tol;
  a.maxit = job->maxit;
  a.smem_limit = e->smem_limit;
  a.multiprocessors = e->multiprocessors;
  a.stream = e->slots[slot].stream;
  eig_lay_out<T> (e, job, a.pages, e->slots[slot].memory, &a);
  a.gathered = eig_in_part (a) && eig_stedc_gathers<T> (a.n);
  if (job->head.device_arrays) {
    a.A = static_cast<const T *> (chunk->A.data);
    a.lda = chunk->A.column_stride;
    a.page_a = chunk->A.page_stride;
  }
  if (!eig_keeps_results (e, job)) { // of a part, column a.first is the caller's first one
    const int64_t before = eig_writes_part (e, job) ? a.first : 0;
    a.ldv = chunk->V.column_stride;
    a.V = static_cast<T *> (chunk->V.data) - before * a.ldv;
    a.page_v = chunk->V.page_stride;
    a.inc_lambda = chunk->lambda.row_stride;
    a.lambda = static_cast<R *> (chunk->lambda.data) - before * a.inc_lambda;
    a.page_lambda = chunk->lambda.page_stride;
  }
  return a;
}

template <class T> jacobi_start<T> start_of (cuda_engine *e, int slot, const eig_args<T> &a)
{
  char *base = e->slots[slot].memory;
  eig_args<T> unused = {};
  jacobi_start<T> start = {};
  const size_t used = eig_lay_out<T> (e, &kept_eig_job (e), a.pages, base, &unused);
  eig_lay_out_start<T> (e, &kept_eig_job (e), a.pages, base, used, a, &start);
  return start;
}

// What takes the wanted part out of the results of a chunk.
template <class T> eig_range_args<T> range_of (cuda_engine *e, int slot, const gla_eig_chunk *chunk)
{
  const gla_eig_job *job = &kept_eig_job (e);
  eig_args<T> a = {};
  eig_range_args<T> r = {};
  r.n = (int)job->n;
  r.columns = (int)job->columns;
  r.pages = chunk->A.pages;
  r.interval = job->range == GLA_EIG_INTERVAL;
  r.first = (int)job->il - 1;
  r.vl = job->vl;
  r.vu = job->vu;
  r.stream = e->slots[slot].stream;
  jacobi_start<T> start = {};
  size_t used = eig_lay_out<T> (e, job, r.pages, e->slots[slot].memory, &a);
  used = eig_lay_out_start<T> (e, job, r.pages, e->slots[slot].memory, used, a, &start);
  eig_lay_out_range<T> (e, job, r.pages, e->slots[slot].memory, used, &r);
  r.lambda = a.lambda;
  r.V = a.V;
  r.spans = eig_route_of (e, job) == ROUTE_STAGES ? a.spans : nullptr; // large pages share one
  if (job->head.device_arrays) {
    r.to_lambda = static_cast<real_t<T> *> (chunk->lambda.data);
    r.inc_lambda = chunk->lambda.row_stride;
    r.page_lambda = chunk->lambda.page_stride;
    r.to_V = static_cast<T *> (chunk->V.data);
    r.ldv = chunk->V.column_stride;
    r.page_v = chunk->V.page_stride;
  } else {
    r.inc_lambda = 1;
    r.page_lambda = job->columns;
    r.to_V = a.W;
    r.ldv = job->n;
    r.page_v = job->n * job->columns;
  }
  return r;
}

// A grid-stride loop over the pages; *any is pinned memory of the host.
__global__ void any_info_kernel (const int32_t *info, int64_t pages, int *any)
{
  int32_t found = 0;
  for (int64_t p = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; p < pages;
       p += gridDim.x * (int64_t)blockDim.x)
    found |= info[p];
  if (__syncthreads_or (found) && threadIdx.x == 0)
    *any = 1;
}

// The end of what a chunk's kernels do.
template <class T>
gla_status take_results (cuda_engine *e, int slot, const gla_eig_chunk *chunk, const eig_args<T> &a,
                         bool whole)
{
  const gla_eig_job *job = &kept_eig_job (e);
  if (eig_takes_part (e, job))
    GLA_TRY (eig_take_range (range_of<T> (e, slot, chunk)));
  if (!whole) // else the kernel has looked
    GLA_TRY (eig_look_for_info (e, slot, a.info, a.pages));
  return engine_status (cudaEventRecord (e->slots[slot].done, a.stream));
}

template <class T>
gla_status submit (cuda_engine *e, int slot, const gla_eig_chunk *chunk, const int *powers)
{
  eig_args<T> a = args_of<T> (e, slot, chunk);
  if (!kept_eig_job (e).head.device_arrays) {
    GLA_TRY (engine_upload (e, slot, a.W, &chunk->A));
    if (kept_eig_job (e).vectors)
      engine_announce_results (e, slot, &chunk->V);
  }
  eig_route way = eig_route_of (e, &kept_eig_job (e));
  const bool whole = way == ROUTE_SMALL || (way == ROUTE_JACOBI && a.n <= JACOBI_WHOLE);
  int *const any = &e->counter[slot];
  *any = 0;
  if (!whole && way != ROUTE_LARGE && !eig_reads_and_reduces (e, a))
    GLA_TRY (eig_prepare (a));
  switch (way) {
  case ROUTE_SMALL:
    GLA_TRY (eig_small (a, any));
    break;
  case ROUTE_STAGES:
    GLA_TRY (eig_run_stages (e, slot, a, powers));
    break;
  case ROUTE_LARGE:
    GLA_TRY (eig_run_large (e, slot, a, false));
    break;
  case ROUTE_JACOBI:
    GLA_TRY (whole ? eig_jacobi_whole (a, any) : eig_jacobi (a));
    break;
  case ROUTE_JACOBI_BLOCK:
    GLA_TRY (run_block_jacobi (e, slot, a, start_of (e, slot, a)));
    break;
  }
  return eig_has_rest (e, &kept_eig_job (e))
             ? engine_status (cudaEventRecord (e->slots[slot].done, a.stream))
             : take_results (e, slot, chunk, a, whole);
}

// Downloads the part of the spectrum and its counts, which are known where all pages have as many.
template <class T>
gla_status finish_range (cuda_engine *e, int slot, const gla_eig_chunk *chunk, const int32_t *info)
{
  const eig_range_args<T> r = range_of<T> (e, slot, chunk);
  const bool counted = !eig_writes_part (e, &kept_eig_job (e)); // by eig_take_range
  if (!*chunk->clean && !counted)
    GLA_TRY (download_words (e, slot, chunk->info, info, r.pages));
  const bool equal = (*chunk->clean || !counted) && !r.interval;
  if (chunk->count != NULL && !equal)
    GLA_TRY (download_words (e, slot, chunk->count, r.count, r.pages));
  else if (chunk->count != NULL)
    for (int64_t p = 0; p < r.pages; p++)
      chunk->count[p] = *chunk->clean || chunk->info[p] == 0 ? r.columns : 0;
  if (kept_eig_job (e).head.device_arrays || r.columns == 0)
    return GLA_OK;
  GLA_TRY (engine_download (e, slot, &chunk->lambda, r.to_lambda));
  return kept_eig_job (e).vectors ? engine_download (e, slot, &chunk->V, r.to_V) : GLA_OK;
}

template <class T> gla_status finish (cuda_engine *e, int slot, const gla_eig_chunk *chunk)
{
  eig_args<T> a = args_of<T> (e, slot, chunk);
  bool all = kept_eig_job (e).range == GLA_EIG_ALL;
  GLA_TRY (engine_wait (e, e->slots[slot].done));
  if (eig_has_rest (e, &kept_eig_job (e))) {
    GLA_TRY (eig_run_large (e, slot, a, true));
    GLA_TRY (take_results (e, slot, chunk, a, false));
    GLA_TRY (engine_wait (e, e->slots[slot].done));
  }
  *chunk->clean = e->counter[slot] == 0;
  if (!all)
    GLA_TRY (finish_range<T> (e, slot, chunk, a.info));
  if (all && !kept_eig_job (e).head.device_arrays)
    GLA_TRY (engine_download (e, slot, &chunk->lambda, a.lambda));
  if (all && !kept_eig_job (e).head.device_arrays && kept_eig_job (e).vectors)
    GLA_TRY (engine_download (e, slot, &chunk->V, a.V));
  const double *skew = kept_eig_job (e).triangle == GLA_TRIANGLE_FULL ? a.skew : nullptr;
  return download_info (e, slot, chunk, a.info, skew, a.pages);
}

} // namespace

gla_status eig_look_for_info (cuda_engine *e, int slot, const int32_t *info, int64_t pages)
{
  enum { THREADS = 256, BLOCKS = 64 };
  int64_t blocks = (pages + THREADS - 1) / THREADS;
  e->counter[slot] = 0;
  any_info_kernel<<<(unsigned)(blocks < BLOCKS ? blocks : BLOCKS), THREADS, 0,
                    e->slots[slot].stream>>> (info, pages, &e->counter[slot]);
  return engine_status (cudaGetLastError ());
}

gla_status eig_chunk_finish (cuda_engine *e, int slot, const gla_eig_chunk *chunk)
{
  return for_type (kept_eig_job (e).head.type,
                   [&] (auto zero) { return finish<decltype (zero)> (e, slot, chunk); });
}

//------------------------------------------------------------------------------
// a part of another operation
//------------------------------------------------------------------------------

size_t eig_part_bytes (const cuda_engine *e, const gla_eig_job *job, int64_t pages)
{
  return for_type (job->head.type,
                   [&] (auto zero) { return arena_size<decltype (zero)> (e, job, pages); });
}

gla_status eig_part_submit (cuda_engine *e, int slot, const gla_eig_chunk *chunk, const int *powers)
{
  return for_type (kept_eig_job (e).head.type,
                   [&] (auto zero) { return submit<decltype (zero)> (e, slot, chunk, powers); });
}

eig_part_words eig_part_words_of (cuda_engine *e, int slot, int64_t pages)
{
  return for_type (kept_eig_job (e).head.type, [&] (auto zero) {
    eig_args<decltype (zero)> a = {};
    eig_lay_out (e, &kept_eig_job (e), pages, e->slots[slot].memory, &a);
    return eig_part_words{a.info, a.skew, a.spans};
  });
}

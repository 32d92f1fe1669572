// svd_engine.cu: gla_batchsvd on one GPU: memory of a chunk, its kernels, its transfers
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A page is seen with its longer side down, as its adjoint where it has more columns than rows. To
// 32 columns, and to 64 by "jacobi", one kernel does it. With more than 64 rows, and from 33 on
// with at most 32 columns, A = Q*R, R = W*S*V', U = Q*W, by blocks of rows as svd.cuh says, or
// by way of A'A, and U = A*(inv (R)*W).
// Other pages, or their R, are decomposed as svd_polar.cuh says. Values alone of pages of most
// sizes are found as svd.cuh and svd_band.cuh say (svd_is_reduced).

#include "common/cluster.cuh"
#include "common/runtime.cuh"
#include "common/for_type.cuh"
#include "common/pages.cuh"
#include "common/work_limits.cuh"
#include "engine/download.cuh"
#include "engine/ordered.cuh"
#include "svd_chunk.cuh"
#include "product/job.h"

namespace
{

//------------------------------------------------------------------------------
// the job
//------------------------------------------------------------------------------

bool has_vectors (const gla_svd_job &job)
{
  return job.u_columns + job.v_columns > 0;
}

// Whether a warp or two decompose a page, or its R.
bool is_small (const gla_svd_job &job)
{
  const svd_shape s = svd_shape_of (job);
  return !s.polar && (!s.reduced || s.warped);
}

// Bytes of all arrays of a page.
double page_bytes (const gla_svd_job &job)
{
  const double m = (double)job.m, n = (double)job.n;
  return (double)gla_type_size (job.head.type) *
             (m * n + m * (double)job.u_columns + n * (double)job.v_columns) +
         8 * (double)job.values + 4;
}

// The kernel for small pages, by a measurement of 60 000 pages (doc/notebook/svd-gpu.md), and for
// tall ones what comes before and after it, by bytes.
double small_seconds (const gla_svd_job &job)
{
  const svd_shape s = svd_shape_of (job);
  const double by_type = job.head.type == GLA_TYPE_S   ? 0.55
                         : job.head.type == GLA_TYPE_D ? 1
                         : job.head.type == GLA_TYPE_C ? 1.2
                                                       : 2.4;
  double lanes = 2;
  while (lanes < (double)(s.by_qr ? s.columns : s.rows))
    lanes *= 2;
  const double jacobi = 7.6e-12 * lanes * lanes * (double)s.columns * by_type;
  const double bytes = page_bytes (job) * (s.by_qr ? 6 : 1);
  return jacobi * (has_vectors (job) ? 1 : s.warped ? 0.2 : 0.65) + bytes / 2e12 + 1e-10;
}

// Seconds of what comes before and after `pages` long pages; by bytes if they are divided into
// blocks of rows.
double qr_seconds (gla_engine *engine, const gla_svd_job &job, int64_t pages)
{
  const svd_shape s = svd_shape_of (job);
  if (!s.paged)
    return s.by_qr ? (double)pages * page_bytes (job) * 6 / 2e12 : 0;
  if (!s.by_qr)
    return 0;
  const gla_qr_job factor = svd_qr_job (job, s);
  return qr_pages_part_seconds (engine_facts (engine), &factor, (double)pages);
}

// Seconds of `pages` pages with the polar decomposition.
double polar_pages_seconds (gla_engine *engine, const gla_svd_job &job, int64_t pages)
{
  const svd_shape s = svd_shape_of (job);
  const gla_eig_job eig = polar_eig_job (job, s.columns);
  const double all = (double)pages;
  return cuda_eig_ops.seconds (engine, &eig.head, pages) +
         all * polar_seconds (job.head.type, (double)s.columns, has_vectors (job)) +
         polar_latency (job.head.type, (double)s.columns) + qr_seconds (engine, job, pages);
}

svd_together_share together_share (gla_engine *engine, const gla_svd_job &job, int64_t pages)
{
  return svd_together_shares (svd_shape_of (job).columns, (int64_t)gla_type_size (job.head.type),
                              pages, engine_facts (engine)->multiprocessors);
}

// Of `pages` pages that many blocks reduce: steps in which they wait, bytes, bisection.
double together_seconds (gla_engine *engine, const gla_svd_job &job, int64_t pages)
{
  const double n = (double)svd_shape_of (job).columns;
  const svd_together_share share = together_share (engine, job, pages);
  const double bytes = n * n * (double)gla_type_size (job.head.type); // of a step, in the middle
  const double step = 7e-6 + bytes / (4.5e10 * share.blocks);
  return (double)((pages + share.pages - 1) / share.pages) * n * step + n * 9e-7 +
         qr_seconds (engine, job, pages);
}

// Of `pages` pages that become bidiagonal by way of a band: that, and bisection.
double band_seconds (gla_engine *engine, const gla_svd_job &job, int64_t pages)
{
  const svd_shape s = svd_shape_of (job);
  const double chip = FITTED_MULTIPROCESSORS / engine_facts (engine)->multiprocessors;
  const double n = (double)s.columns, m = (double)(s.by_qr ? s.columns : s.rows);
  const svd_band_cost cost = svd_band_costs (job.head.type, m, n);
  const bool wide = gla_type_real (job.head.type) == GLA_TYPE_D;
  const double page = cost.page + n * n * (wide ? 4.1e-11 : 8.5e-12);
  return (double)pages * page * chip + cost.latency + qr_seconds (engine, job, pages);
}

// Of `pages` pages whose values alone are found by a bidiagonal matrix: reflectors, bisection, and
// what a page takes from its first step to its last one.
double values_pages_seconds (gla_engine *engine, const gla_svd_job &job, int64_t pages)
{
  const svd_shape s = svd_shape_of (job);
  if (s.together)
    return together_seconds (engine, job, pages);
  if (s.banded)
    return band_seconds (engine, job, pages);
  const double chip = FITTED_MULTIPROCESSORS / engine_facts (engine)->multiprocessors;
  const double m = (double)(s.by_qr ? s.columns : s.rows), n = (double)s.columns;
  const bool wide = gla_type_real (job.head.type) == GLA_TYPE_D;
  const double by_type = (wide ? 1.6e-12 : 1e-12) * (gla_type_is_complex (job.head.type) ? 2 : 1);
  const double page = m * n * n * by_type + n * n * (wide ? 4.1e-11 : 8.5e-12);
  const double alone = m * n * (wide && gla_type_is_complex (job.head.type) ? 9e-8 : 5e-8);
  return (double)pages * page * chip + alone + qr_seconds (engine, job, pages);
}

// Seconds of a chunk, except small pages.
double pages_seconds (gla_engine *engine, const gla_svd_job &job, int64_t pages)
{
  return svd_shape_of (job).polar ? polar_pages_seconds (engine, job, pages)
                                  : values_pages_seconds (engine, job, pages);
}

// Of a page in a batch.
double work_seconds (gla_engine *engine, const gla_svd_job &job)
{
  if (is_small (job))
    return small_seconds (job);
  const double chip = engine_facts (engine)->multiprocessors / FITTED_MULTIPROCESSORS;
  return (pages_seconds (engine, job, 2000) - pages_seconds (engine, job, 1000)) * chip / 1000;
}

//------------------------------------------------------------------------------
// a chunk
//------------------------------------------------------------------------------

size_t arena_bytes (const cuda_engine *e, const gla_svd_job &job, int64_t pages)
{
  carver c = {nullptr, 0};
  for_type (job.head.type, [&] (auto zero) {
    svd_chunk_memory<decltype (zero)> unused (e, job, pages, c);
    return 0;
  });
  return c.used;
}

template <class T>
svd_chunk_memory<T> memory_of (cuda_engine *e, int slot, const gla_svd_chunk *chunk)
{
  carver c = {e->slots[slot].memory, 0};
  svd_chunk_memory<T> s (e, kept_svd_job (e), chunk->A.pages, c);
  if (!kept_svd_job (e).head.device_arrays)
    return s;
  s.A = pages_of<T> (chunk->A);
  s.U = pages_of<T> (chunk->U);
  s.V = pages_of<T> (chunk->V);
  s.S = static_cast<real_t<T> *> (chunk->S.data);
  s.row_s = chunk->S.row_stride;
  s.page_s = chunk->S.page_stride;
  return s;
}

template <class T> gla_status submit (cuda_engine *e, int slot, const gla_svd_chunk *chunk)
{
  const svd_chunk_memory<T> s = memory_of<T> (e, slot, chunk);
  if (!kept_svd_job (e).head.device_arrays) {
    GLA_TRY (engine_upload (e, slot, s.A.data, &chunk->A));
    engine_announce_results (e, slot, chunk->U.data != nullptr ? &chunk->U : &chunk->S);
  }
  e->counter[slot] = 0;
  GLA_TRY (svd_decompose (e, slot, s, chunk->A.pages));
  return engine_status (cudaEventRecord (e->slots[slot].done, e->slots[slot].stream));
}

// Which pages are done again: tall ones of denormal or huge numbers, and square ones without an
// accurate result.
struct svd_again {
  svd_shape shape;
  const int32_t *info, *exponent;
  bool is_wanted (int64_t page) const
  {
    return shape.by_qr ? exponent[page] != 0 : info[page] == shape.columns;
  }
};

template <class T>
gla_status do_again (cuda_engine *e, int slot, const gla_svd_chunk *chunk,
                     const svd_chunk_memory<T> &s)
{
  const int64_t pages = chunk->A.pages;
  const svd_shape shape = svd_shape_of (kept_svd_job (e));
  if (*chunk->clean || !(shape.by_qr || shape.again))
    return GLA_OK;
  host_array<int32_t> exponent (pages);
  if (exponent.data == nullptr)
    return GLA_ERROR_OUT_OF_MEMORY;
  GLA_TRY (svd_look_again (e, slot, s, pages));
  GLA_TRY (copy_to_host (exponent.data, s.exponent, (size_t)pages * sizeof (int32_t),
                         e->slots[slot].stream));
  GLA_TRY (engine_throttle (e, slot));
  const svd_again again = {shape, chunk->info, exponent.data};
  for (int64_t page = 0, count = 1; page < pages; page += count, count = 1)
    if (again.is_wanted (page)) {
      while (page + count < pages && count < s.scaled_pages && again.is_wanted (page + count))
        count++;
      GLA_TRY (svd_decompose_again (e, slot, s, page, count));
      GLA_TRY (engine_throttle (e, slot));
    }
  e->counter[slot] = 1;
  return download_info (e, slot, chunk, s.info, pages);
}

template <class T> gla_status finish (cuda_engine *e, int slot, const gla_svd_chunk *chunk)
{
  const svd_chunk_memory<T> s = memory_of<T> (e, slot, chunk);
  GLA_TRY (engine_wait (e, e->slots[slot].done));
  GLA_TRY (download_info (e, slot, chunk, s.info, chunk->A.pages));
  GLA_TRY (do_again (e, slot, chunk, s));
  if (kept_svd_job (e).head.device_arrays)
    return GLA_OK;
  GLA_TRY (engine_download (e, slot, &chunk->S, s.S));
  GLA_TRY (download_matrix (e, slot, chunk->U, s.U));
  return download_matrix (e, slot, chunk->V, s.V);
}

//------------------------------------------------------------------------------
// the backend's functions
//------------------------------------------------------------------------------

int supports_polar (const gla_svd_job &job, const svd_shape &s)
{
  const gla_eig_job eig = polar_eig_job (job, s.columns);
  return job.method != GLA_SVD_METHOD_JACOBI &&
         (!polar_needs_blas (s.columns) || gpu_blas_expected ()) &&
         cuda_eig_ops.supports (&eig.head);
}

int supports_qr (const gla_svd_job &job, const svd_shape &s)
{
  const gla_qr_job factor = svd_qr_job (job, s);
  return !s.by_qr || (s.paged ? cuda_qr_ops.supports (&factor.head) : s.tree.count > 0);
}

// Pages of up to 64 columns, and larger ones unless "jacobi" is asked for. Where QR comes first,
// not all columns of a square U.
int supports (const gla_job *head)
{
  const gla_svd_job *job = (const gla_svd_job *)head;
  const svd_shape s = svd_shape_of (*job);
  if (s.reduced && !s.warped && !s.together && !s.banded &&
      !svd_bidiagonal_fits ((int64_t)gla_type_size (head->type),
                            (int)(s.by_qr ? s.columns : s.rows), (int)s.columns,
                            (int)block_shared_most () - 2048))
    return 0;
  if (!s.polar && !s.by_qr)
    return 1;
  gla_pagemul_job product = {};
  product.head = *head;
  product.m = s.rows;
  product.k = product.n = s.columns;
  return s.u_columns <= s.columns && cuda_pagemul_ops.supports (&product.head) &&
         supports_qr (*job, s) && (!s.polar || supports_polar (*job, s));
}

double seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_svd_job &job = *(const gla_svd_job *)head;
  const double chip = FITTED_MULTIPROCESSORS / engine_facts (engine)->multiprocessors;
  const double transfer = head->device_arrays ? 0 : page_bytes (job) / LINK_RATE;
  const double all = (double)pages;
  const double work =
      is_small (job) ? all * small_seconds (job) * chip : pages_seconds (engine, job, pages);
  return CALL_SECONDS + (all * transfer > work ? all * transfer : work);
}

// The chunk size of pages that take several launches: as many as fill the GPU, from arrays of the
// host at most a quarter of them, so that copies overlap with kernels.
double pages_by_steps (const gla_svd_job &job, double chunk, int64_t pages)
{
  const double fill = 1.3e8 / ((double)job.n * (double)job.m), quarter = (double)(pages + 3) / 4;
  const double most = job.head.device_arrays || quarter > fill ? fill : quarter;
  return chunk > most ? chunk : most;
}

// The chunk size of pages of which the values alone are wanted: each takes long, so as many as the
// GPU holds at once, or several times as many.
double pages_in_waves (const svd_shape &s, double chunk, int alone)
{
  const double wave = alone * (s.columns <= 64 ? 4 : s.columns <= 96 ? 2 : 1);
  return chunk < wave ? wave : floor (chunk / wave) * wave;
}

int64_t chunk_pages (gla_engine *engine, const gla_job *head, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  const gla_svd_job &job = *(const gla_svd_job *)head;
  double chunk =
      PIECE_SECONDS / work_seconds (engine, job) * e->multiprocessors / FITTED_MULTIPROCESSORS;
  const svd_shape s = svd_shape_of (job);
  if (s.reduced && !s.warped)
    chunk = pages_in_waves (
        s, chunk, s.together ? together_share (engine, job, pages).pages : e->multiprocessors);
  else if (polar_by_steps (s.columns, gla_type_is_complex (head->type)))
    chunk = pages_by_steps (job, chunk, pages);
  const double by_bytes = CHUNK_BYTES / page_bytes (job);
  if (!head->device_arrays)
    chunk = chunk > by_bytes ? by_bytes : chunk;
  chunk = chunk > (double)pages ? (double)pages : chunk;
  chunk = engine_fit_in_memory (e, chunk, (double)arena_bytes (e, job, 64) / 64);
  return chunk < 1 ? 1 : (int64_t)chunk;
}

gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  kept_svd_job (e) = *(const gla_svd_job *)head;
  const svd_shape s = svd_shape_of (kept_svd_job (e));
  kept_eig_job (e) = polar_eig_job (kept_svd_job (e), s.columns);
  kept_qr_job (e) = svd_qr_job (kept_svd_job (e), s);
  engine_begin_job (e, head, pages);
  return engine_reserve (e, 0, arena_bytes (e, kept_svd_job (e), pages));
}

gla_status submit (gla_engine *engine, int slot, const void *pages)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_svd_chunk *> (pages);
  GLA_TRY (engine_reserve (e, slot, arena_bytes (e, kept_svd_job (e), e->chunk_pages)));
  GLA_TRY (engine_take_slot (e, slot, chunk));
  return for_type (kept_svd_job (e).head.type,
                   [&] (auto zero) { return submit<decltype (zero)> (e, slot, chunk); });
}

gla_status finish (gla_engine *engine, int slot)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_svd_chunk *> (e->slots[slot].chunk);
  const gla_status status = for_type (kept_svd_job (e).head.type, [&] (auto zero) {
    return finish<decltype (zero)> (e, slot, chunk);
  });
  return end_chunk (e, slot, status, chunk, chunk->A.pages);
}

} // namespace

extern "C" const gla_batch_ops cuda_svd_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = chunk_pages,
    .begin = begin,
    .submit = submit,
    .finish = finish,
    .end = engine_end_job,
};

// qr_chunk.cu: the kernels of a chunk of pages of gla_qr in order, and how long they take
// SPDX-License-Identifier: GPL-3.0-or-later

#include <cmath>
#include "common/runtime.cuh"
#include "common/pages.cuh"
#include "common/work_limits.cuh"
#include "qr_chunk.cuh"

namespace
{

// A launch for small pages has a multiple of so many: no block is partly empty but the last one.
enum { SMALL_LEAST = 4096 };

//------------------------------------------------------------------------------
// what it costs
//------------------------------------------------------------------------------

double work_flops (const gla_qr_job *job)
{
  double m = (double)job->m, n = (double)job->n, k = m < n ? m : n, q = (double)job->q_columns;
  double flops = 4 * m * n * k - 2 * (m + n) * k * k + 4.0 / 3 * k * k * k;
  if (q > 0)
    flops += 4 * m * q * k - 2 * (m + q) * k * k + 4.0 / 3 * k * k * k;
  flops += 4 * m * job->rhs * k + (job->wy ? 2 * m * k * k : 0);
  return flops * (gla_type_is_complex (job->head.type) ? 4 : 1);
}

//------------------------------------------------------------------------------
// the kernels
//------------------------------------------------------------------------------

struct slot_pause {
  cuda_engine *e;
  int slot;
  bool needed;
};

gla_status pause_of (void *user)
{
  slot_pause *p = static_cast<slot_pause *> (user);
  return p->needed ? engine_throttle (p->e, p->slot) : GLA_OK;
}

qr_streams streams_of (cuda_engine *e, int slot)
{
  return {e->slots[slot].stream, e->side,      e->side_start, e->side_done,
          &e->slots[slot].blas,  &e->side_blas};
}

// Of `pages` pages, by reflectors.
template <class T>
gla_status by_reflectors (cuda_engine *e, int slot, const gla_qr_chunk *chunk,
                          const qr_chunk_memory<T> &s, int64_t pages, bool long_work)
{
  const gla_qr_job &job = kept_qr_job (e);
  const qr_plan<T> &plan = s.plan;
  cudaStream_t stream = e->slots[slot].stream;
  qr_streams streams = streams_of (e, slot);
  slot_pause user = {e, slot, long_work};
  qr_pause pause = {pause_of, &user};

  GLA_TRY (qr_factor<T> (plan, as_const (s.A), streams, pause));
  if (s.R.data != nullptr)
    GLA_TRY (qr_store_r<T> (plan, s.R, job.r_rows, stream));
  if (s.Q.data != nullptr)
    GLA_TRY (qr_form_q<T> (plan, s.Q, job.q_columns, streams, pause));
  if (job.rhs > 0) {
    // A and R are not needed any more, so the exponents of B's columns overwrite theirs
    const page_matrix<T> from = job.head.device_arrays ? pages_of<T> (chunk->B) : s.B;
    GLA_TRY (qr_load_columns<T> (plan, s.B, as_const (from), job.rhs, stream));
    GLA_TRY (qr_apply<T> (plan, s.B, job.rhs, streams, pause));
    GLA_TRY (qr_store_columns<T> (plan, s.C, as_const (s.B), job.c_rows, job.rhs, stream));
  }
  if (job.wy) {
    GLA_TRY (
        qr_copy<T> (plan.Y, as_const (plan.Y), job.m, plan.k, true, pages, stream)); // R is out
    GLA_TRY (qr_form_w<T> (plan, s.W, streams, pause));
    if (job.head.device_arrays)
      GLA_TRY (qr_copy<T> (pages_of<T> (chunk->Y), as_const (plan.Y), job.m, plan.k, true, pages,
                           stream));
  }
  return GLA_OK;
}

template <class T> page_matrix<T> pages_from (page_matrix<T> a, int64_t page)
{
  a.data = a.data == nullptr ? nullptr : a.data + page * a.page;
  return a;
}

// Small pages, so many at a time that a request to stop is served soon.
template <class T>
gla_status small_pages (cuda_engine *e, int slot, const gla_qr_chunk *chunk,
                        const qr_chunk_memory<T> &s, int64_t pages)
{
  const gla_qr_job &job = kept_qr_job (e);
  page_matrix<T> B = job.head.device_arrays ? pages_of<T> (chunk->B) : s.B;
  double of_one = qr_kernel_seconds (e, &job, 2) - qr_kernel_seconds (e, &job, 1);
  int64_t most = (int64_t)(PIECE_SECONDS / of_one);
  most = most < SMALL_LEAST ? (int64_t)SMALL_LEAST : most / SMALL_LEAST * SMALL_LEAST;
  for (int64_t first = 0; first < pages; first += most) {
    int64_t count = pages - first < most ? pages - first : most;
    qr_small_args<T> a = {as_const (pages_from (s.A, first)),
                          as_const (pages_from (B, first)),
                          pages_from (s.Q, first),
                          pages_from (s.R, first),
                          pages_from (s.C, first),
                          pages_from (s.W, first),
                          pages_from (s.Y, first)};
    a.m = (int)job.m;
    a.n = (int)job.n;
    a.k = a.m < a.n ? a.m : a.n;
    a.q_columns = (int)job.q_columns;
    a.r_rows = (int)job.r_rows;
    a.rhs = (int)job.rhs;
    a.c_rows = (int)job.c_rows;
    a.pages = count;
    GLA_TRY (qr_small<T> (a, e->slots[slot].stream));
    GLA_TRY (first + count < pages ? engine_throttle (e, slot) : GLA_OK);
  }
  return GLA_OK;
}

// By way of A'A; how many pages have failed will be in the slot's counter.
template <class T>
gla_status directly (cuda_engine *e, int slot, const qr_chunk_memory<T> &s, int64_t pages)
{
  const gla_qr_job &job = kept_qr_job (e);
  qr_streams streams = streams_of (e, slot);
  slot_pause user = {e, slot, qr_kernel_seconds (e, &job, (double)pages) > 2 * PIECE_SECONDS};
  const qr_pause pause = {pause_of, &user};
  GLA_TRY (s.bare ? qr_cholesky_bare<T> (s.cholesky, as_const (s.A), streams, pause)
                  : qr_by_cholesky<T> (s.cholesky, as_const (s.A), s.R, job.r_rows, s.Q, streams,
                                       pause));
  return engine_status (cudaMemcpyAsync (&e->counter[slot], s.cholesky.failures, sizeof (int),
                                         cudaMemcpyDeviceToHost, streams.main));
}

// Computes the pages of a list, s.redone on the device, by reflectors, and copies them to their
// places.
template <class T>
gla_status redo_listed (cuda_engine *e, int slot, const gla_qr_chunk *chunk,
                        const qr_chunk_memory<T> &s, int64_t count)
{
  const gla_qr_job &job = kept_qr_job (e);
  cudaStream_t stream = e->slots[slot].stream;
  qr_chunk_memory<T> again = s;
  again.A = again.plan.Y;
  again.Q = s.again_Q;
  again.R = s.again_R;
  again.plan.pages = count;
  GLA_TRY (qr_copy_listed<T> (again.A, as_const (s.A), job.m, job.n, s.redone, QR_LIST_FROM, count,
                              stream));
  GLA_TRY (by_reflectors<T> (e, slot, chunk, again, count, true));
  GLA_TRY (qr_copy_listed<T> (s.Q, as_const (again.Q), job.m, job.q_columns, s.redone, QR_LIST_TO,
                              count, stream));
  return engine_status (qr_copy_listed<T> (s.R, as_const (again.R), job.r_rows, job.n, s.redone,
                                           QR_LIST_TO, count, stream));
}

} // namespace

//------------------------------------------------------------------------------
// what the engine uses
//------------------------------------------------------------------------------

// Bytes of all arrays of a page.
double qr_page_bytes (const gla_qr_job *job)
{
  double m = (double)job->m, k = job->m < job->n ? (double)job->m : (double)job->n;
  double elements = m * job->n + m * job->q_columns + (double)job->r_rows * job->n +
                    (m + job->c_rows) * job->rhs + (job->wy ? 2 * m * k : 0);
  return elements * gla_type_size (job->head.type);
}

// Products, passes over memory, and the chain of columns; of pages by way of A'A also the leaves,
// of which a multiprocessor does one at a time.
double qr_kernel_seconds (const cuda_engine *e, const gla_qr_job *job, double pages)
{
  double k = job->m < job->n ? (double)job->m : (double)job->n;
  double chip = FITTED_MULTIPROCESSORS / e->multiprocessors;
  double wide = gla_type_real (job->head.type) == GLA_TYPE_D ? 4e13 : 5e13;
  bool is_complex = gla_type_is_complex (job->head.type);
  if (job->pivot)
    return chip * (pages * (work_flops (job) / 2e12 + 4 * qr_page_bytes (job) / 3e12) + k * 1.5e-5);
  if (qr_small_serves (*job))
    return 1e-5 + chip * pages * qr_small_seconds (*job, qr_page_bytes (job));
  if (qr_cholesky_serves (*job)) {
    double rate = !qr_cholesky_own_products (*job) ? wide : is_complex ? 2.5e13 : 1.4e13;
    double leaf = is_complex ? 0.47e-6 : 0.31e-6;
    return chip * pages *
               (work_flops (job) / rate + 2 * qr_page_bytes (job) / 3e12 +
                std::ceil (k / 64) * leaf) +
           4e-5 + k * (is_complex ? 1e-6 : 0.7e-6);
  }
  double together = qr_needs_blas (*job) ? 1 : 16; // pages whose columns advance at the same time
  return chip * pages * (work_flops (job) / wide + 4 * qr_page_bytes (job) / 3e12) +
         (1 + (pages - 1) / together) * k * 2e-6;
}

template <class T>
gla_status qr_chunk_start (cuda_engine *e, int slot, const gla_qr_chunk *chunk,
                           const qr_chunk_memory<T> &s)
{
  int64_t pages = chunk->A.pages;
  if (s.small)
    return small_pages<T> (e, slot, chunk, s, pages);
  bool long_work = qr_kernel_seconds (e, &kept_qr_job (e), (double)pages) > 2 * PIECE_SECONDS;
  return s.direct ? directly<T> (e, slot, s, pages)
                  : by_reflectors<T> (e, slot, chunk, s, pages, long_work);
}

template <class T>
gla_status qr_chunk_redo (cuda_engine *e, int slot, const gla_qr_chunk *chunk,
                          const qr_chunk_memory<T> &s)
{
  int64_t pages = chunk->A.pages, count = 0;
  host_array<int> failed (pages);
  if (failed.data == nullptr)
    return GLA_ERROR_OUT_OF_MEMORY;
  GLA_TRY (
      cudaMemcpy (failed.data, s.cholesky.failed, pages * sizeof (int), cudaMemcpyDeviceToHost));
  for (int64_t page = 0; page < pages; page++)
    if (failed[page])
      failed[count++] = (int)page;
  for (int64_t first = 0; first < count; first += s.plan.pages) {
    int64_t some = count - first < s.plan.pages ? count - first : s.plan.pages;
    GLA_TRY (cudaMemcpyAsync (s.redone, &failed[first], some * sizeof (int), cudaMemcpyHostToDevice,
                              e->slots[slot].stream));
    GLA_TRY (redo_listed<T> (e, slot, chunk, s, some));
    GLA_TRY (engine_throttle (e, slot));
  }
  return GLA_OK;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template gla_status qr_chunk_start (cuda_engine *, int, const gla_qr_chunk *,                    \
                                      const qr_chunk_memory<T> &);                                 \
  template gla_status qr_chunk_redo (cuda_engine *, int, const gla_qr_chunk *,                     \
                                     const qr_chunk_memory<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)

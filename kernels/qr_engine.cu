// qr_engine.cu: gla_qr on one GPU: memory of a chunk, its kernels, its transfers
// SPDX-License-Identifier: GPL-3.0-or-later

#include <atomic>
#include <memory>
#include <new>
#include "engine.cuh"
#include "qr_cholesky.cuh"

namespace
{

// Seconds after which a wish to stop should be heard.
const double PIECE = 0.03;

//------------------------------------------------------------------------------
// what it costs
//------------------------------------------------------------------------------

double work_flops (const gla_qr_job *job)
{
  double m = (double)job->m, n = (double)job->n, k = m < n ? m : n, q = (double)job->q_columns;
  double flops = 2 * m * n * k - (m + n) * k * k + 2.0 / 3 * k * k * k;
  if (q > 0)
    flops += 4 * m * q * k - 2 * (m + q) * k * k + 4.0 / 3 * k * k * k;
  flops += 4 * m * job->rhs * k + (job->wy ? 2 * m * k * k : 0);
  return flops * (gla_type_is_complex (job->type) ? 4 : 1);
}

// Bytes of all arrays of a page.
double array_bytes (const gla_qr_job *job)
{
  double m = (double)job->m, k = job->m < job->n ? (double)job->m : (double)job->n;
  double elements = m * job->n + m * job->q_columns + (double)job->r_rows * job->n +
                    (m + job->c_rows) * job->rhs + (job->wy ? 2 * m * k : 0);
  return elements * gla_type_size (job->type);
}

// Seconds of kernels for `pages` pages: products, passes over memory, and the chain of columns.
double kernel_seconds (const cuda_engine *e, const gla_qr_job *job, double pages)
{
  double k = job->m < job->n ? (double)job->m : (double)job->n;
  double chip = 132.0 / e->multiprocessors;
  double wide = gla_type_real (job->type) == GLA_D ? 4e13 : 5e13;
  if (job->pivot)
    return chip * (pages * (work_flops (job) / 2e12 + 4 * array_bytes (job) / 3e12) + k * 1.5e-5);
  if (qr_cholesky_serves (*job))
    return chip * pages * (work_flops (job) / wide + 3 * array_bytes (job) / 3e12 + k * 1e-6);
  double together = qr_needs_blas (*job) ? 1 : 16; // pages whose columns advance at the same time
  return chip * pages * (work_flops (job) / wide + 4 * array_bytes (job) / 3e12) +
         (1 + (pages - 1) / together) * k * 2e-6;
}

//------------------------------------------------------------------------------
// memory of a chunk
//------------------------------------------------------------------------------

template <class T> struct chunk_memory {
  bool direct; // by way of A'A; reflectors make again what fails, page by page
  qr_plan<T> plan;
  qr_cholesky<T> cholesky;
  qr_matrix<T> A, Q, R, B, C, W; // A: the copy of a host array; Q .. W: where results go

  // Host arrays travel packed; a device array needs a copy of A only, the reflectors.
  chunk_memory (const gla_qr_job &job, int64_t pages, carver &c)
      : direct (qr_cholesky_serves (job)),
        plan (job, direct ? 1 : pages, job.device_arrays ? (job.m + 15) / 16 * 16 : job.m, c),
        cholesky (job, direct ? pages : 0, c)
  {
    plan.Y.data = c.take<T> (plan.pages * plan.Y.page);
    A = direct && !job.device_arrays ? host_matrix (c, job, pages, job.m, job.n, true) : plan.Y;
    Q = R = C = W = {nullptr, 0, 0};
    B = host_matrix (c, job, pages, job.m, job.rhs, job.rhs > 0);
    if (job.device_arrays)
      return;
    Q = host_matrix (c, job, pages, job.m, job.q_columns, true);
    R = host_matrix (c, job, pages, job.r_rows, job.n, true);
    W = host_matrix (c, job, pages, job.m, plan.k, job.wy);
    C = host_matrix (c, job, pages, job.c_rows, job.rhs, true);
  }
  qr_matrix<T> host_matrix (carver &c, const gla_qr_job &, int64_t pages, int64_t rows,
                            int64_t columns, bool wanted)
  {
    if (!wanted || rows == 0 || columns == 0)
      return {nullptr, 0, 0};
    return {c.take<T> (pages * rows * columns), rows, rows * columns};
  }
};

template <class T> size_t arena_of (const gla_qr_job &job, int64_t pages)
{
  carver c = {nullptr, 0};
  chunk_memory<T> unused (job, pages, c);
  return c.used;
}

size_t arena_bytes (const gla_qr_job &job, int64_t pages)
{
  switch (job.type) {
  case GLA_S:
    return arena_of<float> (job, pages);
  case GLA_D:
    return arena_of<double> (job, pages);
  case GLA_C:
    return arena_of<cx<float>> (job, pages);
  default:
    return arena_of<cx<double>> (job, pages);
  }
}

template <class T> qr_matrix<T> matrix_of (const gla_array &a)
{
  return {static_cast<T *> (a.data), a.column_stride, a.page_stride};
}

template <class T> chunk_memory<T> memory_of (cuda_engine *e, int slot, const gla_qr_chunk *chunk)
{
  carver c = {e->slots[slot].memory, 0};
  chunk_memory<T> s (e->qr_job, chunk->A.pages, c);
  if (e->qr_job.device_arrays) {
    s.A = matrix_of<T> (chunk->A);
    s.Q = matrix_of<T> (chunk->Q);
    s.R = matrix_of<T> (chunk->R);
    s.C = matrix_of<T> (chunk->C);
    s.W = matrix_of<T> (chunk->W);
  }
  return s;
}

//------------------------------------------------------------------------------
// a chunk
//------------------------------------------------------------------------------

template <class T> qr_matrix<const T> read (qr_matrix<T> a)
{
  return {a.data, a.ld, a.page};
}

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
  return {e->slots[slot].stream, e->side, e->side_start, e->side_done, &e->blas, &e->side_blas};
}

// Of `pages` pages, by reflectors.
template <class T>
gla_status compute (cuda_engine *e, int slot, const gla_qr_chunk *chunk, chunk_memory<T> &s,
                    int64_t pages)
{
  const gla_qr_job &job = e->qr_job;
  const qr_plan<T> &plan = s.plan;
  cudaStream_t stream = e->slots[slot].stream;
  qr_streams streams = streams_of (e, slot);
  slot_pause user = {e, slot, kernel_seconds (e, &job, (double)pages) > 2 * PIECE};
  qr_pause pause = {pause_of, &user};

  gla_status status = qr_factor<T> (plan, read (s.A), streams, pause);
  if (status == GLA_OK && s.R.data != nullptr)
    status =
        engine_status (qr_store_r<T> (s.R, read (plan.Y), read (plan.blocks), job.r_rows, job.n,
                                      plan.k, plan.block, plan.exponent, pages, stream));
  if (status == GLA_OK && s.Q.data != nullptr)
    status = qr_form_q<T> (plan, s.Q, job.q_columns, streams, pause);
  if (status == GLA_OK && job.rhs > 0) {
    if (job.device_arrays)
      status = engine_status (
          qr_copy<T> (s.B, read (matrix_of<T> (chunk->B)), job.m, job.rhs, false, pages, stream));
    if (status == GLA_OK)
      status = qr_apply<T> (plan, s.B, job.rhs, streams, pause);
    if (status == GLA_OK)
      status =
          engine_status (qr_copy<T> (s.C, read (s.B), job.c_rows, job.rhs, false, pages, stream));
  }
  if (status == GLA_OK && job.wy) {
    status = engine_status (
        qr_copy<T> (plan.Y, read (plan.Y), job.m, plan.k, true, pages, stream)); // R is out
    if (status == GLA_OK)
      status = qr_form_w<T> (plan, s.W, streams, pause);
    if (status == GLA_OK && job.device_arrays)
      status = engine_status (
          qr_copy<T> (matrix_of<T> (chunk->Y), read (plan.Y), job.m, plan.k, true, pages, stream));
  }
  return status;
}

// By way of A'A; how many pages have failed will be in the slot's counter.
template <class T>
gla_status compute_directly (cuda_engine *e, int slot, const chunk_memory<T> &s, int64_t pages)
{
  const gla_qr_job &job = e->qr_job;
  qr_streams streams = streams_of (e, slot);
  slot_pause user = {e, slot, kernel_seconds (e, &job, (double)pages) > 2 * PIECE};
  gla_status status =
      qr_by_cholesky<T> (s.cholesky, read (s.A), s.R, job.r_rows, s.Q, streams, {pause_of, &user});
  return status == GLA_OK
             ? engine_status (cudaMemcpyAsync (&e->counter[slot], s.cholesky.failures, sizeof (int),
                                               cudaMemcpyDeviceToHost, streams.main))
             : status;
}

template <class T> qr_matrix<T> page_of (qr_matrix<T> a, int64_t page)
{
  return {a.data == nullptr ? nullptr : a.data + page * a.page, a.ld, a.page};
}

// The pages that failed, by reflectors.
template <class T>
gla_status compute_failed (cuda_engine *e, int slot, const gla_qr_chunk *chunk,
                           const chunk_memory<T> &s)
{
  int64_t pages = chunk->A.pages;
  std::unique_ptr<int[]> failed (new (std::nothrow) int[pages]);
  if (failed == nullptr)
    return GLA_OUT_OF_MEMORY;
  gla_status status = engine_status (
      cudaMemcpy (failed.get (), s.cholesky.failed, pages * sizeof (int), cudaMemcpyDeviceToHost));
  for (int64_t page = 0; page < pages && status == GLA_OK; page++) {
    if (!failed[page])
      continue;
    chunk_memory<T> one = s;
    one.A = page_of (s.A, page);
    one.Q = page_of (s.Q, page);
    one.R = page_of (s.R, page);
    status = compute<T> (e, slot, chunk, one, 1);
  }
  if (status == GLA_OK)
    status = engine_status (cudaEventRecord (e->slots[slot].done, e->slots[slot].stream));
  return status == GLA_OK ? engine_wait (e, e->slots[slot].done) : status;
}

template <class T> gla_status submit (cuda_engine *e, int slot, const gla_qr_chunk *chunk)
{
  chunk_memory<T> s = memory_of<T> (e, slot, chunk);
  gla_status status = GLA_OK;
  if (!e->qr_job.device_arrays) {
    status = engine_upload (e, slot, s.A.data, &chunk->A);
    if (status == GLA_OK && e->qr_job.rhs > 0)
      status = engine_upload (e, slot, s.B.data, &chunk->B);
  }
  if (status == GLA_OK)
    status = s.direct ? compute_directly<T> (e, slot, s, chunk->A.pages)
                      : compute<T> (e, slot, chunk, s, chunk->A.pages);
  if (status == GLA_OK)
    status = engine_status (cudaEventRecord (e->slots[slot].done, e->slots[slot].stream));
  return status;
}

template <class T>
gla_status download (cuda_engine *e, int slot, const gla_array &to, const qr_matrix<T> &from)
{
  return to.data == nullptr || from.data == nullptr ? GLA_OK
                                                    : engine_download (e, slot, &to, from.data);
}

gla_status download_jpvt (cuda_engine *e, int slot, const gla_qr_chunk *chunk, const int64_t *from)
{
  gla_array to = gla_array_packed (chunk->jpvt, GLA_D, e->qr_job.n, 1, chunk->A.pages, GLA_HOST);
  return engine_download (e, slot, &to, from); // 8 bytes each, as type d has
}

template <class T> gla_status finish (cuda_engine *e, int slot, const gla_qr_chunk *chunk)
{
  chunk_memory<T> s = memory_of<T> (e, slot, chunk);
  gla_status status = engine_wait (e, e->slots[slot].done);
  if (status == GLA_OK && s.direct && e->counter[slot] > 0)
    status = compute_failed<T> (e, slot, chunk, s);
  if (status == GLA_OK && e->qr_job.device_arrays && e->qr_job.pivot)
    return download_jpvt (e, slot, chunk, s.plan.pivots.jpvt);
  if (status != GLA_OK || e->qr_job.device_arrays)
    return status;
  status = download (e, slot, chunk->R, s.R);
  if (status == GLA_OK)
    status = download (e, slot, chunk->Q, s.Q);
  if (status == GLA_OK)
    status = download (e, slot, chunk->C, s.C);
  if (status == GLA_OK)
    status = download (e, slot, chunk->W, s.W);
  if (status == GLA_OK && e->qr_job.pivot)
    status = download_jpvt (e, slot, chunk, s.plan.pivots.jpvt);
  gla_array Y = chunk->Y;
  if (status == GLA_OK && e->qr_job.wy)
    for (int64_t page = 0; page < chunk->A.pages && status == GLA_OK; page++) {
      Y.pages = 1;
      status = engine_download (e, slot, &Y, s.plan.Y.data + page * s.plan.Y.page);
      Y.data = static_cast<T *> (Y.data) + Y.page_stride;
    }
  return status;
}

} // namespace

//------------------------------------------------------------------------------
// the backend's functions
//------------------------------------------------------------------------------

// Whether every GPU has the shared memory that the kernels need (those before compute capability
// 8.0 do not): the pages of a call may go to any of them.
static bool devices_serve ()
{
  enum { UNKNOWN = 0, NO, YES };
  static std::atomic<int> known;
  int count = 0, answer = known.load ();
  if (answer != UNKNOWN || cudaGetDeviceCount (&count) != cudaSuccess)
    return answer != NO;
  answer = YES;
  for (int device = 0; device < count; device++) {
    int bytes = 0;
    if (cudaDeviceGetAttribute (&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) ==
            cudaSuccess &&
        (size_t)bytes < qr_larfb_shared ())
      answer = NO;
  }
  known.store (answer);
  return answer == YES;
}

// cuBLAS counts in int.
int cuda_qr_supports (const gla_qr_job *job)
{
  const int64_t most = (int64_t)1 << 30;
  return job->m < most && job->n < most && job->rhs < most && devices_serve () &&
         (!qr_needs_blas (*job) || gpu_blas_available ());
}

double cuda_qr_seconds (gla_engine *engine, const gla_qr_job *job, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  double transfer = job->device_arrays ? 0 : pages * array_bytes (job) / 18e9;
  return 5e-4 + transfer + kernel_seconds (e, job, (double)pages);
}

int64_t cuda_qr_chunk_pages (gla_engine *engine, const gla_qr_job *job, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  double per_page = (double)arena_bytes (*job, 64) / 64, chunk = (double)pages;
  double by_bytes = 64e6 / array_bytes (job); // of host arrays, to overlap the copies
  if (!job->device_arrays && chunk > by_bytes)
    chunk = by_bytes;
  double by_time = 2 * PIECE / kernel_seconds (e, job, 1);
  double fill = 4.0 * e->multiprocessors;
  if (chunk > by_time && chunk > fill)
    chunk = by_time > fill ? by_time : fill;
  if (chunk * per_page > e->slots[0].size) { // the query takes longer than a small matrix
    size_t free_bytes = 0, total = 0;
    if (cudaMemGetInfo (&free_bytes, &total) != cudaSuccess)
      cudaGetLastError ();
    for (int k = 0; k < SLOTS; k++)
      free_bytes += e->slots[k].size;
    double by_memory = 0.6 * free_bytes / SLOTS / per_page;
    chunk = chunk > by_memory ? by_memory : chunk;
  }
  return chunk < 1 ? 1 : (int64_t)chunk;
}

gla_status cuda_qr_begin (gla_engine *engine, const gla_qr_job *job, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  e->qr_job = *job;
  e->monitor = job->monitor;
  e->chunk_pages = pages;
  for (int k = 0; k < SLOTS; k++)
    e->slots[k].chunk = nullptr;
  bool blas = qr_needs_blas (*job) || qr_cholesky_serves (*job);
  gla_status status = blas ? gpu_blas_open (&e->blas) : GLA_OK;
  if (status == GLA_OK && blas)
    status = gpu_blas_open (&e->side_blas);
  return status == GLA_OK ? engine_reserve (e, 0, arena_bytes (*job, pages)) : status;
}

gla_status cuda_qr_submit (gla_engine *engine, int slot, const gla_qr_chunk *chunk)
{
  cuda_engine *e = engine_of (engine);
  gla_status status = engine_reserve (e, slot, arena_bytes (e->qr_job, e->chunk_pages));
  if (status != GLA_OK)
    return status;
  e->slots[slot].chunk = chunk;
  switch (e->qr_job.type) {
  case GLA_S:
    return submit<float> (e, slot, chunk);
  case GLA_D:
    return submit<double> (e, slot, chunk);
  case GLA_C:
    return submit<cx<float>> (e, slot, chunk);
  default:
    return submit<cx<double>> (e, slot, chunk);
  }
}

gla_status cuda_qr_finish (gla_engine *engine, int slot)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_qr_chunk *> (e->slots[slot].chunk);
  gla_status status = GLA_OK;
  switch (e->qr_job.type) {
  case GLA_S:
    status = finish<float> (e, slot, chunk);
    break;
  case GLA_D:
    status = finish<double> (e, slot, chunk);
    break;
  case GLA_C:
    status = finish<cx<float>> (e, slot, chunk);
    break;
  case GLA_Z:
    status = finish<cx<double>> (e, slot, chunk);
    break;
  }
  e->slots[slot].chunk = nullptr;
  if (status == GLA_OK && e->monitor.poll (e->monitor.user, chunk->A.pages))
    status = GLA_STOPPED;
  return status;
}

void cuda_qr_end (gla_engine *engine)
{
  engine_drain (engine_of (engine));
}

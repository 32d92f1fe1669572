// qr_engine.cu: gla_qr on one GPU: chunks of pages, their memory, their transfers
// SPDX-License-Identifier: GPL-3.0-or-later

#include <atomic>
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

template <class T>
qr_chunk_memory<T> memory_of (cuda_engine *e, int slot, const gla_qr_chunk *chunk)
{
  carver c = {e->slots[slot].memory, 0};
  qr_chunk_memory<T> s (e->qr_job, chunk->A.pages, c);
  if (e->qr_job.device_arrays) {
    s.A = matrix_of<T> (chunk->A);
    s.Q = matrix_of<T> (chunk->Q);
    s.R = matrix_of<T> (chunk->R);
    s.C = matrix_of<T> (chunk->C);
    s.W = matrix_of<T> (chunk->W);
  }
  return s;
}

template <class T> gla_status submit (cuda_engine *e, int slot, const gla_qr_chunk *chunk)
{
  qr_chunk_memory<T> s = memory_of<T> (e, slot, chunk);
  gla_status status = GLA_OK;
  if (!e->qr_job.device_arrays) {
    status = engine_upload (e, slot, s.A.data, &chunk->A);
    if (status == GLA_OK && e->qr_job.rhs > 0)
      status = engine_upload (e, slot, s.B.data, &chunk->B);
    engine_expect (e, slot, &chunk->Q);
  }
  if (status == GLA_OK)
    status = qr_chunk_start<T> (e, slot, chunk, s);
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
  qr_chunk_memory<T> s = memory_of<T> (e, slot, chunk);
  gla_status status = engine_wait (e, e->slots[slot].done);
  if (status == GLA_OK && s.direct && e->counter[slot] > 0)
    status = qr_chunk_redo<T> (e, slot, chunk, s);
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

// Whether this build has code of compute capability 8.0 or later for the device: the newest that is
// not newer than the device is what runs there, also where the driver compiles it from PTX.
static bool code_serves (int device)
{
  static const int compiled_for[] = {__CUDA_ARCH_LIST__};
  int major = 0, minor = 0, newest = 0;
  if (cudaDeviceGetAttribute (&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
      cudaDeviceGetAttribute (&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
    return true; // a device that does not answer fails later, with a message
  for (int capability : compiled_for)
    if (capability <= 100 * major + 10 * minor && capability > newest)
      newest = capability;
  return newest >= 800;
}

// Whether the device has the shared memory that the kernels need.
static bool memory_serves (int device)
{
  int bytes = 0;
  size_t needed =
      qr_larfb_shared () > qr_product_shared () ? qr_larfb_shared () : qr_product_shared ();
  return cudaDeviceGetAttribute (&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) !=
             cudaSuccess ||
         (size_t)bytes >= needed;
}

// Whether every GPU can run the kernels (those before compute capability 8.0 cannot): the pages of
// a call may go to any of them.
static bool devices_serve ()
{
  enum { UNKNOWN = 0, NO, YES };
  static std::atomic<int> known;
  int count = 0, answer = known.load ();
  if (!engine_any_opened ()) // it is looked at again when a device is open
    return true;
  if (answer != UNKNOWN || cudaGetDeviceCount (&count) != cudaSuccess)
    return answer != NO;
  answer = YES;
  for (int device = 0; device < count; device++)
    if (!code_serves (device) || !memory_serves (device))
      answer = NO;
  known.store (answer);
  return answer == YES;
}

// cuBLAS counts in int.
int cuda_qr_supports (const gla_qr_job *job)
{
  const int64_t most = (int64_t)1 << 30;
  return job->m < most && job->n < most && job->rhs < most && devices_serve () &&
         (!qr_needs_blas (*job) || gpu_blas_expected ());
}

double cuda_qr_seconds (gla_engine *engine, const gla_qr_job *job, int64_t pages)
{
  const cuda_engine *e = engine_facts (engine);
  double transfer = job->device_arrays ? 0 : pages * qr_page_bytes (job) / 18e9;
  return 5e-4 + transfer + qr_kernel_seconds (e, job, (double)pages);
}

int64_t cuda_qr_chunk_pages (gla_engine *engine, const gla_qr_job *job, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  double per_page = (double)arena_bytes (*job, 64) / 64, chunk = (double)pages;
  double by_bytes = 64e6 / qr_page_bytes (job); // of host arrays, to overlap the copies
  if (!job->device_arrays && chunk > by_bytes)
    chunk = by_bytes;
  double one = qr_kernel_seconds (e, job, 1), two = qr_kernel_seconds (e, job, 2);
  double by_time = 2 * QR_PIECE / (two - one);
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

static bool uses_blas (const gla_qr_job &job)
{
  return qr_needs_blas (job) || qr_cholesky_serves (job);
}

gla_status cuda_qr_begin (gla_engine *engine, const gla_qr_job *job, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  e->qr_job = *job;
  e->monitor = job->monitor;
  e->chunk_pages = pages;
  for (int k = 0; k < SLOTS; k++)
    e->slots[k].chunk = nullptr;
  gla_status status = uses_blas (*job) ? engine_open_blas (e, 0) : GLA_OK;
  return status == GLA_OK ? engine_reserve (e, 0, arena_bytes (*job, pages)) : status;
}

gla_status cuda_qr_submit (gla_engine *engine, int slot, const gla_qr_chunk *chunk)
{
  cuda_engine *e = engine_of (engine);
  gla_status status = engine_reserve (e, slot, arena_bytes (e->qr_job, e->chunk_pages));
  if (status == GLA_OK && uses_blas (e->qr_job))
    status = engine_open_blas (e, slot);
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

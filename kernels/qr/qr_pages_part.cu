// qr_pages_part.cu: QR of pages of any size as a part of another operation's work on a chunk
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/runtime.cuh"
#include "common/for_type.cuh"
#include "engine/qr_pages_part.cuh"
#include "qr_chunk.cuh"

gla_qr_job qr_pages_part_job (const gla_job &head, int64_t m, int64_t n)
{
  gla_qr_job job = {};
  job.head = head;
  job.head.device_arrays = 1;
  job.m = m;
  job.n = job.q_columns = job.r_rows = n;
  return job;
}

size_t qr_pages_part_bytes (const gla_qr_job *job, int64_t pages)
{
  carver c = {nullptr, 0};
  for_type (job->head.type, [&] (auto zero) {
    qr_chunk_memory<decltype (zero)> unused (*job, pages, c, true);
    return 0;
  });
  return c.used;
}

double qr_pages_part_seconds (const cuda_engine *e, const gla_qr_job *job, double pages)
{
  return qr_kernel_seconds (e, job, pages);
}

bool qr_pages_part_inverts (const gla_qr_job *job)
{
  return !qr_small_serves (*job) && qr_cholesky_serves (*job);
}

// The same memory in each call for a chunk. In qr_cholesky_bare the caller's matrices are those of
// the work itself.
template <class T>
static qr_chunk_memory<T> memory_of (const gla_qr_job &job, char *memory, const qr_pages<T> &p)
{
  carver c = {memory, 0};
  qr_chunk_memory<T> s (job, p.pages, c, true);
  s.A = p.A;
  s.Q = p.Q;
  s.R = s.cholesky.R = p.R;
  s.cholesky.G = p.Q.data == nullptr ? s.cholesky.G : p.Q;
  return s;
}

static gla_qr_chunk chunk_of (int64_t pages)
{
  gla_qr_chunk chunk = {};
  chunk.A.pages = pages;
  return chunk;
}

template <class T>
gla_status qr_pages_part (cuda_engine *e, int slot, char *memory, const qr_pages<T> &p, int *failed)
{
  const gla_qr_job &job = kept_qr_job (e);
  const cudaStream_t stream = e->slots[slot].stream;
  if (!qr_small_serves (job) && (qr_needs_blas (job) || qr_cholesky_serves (job)))
    GLA_TRY (engine_open_blas (e, slot));
  const qr_chunk_memory<T> s = memory_of (job, memory, p);
  const gla_qr_chunk chunk = chunk_of (p.pages);
  const size_t bytes = (size_t)(p.pages * p.R.page) * sizeof (T);
  if (s.direct && job.n > QR_LEAF)
    GLA_TRY (cudaMemsetAsync (p.R.data, 0, bytes, stream));
  GLA_TRY (qr_chunk_start<T> (e, slot, &chunk, s));
  if (!s.direct)
    return GLA_OK;
  GLA_TRY (engine_throttle (e, slot));
  const bool any = e->counter[slot] > 0;
  e->counter[slot] = 0;
  return any ? copy_to_host (failed, s.cholesky.failed, (size_t)p.pages * sizeof *failed, stream)
             : GLA_OK;
}

template <class T>
gla_status qr_pages_part_redo (cuda_engine *e, int slot, char *memory, const qr_pages<T> &p)
{
  const gla_qr_chunk chunk = chunk_of (p.pages);
  return qr_chunk_redo<T> (e, slot, &chunk, memory_of (kept_qr_job (e), memory, p));
}

#define GLA_INSTANTIATE(T)                                                                         \
  template gla_status qr_pages_part (cuda_engine *, int, char *, const qr_pages<T> &, int *);      \
  template gla_status qr_pages_part_redo (cuda_engine *, int, char *, const qr_pages<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)

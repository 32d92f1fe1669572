// qr_pages_part.cu: QR of pages of any size as a part of another operation's work on a chunk
// SPDX-License-Identifier: GPL-3.0-or-later

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
    qr_chunk_memory<decltype (zero)> unused (*job, pages, c);
    return 0;
  });
  return c.used;
}

double qr_pages_part_seconds (const cuda_engine *e, const gla_qr_job *job, double pages)
{
  return qr_kernel_seconds (e, job, pages);
}

template <class T>
gla_status qr_pages_part (cuda_engine *e, int slot, char *memory, page_matrix<T> A,
                          page_matrix<T> Q, page_matrix<T> R, int64_t pages)
{
  const gla_qr_job &job = e->qr_job;
  if (!qr_small_serves (job) && (qr_needs_blas (job) || qr_cholesky_serves (job)))
    GLA_TRY (engine_open_blas (e, slot));
  carver c = {memory, 0};
  qr_chunk_memory<T> s (job, pages, c);
  s.A = A;
  s.Q = Q;
  s.R = R;
  gla_qr_chunk chunk = {};
  chunk.A.pages = pages;
  GLA_TRY (qr_chunk_start<T> (e, slot, &chunk, s));
  if (!s.direct)
    return GLA_OK;
  GLA_TRY (engine_throttle (e, slot));
  return e->counter[slot] > 0 ? qr_chunk_redo<T> (e, slot, &chunk, s) : GLA_OK;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template gla_status qr_pages_part (cuda_engine *, int, char *, page_matrix<T>, page_matrix<T>,   \
                                     page_matrix<T>, int64_t);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)

// eig_stages.cu: batcheig on one GPU: the kernels of a chunk stage by stage, and of large pages
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/work_limits.cuh"
#include "eig_chunk.cuh"

namespace
{

// Eigenvalues in order, and eigenvectors of the tridiagonal matrix or of the band. Where few are
// found one by one, divide and conquer has the pages whose vectors were not good enough.
template <class T>
gla_status run_conquest (cuda_engine *e, int slot, const eig_args<T> &a, bool pieces)
{
  const bool few = eig_finds_few (&e->eig_job);
  const eig_interval interval = {e->eig_job.vl, e->eig_job.vu};
  if (few)
    GLA_TRY (eig_few (a, interval));
  GLA_TRY (eig_stedc (a));
  if (pieces)
    GLA_TRY (engine_throttle (e, slot));
  GLA_TRY (eig_sort (a, interval));
  if (a.gathered)
    GLA_TRY (eig_stedc_part (a));
  if (few)
    GLA_TRY (eig_few_end (a));
  return engine_status (a.chased != nullptr ? eig_chased (a) : cudaSuccess);
}

// Eigenvalues times 2^powers; a thread takes a page.
__global__ void powers_kernel (int *exponent, const int *powers, int64_t pages)
{
  const int64_t page = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (page < pages)
    exponent[page] += powers[page];
}

template <class T> cudaError_t add_powers (const eig_args<T> &a, const int *powers)
{
  enum { THREADS = 256 };
  powers_kernel<<<(unsigned)((a.pages + THREADS - 1) / THREADS), THREADS, 0, a.stream>>> (
      a.exponent, powers, a.pages);
  return cudaGetLastError ();
}

} // namespace

template <class T> bool eig_reads_and_reduces (const cuda_engine *e, const eig_args<T> &a)
{
  if (e->eig_job.method == GLA_EIG_METHOD_JACOBI)
    return false;
  if (a.band != nullptr)
    return he2hb_page_from<T> (a.n, a.smem_limit) == 0;
  gla_eig_way way = eig_table_row (&e->eig_job).way;
  return way == EIG_WARP && eig_hetrd_warp_fits<T> (a.n, a.smem_limit);
}

// Where the reduction takes long it goes in pieces of about PIECE_SECONDS seconds, each waited for,
// so that a request to stop is served soon.
template <class T>
gla_status eig_run_stages (cuda_engine *e, int slot, const eig_args<T> &a, const int *powers)
{
  bool band = a.band != nullptr;
  int steps =
      band ? eig_he2hb_steps<T> (a.n, a.smem_limit) : eig_hetrd_steps<T> (a.n, a.smem_limit);
  double expected = eig_page_latency (&e->eig_job) + a.pages * eig_page_seconds (e, &e->eig_job);
  bool pieces = expected > 2 * PIECE_SECONDS;
  int step = pieces ? 1 + (int)(steps * PIECE_SECONDS / expected) : steps;
  if (!band && eig_reads_and_reduces (e, a)) {
    GLA_TRY (eig_hetrd_warp (a));
    steps = 0;
  }
  for (int first = 0; first < steps; first += step) {
    int last = first + step < steps ? first + step : steps;
    GLA_TRY (band ? eig_he2hb (a, first, last) : eig_hetrd (a, first, last));
    if (pieces)
      GLA_TRY (engine_throttle (e, slot));
  }
  if (band)
    GLA_TRY (eig_hb2st (a));
  if (powers != nullptr)
    GLA_TRY (add_powers (a, powers));
  GLA_TRY (run_conquest (e, slot, a, pieces));
  if (a.vectors && (a.strip == 0 || a.lists != nullptr))
    GLA_TRY (eig_unmtr (a));
  if (a.vectors && a.strip > 0)
    GLA_TRY (eig_unmtr_blocked (a));
  return GLA_OK;
}

template <class T>
gla_status eig_run_large (cuda_engine *e, int slot, const eig_args<T> &a, bool rest)
{
  carver c = {a.large, 0};
  large_work<T> work = {};
  eig_large_lay_out (a.n, a.vectors, c, &work);
  return rest ? eig_large_rest (e, slot, a, work) : eig_large (e, slot, a, work);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template bool eig_reads_and_reduces (const cuda_engine *, const eig_args<T> &);                  \
  template gla_status eig_run_stages (cuda_engine *, int, const eig_args<T> &, const int *);       \
  template gla_status eig_run_large (cuda_engine *, int, const eig_args<T> &, bool);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)

// eig_methods.cu: batcheig on one GPU: which method serves a job, and what it costs
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/work_limits.cuh"
#include "eig_chunk.cuh"
#include "stedc.cuh"

namespace
{

bool fits (const gla_eig_job *job, int smem_limit)
{
  int n = (int)job->n;
  return for_type (job->head.type,
                   [&] (auto zero) { return eig_jacobi_fits<decltype (zero)> (n, smem_limit); });
}

// Up to n / BAND_SHARE wanted columns, from BAND_FROM rows on, a reduction to a band takes less
// time, as measured. An interval is expected to hold no more: the choice decides the last bits of
// the eigenvalues, so it must not depend on how many it holds. Pages with all columns use a band
// where the table says so and strips fit. A block of chased.cu has threads for CHASED_MOST rows.
enum { BAND_FROM = 96, BAND_SHARE = 4, CHASED_MOST = 2048 };

// Where the table has large pages, such parts of real pages use a band as well, as long as their
// eigenvalues without vectors do.
bool part_avoids_large (const gla_eig_job *job)
{
  return job->vectors && job->columns > 0 && job->n <= CHASED_MOST &&
         job->method != GLA_EIG_METHOD_JACOBI && !gla_type_is_complex (job->head.type) &&
         (job->range == GLA_EIG_INTERVAL || job->columns <= job->n / BAND_SHARE);
}

// Orders at which up to n / EIG_FEW_SHARE wanted vectors are found one by one, and from which on
// this follows a reduction to a band; the same where at most EIG_ALONE_COLUMNS are wanted. As
// measured.
struct few_orders {
  char type;
  int to, band, alone_to, alone_band;
};
const few_orders few_table[] = {{'z', 128, 121, 256, 96},
                                {'c', 128, 104, 256, 104},
                                {'d', 128, 96, 256, 96},
                                {'s', 128, 116, 256, 116}};
enum { FEW_FROM = 17 };

const few_orders &few_row (const gla_eig_job *job)
{
  const few_orders *row = few_table;
  while (row->type != (char)job->head.type)
    row++;
  return *row;
}

// The number of eigenvalues in an interval must not decide this.
bool few_alone (const gla_eig_job *job)
{
  return job->range != GLA_EIG_INTERVAL && job->columns <= EIG_ALONE_COLUMNS;
}

// Seconds of a large page, which has the GPU for itself.
double large_seconds (const cuda_engine *e, const gla_eig_job *job)
{
  double n = (double)job->n, chip = FITTED_MULTIPROCESSORS / e->multiprocessors;
  double cube = n * n * n * (gla_type_is_complex (job->head.type) ? 4 : 1);
  return 1e-5 * n + chip * cube * (job->vectors ? 2.3e-13 : 6e-14);
}

} // namespace

bool eig_finds_few (const gla_eig_job *job)
{
  const few_orders &row = few_row (job);
  const bool interval = job->range == GLA_EIG_INTERVAL;
  return job->route == nullptr && job->method != GLA_EIG_METHOD_JACOBI && job->vectors &&
         job->columns > 0 && job->n >= FEW_FROM &&
         job->n <= (few_alone (job) ? row.alone_to : row.to) &&
         (interval || job->columns <= job->n / EIG_FEW_SHARE);
}

gla_eig_route eig_table_row (const gla_eig_job *job)
{
  if (job->route != nullptr)
    return *static_cast<const gla_eig_route *> (job->route);
  const gla_eig_route_table *table = gla_eig_routes;
  while (table->type != (char)job->head.type)
    table++;
  const gla_eig_route *row = job->vectors ? table->rows : table->values;
  while (row->n_to < job->n)
    row++;
  if (eig_finds_few (job)) // no kernel for whole pages, no strips
    return {row->n_to, row->way == EIG_WHOLE ? EIG_WARP : row->way, 0};
  if (row->way == EIG_LARGE && part_avoids_large (job))
    return {row->n_to, EIG_BAND, 8};
  return *row;
}

eig_route eig_route_of (const cuda_engine *e, const gla_eig_job *job)
{
  if (job->method != GLA_EIG_METHOD_JACOBI) {
    gla_eig_way way = eig_table_row (job).way;
    return way == EIG_WHOLE ? ROUTE_SMALL : way == EIG_LARGE ? ROUTE_LARGE : ROUTE_STAGES;
  }
  return fits (job, e->smem_limit) ? ROUTE_JACOBI : ROUTE_JACOBI_BLOCK;
}

bool eig_has_spans (const cuda_engine *e, const gla_eig_job *job)
{
  const eig_route way = eig_route_of (e, job);
  return job->vectors && job->range == GLA_EIG_INTERVAL && job->columns > 0 &&
         (way == ROUTE_STAGES || way == ROUTE_LARGE);
}

bool eig_part_has_spans (const gla_eig_job *job)
{
  return job->method != GLA_EIG_METHOD_JACOBI && eig_table_row (job).way != EIG_LARGE &&
         eig_has_spans (nullptr, job);
}

// Pages of more than LARGE_WAIT_FROM rows are waited for anyway.
bool eig_has_rest (const cuda_engine *e, const gla_eig_job *job)
{
  return eig_has_spans (e, job) && eig_route_of (e, job) == ROUTE_LARGE &&
         job->n <= LARGE_WAIT_FROM;
}

bool eig_forms_part (const cuda_engine *e, const gla_eig_job *job)
{
  eig_route way = eig_route_of (e, job);
  if (job->range == GLA_EIG_INTERVAL)
    return eig_has_spans (e, job);
  return job->vectors && job->columns > 0 && job->columns < job->n &&
         (way == ROUTE_SMALL || way == ROUTE_STAGES || way == ROUTE_LARGE);
}

bool eig_writes_part (const cuda_engine *e, const gla_eig_job *job)
{
  return job->head.device_arrays && job->range == GLA_EIG_INDICES && eig_forms_part (e, job) &&
         (eig_route_of (e, job) == ROUTE_SMALL ||
          (eig_finds_few (job) && stedc_tree_of ((int)job->n).leaves == 1));
}

bool eig_goes_by_band (const cuda_engine *e, const gla_eig_job *job)
{
  const bool asked = eig_table_row (job).way == EIG_BAND;
  if (!job->vectors)
    return asked;
  const int n = (int)job->n;
  const few_orders &row = few_row (job);
  const bool few = eig_finds_few (job);
  if (few && n < (few_alone (job) ? row.alone_band : row.band))
    return false;
  return for_type (job->head.type, [&] (auto zero) {
    typedef decltype (zero) T;
    if (!eig_unmtr_strip_fits<T> (n, 8, e->smem_limit))
      return false;
    if (asked && (std::is_same_v<T, cx<double>> ? chased_wide_fits<T> (n, e->smem_limit)
                                                : eig_chased_strip_fits<T> (n, e->smem_limit)))
      return true;
    return eig_forms_part (e, job) && eig_route_of (e, job) == ROUTE_STAGES && n >= BAND_FROM &&
           n <= CHASED_MOST && (job->range == GLA_EIG_INTERVAL || job->columns <= n / BAND_SHARE);
  });
}

// Fitted to the measured table (bench/results/). They bound chunks and launches and serve "auto".
double eig_page_seconds (const cuda_engine *e, const gla_eig_job *job)
{
  double n = (double)job->n, chip = FITTED_MULTIPROCESSORS / e->multiprocessors;
  bool complex = gla_type_is_complex (job->head.type),
       wide = gla_type_real (job->head.type) == GLA_TYPE_D;
  double type = wide ? (complex ? 1 : 0.6) : (complex ? 0.65 : 0.45);
  switch (eig_route_of (e, job)) {
  case ROUTE_SMALL:
  case ROUTE_STAGES:
    return 1e-9 + chip * type * (job->vectors ? 1 : 0.5) * (2.4e-10 * n * n + 1e-12 * n * n * n);
  case ROUTE_LARGE:
    return large_seconds (e, job);
  case ROUTE_JACOBI:
    return 1e-8 + chip * type * 3e-11 * n * n * n;
  default:
    return chip * type * (eig_has_start (e, job) ? 7e-12 : 5e-11) * n * n * n;
  }
}

double eig_page_latency (const gla_eig_job *job)
{
  if (job->method != GLA_EIG_METHOD_JACOBI && eig_table_row (job).way == EIG_LARGE)
    return 0; // no other page is processed at the same time
  double n = (double)job->n;
  return 5e-5 + 1e-5 * n + n * n * n * gla_type_size (job->head.type) * 1e-12;
}

//------------------------------------------------------------------------------
// batcheig on one GPU: the kernels of a chunk stage by stage, and of large pages
//------------------------------------------------------------------------------

namespace
{

// Eigenvalues in order, and eigenvectors of the tridiagonal matrix or of the band. Where few are
// found one by one, divide and conquer has the pages whose vectors were not good enough.
template <class T>
gla_status run_conquest (cuda_engine *e, int slot, const eig_args<T> &a, bool pieces)
{
  const bool few = eig_finds_few (&kept_eig_job (e));
  const eig_interval interval = {kept_eig_job (e).vl, kept_eig_job (e).vu};
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

// Scales eigenvalues by 2^powers; a thread has a page.
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
  if (kept_eig_job (e).method == GLA_EIG_METHOD_JACOBI)
    return false;
  if (a.band != nullptr)
    return he2hb_page_from<T> (a.n, a.smem_limit) == 0;
  gla_eig_way way = eig_table_row (&kept_eig_job (e)).way;
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
  double expected =
      eig_page_latency (&kept_eig_job (e)) + a.pages * eig_page_seconds (e, &kept_eig_job (e));
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
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)

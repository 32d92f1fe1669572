// eig_engine.cu: batcheig on one GPU: memory of a chunk, the order of its kernels, its transfers
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/carver.cuh"
#include "common/copy.cuh"
#include "common/for_type.cuh"
#include "common/opened.cuh"
#include "common/work_limits.cuh"
#include "engine/engine.cuh"
#include "eig_kernels.cuh"
#include "engine/eig_part.cuh"
#include "hetrd_band.cuh"
#include "large_page.cuh"
#include "eig_routes.h"
#include "common/eig_range.cuh"

#include <cstring>

namespace
{

enum { JACOBI_MAX = 2048, GRID_MAX = 32768 };

//------------------------------------------------------------------------------
// which method serves, and what it costs
//------------------------------------------------------------------------------

enum route { ROUTE_SMALL, ROUTE_STAGES, ROUTE_LARGE, ROUTE_JACOBI, ROUTE_JACOBI_BLOCK };

bool fits (const gla_eig_job *job, int smem_limit)
{
  int n = (int)job->n;
  return for_type (job->head.type, [&] (auto zero) {
    return eig_jacobi_fits<decltype (zero)> (n, job->vectors, smem_limit);
  });
}

gla_eig_route table_row (const gla_eig_job *job)
{
  if (job->route != nullptr)
    return *static_cast<const gla_eig_route *> (job->route);
  const gla_eig_route_table *table = gla_eig_routes;
  while (table->type != (char)job->head.type)
    table++;
  const gla_eig_route *row = job->vectors ? table->rows : table->values;
  while (row->n_to < job->n)
    row++;
  return *row;
}

route route_of (const cuda_engine *e, const gla_eig_job *job)
{
  if (job->method != GLA_EIG_METHOD_JACOBI) {
    gla_eig_way way = table_row (job).way;
    return way == EIG_WHOLE ? ROUTE_SMALL : way == EIG_LARGE ? ROUTE_LARGE : ROUTE_STAGES;
  }
  return fits (job, e->smem_limit) ? ROUTE_JACOBI : ROUTE_JACOBI_BLOCK;
}

// Seconds of a large page, which has the GPU for itself.
double large_seconds (const cuda_engine *e, const gla_eig_job *job)
{
  double n = (double)job->n, chip = FITTED_MULTIPROCESSORS / e->multiprocessors;
  double cube = n * n * n * (gla_type_is_complex (job->head.type) ? 4 : 1);
  return 1e-5 * n + chip * cube * (job->vectors ? 2.3e-13 : 6e-14);
}

// Seconds of kernels for one page when many are at work, fitted to the measured table
// (bench/results/); they bound chunks and launches and serve "auto".
double page_seconds (const cuda_engine *e, const gla_eig_job *job)
{
  double n = (double)job->n, chip = FITTED_MULTIPROCESSORS / e->multiprocessors;
  bool complex = gla_type_is_complex (job->head.type),
       wide = gla_type_real (job->head.type) == GLA_TYPE_D;
  double type = wide ? (complex ? 1 : 0.6) : (complex ? 0.65 : 0.45);
  switch (route_of (e, job)) {
  case ROUTE_SMALL:
  case ROUTE_STAGES:
    return 1e-9 + chip * type * (job->vectors ? 1 : 0.5) * (2.4e-10 * n * n + 1e-12 * n * n * n);
  case ROUTE_LARGE:
    return large_seconds (e, job);
  case ROUTE_JACOBI:
    return 1e-8 + chip * type * 3e-11 * n * n * n;
  default:
    return chip * type * 5e-11 * n * n * n;
  }
}

// Seconds that one page takes alone.
double page_latency (const gla_eig_job *job)
{
  if (job->method != GLA_EIG_METHOD_JACOBI && table_row (job).way == EIG_LARGE)
    return 0; // no other page is at work beside it
  double n = (double)job->n;
  return 5e-5 + 1e-5 * n + n * n * n * gla_type_size (job->head.type) * 1e-12;
}

//------------------------------------------------------------------------------
// memory of a chunk
//------------------------------------------------------------------------------

// The columns of a strip of the back-transform: the table's, or what fits; 0: no strips.
template <class T> int strip_of (const cuda_engine *e, const gla_eig_job *job)
{
  int strip = job->vectors ? table_row (job).strip : 0;
  while (strip > 0 && !eig_unmtr_strip_fits<T> ((int)job->n, strip, e->smem_limit))
    strip = strip > 8 ? strip / 2 : 0;
  return strip;
}

// The work space of ROUTE_STAGES. With vectors the panel is used only before Z is written, so the
// two share memory.
template <class T>
void lay_out_stages (const cuda_engine *e, const gla_eig_job *job, int64_t pages, carver &c,
                     eig_args<T> *a)
{
  typedef real_t<T> R;
  int n = (int)job->n;
  bool band = !job->vectors && table_row (job).way == EIG_BAND;
  int64_t n2 = (int64_t)n * n;
  int64_t panel =
      band ? eig_he2hb_scratch<T> (n, e->smem_limit) : eig_hetrd_panel<T> (n, e->smem_limit);
  if (job->vectors)
    a->Z = c.take<R> (pages * n2);
  bool inside = job->vectors && panel * (int64_t)sizeof (T) <= n2 * (int64_t)sizeof (R);
  a->panel = inside ? static_cast<T *> (a->Z) : c.take<T> (pages * panel);
  if (band)
    a->band = c.take<T> (pages * (EIG_BANDWIDTH + 1) * n);
  a->stedc = c.take<char> (eig_stedc_bytes<T> (n, pages));
  a->strip = strip_of<T> (e, job);
  if (a->strip > 0)
    a->tfactor = c.take<double> (pages * eig_unmtr_doubles<T> (n));
}

// The work space of ROUTE_LARGE, for one page.
template <class T> void lay_out_large (const gla_eig_job *job, carver &c, eig_args<T> *a)
{
  typedef real_t<T> R;
  large_work<T> unused;
  int n = (int)job->n;
  if (job->vectors)
    a->Z = c.take<R> ((int64_t)n * n);
  a->stedc = c.take<char> (eig_stedc_bytes<T> (n, 1));
  a->d = c.take<R> (n);
  a->e = c.take<R> (n);
  a->rank = c.take<int> (n);
  a->large = c.base == nullptr ? nullptr : c.base + c.used;
  eig_large_lay_out<T> (n, job->vectors, c, &unused);
}

// Whether the kernels write V and lambda to memory of the chunk.
bool keeps_results (const gla_eig_job *job)
{
  return !job->head.device_arrays || job->range != GLA_EIG_ALL;
}

// The buffers of a chunk. Host arrays have copies of A, V and lambda here, and the copy of A is
// worked on in place; device arrays need a copy of A to work on, if anything. Where a part of the
// spectrum is wanted, all of V and lambda is here.
template <class T>
size_t lay_out (const cuda_engine *e, const gla_eig_job *job, int64_t pages, char *base,
                eig_args<T> *a)
{
  typedef real_t<T> R;
  int64_t n = job->n, n2 = n * n;
  route way = route_of (e, job);
  carver c = {base, 0};
  if (way != ROUTE_SMALL || !job->head.device_arrays)
    a->W = c.take<T> (pages * n2);
  if (!job->head.device_arrays) {
    a->A = a->W;
    a->lda = n;
    a->page_a = n2;
  }
  if (keeps_results (job)) {
    a->ldv = n;
    a->page_v = n2;
    a->V = job->vectors ? c.take<T> (pages * n2) : nullptr;
    a->lambda = c.take<R> (pages * n);
    a->inc_lambda = 1;
    a->page_lambda = n;
  }
  if (way == ROUTE_STAGES)
    lay_out_stages (e, job, pages, c, a);
  if (way == ROUTE_LARGE)
    lay_out_large<T> (job, c, a);
  if (way == ROUTE_JACOBI_BLOCK) {
    a->Z = c.take<T> (pages * n2);
    a->state = c.take<int> (pages * 8);
    a->count = c.take<int> (4 + 2 * pages);
  }
  if (way == ROUTE_STAGES || way == ROUTE_JACOBI_BLOCK) {
    a->d = c.take<R> (pages * n);
    a->e = c.take<R> (pages * n);
    a->tau = c.take<T> (pages * n);
    a->rank = c.take<int> (pages * n);
  }
  if (way != ROUTE_SMALL) {
    a->exponent = c.take<int> (pages);
    a->norm = c.take<R> (pages);
  }
  a->info = c.take<int32_t> (pages);
  a->skew = c.take<double> (pages);
  return c.used;
}

// Behind them, from byte `used` on, what a part of the spectrum needs. The part of V takes the
// memory of W, which is not read any more.
template <class T>
size_t lay_out_range (const gla_eig_job *job, int64_t pages, char *base, size_t used,
                      eig_range_args<T> *r)
{
  carver c = {base, used};
  if (job->range == GLA_EIG_ALL)
    return used;
  r->count = c.take<int64_t> (pages);
  if (!job->head.device_arrays)
    r->to_lambda = c.take<real_t<T>> (pages * job->columns);
  return c.used;
}

template <class T> size_t arena_size (const cuda_engine *e, const gla_eig_job *job, int64_t pages)
{
  eig_args<T> unused = {};
  eig_range_args<T> unused_range = {};
  const size_t used = lay_out<T> (e, job, pages, nullptr, &unused);
  return lay_out_range<T> (job, pages, nullptr, used, &unused_range);
}

size_t arena_bytes (const cuda_engine *e, const gla_eig_job *job, int64_t pages)
{
  return for_type (job->head.type,
                   [&] (auto zero) { return arena_size<decltype (zero)> (e, job, pages); });
}

//------------------------------------------------------------------------------
// the kernels of a chunk
//------------------------------------------------------------------------------

// The counter of the chunk, once everything before it has run.
template <class T>
gla_status read_count (cuda_engine *e, int slot, const eig_args<T> &a, int *count)
{
  GLA_TRY (copy_to_host (&e->counter[slot], a.count, sizeof (int), a.stream));
  GLA_TRY (engine_throttle (e, slot));
  *count = e->counter[slot];
  return GLA_OK;
}

// Whether one kernel prepares and reduces.
template <class T> bool reads_and_reduces (const cuda_engine *e, const eig_args<T> &a)
{
  if (e->eig_job.method == GLA_EIG_METHOD_JACOBI)
    return false;
  gla_eig_way way = table_row (&e->eig_job).way;
  return (way == EIG_WARP && eig_hetrd_warp_fits<T> (a.n, a.smem_limit)) ||
         (a.band != nullptr && he2hb_page_from<T> (a.n, a.smem_limit) == 0);
}

// Reduction, divide and conquer, back-transform. Where the reduction takes long it goes in pieces
// of about PIECE_SECONDS seconds, each waited for, so that a request to stop is served soon.
template <class T> gla_status run_stages (cuda_engine *e, int slot, const eig_args<T> &a)
{
  bool band = a.band != nullptr;
  int steps =
      band ? eig_he2hb_steps<T> (a.n, a.smem_limit) : eig_hetrd_steps<T> (a.n, a.smem_limit);
  double expected = page_latency (&e->eig_job) + a.pages * page_seconds (e, &e->eig_job);
  bool pieces = expected > 2 * PIECE_SECONDS;
  int step = pieces ? 1 + (int)(steps * PIECE_SECONDS / expected) : steps;
  if (!band && reads_and_reduces (e, a)) {
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
  GLA_TRY (eig_stedc (a));
  if (pieces)
    GLA_TRY (engine_throttle (e, slot));
  GLA_TRY (eig_sort (a));
  if (a.vectors)
    GLA_TRY (a.strip > 0 ? eig_unmtr_blocked (a) : eig_unmtr (a));
  return GLA_OK;
}

template <class T> gla_status run_large (cuda_engine *e, int slot, const eig_args<T> &a)
{
  carver c = {a.large, 0};
  large_work<T> work = {};
  eig_large_lay_out (a.n, a.vectors, c, &work);
  return eig_large (e, slot, a, work);
}

template <class T> gla_status run_block_jacobi (cuda_engine *e, int slot, const eig_args<T> &a)
{
  int rounds = eig_block_rounds (a.n), active = 0;
  GLA_TRY (eig_block_start (a));
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
  GLA_TRY (eig_sort (a));
  if (a.vectors)
    GLA_TRY (eig_block_vectors (a));
  return GLA_OK;
}

template <class T> eig_args<T> args_of (cuda_engine *e, int slot, const gla_eig_chunk *chunk)
{
  typedef real_t<T> R;
  eig_args<T> a = {};
  const gla_eig_job *job = &e->eig_job;
  a.n = (int)job->n;
  a.pages = chunk->A.pages;
  a.triangle = job->triangle;
  a.vectors = job->vectors;
  a.phase = job->phase;
  a.tol = (R)job->tol;
  a.maxit = job->maxit;
  a.smem_limit = e->smem_limit;
  a.multiprocessors = e->multiprocessors;
  a.stream = e->slots[slot].stream;
  lay_out<T> (e, job, a.pages, e->slots[slot].memory, &a);
  if (job->head.device_arrays) {
    a.A = static_cast<const T *> (chunk->A.data);
    a.lda = chunk->A.column_stride;
    a.page_a = chunk->A.page_stride;
  }
  if (!keeps_results (job)) {
    a.V = static_cast<T *> (chunk->V.data);
    a.ldv = chunk->V.column_stride;
    a.page_v = chunk->V.page_stride;
    a.lambda = static_cast<R *> (chunk->lambda.data);
    a.inc_lambda = chunk->lambda.row_stride;
    a.page_lambda = chunk->lambda.page_stride;
  }
  return a;
}

// What takes the wanted part out of the results of a chunk.
template <class T> eig_range_args<T> range_of (cuda_engine *e, int slot, const gla_eig_chunk *chunk)
{
  const gla_eig_job *job = &e->eig_job;
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
  const size_t used = lay_out<T> (e, job, r.pages, e->slots[slot].memory, &a);
  lay_out_range<T> (job, r.pages, e->slots[slot].memory, used, &r);
  r.lambda = a.lambda;
  r.V = a.V;
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

template <class T> gla_status submit (cuda_engine *e, int slot, const gla_eig_chunk *chunk)
{
  eig_args<T> a = args_of<T> (e, slot, chunk);
  if (!e->eig_job.head.device_arrays) {
    GLA_TRY (engine_upload (e, slot, a.W, &chunk->A));
    if (e->eig_job.vectors)
      engine_announce_results (e, slot, &chunk->V);
  }
  route way = route_of (e, &e->eig_job);
  if (way != ROUTE_SMALL && way != ROUTE_LARGE && !reads_and_reduces (e, a))
    GLA_TRY (eig_prepare (a));
  switch (way) {
  case ROUTE_SMALL:
    GLA_TRY (eig_small (a));
    break;
  case ROUTE_STAGES:
    GLA_TRY (run_stages (e, slot, a));
    break;
  case ROUTE_LARGE:
    GLA_TRY (run_large (e, slot, a));
    break;
  case ROUTE_JACOBI:
    GLA_TRY (eig_jacobi (a));
    break;
  case ROUTE_JACOBI_BLOCK:
    GLA_TRY (run_block_jacobi (e, slot, a));
    break;
  }
  if (e->eig_job.range != GLA_EIG_ALL)
    GLA_TRY (eig_take_range (range_of<T> (e, slot, chunk)));
  GLA_TRY (eig_look_for_info (e, slot, a.info, a.pages));
  return engine_status (cudaEventRecord (e->slots[slot].done, a.stream));
}

// Downloads the part of the spectrum and its counts.
template <class T> gla_status finish_range (cuda_engine *e, int slot, const gla_eig_chunk *chunk)
{
  const eig_range_args<T> r = range_of<T> (e, slot, chunk);
  gla_array count = gla_array_packed (chunk->count, GLA_TYPE_D, 1, 1, r.pages, GLA_DEVICE_HOST);
  GLA_TRY (engine_download (e, slot, &count, r.count)); // 8 bytes each, as type d has
  if (e->eig_job.head.device_arrays || r.columns == 0)
    return GLA_OK;
  GLA_TRY (engine_download (e, slot, &chunk->lambda, r.to_lambda));
  return e->eig_job.vectors ? engine_download (e, slot, &chunk->V, r.to_V) : GLA_OK;
}

template <class T> gla_status finish (cuda_engine *e, int slot, const gla_eig_chunk *chunk)
{
  eig_args<T> a = args_of<T> (e, slot, chunk);
  bool all = e->eig_job.range == GLA_EIG_ALL;
  GLA_TRY (engine_wait (e, e->slots[slot].done));
  if (!all)
    GLA_TRY (finish_range<T> (e, slot, chunk));
  if (all && !e->eig_job.head.device_arrays)
    GLA_TRY (engine_download (e, slot, &chunk->lambda, a.lambda));
  if (all && !e->eig_job.head.device_arrays && e->eig_job.vectors)
    GLA_TRY (engine_download (e, slot, &chunk->V, a.V));
  *chunk->clean = e->counter[slot] == 0;
  if (*chunk->clean)
    return GLA_OK;
  gla_array info = gla_array_packed (chunk->info, GLA_TYPE_S, 1, 1, a.pages, GLA_DEVICE_HOST);
  gla_array skew = gla_array_packed (chunk->skew, GLA_TYPE_D, 1, 1, a.pages, GLA_DEVICE_HOST);
  if (e->eig_job.triangle == GLA_TRIANGLE_FULL)
    GLA_TRY (engine_download (e, slot, &skew, a.skew));
  return engine_download (e, slot, &info, a.info); // 4 bytes each, as type s has
}

//------------------------------------------------------------------------------
// the backend's functions
//------------------------------------------------------------------------------

// Large pages need products by cuBLAS, and as much shared memory as GPUs have from compute
// capability 9.0 on.
int supports (const gla_job *head)
{
  const gla_eig_job *job = (const gla_eig_job *)head;
  if (job->method == GLA_EIG_METHOD_JACOBI)
    return job->n <= JACOBI_MAX;
  if (job->n > LARGE_MAX)
    return 0;
  return table_row (job).way != EIG_LARGE || (devices_serve (LARGE_SHARED) && gpu_blas_expected ());
}

double seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_eig_job *job = (const gla_eig_job *)head;
  const cuda_engine *e = engine_facts (engine);
  double n2 = (double)job->n * job->n * gla_type_size (job->head.type);
  double transfer = pages * n2 * (job->vectors ? 2 : 1) / 22e9; // as measured with 16 cores
  double work = pages * page_seconds (e, job), alone = page_latency (job);
  return CALL_SECONDS + (transfer > work ? transfer : work) + alone;
}

// How many pages of a chunk of `chunk` there is memory for. The driver is not queried if all pages
// fit into a slot as it is: the query takes longer than a small batch.
static double pages_in_memory (cuda_engine *e, const gla_eig_job *job, int64_t chunk, int64_t pages)
{
  if (chunk == pages && arena_bytes (e, job, pages) <= e->slots[0].size)
    return (double)chunk;
  double per_page = (double)arena_bytes (e, job, 1024) / 1024;
  double by_memory = engine_pages_in_memory (e, per_page);
  return chunk > by_memory ? by_memory : (double)chunk;
}

int64_t chunk_pages (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_eig_job *job = (const gla_eig_job *)head;
  cuda_engine *e = engine_of (engine);
  if (route_of (e, job) == ROUTE_LARGE)
    return 1;
  double by_time = PIECE_SECONDS / page_seconds (e, job);
  // enough to fill the GPU; beyond that host arrays go in chunks of 32 MB, to overlap the copies
  double fill = 8.0 * e->multiprocessors;
  double by_bytes = 32e6 / ((double)job->n * job->n * gla_type_size (job->head.type));
  double chunk = by_time;
  if (!job->head.device_arrays && chunk > by_bytes)
    chunk = by_bytes;
  if (chunk < fill && page_latency (job) > PIECE_SECONDS / 4)
    chunk = 2.0 * e->multiprocessors; // pages that take long are waited for piece by piece anyway
  else if (chunk < fill)
    chunk = fill;
  // large pages: four chunks, so that some are copied while others are worked on, or two where they
  // are so few that they take as long as one
  int64_t quarter = (pages + 3) / 4, half = (pages + 1) / 2;
  double part = (double)(quarter >= 16 ? quarter : half < 16 ? half : 16);
  part = part > by_bytes ? part : by_bytes;
  if (!job->head.device_arrays && chunk > part)
    chunk = part;
  chunk = chunk > GRID_MAX && route_of (e, job) == ROUTE_JACOBI_BLOCK ? (double)GRID_MAX : chunk;
  chunk = chunk > (double)pages ? (double)pages : chunk;
  chunk = pages_in_memory (e, job, chunk < 1 ? 1 : (int64_t)chunk, pages);
  return chunk < 1 ? 1 : (int64_t)chunk;
}

gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_eig_job *job = (const gla_eig_job *)head;
  cuda_engine *e = engine_of (engine);
  e->eig_job = *job;
  engine_begin_job (e, head, pages);
  return engine_reserve (e, 0, arena_bytes (e, job, pages));
}

gla_status submit (gla_engine *engine, int slot, const void *pages)
{
  const gla_eig_chunk *chunk = static_cast<const gla_eig_chunk *> (pages);
  cuda_engine *e = engine_of (engine);
  GLA_TRY (engine_reserve (e, slot, arena_bytes (e, &e->eig_job, e->chunk_pages)));
  e->slots[slot].chunk = chunk;
  return for_type (e->eig_job.head.type,
                   [&] (auto zero) { return submit<decltype (zero)> (e, slot, chunk); });
}

gla_status finish (gla_engine *engine, int slot)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_eig_chunk *> (e->slots[slot].chunk);
  gla_status status = for_type (
      e->eig_job.head.type, [&] (auto zero) { return finish<decltype (zero)> (e, slot, chunk); });
  if (status != GLA_OK) // the chunk may be done again
    memset (chunk->info, 0, (size_t)chunk->A.pages * sizeof *chunk->info);
  return engine_end_chunk (e, slot, status, chunk->A.pages);
}

} // namespace

//------------------------------------------------------------------------------
// a part of another operation
//------------------------------------------------------------------------------

gla_status eig_look_for_info (cuda_engine *e, int slot, const int32_t *info, int64_t pages)
{
  enum { THREADS = 256, BLOCKS = 64 };
  int64_t blocks = (pages + THREADS - 1) / THREADS;
  e->counter[slot] = 0;
  any_info_kernel<<<(unsigned)(blocks < BLOCKS ? blocks : BLOCKS), THREADS, 0,
                    e->slots[slot].stream>>> (info, pages, &e->counter[slot]);
  return engine_status (cudaGetLastError ());
}

size_t eig_part_bytes (const cuda_engine *e, const gla_eig_job *job, int64_t pages)
{
  return arena_bytes (e, job, pages);
}

gla_status eig_part_submit (cuda_engine *e, int slot, const gla_eig_chunk *chunk)
{
  return for_type (e->eig_job.head.type,
                   [&] (auto zero) { return submit<decltype (zero)> (e, slot, chunk); });
}

eig_part_words eig_part_words_of (cuda_engine *e, int slot, int64_t pages)
{
  return for_type (e->eig_job.head.type, [&] (auto zero) {
    eig_args<decltype (zero)> a = {};
    lay_out (e, &e->eig_job, pages, e->slots[slot].memory, &a);
    return eig_part_words{a.info, a.skew};
  });
}

extern "C" const gla_batch_ops cuda_eig_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = chunk_pages,
    .begin = begin,
    .submit = submit,
    .finish = finish,
    .end = engine_end_job,
};

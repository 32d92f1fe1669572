// eig_engine.cu: batcheig on one GPU: memory of a chunk, the order of its kernels, its transfers
// SPDX-License-Identifier: GPL-3.0-or-later

#include "carver.cuh"
#include "engine.cuh"
#include "eig_kernels.cuh"
#include "hetrd_band.cuh"
#include "eig_routes.h"

#include <cstring>

gla_eig_route gla_eig_route_override = {0, EIG_STAGES, 0};

namespace
{

enum { QR_MAX = 2048, GRID_MAX = 32768 };

// Seconds that one launch may take, and that a chunk should take.
const double PIECE = 0.03;

//------------------------------------------------------------------------------
// which method serves, and what it costs
//------------------------------------------------------------------------------

enum route { ROUTE_SMALL, ROUTE_STAGES, ROUTE_JACOBI, ROUTE_JACOBI_BLOCK };

bool fits (const gla_eig_job *job, int smem_limit)
{
  int n = (int)job->n;
  switch (job->type) {
  case GLA_S:
    return eig_jacobi_fits<float> (n, job->vectors, smem_limit);
  case GLA_D:
    return eig_jacobi_fits<double> (n, job->vectors, smem_limit);
  case GLA_C:
    return eig_jacobi_fits<cx<float>> (n, job->vectors, smem_limit);
  default:
    return eig_jacobi_fits<cx<double>> (n, job->vectors, smem_limit);
  }
}

gla_eig_route table_row (const gla_eig_job *job)
{
  if (gla_eig_route_override.n_to > 0)
    return gla_eig_route_override;
  const gla_eig_route_table *table = gla_eig_routes;
  while (table->type != (char)job->type)
    table++;
  const gla_eig_route *row = job->vectors ? table->rows : table->values;
  while (row->n_to < job->n)
    row++;
  return *row;
}

route route_of (const cuda_engine *e, const gla_eig_job *job)
{
  if (job->method != GLA_METHOD_JACOBI)
    return table_row (job).way == EIG_WHOLE ? ROUTE_SMALL : ROUTE_STAGES;
  return fits (job, e->smem_limit) ? ROUTE_JACOBI : ROUTE_JACOBI_BLOCK;
}

// Seconds of kernels for one page when many are at work, fitted to the measured table
// (bench/results/); they bound chunks and launches and serve "auto".
double page_seconds (const cuda_engine *e, const gla_eig_job *job)
{
  double n = (double)job->n, chip = 132.0 / e->multiprocessors;
  bool complex = gla_type_is_complex (job->type), wide = gla_type_real (job->type) == GLA_D;
  double type = wide ? (complex ? 1 : 0.6) : (complex ? 0.65 : 0.45);
  switch (route_of (e, job)) {
  case ROUTE_SMALL:
  case ROUTE_STAGES:
    return 1e-9 + chip * type * (job->vectors ? 1 : 0.5) * (2.4e-10 * n * n + 1e-12 * n * n * n);
  case ROUTE_JACOBI:
    return 1e-8 + chip * type * 3e-11 * n * n * n;
  default:
    return chip * type * 5e-11 * n * n * n;
  }
}

// Seconds that one page takes alone.
double page_latency (const gla_eig_job *job)
{
  double n = (double)job->n;
  return 5e-5 + 1e-5 * n + n * n * n * gla_type_size (job->type) * 1e-12;
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

// The work space of the way stage by stage. With vectors, its panel is done with before anything
// comes into Z.
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
    a->band = c.take<T> (pages * (BAND + 1) * n);
  a->stedc = c.take<char> (eig_stedc_bytes<T> (n, pages));
  a->strip = strip_of<T> (e, job);
  if (a->strip > 0)
    a->tfactor = c.take<double> (pages * eig_unmtr_doubles<T> (n));
}

// The buffers of a chunk. Host arrays have copies of A, V and lambda here, and the copy of A is
// worked on in place; device arrays need a copy of A to work on, if anything.
template <class T>
size_t lay_out (const cuda_engine *e, const gla_eig_job *job, int64_t pages, char *base,
                eig_args<T> *a)
{
  typedef real_t<T> R;
  int64_t n = job->n, n2 = n * n;
  route way = route_of (e, job);
  carver c = {base, 0};
  if (way != ROUTE_SMALL || !job->device_arrays)
    a->W = c.take<T> (pages * n2);
  if (!job->device_arrays) {
    a->A = a->W;
    a->lda = a->ldv = n;
    a->page_a = a->page_v = n2;
    a->V = job->vectors ? c.take<T> (pages * n2) : nullptr;
    a->lambda = c.take<R> (pages * n);
    a->inc_lambda = 1;
    a->page_lambda = n;
  }
  if (way == ROUTE_STAGES)
    lay_out_stages (e, job, pages, c, a);
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

template <class T> size_t arena_size (const cuda_engine *e, const gla_eig_job *job, int64_t pages)
{
  eig_args<T> unused = {};
  return lay_out<T> (e, job, pages, nullptr, &unused);
}

size_t arena_bytes (const cuda_engine *e, const gla_eig_job *job, int64_t pages)
{
  switch (job->type) {
  case GLA_S:
    return arena_size<float> (e, job, pages);
  case GLA_D:
    return arena_size<double> (e, job, pages);
  case GLA_C:
    return arena_size<cx<float>> (e, job, pages);
  default:
    return arena_size<cx<double>> (e, job, pages);
  }
}

//------------------------------------------------------------------------------
// the kernels of a chunk
//------------------------------------------------------------------------------

// The counter of the chunk, once everything before it has run.
template <class T>
gla_status read_count (cuda_engine *e, int slot, const eig_args<T> &a, int *count)
{
  cudaError_t error =
      cudaMemcpyAsync (&e->counter[slot], a.count, sizeof (int), cudaMemcpyDeviceToHost, a.stream);
  if (error != cudaSuccess)
    return engine_status (error);
  gla_status status = engine_throttle (e, slot);
  *count = e->counter[slot];
  return status;
}

// Whether one kernel prepares and reduces.
template <class T> bool reads_and_reduces (const cuda_engine *e, const eig_args<T> &a)
{
  if (e->job.method == GLA_METHOD_JACOBI)
    return false;
  gla_eig_way way = table_row (&e->job).way;
  return (way == EIG_WARP && eig_hetrd_warp_fits<T> (a.n, a.smem_limit)) ||
         (a.band != nullptr && he2hb_page_from<T> (a.n, a.smem_limit) == 0);
}

// Reduction, divide and conquer, back-transform. Where the reduction takes long it goes in pieces
// of about PIECE seconds, each waited for, so that a wish to stop is heard.
template <class T> gla_status run_stages (cuda_engine *e, int slot, const eig_args<T> &a)
{
  bool band = a.band != nullptr;
  int steps =
      band ? eig_he2hb_steps<T> (a.n, a.smem_limit) : eig_hetrd_steps<T> (a.n, a.smem_limit);
  double expected = page_latency (&e->job) + a.pages * page_seconds (e, &e->job);
  bool pieces = expected > 2 * PIECE;
  int step = pieces ? 1 + (int)(steps * PIECE / expected) : steps;
  gla_status status = GLA_OK;
  if (!band && reads_and_reduces (e, a)) {
    status = engine_status (eig_hetrd_warp (a));
    steps = 0;
  }
  for (int first = 0; first < steps && status == GLA_OK; first += step) {
    int last = first + step < steps ? first + step : steps;
    status = engine_status (band ? eig_he2hb (a, first, last) : eig_hetrd (a, first, last));
    if (status == GLA_OK && pieces)
      status = engine_throttle (e, slot);
  }
  if (status == GLA_OK && band)
    status = engine_status (eig_hb2st (a));
  if (status == GLA_OK)
    status = engine_status (eig_stedc (a));
  if (status == GLA_OK && pieces)
    status = engine_throttle (e, slot);
  if (status == GLA_OK)
    status = engine_status (eig_sort (a));
  if (status == GLA_OK && a.vectors)
    status = engine_status (a.strip > 0 ? eig_unmtr_blocked (a) : eig_unmtr (a));
  return status;
}

template <class T> gla_status run_block_jacobi (cuda_engine *e, int slot, const eig_args<T> &a)
{
  int rounds = eig_block_rounds (a.n), active = 0;
  gla_status status = engine_status (eig_block_start (a));
  if (status == GLA_OK)
    status = read_count (e, slot, a, &active);
  for (int sweep = 0; sweep < a.maxit && active > 0 && status == GLA_OK; sweep++) {
    double work = active * (double)(rounds + 1) / 2 * (a.n * 2e-7 + 6e-5) / e->multiprocessors;
    int together = 1 + (int)(PIECE / (work > 1e-5 ? work : 1e-5));
    for (int round = 0; round < rounds && status == GLA_OK; round++) {
      status = engine_status (eig_block_round (a, round, active));
      if (status == GLA_OK && (round + 1) % together == 0)
        status = engine_throttle (e, slot);
    }
    if (status == GLA_OK)
      status = engine_status (eig_block_next (a, active));
    if (status == GLA_OK)
      status = read_count (e, slot, a, &active);
  }
  if (status == GLA_OK)
    status = engine_status (eig_block_values (a, active));
  if (status == GLA_OK)
    status = engine_status (eig_sort (a));
  if (status == GLA_OK && a.vectors)
    status = engine_status (eig_block_vectors (a));
  return status;
}

template <class T> eig_args<T> args_of (cuda_engine *e, int slot, const gla_eig_chunk *chunk)
{
  typedef real_t<T> R;
  eig_args<T> a = {};
  const gla_eig_job *job = &e->job;
  a.n = (int)job->n;
  a.pages = chunk->A.pages;
  a.triangle = job->triangle;
  a.vectors = job->vectors;
  a.tol = (R)job->tol;
  a.maxit = job->maxit;
  a.smem_limit = e->smem_limit;
  a.multiprocessors = e->multiprocessors;
  a.stream = e->slots[slot].stream;
  lay_out<T> (e, job, a.pages, e->slots[slot].memory, &a);
  if (job->device_arrays) {
    a.A = static_cast<const T *> (chunk->A.data);
    a.lda = chunk->A.column_stride;
    a.page_a = chunk->A.page_stride;
    a.V = static_cast<T *> (chunk->V.data);
    a.ldv = chunk->V.column_stride;
    a.page_v = chunk->V.page_stride;
    a.lambda = static_cast<R *> (chunk->lambda.data);
    a.inc_lambda = chunk->lambda.row_stride;
    a.page_lambda = chunk->lambda.page_stride;
  }
  return a;
}

// Threads look at pages in turn; the word is the host's.
__global__ void any_info_kernel (const int32_t *info, int64_t pages, int *any)
{
  int32_t found = 0;
  for (int64_t p = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; p < pages;
       p += gridDim.x * (int64_t)blockDim.x)
    found |= info[p];
  if (__syncthreads_or (found) && threadIdx.x == 0)
    *any = 1;
}

// Whether a page has something to tell comes in one word: mostly none has, and the host need not
// have the status of all.
gla_status look_for_info (cuda_engine *e, int slot, const int32_t *info, int64_t pages)
{
  enum { THREADS = 256, BLOCKS = 64 };
  int64_t blocks = (pages + THREADS - 1) / THREADS;
  e->counter[slot] = 0;
  any_info_kernel<<<(unsigned)(blocks < BLOCKS ? blocks : BLOCKS), THREADS, 0,
                    e->slots[slot].stream>>> (info, pages, &e->counter[slot]);
  return engine_status (cudaGetLastError ());
}

template <class T> gla_status submit (cuda_engine *e, int slot, const gla_eig_chunk *chunk)
{
  eig_args<T> a = args_of<T> (e, slot, chunk);
  gla_status status = GLA_OK;
  if (!e->job.device_arrays) {
    status = engine_upload (e, slot, a.W, &chunk->A);
    if (e->job.vectors)
      engine_expect (e, slot, &chunk->V);
  }
  route way = route_of (e, &e->job);
  if (status == GLA_OK && way != ROUTE_SMALL && !reads_and_reduces (e, a))
    status = engine_status (eig_prepare (a));
  if (status == GLA_OK)
    switch (way) {
    case ROUTE_SMALL:
      status = engine_status (eig_small (a));
      break;
    case ROUTE_STAGES:
      status = run_stages (e, slot, a);
      break;
    case ROUTE_JACOBI:
      status = engine_status (eig_jacobi (a));
      break;
    case ROUTE_JACOBI_BLOCK:
      status = run_block_jacobi (e, slot, a);
      break;
    }
  if (status == GLA_OK)
    status = look_for_info (e, slot, a.info, a.pages);
  if (status == GLA_OK)
    status = engine_status (cudaEventRecord (e->slots[slot].done, a.stream));
  return status;
}

template <class T> gla_status finish (cuda_engine *e, int slot, const gla_eig_chunk *chunk)
{
  eig_args<T> a = args_of<T> (e, slot, chunk);
  gla_status status = engine_wait (e, e->slots[slot].done);
  gla_array info = gla_array_packed (chunk->info, GLA_S, 1, 1, a.pages, GLA_HOST);
  gla_array skew = gla_array_packed (chunk->skew, GLA_D, 1, 1, a.pages, GLA_HOST);
  if (status == GLA_OK && e->counter[slot] == 0) {
    memset (chunk->info, 0, (size_t)a.pages * sizeof *chunk->info);
  } else if (status == GLA_OK) {
    status = engine_download (e, slot, &info, a.info); // 4 bytes each, as type s has
    if (status == GLA_OK && e->job.triangle == GLA_FULL)
      status = engine_download (e, slot, &skew, a.skew);
  }
  if (status == GLA_OK && !e->job.device_arrays) {
    status = engine_download (e, slot, &chunk->lambda, a.lambda);
    if (status == GLA_OK && e->job.vectors)
      status = engine_download (e, slot, &chunk->V, a.V);
  }
  return status;
}

} // namespace

//------------------------------------------------------------------------------
// the backend's functions
//------------------------------------------------------------------------------

int cuda_eig_supports (const gla_eig_job *job)
{
  return job->n <= QR_MAX;
}

double cuda_eig_seconds (gla_engine *engine, const gla_eig_job *job, int64_t pages)
{
  const cuda_engine *e = engine_facts (engine);
  double n2 = (double)job->n * job->n * gla_type_size (job->type);
  double transfer = pages * n2 * (job->vectors ? 2 : 1) / 22e9; // as measured with 16 cores
  double work = pages * page_seconds (e, job), alone = page_latency (job);
  return 5e-4 + (transfer > work ? transfer : work) + alone;
}

// How many pages of a chunk of `chunk` there is memory for. The driver is not asked where all pages
// go into a slot that is large enough: it takes longer than small batches do.
static double pages_in_memory (cuda_engine *e, const gla_eig_job *job, int64_t chunk, int64_t pages)
{
  if (chunk == pages && arena_bytes (e, job, pages) <= e->slots[0].size)
    return (double)chunk;
  size_t free_bytes = 0, total = 0;
  if (cudaMemGetInfo (&free_bytes, &total) != cudaSuccess)
    cudaGetLastError ();
  for (int k = 0; k < SLOTS; k++)
    free_bytes += e->slots[k].size;
  double per_page = (double)arena_bytes (e, job, 1024) / 1024;
  double by_memory = 0.6 * free_bytes / SLOTS / per_page;
  return chunk > by_memory ? by_memory : (double)chunk;
}

int64_t cuda_eig_chunk_pages (gla_engine *engine, const gla_eig_job *job, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  double by_time = PIECE / page_seconds (e, job);
  // enough to fill the GPU; beyond that host arrays go in chunks of 32 MB, to overlap the copies
  double fill = 8.0 * e->multiprocessors;
  double by_bytes = 32e6 / ((double)job->n * job->n * gla_type_size (job->type));
  double chunk = by_time;
  if (!job->device_arrays && chunk > by_bytes)
    chunk = by_bytes;
  if (chunk < fill && page_latency (job) > PIECE / 4)
    chunk = 2.0 * e->multiprocessors; // pages that take long are waited for piece by piece anyway
  else if (chunk < fill)
    chunk = fill;
  // large pages: four chunks, so that some are copied while others are worked on, or two where they
  // are so few that they take as long as one
  int64_t quarter = (pages + 3) / 4, half = (pages + 1) / 2;
  double part = (double)(quarter >= 16 ? quarter : half < 16 ? half : 16);
  part = part > by_bytes ? part : by_bytes;
  if (!job->device_arrays && chunk > part)
    chunk = part;
  chunk = chunk > GRID_MAX && route_of (e, job) == ROUTE_JACOBI_BLOCK ? (double)GRID_MAX : chunk;
  chunk = chunk > (double)pages ? (double)pages : chunk;
  chunk = pages_in_memory (e, job, chunk < 1 ? 1 : (int64_t)chunk, pages);
  return chunk < 1 ? 1 : (int64_t)chunk;
}

gla_status cuda_eig_begin (gla_engine *engine, const gla_eig_job *job, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  e->job = *job;
  e->monitor = job->monitor;
  e->chunk_pages = pages;
  for (int k = 0; k < SLOTS; k++)
    e->slots[k].chunk = nullptr;
  return engine_reserve (e, 0, arena_bytes (e, job, pages));
}

gla_status cuda_eig_submit (gla_engine *engine, int slot, const gla_eig_chunk *chunk)
{
  cuda_engine *e = engine_of (engine);
  gla_status status = engine_reserve (e, slot, arena_bytes (e, &e->job, e->chunk_pages));
  if (status != GLA_OK)
    return status;
  e->slots[slot].chunk = chunk;
  switch (e->job.type) {
  case GLA_S:
    status = submit<float> (e, slot, chunk);
    break;
  case GLA_D:
    status = submit<double> (e, slot, chunk);
    break;
  case GLA_C:
    status = submit<cx<float>> (e, slot, chunk);
    break;
  case GLA_Z:
    status = submit<cx<double>> (e, slot, chunk);
    break;
  }
  return status;
}

gla_status cuda_eig_finish (gla_engine *engine, int slot)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_eig_chunk *> (e->slots[slot].chunk);
  gla_status status = GLA_OK;
  switch (e->job.type) {
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

void cuda_eig_end (gla_engine *engine)
{
  engine_drain (engine_of (engine));
}

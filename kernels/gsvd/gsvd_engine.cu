// gsvd_engine.cu: gla_gsvd on one GPU: memory of a chunk, its kernels, its transfers
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/cluster.cuh"
#include "common/for_type.cuh"
#include "common/orderings.h"
#include "common/pages.cuh"
#include "common/runtime.cuh"
#include "common/scalar.cuh"
#include "common/work_limits.cuh"
#include "engine/download.cuh"
#include "engine/engine.cuh"
#include "engine/ordered.cuh"
#include "gsvd_plan.cuh"

#include <cstring>

namespace
{

// A launch counts the matrices of all pages in its third dimension, so a chunk has at most so many.
enum { PAGES_MAX = 30000 };

//------------------------------------------------------------------------------
// what it costs
//------------------------------------------------------------------------------

// Returns the bytes of all arrays of a page.
double array_bytes (const gla_gsvd_job *job)
{
  double m = (double)job->m, n = (double)job->n, p = (double)job->p;
  double elements = (m + n) * p + m * job->u_columns + n * job->v_columns + (job->x ? p * p : 0);
  return elements * gla_type_size (job->head.type);
}

// What a team takes for memory, streams and events; and a copy between two GPUs that reach each
// other's memory: its least time, and bytes a second.
const double TEAM_SECONDS = 3e-3, COPY_SECONDS = 3e-5, COPY_RATE = 3e11;

// Returns the seconds of a sweep in which the g GPUs of a team exchange shares of F and G.
double swap_seconds (double p, double factor, double g)
{
  double bytes = 2 * p * p / (2 * g) * (factor > 1 ? 16 : 8);
  return (2 * g - 1) * (COPY_SECONDS + bytes / COPY_RATE);
}

// Returns the seconds of kernels before and after the sweeps. Pivoting by columns is sequential. By
// blocks it uses a multiprocessor for 64 columns, complex 32, and treats so many pages at once; the
// rest is products of large matrices.
double reduce_seconds (const cuda_engine *e, const gla_gsvd_job *job, double pages, double factor)
{
  double p = (double)job->p, m = (double)job->m, n = (double)job->n;
  bool blocks = qr_pivots_blocks (job->p, job->p);
  double flops = factor * p * p * (4 * (m + n) + (blocks ? 2 : 20) * p);
  if (!blocks)
    return 1e-5 * p + pages * flops / 1e13;
  double needed = ceil (p / (gla_type_is_complex (job->head.type) ? 32 : 64));
  double together = fmax (1, floor (e->multiprocessors / needed));
  return ceil (pages / together) * 8e-6 * p + pages * flops / 3e13;
}

// Returns the seconds of kernels for `pages` pages: sweeps are sequences of rotations, and
// products.
double kernel_seconds (const cuda_engine *e, const gla_gsvd_job *job, double pages)
{
  double p = (double)job->p, width = gsvd_width_of (*job);
  double chip = FITTED_MULTIPROCESSORS / e->multiprocessors;
  if (gsvd_is_small (*job))
    return chip * gsvd_small_seconds (*job, pages);
  double factor = gla_type_is_complex (job->head.type) ? 4 : 1;
  bool both = gsvd_method_of (*job) == GLA_GSVD_METHOD_HZ;
  double sweeps = both ? 12 : 9, steps = p / width + 1, flops = (both ? 16 : 12) * p * p * p;
  double step = 1e-5 + 2 * width * (both ? 1.0e-6 : 6e-7);
  double full = 2 * (double)e->multiprocessors * width / p; // pages that fill the GPU
  double chains = steps * step * (pages > full ? pages / full : 1);
  double products = pages * flops * factor * chip / 2e13;
  double reduce = reduce_seconds (e, job, pages, factor * chip);
  if (job->team == nullptr)
    return sweeps * (chains + products) + reduce;
  double g = job->team->count, launches = g * 1.2e-5;
  chains = pages * steps * (step > launches ? step : launches);
  return sweeps * (chains + products / g + pages * swap_seconds (p, factor, g)) + reduce +
         pages * TEAM_SECONDS;
}

// Predictions without a GPU assume that all devices are alike.
bool are_alike (int device, int other)
{
  if (!device_opened ())
    return true;
  for (cudaDeviceAttr what :
       {cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor,
        cudaDevAttrMultiProcessorCount, cudaDevAttrMaxSharedMemoryPerBlockOptin}) {
    int one = 0, two = 0;
    if (cudaDeviceGetAttribute (&one, what, device) != cudaSuccess ||
        cudaDeviceGetAttribute (&two, what, other) != cudaSuccess || one != two) {
      cudaGetLastError ();
      return false;
    }
  }
  return true;
}

// Whether the order of the blocks falls apart for so many GPUs, and these are of one kind.
bool is_team_possible (const gla_gsvd_job *job)
{
  const gla_gsvd_team *team = job->team;
  for (int k = 1; team != nullptr && k < team->count; k++)
    if (!are_alike (team->devices[0], team->devices[k]))
      return false;
  return team == nullptr || 2 * team->count <= gla_ordering_parts (gsvd_blocks_of (*job));
}

//------------------------------------------------------------------------------
// memory of a chunk
//------------------------------------------------------------------------------

template <class S> struct chunk_memory {
  typedef wide<S> T;
  gsvd_plan<T> plan;
  page_matrix<S> A, B, U, V, X; // copies of host arrays, or the arrays on the device
  page_matrix<real_t<S>> alpha, beta;

  // A lean plan reuses its matrices: A and B are not needed after the sweeps start, R not after X
  // is stored, UC and G not after U and V are.
  chunk_memory (const gla_gsvd_job &job, int64_t pages, carver &c) : plan (job, pages, c)
  {
    page_matrix<T> none = {nullptr, 0, 0};
    A = matrix<S> (c, job, pages, job.m, job.p, plan.U);
    B = matrix<S> (c, job, pages, job.n, job.p, plan.UC);
    U = matrix<S> (c, job, pages, job.m, job.u_columns, plan.is_tall_a () ? none : plan.UC);
    V = matrix<S> (c, job, pages, job.n, job.v_columns, plan.is_tall_b () ? none : plan.G);
    X = matrix<S> (c, job, pages, job.p, job.x ? job.p : 0, plan.R);
    alpha = matrix<real_t<S>> (c, job, pages, job.p, 1, none);
    beta = matrix<real_t<S>> (c, job, pages, job.p, 1, none);
  }
  // Takes the matrix from `lent` if it fits there.
  template <class R>
  page_matrix<R> matrix (carver &c, const gla_gsvd_job &job, int64_t pages, int64_t rows,
                         int64_t columns, page_matrix<T> lent)
  {
    int64_t page = rows * columns;
    if (job.head.device_arrays || page == 0)
      return {nullptr, 0, 0};
    bool fits = plan.lean && lent.page > 0 && page <= plan.ld * plan.p;
    return {fits ? reinterpret_cast<R *> (lent.data) : c.take<R> (pages * page), rows, page};
  }
};

template <class S> size_t arena_of (const gla_gsvd_job &job, int64_t pages)
{
  carver c = {nullptr, 0};
  chunk_memory<S> unused (job, pages, c);
  return c.used;
}

size_t arena_bytes (const gla_gsvd_job &job, int64_t pages)
{
  return for_type (job.head.type,
                   [&] (auto zero) { return arena_of<decltype (zero)> (job, pages); });
}

template <class S> chunk_memory<S> memory_of (cuda_engine *e, int slot, const gla_gsvd_chunk *chunk)
{
  carver c = {e->slots[slot].memory, 0};
  chunk_memory<S> s (kept_gsvd_job (e), chunk->A.pages, c);
  if (kept_gsvd_job (e).head.device_arrays) {
    s.A = pages_of<S> (chunk->A);
    s.B = pages_of<S> (chunk->B);
    s.U = pages_of<S> (chunk->U);
    s.V = pages_of<S> (chunk->V);
    s.X = pages_of<S> (chunk->X);
    s.alpha = pages_of<real_t<S>> (chunk->alpha);
    s.beta = pages_of<real_t<S>> (chunk->beta);
  }
  return s;
}

//------------------------------------------------------------------------------
// a chunk
//------------------------------------------------------------------------------

struct slot_user {
  cuda_engine *e;
  int slot;
  bool needed;
};

gla_status wait_of (void *user)
{
  slot_user *u = static_cast<slot_user *> (user);
  GLA_TRY (engine_throttle (u->e, u->slot)); // a short wait asks nothing
  return u->e->monitor.poll (u->e->monitor.user, 0) ? GLA_ERROR_STOPPED : GLA_OK;
}

gla_status throttle_of (void *user)
{
  slot_user *u = static_cast<slot_user *> (user);
  return u->needed ? engine_throttle (u->e, u->slot) : GLA_OK;
}

void swept_of (void *user, int sweeps)
{
  const gla_gsvd_job &job = kept_gsvd_job (static_cast<slot_user *> (user)->e);
  job.swept (job.head.monitor.user, sweeps);
}

// Copies the tables of pairs to the start of the arena, where the plan expects them.
gla_status upload_tables (cuda_engine *e, int slot, const gla_gsvd_job &job)
{
  const int64_t bytes = (int64_t)gsvd_table_bytes (job);
  host_array<char> table (bytes);
  if (table.data == nullptr)
    return GLA_ERROR_OUT_OF_MEMORY;
  GLA_TRY (gsvd_fill_tables (job, table.data));
  gla_array from = gla_array_packed (table.data, GLA_TYPE_S, bytes / 4, 1, 1, GLA_DEVICE_HOST);
  return engine_upload (e, slot, e->slots[slot].memory, &from);
}

template <class S> gla_status submit (cuda_engine *e, int slot, const gla_gsvd_chunk *chunk)
{
  typedef wide<S> T;
  gla_gsvd_job job = kept_gsvd_job (e);
  chunk_memory<S> s = memory_of<S> (e, slot, chunk);
  const gsvd_plan<T> &plan = s.plan;
  cudaStream_t stream = e->slots[slot].stream;
  slot_user user = {e, slot, kernel_seconds (e, &job, (double)chunk->A.pages) > PIECE_SECONDS};
  gsvd_host host = {e->counter, wait_of, throttle_of, swept_of, &user};
  qr_streams streams = {stream,       e->side, e->side_start, e->side_done, &e->slots[slot].blas,
                        &e->side_blas};
  qr_pause pause = {throttle_of, &user};

  gsvd_team<T> team (e, slot, plan, host);
  bool alone = job.team == nullptr;
  GLA_TRY (alone ? GLA_OK : team.open (&alone));
  job.team = alone ? nullptr : job.team;
  // entries outside of the matrices must be zero
  bool square = job.m == job.p && job.n == job.p;
  if (!plan.small || !square)
    GLA_TRY (cudaMemsetAsync (e->slots[slot].memory, 0, arena_bytes (job, chunk->A.pages), stream));
  if (!plan.small)
    GLA_TRY (upload_tables (e, slot, job));
  if (!job.head.device_arrays) {
    GLA_TRY (engine_upload (e, slot, s.A.data, &chunk->A));
    GLA_TRY (engine_upload (e, slot, s.B.data, &chunk->B));
    engine_announce_results (e, slot, &chunk->U);
  }
  gsvd_wanted<S> to = {s.alpha, s.beta, s.U, s.V, s.X};
  if (plan.small) {
    GLA_TRY (gsvd_small_pairs<S, T> (plan, as_const (s.A), as_const (s.B), to, streams, pause));
    return engine_status (cudaEventRecord (e->slots[slot].done, stream));
  }
  GLA_TRY (gsvd_reduce<S, T> (plan, as_const (s.A), as_const (s.B), host, streams, pause));
  GLA_TRY (alone ? gsvd_sweeps<T> (plan, host, stream) : team.sweeps ());
  team.close ();
  GLA_TRY (gsvd_results<S, T> (plan, to, host, streams, pause));
  return engine_status (cudaEventRecord (e->slots[slot].done, stream));
}

// Reports the stats of the pages.
template <class T>
gla_status report_stats (cuda_engine *e, int slot, const gla_gsvd_chunk *chunk,
                         const gsvd_plan<T> &plan, const gsvd_state *state, int sweeps)
{
  // small pairs have the entries of a sweep side by side
  const int64_t pages = chunk->A.pages, rows = plan.small ? sweeps : (int)GLA_GSVD_MAX_SWEEPS;
  const int64_t page = plan.small ? 1 : rows, sweep = plan.small ? pages : 1;
  host_array<unsigned long long> history (rows * pages);
  if (history.data == nullptr)
    return GLA_ERROR_OUT_OF_MEMORY;
  gla_array rotations =
      gla_array_packed (history.data, GLA_TYPE_D, rows, pages, 1, GLA_DEVICE_HOST);
  if (rows > 0)
    GLA_TRY (engine_download (e, slot, &rotations, plan.history));
  for (int64_t k = 0; k < pages; k++) {
    gla_gsvd_stats &to = chunk->stats[k];
    memset (&to, 0, sizeof to);
    to.sweeps = state[k].sweeps;
    to.method = to.sweeps > 0 ? gsvd_method_of (kept_gsvd_job (e)) : GLA_GSVD_METHOD_AUTO;
    for (int s = 0; s < to.sweeps; s++)
      to.rotations[s] = (int64_t)history[k * page + s * sweep];
  }
  return GLA_OK;
}

// Reports info and stats of the pages, and the number of sweeps of small pairs.
template <class T>
gla_status report (cuda_engine *e, int slot, const gla_gsvd_chunk *chunk, const gsvd_plan<T> &plan)
{
  int64_t pages = chunk->A.pages;
  host_array<gsvd_state> state (pages);
  if (state.data == nullptr)
    return GLA_ERROR_OUT_OF_MEMORY;
  gla_array states =
      gla_array_packed (state.data, GLA_TYPE_D, sizeof (gsvd_state) / 8, pages, 1, GLA_DEVICE_HOST);
  GLA_TRY (engine_download (e, slot, &states, plan.state));
  int sweeps = 0;
  for (int64_t k = 0; k < pages; k++) {
    chunk->info[k] = state[k].info;
    sweeps = state[k].sweeps > sweeps ? state[k].sweeps : sweeps;
  }
  for (int s = 0; s < sweeps && plan.small; s++)
    kept_gsvd_job (e).swept (kept_gsvd_job (e).head.monitor.user, s + 1);
  return chunk->stats == nullptr ? GLA_OK : report_stats (e, slot, chunk, plan, state.data, sweeps);
}

template <class S> gla_status finish (cuda_engine *e, int slot, const gla_gsvd_chunk *chunk)
{
  chunk_memory<S> s = memory_of<S> (e, slot, chunk);
  GLA_TRY (engine_wait (e, e->slots[slot].done));
  GLA_TRY (report (e, slot, chunk, s.plan));
  if (kept_gsvd_job (e).head.device_arrays)
    return GLA_OK;
  GLA_TRY (download_matrix (e, slot, chunk->alpha, s.alpha));
  GLA_TRY (download_matrix (e, slot, chunk->beta, s.beta));
  GLA_TRY (download_matrix (e, slot, chunk->U, s.U));
  GLA_TRY (download_matrix (e, slot, chunk->V, s.V));
  return download_matrix (e, slot, chunk->X, s.X);
}

//------------------------------------------------------------------------------
// the backend's functions
//------------------------------------------------------------------------------

// Whether a pair of these sizes can have a B of full column rank, and be done here. Blocks are
// counted in 16 bits, rows by cuBLAS in int.
bool is_regular (const gla_gsvd_job &job)
{
  const int64_t most = (int64_t)1 << 30;
  return job.m >= job.p && job.n >= job.p && job.m < most && job.n < most && job.p <= 32768;
}

// The QR factorization of complex pages, which all but small square pairs need, takes more shared
// memory than GPUs of compute capability 7.5 have. Pairs that are not regular are returned to the
// CPU.
int supports (const gla_job *head)
{
  const gla_gsvd_job *job = (const gla_gsvd_job *)head;
  const bool factors = !gsvd_is_small (*job) || job->m != job->p || job->n != job->p;
  if (gla_type_is_complex (head->type) && factors && block_shared_most () < qr_larfb_shared ())
    return 0;
  return gpu_blas_expected ();
}

double seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_gsvd_job *job = (const gla_gsvd_job *)head;
  const cuda_engine *e = engine_facts (engine);
  if (!is_regular (*job) || !is_team_possible (job))
    return 1e9;
  double transfer = job->head.device_arrays ? 0 : pages * array_bytes (job) / LINK_RATE;
  double start = gsvd_is_small (*job) ? 2e-4 : 1e-3;
  return start + transfer + kernel_seconds (e, job, (double)pages);
}

int64_t chunk_pages (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_gsvd_job *job = (const gla_gsvd_job *)head;
  cuda_engine *e = engine_of (engine);
  if (!is_regular (*job))
    return pages;
  if (job->team != nullptr)
    return 1;
  double per_page = (double)arena_bytes (*job, 64) / 64, chunk = (double)pages;
  chunk = chunk > PAGES_MAX ? (double)PAGES_MAX : chunk;
  if (gsvd_is_small (*job)) { // one kernel does all sweeps of a chunk
    double seconds = (kernel_seconds (e, job, 2000) - kernel_seconds (e, job, 1000)) / 1000;
    chunk = fmin (chunk, fmax (8.0 * e->multiprocessors, PIECE_SECONDS / seconds));
  }
  chunk = engine_fit_in_memory (e, chunk, per_page);
  return chunk < 1 ? 1 : (int64_t)chunk;
}

gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_gsvd_job *job = (const gla_gsvd_job *)head;
  cuda_engine *e = engine_of (engine);
  kept_gsvd_job (e) = *job;
  engine_begin_job (e, head, pages);
  if (!is_regular (*job))
    return GLA_OK;
  GLA_TRY (engine_open_blas (e, 0));
  return engine_reserve (e, 0, arena_bytes (*job, pages));
}

gla_status submit (gla_engine *engine, int slot, const void *pages)
{
  const gla_gsvd_chunk *chunk = static_cast<const gla_gsvd_chunk *> (pages);
  cuda_engine *e = engine_of (engine);
  if (!is_regular (kept_gsvd_job (e)))
    return engine_take_slot (e, slot, chunk);
  GLA_TRY (engine_reserve (e, slot, arena_bytes (kept_gsvd_job (e), e->chunk_pages)));
  GLA_TRY (engine_open_blas (e, slot));
  GLA_TRY (engine_take_slot (e, slot, chunk));
  return for_type (kept_gsvd_job (e).head.type,
                   [&] (auto zero) { return submit<decltype (zero)> (e, slot, chunk); });
}

gla_status finish (gla_engine *engine, int slot)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_gsvd_chunk *> (e->slots[slot].chunk);
  gla_status status = GLA_OK;
  if (!is_regular (kept_gsvd_job (e)))
    for (int64_t k = 0; k < chunk->A.pages; k++)
      chunk->info[k] = GLA_INFO_IRREGULAR;
  else
    status = for_type (kept_gsvd_job (e).head.type,
                       [&] (auto zero) { return finish<decltype (zero)> (e, slot, chunk); });
  int64_t done = 0; // done here; the CPU does those that did not converge
  for (int64_t k = 0; k < chunk->A.pages && status == GLA_OK; k++) {
    if (chunk->info[k] == 1 && !kept_gsvd_job (e).head.device_arrays)
      chunk->info[k] = GLA_INFO_IRREGULAR;
    done += chunk->info[k] != GLA_INFO_IRREGULAR;
  }
  return engine_end_chunk (e, slot, status, done);
}

} // namespace

extern "C" const gla_batch_ops cuda_gsvd_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = chunk_pages,
    .begin = begin,
    .submit = submit,
    .finish = finish,
    .end = engine_end_job,
};

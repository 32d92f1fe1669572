// gsvd_engine.cu: gla_gsvd on one GPU: memory of a chunk, its kernels, its transfers
// SPDX-License-Identifier: GPL-3.0-or-later

#include "engine.cuh"
#include "gsvd_plan.cuh"
#include "host_array.cuh"

#include <cstring>

namespace
{

// Pages of a chunk: a third dimension of a launch counts matrices of all pages.
enum { PAGES_MAX = 30000 };

template <class S> struct wide_of {
  typedef double type;
};
template <class R> struct wide_of<cx<R>> {
  typedef cx<double> type;
};

//------------------------------------------------------------------------------
// what it costs
//------------------------------------------------------------------------------

// Bytes of all arrays of a page.
double array_bytes (const gla_gsvd_job *job)
{
  double m = (double)job->m, n = (double)job->n, p = (double)job->p;
  double elements = (m + n) * p + m * job->u_columns + n * job->v_columns + (job->x ? p * p : 0);
  return elements * gla_type_size (job->type);
}

// Seconds of kernels for `pages` pages: sweeps are chains of rotations, and products; pivoting is a
// chain of columns.
double kernel_seconds (const cuda_engine *e, const gla_gsvd_job *job, double pages)
{
  double p = (double)job->p, m = (double)job->m, n = (double)job->n, width = gsvd_width_of (*job);
  double chip = 132.0 / e->multiprocessors, factor = gla_type_is_complex (job->type) ? 4 : 1;
  bool both = gsvd_method_of (*job) == GLA_GSVD_HZ;
  double sweeps = both ? 12 : 9, steps = p / width + 1, flops = (both ? 16 : 12) * p * p * p;
  double step = 1e-5 + 2 * width * (both ? 1.0e-6 : 6e-7);
  double full = 2 * 132 * width / p; // pages that fill the GPU with chains
  double chains = steps * step * (pages > full ? pages / full : 1);
  double products = pages * flops * factor * chip / 2e13;
  double reduce = p * 1e-5 + pages * factor * chip * (4 * (m + n) * p * p + 20 * p * p * p) / 1e13;
  return sweeps * (chains + products) + reduce;
}

//------------------------------------------------------------------------------
// memory of a chunk
//------------------------------------------------------------------------------

template <class S> struct chunk_memory {
  typedef typename wide_of<S>::type T;
  gsvd_plan<T> plan;
  qr_matrix<S> A, B, U, V, X; // copies of host arrays, or the arrays on the device
  qr_matrix<real_t<S>> alpha, beta;

  chunk_memory (const gla_gsvd_job &job, int64_t pages, carver &c) : plan (job, pages, c)
  {
    bool host = !job.device_arrays;
    A = matrix<S> (c, pages, job.m, job.p, host);
    B = matrix<S> (c, pages, job.n, job.p, host);
    U = matrix<S> (c, pages, job.m, job.u_columns, host && job.u_columns > 0);
    V = matrix<S> (c, pages, job.n, job.v_columns, host && job.v_columns > 0);
    X = matrix<S> (c, pages, job.p, job.p, host && job.x);
    alpha = matrix<real_t<S>> (c, pages, job.p, 1, host);
    beta = matrix<real_t<S>> (c, pages, job.p, 1, host);
  }
  template <class R>
  static qr_matrix<R> matrix (carver &c, int64_t pages, int64_t rows, int64_t columns, bool wanted)
  {
    if (!wanted)
      return {nullptr, 0, 0};
    return {c.take<R> (pages * rows * columns), rows, rows * columns};
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

template <class S> qr_matrix<S> matrix_of (const gla_array &a)
{
  return {static_cast<S *> (a.data), a.column_stride, a.page_stride};
}

template <class S> chunk_memory<S> memory_of (cuda_engine *e, int slot, const gla_gsvd_chunk *chunk)
{
  carver c = {e->slots[slot].memory, 0};
  chunk_memory<S> s (e->gsvd_job, chunk->A.pages, c);
  if (e->gsvd_job.device_arrays) {
    s.A = matrix_of<S> (chunk->A);
    s.B = matrix_of<S> (chunk->B);
    s.U = matrix_of<S> (chunk->U);
    s.V = matrix_of<S> (chunk->V);
    s.X = matrix_of<S> (chunk->X);
    s.alpha = matrix_of<real_t<S>> (chunk->alpha);
    s.beta = matrix_of<real_t<S>> (chunk->beta);
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
  return engine_throttle (u->e, u->slot);
}

gla_status throttle_of (void *user)
{
  slot_user *u = static_cast<slot_user *> (user);
  return u->needed ? engine_throttle (u->e, u->slot) : GLA_OK;
}

void swept_of (void *user, int sweeps)
{
  const gla_gsvd_job &job = static_cast<slot_user *> (user)->e->gsvd_job;
  job.swept (job.monitor.user, sweeps);
}

// The tables of pairs go to the start of the arena, where the plan has them.
gla_status upload_tables (cuda_engine *e, int slot, const gla_gsvd_job &job)
{
  const int64_t bytes = (int64_t)gsvd_table_bytes (job);
  host_array<char> table (bytes);
  if (table.data == nullptr)
    return GLA_OUT_OF_MEMORY;
  gla_status status = gsvd_fill_tables (job, table.data);
  gla_array from = gla_array_packed (table.data, GLA_S, bytes / 4, 1, 1, GLA_HOST);
  return status == GLA_OK ? engine_upload (e, slot, e->slots[slot].memory, &from) : status;
}

template <class S> gla_status submit (cuda_engine *e, int slot, const gla_gsvd_chunk *chunk)
{
  typedef typename wide_of<S>::type T;
  const gla_gsvd_job &job = e->gsvd_job;
  chunk_memory<S> s = memory_of<S> (e, slot, chunk);
  const gsvd_plan<T> &plan = s.plan;
  cudaStream_t stream = e->slots[slot].stream;
  slot_user user = {e, slot, kernel_seconds (e, &job, (double)chunk->A.pages) > 0.03};
  gsvd_host host = {e->counter, wait_of, throttle_of, swept_of, &user};
  qr_streams streams = {stream,       e->side, e->side_start, e->side_done, &e->slots[slot].blas,
                        &e->side_blas};
  qr_pause pause = {throttle_of, &user};

  // what lies outside of the matrices is to be zero
  gla_status status = engine_status (
      cudaMemsetAsync (e->slots[slot].memory, 0, arena_bytes (job, chunk->A.pages), stream));
  if (status == GLA_OK)
    status = upload_tables (e, slot, job);
  if (status == GLA_OK && !job.device_arrays)
    status = engine_upload (e, slot, s.A.data, &chunk->A);
  if (status == GLA_OK && !job.device_arrays)
    status = engine_upload (e, slot, s.B.data, &chunk->B);
  if (!job.device_arrays)
    engine_expect (e, slot, &chunk->U);
  if (status == GLA_OK)
    status = gsvd_reduce<S, T> (plan, {s.A.data, s.A.ld, s.A.page}, {s.B.data, s.B.ld, s.B.page},
                                host, streams, pause);
  if (status == GLA_OK)
    status = gsvd_sweeps<T> (plan, host, stream);
  if (status == GLA_OK)
    status = gsvd_results<S, T> (plan, s.alpha, s.beta, s.U, s.V, s.X, host, streams, pause);
  if (status == GLA_OK)
    status = engine_status (cudaEventRecord (e->slots[slot].done, stream));
  return status;
}

template <class R>
gla_status download (cuda_engine *e, int slot, const gla_array &to, const qr_matrix<R> &from)
{
  return to.data == nullptr || from.data == nullptr ? GLA_OK
                                                    : engine_download (e, slot, &to, from.data);
}

// info and stats of the pages.
template <class T>
gla_status report (cuda_engine *e, int slot, const gla_gsvd_chunk *chunk, const gsvd_plan<T> &plan)
{
  int64_t pages = chunk->A.pages;
  host_array<gsvd_state> state (pages);
  host_array<unsigned long long> history (pages * GLA_GSVD_SWEEPS);
  if (state.data == nullptr || history.data == nullptr)
    return GLA_OUT_OF_MEMORY;
  gla_array states =
      gla_array_packed (state.data, GLA_D, sizeof (gsvd_state) / 8, pages, 1, GLA_HOST);
  gla_array rotations = gla_array_packed (history.data, GLA_D, GLA_GSVD_SWEEPS, pages, 1, GLA_HOST);
  gla_status status = engine_download (e, slot, &states, plan.state);
  if (status == GLA_OK && chunk->stats != nullptr)
    status = engine_download (e, slot, &rotations, plan.history);
  for (int64_t k = 0; k < pages && status == GLA_OK; k++) {
    chunk->info[k] = state[k].info;
    if (chunk->stats == nullptr)
      continue;
    gla_gsvd_stats &to = chunk->stats[k];
    memset (&to, 0, sizeof to);
    to.sweeps = state[k].sweeps;
    to.method = to.sweeps > 0 ? gsvd_method_of (e->gsvd_job) : GLA_GSVD_AUTO;
    for (int s = 0; s < to.sweeps; s++)
      to.rotations[s] = (int64_t)history[k * GLA_GSVD_SWEEPS + s];
  }
  return status;
}

template <class S> gla_status finish (cuda_engine *e, int slot, const gla_gsvd_chunk *chunk)
{
  chunk_memory<S> s = memory_of<S> (e, slot, chunk);
  gla_status status = engine_wait (e, e->slots[slot].done);
  if (status == GLA_OK)
    status = report (e, slot, chunk, s.plan);
  if (status != GLA_OK || e->gsvd_job.device_arrays)
    return status;
  status = download (e, slot, chunk->alpha, s.alpha);
  if (status == GLA_OK)
    status = download (e, slot, chunk->beta, s.beta);
  if (status == GLA_OK)
    status = download (e, slot, chunk->U, s.U);
  if (status == GLA_OK)
    status = download (e, slot, chunk->V, s.V);
  return status == GLA_OK ? download (e, slot, chunk->X, s.X) : status;
}

} // namespace

//------------------------------------------------------------------------------
// the backend's functions
//------------------------------------------------------------------------------

// Whether a pair of these sizes can have a B of full column rank, and be done here. Blocks are
// counted in 16 bits, rows by cuBLAS in int.
static bool is_regular (const gla_gsvd_job &job)
{
  const int64_t most = (int64_t)1 << 30;
  return job.m >= job.p && job.n >= job.p && job.m < most && job.n < most && job.p <= 32768;
}

// Pairs that are not regular are handed back as such.
int cuda_gsvd_supports (const gla_gsvd_job *)
{
  return gpu_blas_expected ();
}

double cuda_gsvd_seconds (gla_engine *engine, const gla_gsvd_job *job, int64_t pages)
{
  const cuda_engine *e = engine_facts (engine);
  if (!is_regular (*job))
    return 1e9;
  double transfer = job->device_arrays ? 0 : pages * array_bytes (job) / 18e9;
  return 1e-3 + transfer + kernel_seconds (e, job, (double)pages);
}

int64_t cuda_gsvd_chunk_pages (gla_engine *engine, const gla_gsvd_job *job, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  if (!is_regular (*job))
    return pages;
  double per_page = (double)arena_bytes (*job, 64) / 64, chunk = (double)pages;
  chunk = chunk > PAGES_MAX ? (double)PAGES_MAX : chunk;
  if (chunk * per_page > e->slots[0].size) { // the query takes longer than a small pair
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

gla_status cuda_gsvd_begin (gla_engine *engine, const gla_gsvd_job *job, int64_t pages)
{
  cuda_engine *e = engine_of (engine);
  e->gsvd_job = *job;
  e->monitor = job->monitor;
  e->chunk_pages = pages;
  for (int k = 0; k < SLOTS; k++)
    e->slots[k].chunk = nullptr;
  if (!is_regular (*job))
    return GLA_OK;
  gla_status status = engine_open_blas (e, 0);
  return status == GLA_OK ? engine_reserve (e, 0, arena_bytes (*job, pages)) : status;
}

gla_status cuda_gsvd_submit (gla_engine *engine, int slot, const gla_gsvd_chunk *chunk)
{
  cuda_engine *e = engine_of (engine);
  if (!is_regular (e->gsvd_job)) {
    e->slots[slot].chunk = chunk;
    return GLA_OK;
  }
  gla_status status = engine_reserve (e, slot, arena_bytes (e->gsvd_job, e->chunk_pages));
  if (status == GLA_OK)
    status = engine_open_blas (e, slot);
  if (status != GLA_OK)
    return status;
  e->slots[slot].chunk = chunk;
  switch (e->gsvd_job.type) {
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

gla_status cuda_gsvd_finish (gla_engine *engine, int slot)
{
  cuda_engine *e = engine_of (engine);
  auto chunk = static_cast<const gla_gsvd_chunk *> (e->slots[slot].chunk);
  gla_status status = GLA_OK;
  if (!is_regular (e->gsvd_job))
    for (int64_t k = 0; k < chunk->A.pages; k++)
      chunk->info[k] = GLA_INFO_IRREGULAR;
  else
    switch (e->gsvd_job.type) {
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
  int64_t done = 0; // here
  for (int64_t k = 0; k < chunk->A.pages && status == GLA_OK; k++)
    done += chunk->info[k] != GLA_INFO_IRREGULAR;
  if (status == GLA_OK && e->monitor.poll (e->monitor.user, done))
    status = GLA_STOPPED;
  return status;
}

void cuda_gsvd_end (gla_engine *engine)
{
  engine_drain (engine_of (engine));
}

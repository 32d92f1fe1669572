// lanczos_engine.cu: Krylov bases of an engine: memory, rotation, checks
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/pages.cuh"
#include "common/for_type.cuh"
#include "common/work_limits.cuh"
#include "lanczos_ranks.cuh"
#include "lanczos_state.cuh"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

//------------------------------------------------------------------------------
// memory
//------------------------------------------------------------------------------

template <class T> void krylov_of<T>::carve (carver &c)
{
  int64_t steps_most = job.plain ? 0 : blocks;
  V = c.take<T> ((blocks + 1) * n * b);
  scratch = c.take<T> (n * b);
  stage = c.take<T> (n * b);
  first = c.take<T> (job.plain ? n : 0);
  kept = c.take<T> (job.plain ? KRYLOV_KEPT * n : 0);
  ring = c.take<T> (job.plain ? KRYLOV_RING * n : 0);
  records = c.take<double> (record_size () * (steps_most + 1));
  coefficients = c.take<double> ((blocks + 2) * square ());
  M = c.take<double> (square ());
  theta = c.take<double> (KRYLOV_RING * (blocks + 1) * square ());
  alpha = c.take<double> (KRYLOV_BATCH);
  beta = c.take<double> (KRYLOV_BATCH + 2);
  norms = c.take<double> (KRYLOV_GRID);
  S = c.take<T> (job.plain ? 0 : job.basis * job.basis);
  place.partial = c.take<double> (krylov_partial_size (blocks + 1, b, is_complex_v<T>));
  place.flags = c.take<krylov_flags> (1);
}

template <class T>
gla_status krylov_of<T>::begin (cuda_engine *engine, const gla_krylov_job *krylov_job)
{
  e = engine;
  job = *krylov_job;
  b = job.block;
  n = job.n;
  blocks = (job.basis + b - 1) / b;
  place.n = place.order = n;
  place.before = 0;
  place.b = b;
  place.stream = e->slots[0].stream;
  carver counting = {nullptr, 0};
  carve (counting);
  int64_t numbers = record_size () * (blocks + 1) + 2 * square ();
  if (job.plain)
    numbers += KRYLOV_BATCH + 2 + KRYLOV_RING * (blocks + 1);
  host = static_cast<double *> (malloc ((size_t)numbers * sizeof (double)));
  if (job.apply != nullptr && job.sparse == nullptr) {
    host_x = static_cast<T *> (malloc ((size_t)(n * b) * sizeof (T)));
    host_y = static_cast<T *> (malloc ((size_t)(n * b) * sizeof (T)));
    if (host_x == nullptr || host_y == nullptr)
      return GLA_ERROR_OUT_OF_MEMORY;
  }
  host_h = static_cast<double *> (malloc ((size_t)((blocks + 2) * b * words) * sizeof (double)));
  host_S = static_cast<T *> (malloc (job.plain ? 1 : (size_t)(job.basis * job.basis) * sizeof (T)));
  if (host == nullptr || host_h == nullptr || host_S == nullptr)
    return GLA_ERROR_OUT_OF_MEMORY;
  engine_release (e);
  gla_status status =
      engine_status (cudaMalloc (reinterpret_cast<void **> (&memory), counting.used));
  if (status != GLA_OK) {
    memory = nullptr;
    return status;
  }
  carver c = {memory, 0};
  carve (c);
  return engine_status (cudaMemsetAsync (memory, 0, counting.used, place.stream));
}

template <class T> krylov_of<T>::~krylov_of ()
{
  cudaStreamSynchronize (place.stream);
  cudaFree (memory);
  cudaGetLastError ();
  free (host);
  free (host_x);
  free (host_y);
  free (host_h);
  free (host_S);
}

//------------------------------------------------------------------------------
// rotation, checks
//------------------------------------------------------------------------------

template <class T> gla_status krylov_of<T>::rotate (int64_t count, const double *S_, int64_t keep)
{
  real_t<T> *to = reinterpret_cast<real_t<T> *> (host_S);
  for (int64_t i = 0; i < count; i++)
    for (int64_t j = 0; j < keep; j++)
      for (int w = 0; w < words; w++)
        to[(i * keep + j) * words + w] = (real_t<T>)S_[(i + j * count) * words + w];
  GLA_TRY (to_device (S, host_S, (size_t)(count * keep) * sizeof (T)));
  GLA_TRY (turn (count, keep));
  return wait (); // host_S has been read
}

// Finds residuals of the first `some` columns of block k: the norms of A*V - V*diag (theta), from
// their Gram matrix.
template <class T>
gla_status krylov_of<T>::check_residuals (int64_t k, int some, const double *theta_,
                                          double *residuals)
{
  double *D = host, *C = host + square ();
  memset (D, 0, (size_t)square () * sizeof (double));
  for (int c = 0; c < some; c++)
    D[(c * b + c) * words] = theta_[c];
  GLA_TRY (to_device (theta, D, (size_t)square () * sizeof (double)));
  GLA_TRY (multiply (k, KRYLOV_SCRATCH));
  GLA_TRY (update (k, 1, KRYLOV_SCRATCH, nullptr, theta));
  GLA_TRY (project (0, KRYLOV_SCRATCH, nullptr, coefficients));
  GLA_TRY (from_device (C, coefficients, (size_t)square () * sizeof (double)));
  for (int c = 0; c < some; c++)
    residuals[c] = sqrt (C[(c * b + c) * words]);
  return GLA_OK;
}

// Finds the largest entry of V'*V - I in the first `some` columns of block k and the rows up to
// there.
template <class T>
gla_status krylov_of<T>::check_orthogonality (int64_t k, int some, int64_t count, double *largest)
{
  double *C = host + square ();
  GLA_TRY (project (k, k, nullptr, coefficients));
  GLA_TRY (from_device (C, coefficients, (size_t)((k + 1) * square ()) * sizeof (double)));
  for (int64_t i = 0; i < (k + 1) * b && i < count; i++)
    for (int c = 0; c < some; c++) {
      const double *z = C + (i * b + c) * words;
      double off = hypot (z[0] - (i == k * b + c), words == 2 ? z[words - 1] : 0);
      if (!(off <= *largest))
        *largest = off;
    }
  return GLA_OK;
}

template <class T>
gla_status krylov_of<T>::check (int64_t count, const double *theta_, double *residuals,
                                double *orthogonality)
{
  *orthogonality = 0;
  for (int64_t k = 0; k * b < count; k++) {
    int some = (int)(count - k * b < b ? count - k * b : b);
    GLA_TRY (check_residuals (k, some, theta_ + k * b, residuals + k * b));
    GLA_TRY (check_orthogonality (k, some, count, orthogonality));
  }
  return GLA_OK;
}

template struct krylov_of<float>;
template struct krylov_of<double>;
template struct krylov_of<cx<float>>;
template struct krylov_of<cx<double>>;

//------------------------------------------------------------------------------
// the backend's functions
//------------------------------------------------------------------------------

namespace
{

template <class T> gla_status begin_as (cuda_engine *e, const gla_krylov_job *job)
{
  krylov_of<T> *state = new (std::nothrow) krylov_of<T> ();
  if (state == nullptr)
    return GLA_ERROR_OUT_OF_MEMORY;
  gla_status status = state->begin (e, job);
  if (status == GLA_OK)
    e->krylov = state;
  else
    delete state;
  return status;
}

template <class T> gla_status begin_together (cuda_engine *e, const gla_krylov_job *job)
{
  krylov_team<T> *state = new (std::nothrow) krylov_team<T> ();
  if (state == nullptr)
    return GLA_ERROR_OUT_OF_MEMORY;
  gla_status status = state->open (job);
  if (status == GLA_OK)
    e->krylov = state;
  else
    delete state;
  return status;
}

template <class T> gla_status begin_by_rows (cuda_engine *e, const gla_krylov_job *job)
{
  krylov_ranks<T> *state = new (std::nothrow) krylov_ranks<T> ();
  if (state == nullptr)
    return GLA_ERROR_OUT_OF_MEMORY;
  gla_status status = state->open (e, job);
  if (status == GLA_OK)
    e->krylov = state;
  else
    delete state;
  return status;
}

// Every GPU has this much shared memory for a thread block, on request.
const int LEAST_SHARED = 96 << 10;

int64_t most_columns (const gla_krylov_job *job)
{
  return for_type (job->type, [&] (auto zero) {
    return krylov_most_columns<decltype (zero)> (job->block, LEAST_SHARED);
  });
}

} // namespace

// Supports blocks of 1, 2, 4 and 8 columns, if the coefficients of a step fit into shared memory.
// Rows of ranks have no three-term recurrence.
static int job_supports (const gla_krylov_job *job)
{
  int b = job->block;
  return (b == 1 || b == 2 || b == 4 || b == 8) && job->basis <= most_columns (job) &&
         (job->ranks == nullptr || !job->plain) && job->n < ((int64_t)1 << 38) &&
         (job->matrix == nullptr || cuda_spmv_ops.supports (job->matrix));
}

// The rate of messages between ranks of one computer, in bytes a second.
static const double MESSAGE_RATE = 5e9;

// Each of several GPUs does its part of the arithmetic, but one thread launches for all, and each
// waits for the others four times in a step, longer if it has more to do. The GPU of a rank waits
// as often for messages of the host, which also bring the rows: to the host, to the other host, and
// from there to its GPU.
static double job_seconds (gla_engine *engine, const gla_krylov_job *job, int64_t products)
{
  const int gpus = job->team != nullptr ? job->team->count : 1;
  double element = (double)gla_type_size (job->type), n = (double)job->n / gpus;
  double columns = job->plain ? 3 : 3 * (double)job->basis;
  double product = 1.2e-4 + n * element * columns / 3e12;
  if (job->matrix != nullptr)
    product += (double)job->matrix->entries / gpus * (4 + element * (1 + 0.5 * job->block)) / 2e12;
  else
    product += 2 * n * job->block * element / 8e9;
  if (gpus > 1)
    product += (gpus - 1) * (1e-4 + n * job->block * element / 4e11);
  if (job->ranks != nullptr) {
    const gla_krylov_swap *swap = gla_krylov_swap_of (job);
    product += 4e-4 + (double)(swap->gives + swap->takes) * job->block * element *
                          (1 / LINK_RATE + 1 / MESSAGE_RATE);
  }
  double restarts = job->plain ? 0 : (double)products * job->block / (double)job->basis;
  double rotation = n * (double)job->basis * (double)job->basis / 1e13;
  (void)engine;
  return 5e-3 + (double)products * product + restarts * rotation;
}

static void job_end (gla_engine *engine)
{
  cuda_engine *e = engine_of (engine);
  delete e->krylov;
  e->krylov = nullptr;
}

static gla_status job_begin (gla_engine *engine, const gla_krylov_job *job)
{
  cuda_engine *e = engine_of (engine);
  job_end (engine);
  e->monitor = job->monitor;
  return for_type (job->type, [&] (auto zero) {
    typedef decltype (zero) T;
    if (job->ranks != nullptr)
      return begin_by_rows<T> (e, job);
    return job->team != nullptr ? begin_together<T> (e, job) : begin_as<T> (e, job);
  });
}

static gla_status job_put (gla_engine *engine, int64_t first, int64_t count, const void *from)
{
  return engine_of (engine)->krylov->put (first, count, from);
}

static gla_status job_get (gla_engine *engine, int64_t first, int64_t count, void *to)
{
  return engine_of (engine)->krylov->get (first, count, to);
}

static gla_status job_start (gla_engine *engine, int64_t at, int64_t given, uint64_t seed)
{
  return engine_of (engine)->krylov->start (at, given, seed);
}

static gla_status job_expand (gla_engine *engine, int64_t from, int64_t to, double *T, int64_t ldt,
                              int64_t *replaced)
{
  return engine_of (engine)->krylov->expand (from, to, T, ldt, replaced);
}

static gla_status job_rotate (gla_engine *engine, int64_t count, const double *S, int64_t keep)
{
  return engine_of (engine)->krylov->rotate (count, S, keep);
}

static gla_status job_check (gla_engine *engine, int64_t count, const double *theta,
                             double *residuals, double *orthogonality)
{
  return engine_of (engine)->krylov->check (count, theta, residuals, orthogonality);
}

static gla_status job_plain (gla_engine *engine, int64_t steps, double *alpha, double *beta,
                             int64_t *done)
{
  return engine_of (engine)->krylov->plain (steps, alpha, beta, done);
}

static gla_status job_combine (gla_engine *engine, int64_t steps, const double *alpha,
                               const double *beta, const double *S, int64_t count)
{
  return engine_of (engine)->krylov->combine (steps, alpha, beta, S, count);
}

extern "C" const gla_krylov_ops cuda_krylov_ops = {
    .supports = job_supports,
    .seconds = job_seconds,
    .begin = job_begin,
    .put = job_put,
    .get = job_get,
    .start = job_start,
    .expand = job_expand,
    .rotate = job_rotate,
    .check = job_check,
    .plain = job_plain,
    .combine = job_combine,
    .end = job_end,
};

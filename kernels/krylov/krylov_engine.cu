// krylov_engine.cu: a Krylov basis on one GPU: memory, transfers, products, checks
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/carver.cuh"
#include "common/copy.cuh"
#include "common/for_type.cuh"
#include "common/host_array.cuh"
#include "common/work_limits.cuh"
#include "krylov_state.cuh"

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
  place.n = n;
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
  if (host == nullptr)
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
}

//------------------------------------------------------------------------------
// transfers, products
//------------------------------------------------------------------------------

// Waits, and polls the monitor, once PIECE_SECONDS of work have been launched.
template <class T> gla_status krylov_of<T>::pause (double seconds)
{
  waiting += seconds;
  if (waiting < PIECE_SECONDS)
    return GLA_OK;
  waiting = 0;
  return engine_throttle (e, 0);
}

template <class T> gla_status krylov_of<T>::from_device (void *to, const void *from, size_t bytes)
{
  GLA_TRY (engine_throttle (e, 0));
  waiting = 0;
  return engine_status (cudaMemcpy (to, from, bytes, cudaMemcpyDeviceToHost));
}

template <class T> gla_status krylov_of<T>::to_device (void *to, const void *from, size_t bytes)
{
  return copy_to_device (to, from, bytes, place.stream);
}

template <class T> gla_status krylov_of<T>::multiply_on_host (const T *from, T *to)
{
  gla_array x = gla_array_packed (host_x, job.type, n, b, 1, GLA_DEVICE_HOST);
  gla_array y = gla_array_packed (host_y, job.type, n, b, 1, GLA_DEVICE_HOST);
  GLA_TRY (krylov_fetch_columns (place, from, stage, 0, b));
  GLA_TRY (engine_download (e, 0, &x, stage));
  gla_status status = job.apply (job.user, host_x, host_y, b);
  e->monitor = job.monitor; // the function may have used this engine
  GLA_TRY (status);
  GLA_TRY (engine_upload (e, 0, stage, &y));
  return engine_status (krylov_place_columns (place, stage, to, 0, b));
}

template <class T> gla_status krylov_of<T>::multiply (const T *from, T *to)
{
  if (job.sparse == nullptr)
    return multiply_on_host (from, to);
  return engine_status (
      spmv_multiply (*spmv_matrix_of (job.sparse), job.conjugate != 0, from, to, b, place.stream));
}

template <class T>
gla_status krylov_of<T>::put (int64_t first_column, int64_t count, const void *from)
{
  const T *column = static_cast<const T *> (from);
  for (int64_t at = first_column; at < first_column + count;) {
    int k = (int)(at % b), some = b - k;
    if (some > first_column + count - at)
      some = (int)(first_column + count - at);
    gla_array x =
        gla_array_packed (const_cast<T *> (column), job.type, n, some, 1, GLA_DEVICE_HOST);
    GLA_TRY (engine_upload (e, 0, stage, &x));
    GLA_TRY (krylov_place_columns (place, stage, block (at / b), k, some));
    column += some * n;
    at += some;
  }
  return GLA_OK;
}

// Whether it is memory of a GPU.
static bool is_on_device (const void *memory)
{
  cudaPointerAttributes a = {};
  const bool known = cudaPointerGetAttributes (&a, memory) == cudaSuccess;
  return known && a.type == cudaMemoryTypeDevice;
}

template <class T> gla_status krylov_of<T>::get (int64_t first_column, int64_t count, void *to)
{
  const bool on_device = is_on_device (to);
  T *column = static_cast<T *> (to);
  for (int64_t at = first_column; at < first_column + count;) {
    int k = (int)(at % b), some = b - k;
    if (some > first_column + count - at)
      some = (int)(first_column + count - at);
    gla_array x = gla_array_packed (column, job.type, n, some, 1, GLA_DEVICE_HOST);
    GLA_TRY (krylov_fetch_columns (place, block (at / b), on_device ? column : stage, k, some));
    GLA_TRY (on_device ? GLA_OK : engine_download (e, 0, &x, stage));
    column += some * n;
    at += some;
  }
  return GLA_OK;
}

//------------------------------------------------------------------------------
// rotation, checks
//------------------------------------------------------------------------------

template <class T> gla_status krylov_of<T>::rotate (int64_t count, const double *S_, int64_t keep)
{
  host_array<T> by_rows (count * keep);
  if (by_rows.data == nullptr)
    return GLA_ERROR_OUT_OF_MEMORY;
  real_t<T> *to = reinterpret_cast<real_t<T> *> (by_rows.data);
  for (int64_t i = 0; i < count; i++)
    for (int64_t j = 0; j < keep; j++)
      for (int w = 0; w < words; w++)
        to[(i * keep + j) * words + w] = (real_t<T>)S_[(i + j * count) * words + w];
  GLA_TRY (to_device (S, by_rows.data, (size_t)(count * keep) * sizeof (T)));
  GLA_TRY (krylov_rotate (place, V, count / b, S, keep / b, e->smem_limit));
  if (keep < count)
    GLA_TRY (copy_on_device (block (keep / b), block (count / b), (size_t)(n * b) * sizeof (T),
                             place.stream));
  return engine_throttle (e, 0); // by_rows has been read
}

// Residuals of the first `some` columns of block k: the norms of A*V - V*diag (theta), from their
// Gram matrix.
template <class T>
gla_status krylov_of<T>::check_residuals (int64_t k, int some, const double *theta_,
                                          double *residuals)
{
  double *D = host, *C = host + square ();
  memset (D, 0, (size_t)square () * sizeof (double));
  for (int c = 0; c < some; c++)
    D[(c * b + c) * words] = theta_[c];
  GLA_TRY (to_device (theta, D, (size_t)square () * sizeof (double)));
  GLA_TRY (multiply (block (k), scratch));
  GLA_TRY (krylov_update<T> (place, block (k), 1, scratch, nullptr, theta, scratch));
  GLA_TRY (krylov_project<T> (place, V, 0, scratch, nullptr, coefficients));
  GLA_TRY (from_device (C, coefficients, (size_t)square () * sizeof (double)));
  for (int c = 0; c < some; c++)
    residuals[c] = sqrt (C[(c * b + c) * words]);
  return GLA_OK;
}

// The largest entry of V'*V - I in the first `some` columns of block k and the rows up to there.
template <class T>
gla_status krylov_of<T>::check_orthogonality (int64_t k, int some, int64_t count, double *largest)
{
  double *C = host + square ();
  GLA_TRY (krylov_project<T> (place, V, k, block (k), nullptr, coefficients));
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

// Shared memory that every GPU has for a thread block, on request.
const int LEAST_SHARED = 96 << 10;

int64_t most_columns (const gla_krylov_job *job)
{
  return for_type (job->type, [&] (auto zero) {
    return krylov_most_columns<decltype (zero)> (job->block, LEAST_SHARED);
  });
}

} // namespace

// Blocks of 1, 2, 4 and 8 columns; coefficients of a step fit into shared memory.
static int job_supports (const gla_krylov_job *job)
{
  int b = job->block;
  return (b == 1 || b == 2 || b == 4 || b == 8) && job->basis <= most_columns (job) &&
         job->n < ((int64_t)1 << 38) &&
         (job->matrix == nullptr || cuda_spmv_ops.supports (job->matrix));
}

static double job_seconds (gla_engine *engine, const gla_krylov_job *job, int64_t products)
{
  double element = (double)gla_type_size (job->type), n = (double)job->n;
  double columns = job->plain ? 3 : 3 * (double)job->basis;
  double product = 1.2e-4 + n * element * columns / 3e12;
  if (job->matrix != nullptr)
    product += (double)job->matrix->entries * (4 + element * (1 + 0.5 * job->block)) / 2e12;
  else
    product += 2 * n * job->block * element / 8e9;
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
  return for_type (job->type, [&] (auto zero) { return begin_as<decltype (zero)> (e, job); });
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

// krylov_engine.cu: a Krylov basis on one GPU: memory, transfers, products, checks
// SPDX-License-Identifier: GPL-3.0-or-later

#include "carver.cuh"
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
      return GLA_OUT_OF_MEMORY;
  }
  if (host == nullptr)
    return GLA_OUT_OF_MEMORY;
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

// Waits once 30 ms of work are on their way, and asks the monitor.
template <class T> gla_status krylov_of<T>::pause (double seconds)
{
  waiting += seconds;
  if (waiting < 0.03)
    return GLA_OK;
  waiting = 0;
  return engine_throttle (e, 0);
}

template <class T> gla_status krylov_of<T>::from_device (void *to, const void *from, size_t bytes)
{
  gla_status status = engine_throttle (e, 0);
  waiting = 0;
  return status == GLA_OK ? engine_status (cudaMemcpy (to, from, bytes, cudaMemcpyDeviceToHost))
                          : status;
}

template <class T> gla_status krylov_of<T>::to_device (void *to, const void *from, size_t bytes)
{
  return engine_status (cudaMemcpyAsync (to, from, bytes, cudaMemcpyHostToDevice, place.stream));
}

template <class T> gla_status krylov_of<T>::multiply_on_host (const T *from, T *to)
{
  gla_array x = gla_array_packed (host_x, job.type, n, b, 1, GLA_HOST);
  gla_array y = gla_array_packed (host_y, job.type, n, b, 1, GLA_HOST);
  gla_status status = engine_status (krylov_fetch_columns (place, from, stage, 0, b));
  if (status == GLA_OK)
    status = engine_download (e, 0, &x, stage);
  if (status == GLA_OK)
    status = job.apply (job.user, host_x, host_y, b);
  e->monitor = job.monitor; // the function may have used this engine
  if (status == GLA_OK)
    status = engine_upload (e, 0, stage, &y);
  return status == GLA_OK ? engine_status (krylov_place_columns (place, stage, to, 0, b)) : status;
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
  gla_status status = GLA_OK;
  for (int64_t at = first_column; at < first_column + count && status == GLA_OK;) {
    int k = (int)(at % b), some = b - k;
    if (some > first_column + count - at)
      some = (int)(first_column + count - at);
    gla_array x = gla_array_packed (const_cast<T *> (column), job.type, n, some, 1, GLA_HOST);
    status = engine_upload (e, 0, stage, &x);
    if (status == GLA_OK)
      status = engine_status (krylov_place_columns (place, stage, block (at / b), k, some));
    column += some * n;
    at += some;
  }
  return status;
}

template <class T> gla_status krylov_of<T>::get (int64_t first_column, int64_t count, void *to)
{
  T *column = static_cast<T *> (to);
  gla_status status = GLA_OK;
  for (int64_t at = first_column; at < first_column + count && status == GLA_OK;) {
    int k = (int)(at % b), some = b - k;
    if (some > first_column + count - at)
      some = (int)(first_column + count - at);
    gla_array x = gla_array_packed (column, job.type, n, some, 1, GLA_HOST);
    status = engine_status (krylov_fetch_columns (place, block (at / b), stage, k, some));
    if (status == GLA_OK)
      status = engine_download (e, 0, &x, stage);
    column += some * n;
    at += some;
  }
  return status;
}

//------------------------------------------------------------------------------
// rotation, checks
//------------------------------------------------------------------------------

template <class T> gla_status krylov_of<T>::rotate (int64_t count, const double *S_, int64_t keep)
{
  T *by_rows = static_cast<T *> (malloc ((size_t)(count * keep) * sizeof (T)));
  if (by_rows == nullptr)
    return GLA_OUT_OF_MEMORY;
  real_t<T> *to = reinterpret_cast<real_t<T> *> (by_rows);
  for (int64_t i = 0; i < count; i++)
    for (int64_t j = 0; j < keep; j++)
      for (int w = 0; w < words; w++)
        to[(i * keep + j) * words + w] = (real_t<T>)S_[(i + j * count) * words + w];
  gla_status status = to_device (S, by_rows, (size_t)(count * keep) * sizeof (T));
  if (status == GLA_OK)
    status = engine_status (krylov_rotate (place, V, count / b, S, keep / b, e->smem_limit));
  if (status == GLA_OK && keep < count)
    status = engine_status (cudaMemcpyAsync (block (keep / b), block (count / b),
                                             (size_t)(n * b) * sizeof (T), cudaMemcpyDeviceToDevice,
                                             place.stream));
  if (status == GLA_OK)
    status = engine_throttle (e, 0);
  free (by_rows);
  return status;
}

// Residuals of a block: the norms of A*V - V*diag (theta), from their Gram matrix.
template <class T>
gla_status krylov_of<T>::check (int64_t count, const double *theta_, double *residuals,
                                double *orthogonality)
{
  gla_status status = GLA_OK;
  *orthogonality = 0;
  for (int64_t k = 0; k * b < count && status == GLA_OK; k++) {
    double *D = host, *C = host + square ();
    memset (D, 0, (size_t)square () * sizeof (double));
    int some = (int)(count - k * b < b ? count - k * b : b);
    for (int c = 0; c < some; c++)
      D[(c * b + c) * words] = theta_[k * b + c];
    status = to_device (theta, D, (size_t)square () * sizeof (double));
    if (status == GLA_OK)
      status = multiply (block (k), scratch);
    cudaError_t error = cudaSuccess;
    if (status == GLA_OK)
      error = krylov_update<T> (place, block (k), 1, scratch, nullptr, theta, scratch);
    if (status == GLA_OK && error == cudaSuccess)
      error = krylov_project<T> (place, V, 0, scratch, nullptr, coefficients);
    if (status == GLA_OK)
      status = engine_status (error);
    if (status == GLA_OK)
      status = from_device (C, coefficients, (size_t)square () * sizeof (double));
    for (int c = 0; c < some && status == GLA_OK; c++)
      residuals[k * b + c] = sqrt (C[(c * b + c) * words]);
    if (status == GLA_OK)
      status = engine_status (krylov_project<T> (place, V, k, block (k), nullptr, coefficients));
    if (status == GLA_OK)
      status = from_device (C, coefficients, (size_t)((k + 1) * square ()) * sizeof (double));
    for (int64_t i = 0; i < (k + 1) * b && status == GLA_OK; i++)
      for (int c = 0; c < some && i < count; c++) {
        const double *z = C + (i * b + c) * words;
        double off = hypot (z[0] - (i == k * b + c), words == 2 ? z[words - 1] : 0);
        if (!(off <= *orthogonality))
          *orthogonality = off;
      }
  }
  return status;
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
    return GLA_OUT_OF_MEMORY;
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
  switch (job->type) {
  case GLA_S:
    return krylov_most_columns<float> (job->block, LEAST_SHARED);
  case GLA_D:
    return krylov_most_columns<double> (job->block, LEAST_SHARED);
  case GLA_C:
    return krylov_most_columns<cx<float>> (job->block, LEAST_SHARED);
  default:
    return krylov_most_columns<cx<double>> (job->block, LEAST_SHARED);
  }
}

} // namespace

// Blocks of 1, 2, 4 and 8 columns; coefficients of a step fit into shared memory.
int cuda_krylov_supports (const gla_krylov_job *job)
{
  int b = job->block;
  return (b == 1 || b == 2 || b == 4 || b == 8) && job->basis <= most_columns (job) &&
         job->n < ((int64_t)1 << 38) &&
         (job->matrix == nullptr || cuda_spmv_supports (job->matrix));
}

double cuda_krylov_seconds (gla_engine *engine, const gla_krylov_job *job, int64_t products)
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

gla_status cuda_krylov_begin (gla_engine *engine, const gla_krylov_job *job)
{
  cuda_engine *e = engine_of (engine);
  cuda_krylov_end (engine);
  e->monitor = job->monitor;
  switch (job->type) {
  case GLA_S:
    return begin_as<float> (e, job);
  case GLA_D:
    return begin_as<double> (e, job);
  case GLA_C:
    return begin_as<cx<float>> (e, job);
  default:
    return begin_as<cx<double>> (e, job);
  }
}

gla_status cuda_krylov_put (gla_engine *engine, int64_t first, int64_t count, const void *from)
{
  return engine_of (engine)->krylov->put (first, count, from);
}

gla_status cuda_krylov_get (gla_engine *engine, int64_t first, int64_t count, void *to)
{
  return engine_of (engine)->krylov->get (first, count, to);
}

gla_status cuda_krylov_start (gla_engine *engine, int64_t at, int64_t given, uint64_t seed)
{
  return engine_of (engine)->krylov->start (at, given, seed);
}

gla_status cuda_krylov_expand (gla_engine *engine, int64_t from, int64_t to, double *T, int64_t ldt,
                               int64_t *replaced)
{
  return engine_of (engine)->krylov->expand (from, to, T, ldt, replaced);
}

gla_status cuda_krylov_rotate (gla_engine *engine, int64_t count, const double *S, int64_t keep)
{
  return engine_of (engine)->krylov->rotate (count, S, keep);
}

gla_status cuda_krylov_check (gla_engine *engine, int64_t count, const double *theta,
                              double *residuals, double *orthogonality)
{
  return engine_of (engine)->krylov->check (count, theta, residuals, orthogonality);
}

gla_status cuda_krylov_plain (gla_engine *engine, int64_t steps, double *alpha, double *beta,
                              int64_t *done)
{
  return engine_of (engine)->krylov->plain (steps, alpha, beta, done);
}

gla_status cuda_krylov_combine (gla_engine *engine, int64_t steps, const double *alpha,
                                const double *beta, const double *S, int64_t count)
{
  return engine_of (engine)->krylov->combine (steps, alpha, beta, S, count);
}

void cuda_krylov_end (gla_engine *engine)
{
  cuda_engine *e = engine_of (engine);
  delete e->krylov;
  e->krylov = nullptr;
}

// lanczos_pieces.cu: common steps of the methods on a Krylov basis: transfers, products, sums
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/runtime.cuh"
#include "common/work_limits.cuh"
#include "lanczos_state.cuh"

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
  return wait ();
}

template <class T> gla_status krylov_of<T>::wait ()
{
  return engine_throttle (e, 0);
}

template <class T> gla_status krylov_of<T>::from_device (void *to, const void *from, size_t bytes)
{
  GLA_TRY (wait ());
  waiting = 0;
  return engine_status (cudaMemcpy (to, from, bytes, cudaMemcpyDeviceToHost));
}

template <class T> gla_status krylov_of<T>::read_flags (krylov_flags *flags)
{
  return from_device (flags, place.flags, sizeof *flags);
}

template <class T> gla_status krylov_of<T>::to_device (void *to, const void *from, size_t bytes)
{
  return copy_to_device (to, from, bytes, place.stream);
}

template <class T> gla_status krylov_of<T>::product_on_host (const T *from, T *to)
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

template <class T> gla_status krylov_of<T>::product (const T *from, T *to)
{
  if (job.sparse == nullptr)
    return product_on_host (from, to);
  return engine_status (
      spmv_multiply (*spmv_matrix_of (job.sparse), job.conjugate != 0, from, to, b, place.stream));
}

// Copies the rows that are here of columns that are `stride` apart.
template <class T>
gla_status krylov_of<T>::put_rows (int64_t first_column, int64_t count, const T *column,
                                   int64_t stride)
{
  for (int64_t at = first_column; at < first_column + count;) {
    int k = (int)(at % b), some = b - k;
    if (some > first_column + count - at)
      some = (int)(first_column + count - at);
    gla_array x =
        gla_array_packed (const_cast<T *> (column), job.type, n, some, 1, GLA_DEVICE_HOST);
    x.column_stride = stride;
    GLA_TRY (engine_upload (e, 0, stage, &x));
    GLA_TRY (krylov_place_columns (place, stage, block (at / b), k, some));
    column += some * stride;
    at += some;
  }
  return GLA_OK;
}

template <class T>
gla_status krylov_of<T>::put (int64_t first_column, int64_t count, const void *from)
{
  return put_rows (first_column, count, static_cast<const T *> (from), n);
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
    const gla_array x = gla_array_packed (column, job.type, n, some, 1, GLA_DEVICE_HOST);
    GLA_TRY (krylov_fetch_columns (place, block (at / b), on_device ? column : stage, k, some));
    GLA_TRY (on_device ? GLA_OK : engine_download (e, 0, &x, stage));
    column += some * n;
    at += some;
  }
  return GLA_OK;
}

//------------------------------------------------------------------------------
// pieces that several GPUs do together
//------------------------------------------------------------------------------

template <class T> gla_status krylov_of<T>::multiply (int64_t from, int64_t to)
{
  return product (vector (from), vector (to));
}

template <class T>
gla_status krylov_of<T>::project (int64_t count, int64_t W, const double *factor, double *C)
{
  return engine_status (krylov_project<T> (place, V, count, vector (W), factor, C));
}

template <class T>
gla_status krylov_of<T>::update (int64_t from, int64_t count, int64_t W, const double *factor,
                                 const double *C)
{
  return engine_status (krylov_update<T> (place, block (from), count, vector (W), factor, C, {}));
}

template <class T> gla_status krylov_of<T>::multiply_next (int64_t c, const double **factor)
{
  *factor = nullptr;
  return multiply (c - 1, c);
}

template <class T>
gla_status krylov_of<T>::update_last (int64_t c, const double *M_, const double *C, const double *)
{
  return update (0, c, c, M_, C);
}

template <class T>
gla_status krylov_of<T>::triangle (const double *G, const double *products, double *R,
                                   double *inverse, int step)
{
  return engine_status (krylov_triangle<T> (place, G, products, R, inverse, step));
}

template <class T> gla_status krylov_of<T>::random_column (int64_t c, int k, uint64_t column_seed)
{
  return engine_status (krylov_random_column (place, block (c), k, column_seed, c * b + k));
}

template <class T> gla_status krylov_of<T>::turn (int64_t count, int64_t keep)
{
  GLA_TRY (krylov_rotate (place, V, count / b, S, keep / b, e->smem_limit));
  if (keep == count)
    return GLA_OK;
  return copy_on_device (block (keep / b), block (count / b), (size_t)(n * b) * sizeof (T),
                         place.stream);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template gla_status krylov_of<T>::pause (double);                                                \
  template gla_status krylov_of<T>::wait ();                                                       \
  template gla_status krylov_of<T>::from_device (void *, const void *, size_t);                    \
  template gla_status krylov_of<T>::read_flags (krylov_flags *);                                   \
  template gla_status krylov_of<T>::to_device (void *, const void *, size_t);                      \
  template gla_status krylov_of<T>::product (const T *, T *);                                      \
  template gla_status krylov_of<T>::put_rows (int64_t, int64_t, const T *, int64_t);               \
  template gla_status krylov_of<T>::put (int64_t, int64_t, const void *);                          \
  template gla_status krylov_of<T>::get (int64_t, int64_t, void *);                                \
  template gla_status krylov_of<T>::multiply (int64_t, int64_t);                                   \
  template gla_status krylov_of<T>::project (int64_t, int64_t, const double *, double *);          \
  template gla_status krylov_of<T>::update (int64_t, int64_t, int64_t, const double *,             \
                                            const double *);                                       \
  template gla_status krylov_of<T>::multiply_next (int64_t, const double **);                      \
  template gla_status krylov_of<T>::update_last (int64_t, const double *, const double *,          \
                                                 const double *);                                  \
  template gla_status krylov_of<T>::triangle (const double *, const double *, double *, double *,  \
                                              int);                                                \
  template gla_status krylov_of<T>::random_column (int64_t, int, uint64_t);                        \
  template gla_status krylov_of<T>::turn (int64_t, int64_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)

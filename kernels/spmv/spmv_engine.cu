// spmv_engine.cu: sparse matrices on one GPU: their copies, and products with host arrays
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/pages.cuh"
#include "common/for_type.cuh"
#include "engine/engine.cuh"
#include "engine/memory.cuh"
#include "spmv/job.h"
#include "spmv.cuh"

#include <cmath>
#include <cstdlib>

gla_status spmv_take (cuda_engine *e, void **memory, size_t bytes)
{
  cudaError_t error = memory_take_copy (e->base.device, memory, bytes);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError ();
    engine_release (e);
    error = memory_take_copy (e->base.device, memory, bytes);
  }
  return engine_status (error);
}

namespace
{

enum { PAD = 16 }; // entries after the last, read and not used

//------------------------------------------------------------------------------
// memory and transfers
//------------------------------------------------------------------------------

// Sends `bytes` (a multiple of 4) from the host, as an array of 4-byte elements.
gla_status send (cuda_engine *e, void *to, const void *from, int64_t bytes)
{
  if (bytes == 0)
    return GLA_OK;
  gla_array a =
      gla_array_packed (const_cast<void *> (from), GLA_TYPE_S, bytes / 4, 1, 1, GLA_DEVICE_HOST);
  return engine_upload (e, 0, to, &a);
}

// Stores these bytes in new device memory, and `pad` zero bytes after them.
template <class P>
gla_status store (cuda_engine *e, P **to, const void *from, int64_t bytes, int64_t pad)
{
  GLA_TRY (spmv_take (e, reinterpret_cast<void **> (to), (size_t)(bytes + pad)));
  char *device = reinterpret_cast<char *> (*to);
  GLA_TRY (cudaMemsetAsync (device + bytes, 0, (size_t)pad, e->slots[0].stream));
  return send (e, device, from, bytes / 4 * 4);
}

// Converts 64-bit integers to 32-bit ones; a thread has one.
__global__ void narrow_kernel (const int64_t *from, uint32_t *to, int64_t count)
{
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < count)
    to[i] = (uint32_t)from[i];
}

// Sends 64-bit columns through the arena, some millions at a time.
gla_status store_columns (cuda_engine *e, gpu_sparse *M, const gla_csr *csr)
{
  if (csr->index_bytes == 4)
    return store (e, &M->column, csr->index, M->entries * 4, PAD * 4);
  const int64_t piece = (int64_t)1 << 22;
  const int64_t *from = static_cast<const int64_t *> (csr->index);
  cudaStream_t stream = e->slots[0].stream;
  GLA_TRY (engine_reserve (e, 0, (size_t)piece * 8));
  GLA_TRY (spmv_take (e, reinterpret_cast<void **> (&M->column), (size_t)(M->entries + PAD) * 4));
  GLA_TRY (engine_reserve (e, 0, (size_t)piece * 8)); // spmv_take may have released it
  GLA_TRY (cudaMemsetAsync (M->column + M->entries, 0, PAD * 4, stream));
  for (int64_t at = 0; at < M->entries; at += piece) {
    int64_t count = M->entries - at < piece ? M->entries - at : piece;
    GLA_TRY (send (e, e->slots[0].memory, from + at, count * 8));
    narrow_kernel<<<(unsigned)((count + 255) / 256), 256, 0, stream>>> (
        reinterpret_cast<const int64_t *> (e->slots[0].memory), M->column + at, count);
    GLA_TRY (cudaGetLastError ());
  }
  return GLA_OK;
}

//------------------------------------------------------------------------------
// preparation
//------------------------------------------------------------------------------

// Copies the tiles to the device, and takes memory for the sums of long rows.
gla_status store_packing (cuda_engine *e, gpu_sparse *M, const spmv_packing &p)
{
  M->tile_count = p.tile_count;
  M->long_rows = p.long_rows;
  M->parts = p.parts;
  size_t element = gla_type_size (M->type);
  GLA_TRY (store (e, &M->tiles, p.tiles, p.tile_count * (int64_t)sizeof (spmv_tile), 16));
  GLA_TRY (store (e, &M->ends, p.ends, (M->rows + 1) / 2 * 4, 16));
  GLA_TRY (store (e, &M->longs, p.longs, p.long_rows * (int64_t)sizeof (spmv_long_row), 16));
  GLA_TRY (store (e, &M->part_long, p.part_long, p.parts * 4, 16));
  GLA_TRY (store (e, &M->arrived, nullptr, 0, p.long_rows * 4 + 16));
  return spmv_take (e, &M->part_sums, (size_t)p.parts * SPMV_VECTORS * element + 16);
}

// Makes the tiles of the balanced product. Small tiles suit short rows, because they leave more of
// the cache to x. But as long as a multiprocessor, which holds 64 warps, can have all its tiles at
// once, large tiles take one round.
gla_status store_tiles (cuda_engine *e, gpu_sparse *M, const gla_csr *csr)
{
  bool one_round = M->entries < (int64_t)250 * 64 * e->multiprocessors;
  M->capacity = M->entries <= 16 * M->rows && !one_round ? 128 : 256;
  spmv_packing p;
  GLA_TRY (spmv_pack (csr, M->capacity, &p));
  gla_status status = store_packing (e, M, p);
  spmv_unpack (&p);
  return status;
}

int lanes_of (const gpu_sparse *M)
{
  if (M->method == GLA_SPMV_METHOD_SCALAR)
    return 1;
  if (M->method == GLA_SPMV_METHOD_VECTOR)
    return 32;
  int lanes = 2;
  while (lanes < 32 && lanes * M->rows < M->entries)
    lanes *= 2;
  return lanes;
}

gla_status store_matrix (cuda_engine *e, gpu_sparse *M, const gla_csr *csr, bool several)
{
  int64_t element = (int64_t)gla_type_size (M->type);
  GLA_TRY (store_columns (e, M, csr));
  if (!M->pattern)
    GLA_TRY (store (e, &M->values, csr->values, M->entries * element, PAD * element));
  if (M->method == GLA_SPMV_METHOD_BALANCED) {
    GLA_TRY (store_tiles (e, M, csr));
    return several ? GLA_OK : spmv_find_hubs (e, M, csr); // hubs are for one vector
  }
  M->lanes = lanes_of (M);
  M->start_bytes = csr->index_bytes;
  return store (e, &M->start, csr->start, (M->rows + 1) * csr->index_bytes, 16);
}

//------------------------------------------------------------------------------
// products
//------------------------------------------------------------------------------

// Device arrays of a product with up to SPMV_VECTORS vectors.
template <class T> struct product_memory {
  T *columns; // of x or y, contiguous
  T *x, *y;   // vectors side by side
  product_memory (const gpu_sparse &M, int64_t vectors, carver &c)
  {
    int64_t most = M.rows > M.columns ? M.rows : M.columns;
    columns = c.take<T> (most * vectors);
    x = c.take<T> (M.columns * vectors);
    y = c.take<T> (M.rows * vectors);
  }
};

gla_array some_columns (const gla_array &a, int64_t first, int64_t count)
{
  gla_array part = a;
  part.data =
      static_cast<char *> (a.data) + first * a.column_stride * (int64_t)gla_type_size (a.type);
  part.columns = count;
  return part;
}

// Multiplies columns first .. first+b-1.
template <class T>
gla_status multiply_some (cuda_engine *e, const gpu_sparse &M, const gla_spmv_job *job,
                          int64_t first, int b, const product_memory<T> &memory)
{
  cudaStream_t stream = e->slots[0].stream;
  gla_array x = some_columns (job->x, first, b), y = some_columns (job->y, first, b);
  const T *from = static_cast<const T *> (x.data);
  T *to = static_cast<T *> (y.data);
  int64_t x_stride = x.column_stride, y_stride = y.column_stride;
  if (!job->device_arrays) {
    GLA_TRY (engine_upload (e, 0, memory.columns, &x));
    from = memory.columns;
    to = memory.columns;
    x_stride = M.columns;
    y_stride = M.rows;
  }
  if (b > 1)
    GLA_TRY (spmv_interleave (from, x_stride, memory.x, M.columns, b, stream));
  GLA_TRY (spmv_multiply (M, job->conjugate != 0, b > 1 ? memory.x : from,
                          b > 1 || !job->device_arrays ? memory.y : to, b, stream));
  if (b > 1)
    GLA_TRY (spmv_separate (memory.y, to, y_stride, M.rows, b, stream));
  if (!job->device_arrays)
    GLA_TRY (engine_download (e, 0, &y, b > 1 ? memory.columns : memory.y));
  return GLA_OK;
}

template <class T>
gla_status multiply (cuda_engine *e, const gpu_sparse &M, const gla_spmv_job *job)
{
  int64_t vectors = job->x.columns, at = 0;
  if (M.rows == 0 || vectors == 0)
    return GLA_OK;
  carver counting = {nullptr, 0};
  int64_t most = vectors < SPMV_VECTORS ? vectors : SPMV_VECTORS;
  product_memory<T> unused (M, most, counting);
  GLA_TRY (job->device_arrays && vectors == 1 ? GLA_OK : engine_reserve (e, 0, counting.used));
  carver c = {e->slots[0].memory, 0};
  product_memory<T> memory (M, most, c);
  while (at < vectors) {
    int b = SPMV_VECTORS;
    while (b > vectors - at)
      b /= 2;
    GLA_TRY (multiply_some (e, M, job, at, b, memory));
    if (job->monitor.poll (job->monitor.user, 0))
      return GLA_ERROR_STOPPED;
    at += b;
  }
  return engine_throttle (e, 0);
}

} // namespace

//------------------------------------------------------------------------------
// the backend's functions
//------------------------------------------------------------------------------

const gpu_sparse *spmv_matrix_of (const void *prepared)
{
  return static_cast<const gpu_sparse *> (prepared);
}

// Rows and columns are counted in 32 bits on the device.
static int spmv_supports (const gla_spmv_matrix *M)
{
  const int64_t most = 0xffffffff;
  return M->csr.rows < most && M->csr.columns < most && M->entries / 128 < ((int64_t)1 << 30);
}

static double spmv_seconds (gla_engine *, const gla_spmv_matrix *M, const void *prepared,
                            int64_t columns)
{
  const double link = 12e9, memory = 2.5e12;
  double element = (double)gla_type_size (M->csr.type);
  double bytes = (double)M->entries * (4 + (M->pattern ? 0 : element));
  double vectors = element * columns * (double)(M->csr.rows + M->csr.columns);
  double seconds = 5e-5 + vectors / link + (double)(columns + 3) / 4 * (bytes + vectors) / memory;
  if (prepared == nullptr)
    seconds += 1e-3 + (bytes + (double)M->entries * (M->csr.index_bytes - 4)) / link +
               4e-9 * (double)M->csr.rows;
  return seconds;
}

static void spmv_free (gla_engine *engine, void *prepared)
{
  if (prepared == nullptr)
    return;
  if (engine != nullptr)
    engine_drain (engine_of (engine));
  gpu_sparse *M = static_cast<gpu_sparse *> (prepared);
  for (void *memory : {(void *)M->column, M->values, M->start, (void *)M->tiles, (void *)M->ends,
                       (void *)M->longs, (void *)M->part_long, (void *)M->arrived, M->part_sums,
                       (void *)M->coded, (void *)M->hub_column, M->hub_x})
    memory_free_copy (memory);
  cudaGetLastError ();
  free (M);
}

static gla_status spmv_prepare (gla_engine *engine, const gla_spmv_matrix *matrix,
                                const gla_monitor *monitor, void **prepared)
{
  cuda_engine *e = engine_of (engine);
  *prepared = nullptr;
  gpu_sparse *M = static_cast<gpu_sparse *> (calloc (1, sizeof *M));
  if (M == nullptr)
    return GLA_ERROR_OUT_OF_MEMORY;
  M->type = matrix->csr.type;
  M->method = matrix->method == GLA_SPMV_METHOD_AUTO ? GLA_SPMV_METHOD_BALANCED : matrix->method;
  M->rows = matrix->csr.rows;
  M->columns = matrix->csr.columns;
  M->entries = matrix->entries;
  M->value[0] = matrix->value[0];
  M->value[1] = matrix->value[1];
  // NaN and Inf must not reach rows without entries
  M->pattern = matrix->pattern && (matrix->csr.values == nullptr ||
                                   (std::isfinite (M->value[0]) && std::isfinite (M->value[1])));
  e->monitor = *monitor;
  gla_status status = store_matrix (e, M, &matrix->csr, matrix->several != 0);
  if (status == GLA_OK)
    status = engine_throttle (e, 0);
  if (status != GLA_OK) {
    spmv_free (engine, M);
    return status;
  }
  *prepared = M;
  return GLA_OK;
}

static gla_status spmv_product (gla_engine *engine, void *prepared, const gla_spmv_job *job)
{
  cuda_engine *e = engine_of (engine);
  const gpu_sparse &M = *static_cast<const gpu_sparse *> (prepared);
  e->monitor = job->monitor;
  gla_status status =
      for_type (M.type, [&] (auto zero) { return multiply<decltype (zero)> (e, M, job); });
  if (status != GLA_OK)
    engine_drain (e);
  return status;
}

extern "C" const gla_spmv_ops cuda_spmv_ops = {
    .supports = spmv_supports,
    .seconds = spmv_seconds,
    .transposes = 0, // the caller gives the other orientation
    .prepare = spmv_prepare,
    .product = spmv_product,
    .free = spmv_free,
};

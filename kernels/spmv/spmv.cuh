// spmv.cuh: sparse matrices on a GPU and their products
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The matrix is stored by rows, with 32-bit columns whatever the caller's integers are. For the
// balanced product its rows are packed once into tiles, pieces of at most `capacity` entries that
// one warp multiplies: a tile holds consecutive whole rows, or a part of one long row. 16-bit ends
// of the rows within their tile replace the row starts, so that a pattern costs 4 bytes per
// entry and 2 per row beside the vectors.

#ifndef GPULINALG_SPMV_CUH
#define GPULINALG_SPMV_CUH

#include <cuda_runtime.h>
#include "gpulinalg.h"
#include "common/scalar.cuh"
#include "common/sparse_product.cuh"

enum { SPMV_VECTORS = 8 }; // most vectors of one product

struct alignas (16) spmv_tile {
  int64_t start;  // first entry
  uint32_t row;   // first row; where rows is 0: number of the part of a long row
  uint16_t count; // entries
  uint16_t rows;  // whole rows; 0: a part of a long row
};

struct spmv_long_row {
  uint32_t row, first, parts; // the sums of the parts are at first .. first+parts-1
};

struct gpu_sparse {
  gla_type type;
  gla_spmv_method method; // never GLA_SPMV_METHOD_AUTO
  int64_t rows, columns, entries;
  bool pattern;
  double value[2];      // of a pattern
  uint32_t *column;     // padded, so that whole vectors can be read at both ends of a tile
  void *values;         // likewise; NULL for a pattern
  void *start;          // rows+1, for all methods but the balanced one
  int start_bytes;      // 4 or 8
  int lanes;            // threads of a row, for all methods but the balanced one
  spmv_tile *tiles;     // of the balanced product
  uint16_t *ends;       // of the rows in their tile, counted in entries
  int64_t tile_count;   //
  int capacity;         // entries of a tile: 128 or 256
  spmv_long_row *longs; // rows that are cut
  uint32_t *part_long;  // to which of them a part belongs
  unsigned *arrived;    // parts that are summed, by long row; 0 between products
  void *part_sums;      // SPMV_VECTORS each
  int64_t long_rows, parts;
  uint32_t *coded;      // columns where hubs are kept close (spmv_hubs.cuh), or NULL
  uint32_t *hub_column; // of every slot
  void *hub_x;          // x at the hubs, gathered by every product
  int hubs, hub_blocks; // slots; multiprocessors
};

// The product by each of the ways to distribute the work (spmv_rows.cu, spmv_tiles.cu,
// spmv_hubs.cu).
template <class T>
cudaError_t spmv_by_rows (const gpu_sparse &M, bool conjugate, const T *x, T *y, int b,
                          cudaStream_t stream);
template <class T>
cudaError_t spmv_by_tiles (const gpu_sparse &M, bool conjugate, const T *x, T *y, int b,
                           cudaStream_t stream);
template <class T>
cudaError_t spmv_by_hubs (const gpu_sparse &M, bool conjugate, const T *x, T *y,
                          cudaStream_t stream);

// rows x b from the layout of gla_array (columns `stride` apart) to vectors side by side, and back.
template <class T>
cudaError_t spmv_interleave (const T *from, int64_t stride, T *to, int64_t rows, int b,
                             cudaStream_t stream);
template <class T>
cudaError_t spmv_separate (const T *from, T *to, int64_t stride, int64_t rows, int b,
                           cudaStream_t stream);

//------------------------------------------------------------------------------
// pieces that the kernels share
//------------------------------------------------------------------------------

template <class R> GLA_DEVICE R conj_if (R a, bool)
{
  return a;
}
template <class R> GLA_DEVICE cx<R> conj_if (cx<R> a, bool conjugate)
{
  return {a.x, conjugate ? -a.y : a.y};
}

// Reads that the first-level cache may keep.
GLA_DEVICE float cached_load (const float *from)
{
  return __ldg (from);
}
GLA_DEVICE double cached_load (const double *from)
{
  return __ldg (from);
}
GLA_DEVICE cx<float> cached_load (const cx<float> *from)
{
  float2 a = __ldg (reinterpret_cast<const float2 *> (from));
  return {a.x, a.y};
}
GLA_DEVICE cx<double> cached_load (const cx<double> *from)
{
  double2 a = __ldg (reinterpret_cast<const double2 *> (from));
  return {a.x, a.y};
}

// What a pattern's sums are multiplied by.
template <class T> struct spmv_scalar {
  double re, im;
  GLA_DEVICE T of () const;
};
template <> GLA_DEVICE float spmv_scalar<float>::of () const
{
  return (float)re;
}
template <> GLA_DEVICE double spmv_scalar<double>::of () const
{
  return re;
}
template <> GLA_DEVICE cx<float> spmv_scalar<cx<float>>::of () const
{
  return {(float)re, (float)im};
}
template <> GLA_DEVICE cx<double> spmv_scalar<cx<double>>::of () const
{
  return {re, im};
}

template <class T> spmv_scalar<T> spmv_scalar_of (const gpu_sparse &M, bool conjugate)
{
  return {M.value[0], conjugate ? -M.value[1] : M.value[1]};
}

#endif

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

#include "common/scalar.cuh"
#include "common/sparse_product.cuh"
#include "engine/engine.cuh"
#include "gpulinalg.h"

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
  uint32_t *coded;      // columns where hubs are kept close (below), or NULL
  uint32_t *hub_column; // of every slot
  void *hub_x;          // x at the hubs, gathered by every product
  int hubs, hub_blocks; // slots; multiprocessors
};

// Multiply by each of the ways to distribute the work (spmv_rows.cu, spmv_tiles.cu, spmv_hubs.cu).
template <class T>
cudaError_t spmv_by_rows (const gpu_sparse &M, bool conjugate, const T *x, T *y, int b,
                          cudaStream_t stream);
template <class T>
cudaError_t spmv_by_tiles (const gpu_sparse &M, bool conjugate, const T *x, T *y, int b,
                           cudaStream_t stream);
template <class T>
cudaError_t spmv_by_hubs (const gpu_sparse &M, bool conjugate, const T *x, T *y,
                          cudaStream_t stream);

// Copies rows x b from the layout of gla_array (columns `stride` apart) to vectors side by side,
// and back.
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

// Reads what the first-level cache may keep.
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

// The factor of a pattern's sums.
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

//------------------------------------------------------------------------------
// columns with many entries, kept in shared memory
//------------------------------------------------------------------------------

// An entry of a graph fetches a number of x from the second-level cache, which serves one fetch per
// slice and clock; this takes most of the time. Hubs (dense columns) are fetched most often. So x
// at the hubs is gathered before every product, and each multiprocessor has a copy. In the coded
// columns of such a matrix an entry in a hub is SPMV_HUB + its slot, any other its column.

static const uint32_t SPMV_HUB = 0x80000000u;

// Returns the slots that fit into `bytes` of shared memory beside what the product needs, and
// allows its kernel that much. `bytes` is always the same, because the kernel serves other matrices
// too.
int spmv_hub_slots (const gpu_sparse &M, int bytes);
cudaError_t spmv_allow_hubs (const gpu_sparse &M, int bytes);

// Takes device memory that stays until spmv_free; frees arenas if memory is short.
gla_status spmv_take (cuda_engine *e, void **memory, size_t bytes);

// Gives slots to columns that are hubs if that makes products faster. M, whose tiles are on the
// device, stays as it is if it does not, or if memory is short.
gla_status spmv_find_hubs (cuda_engine *e, gpu_sparse *M, const gla_csr *csr);

//------------------------------------------------------------------------------
// the tiles of a sparse matrix
//------------------------------------------------------------------------------

// What the balanced product needs beside the matrix, on the host; spmv.cuh says what the members
// are. Freed by spmv_unpack.
struct spmv_packing {
  spmv_tile *tiles;
  uint16_t *ends;
  spmv_long_row *longs;
  uint32_t *part_long;
  int64_t tile_count, long_rows, parts;
};

// Takes rows in order, as many as fit into a tile of `capacity` entries. Rows that are longer are
// cut; their parts come first, so that the longest work starts first.
gla_status spmv_pack (const gla_csr *csr, int capacity, spmv_packing *p);
void spmv_unpack (spmv_packing *p);

#endif

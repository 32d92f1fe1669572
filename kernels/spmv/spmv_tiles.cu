// spmv_tiles.cu: sparse products with equally many entries for every warp
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Short rows are packed as in CSR-stream (Greathouse, Daga 2014), but with a warp instead of a
// block for each piece, so that there are no barriers; long rows are cut. Columns and values are
// read once, in vectors, and not cached in the first level, which is left to x.

#include "spmv_tiles.cuh"

namespace
{

enum { WARPS = 8 };

//------------------------------------------------------------------------------
// one vector
//------------------------------------------------------------------------------

// Stores the products of all entries of the tile in shared memory: each lane has V neighbouring
// entries at a time, K in all, and issues all its reads of x together.
template <class T, int K, bool PATTERN>
GLA_DEVICE void stage_products (const tile_arrays &a, int64_t first, int top, bool conjugate,
                                const T *x, T *products)
{
  constexpr int V = PATTERN ? 4 : (int)(16 / sizeof (T));
  const int lane = threadIdx.x % 32;
  columns_of<V> c[K / V];
  values_of<T, V> v[PATTERN ? 1 : K / V];
#pragma unroll
  for (int k = 0; k < K / V; k++) {
    int piece = lane + 32 * k;
    c[k] = {};
    if (!PATTERN)
      v[PATTERN ? 0 : k] = {};
    if (V * piece < top) {
      c[k] = stream_load (reinterpret_cast<const columns_of<V> *> (a.column + first) + piece);
      if (!PATTERN)
        v[PATTERN ? 0 : k] = stream_load (
            reinterpret_cast<const values_of<T, V> *> (static_cast<const T *> (a.values) + first) +
            piece);
    }
  }
#pragma unroll
  for (int k = 0; k < K / V; k++) {
    values_of<T, V> product;
#pragma unroll
    for (int j = 0; j < V; j++) { // beyond the tile, x(0) is read and not used
      T element = cached_load (x + c[k].at[j]);
      product.at[j] = PATTERN ? element : conj_if (v[PATTERN ? 0 : k].at[j], conjugate) * element;
    }
    reinterpret_cast<values_of<T, V> *> (products)[lane + 32 * k] = product;
  }
  __syncwarp ();
}

// A warp has a tile of at most 32*K - 3 entries. It stores the products to shared memory, from
// which each lane then sums a row.
template <class T, int K, bool PATTERN>
__global__ void __launch_bounds__ (32 * WARPS)
    tiles_kernel (tile_arrays a, spmv_scalar<T> scalar, bool conjugate, const T *x, T *y)
{
  __shared__ __align__ (64) unsigned char memory[WARPS][32 * K * sizeof (T)];
  const int64_t at = blockIdx.x * (int64_t)WARPS + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (at >= a.tile_count)
    return;
  T *products = reinterpret_cast<T *> (memory[threadIdx.x / 32]);
  spmv_tile tile = load_tile (a.tiles + at);
  int end = lane < tile.rows ? a.ends[tile.row + lane] : 0;
  int shift = (int)(tile.start & 3);
  stage_products<T, K, PATTERN> (a, tile.start - shift, tile.count + shift, conjugate, x, products);
  products += shift;
  sum_tile<T, PATTERN> (a, tile, products, end, PATTERN ? scalar.of () : from_real<T> (1), y);
}

//------------------------------------------------------------------------------
// several vectors
//------------------------------------------------------------------------------

// E neighbouring elements of a row of x.
template <class T, int E> struct alignas (sizeof (T) * E) elements_of {
  T at[E];
};

// Sums rows `column[k]` of x (its elements of this lane) times the values, for k, k+step, .. < end.
template <class T, int B, int E, bool PATTERN>
GLA_DEVICE elements_of<T, E> sum_entries (const uint32_t *column, const T *values, const T *x,
                                          int k, int end, int step, bool conjugate)
{
  elements_of<T, E> sum = {};
  for (; k < end; k += 4 * step) {
    elements_of<T, E> element[4];
#pragma unroll
    for (int u = 0; u < 4; u++)
      if (k + u * step < end)
        element[u] =
            *reinterpret_cast<const elements_of<T, E> *> (x + (int64_t)column[k + u * step] * B);
#pragma unroll
    for (int u = 0; u < 4; u++)
      if (k + u * step < end) {
        T value = PATTERN ? T{} : conj_if (values[PATTERN ? 0 : k + u * step], conjugate);
#pragma unroll
        for (int e = 0; e < E; e++)
          sum.at[e] =
              PATTERN ? sum.at[e] + element[u].at[e] : madd (value, element[u].at[e], sum.at[e]);
      }
  }
  return sum;
}

// Copies columns and values of a tile to shared memory.
template <class T, int K, bool PATTERN>
GLA_DEVICE void stage_entries (const tile_arrays &a, int64_t first, int top, uint32_t *column,
                               T *values)
{
  constexpr int V = (int)(16 / sizeof (T));
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int piece = lane; piece < 8 * K; piece += 32)
    if (4 * piece < top)
      reinterpret_cast<uint4 *> (column)[piece] =
          stream_load (reinterpret_cast<const uint4 *> (a.column + first) + piece);
  if (!PATTERN)
#pragma unroll
    for (int piece = lane; piece < 32 * K / V; piece += 32)
      if (V * piece < top)
        reinterpret_cast<uint4 *> (values)[piece] = stream_load (
            reinterpret_cast<const uint4 *> (static_cast<const T *> (a.values) + first) + piece);
  __syncwarp ();
}

// Copies columns and values of tile `at` to shared memory; then a group of lanes together reads one
// row of x, up to 16 bytes a lane, so that whole sectors are used. For long rows 2 or more such
// groups share one and add their sums pairwise.
template <class T, int K, bool PATTERN, int B>
GLA_DEVICE void multiply_tile (const tile_arrays &a, int64_t at, spmv_scalar<T> scalar,
                               bool conjugate, const T *x, T *y)
{
  constexpr int E = 16 / sizeof (T) < B ? (int)(16 / sizeof (T)) : B, GROUPS = 32 / (B / E);
  __shared__ __align__ (16) uint32_t columns[WARPS][32 * K];
  __shared__ __align__ (
      16) unsigned char memory[PATTERN ? 1 : WARPS][PATTERN ? 16 : 32 * K * sizeof (T)];
  const int lane = threadIdx.x % 32, vector = lane % (B / E) * E, group = lane / (B / E);
  if (at >= a.tile_count)
    return;
  uint32_t *column = columns[threadIdx.x / 32];
  T *values = reinterpret_cast<T *> (memory[PATTERN ? 0 : threadIdx.x / 32]);
  spmv_tile tile = load_tile (a.tiles + at);
  int shift = (int)(tile.start & 3);
  stage_entries<T, K, PATTERN> (a, tile.start - shift, tile.count + shift, column, values);
  column += shift;
  values += PATTERN ? 0 : shift;
  T factor = PATTERN ? scalar.of () : from_real<T> (1);
  int rows = tile.rows == 0 ? 1 : tile.rows, sharing = 1;
  while (sharing < GROUPS && (tile.count >= 16 * sharing * rows || rows * sharing < GROUPS))
    sharing *= 2;
  int sub = group % sharing;
  for (int row0 = 0; row0 < rows; row0 += GROUPS / sharing) {
    int row = row0 + group / sharing, begin = 0, end = 0;
    if (tile.rows == 0)
      end = row == 0 ? tile.count : 0;
    else if (row < rows) {
      end = a.ends[tile.row + row];
      begin = row > 0 ? a.ends[tile.row + row - 1] : 0;
    }
    elements_of<T, E> sum = sum_entries<T, B, E, PATTERN> (column, values, x + vector, begin + sub,
                                                           end, sharing, conjugate);
    for (int mask = sharing / 2; mask > 0; mask /= 2)
#pragma unroll
      for (int e = 0; e < E; e++)
        sum.at[e] = sum.at[e] + shuffle_xor (sum.at[e], mask * (B / E));
    if (row >= rows || sub != 0)
      continue;
    if (PATTERN && tile.rows != 0)
#pragma unroll
      for (int e = 0; e < E; e++)
        sum.at[e] = factor * sum.at[e];
    T *to = tile.rows == 0 ? static_cast<T *> (a.part_sums) + (int64_t)tile.row * B
                           : y + (int64_t)(tile.row + row) * B;
    *reinterpret_cast<elements_of<T, E> *> (to + vector) = sum;
  }
  if (tile.rows == 0) {
    __threadfence ();
    finish_long_row<T> (a, tile.row, B, factor, y);
  }
}

// A warp has a tile.
template <class T, int K, bool PATTERN, int B>
__global__ void __launch_bounds__ (32 * WARPS)
    block_kernel (tile_arrays a, spmv_scalar<T> scalar, bool conjugate, const T *x, T *y)
{
  const int64_t at = blockIdx.x * (int64_t)WARPS + threadIdx.x / 32;
  multiply_tile<T, K, PATTERN, B> (a, at, scalar, conjugate, x, y);
}

// Parts of a matrix in one launch: part k has the thread blocks from first[k] on.
template <class T> struct tile_parts {
  unsigned first[SPMV_PARTS + 1];
  tile_arrays tiles[SPMV_PARTS];
  T *y[SPMV_PARTS];
};

// A warp has a tile; thread blocks have the tiles of one part after those of another.
template <class T, int K, bool PATTERN, int B>
__global__ void __launch_bounds__ (32 * WARPS)
    parts_kernel (const tile_parts<T> parts, spmv_scalar<T> scalar, bool conjugate, const T *x)
{
  int k = 0;
  while (blockIdx.x >= parts.first[k + 1])
    k++;
  const int64_t at = (blockIdx.x - parts.first[k]) * (int64_t)WARPS + threadIdx.x / 32;
  multiply_tile<T, K, PATTERN, B> (parts.tiles[k], at, scalar, conjugate, x, parts.y[k]);
}

//------------------------------------------------------------------------------
// launches
//------------------------------------------------------------------------------

// The product: parts with tiles of one size, times b vectors.
template <class T> struct product_of {
  const spmv_parts<T> *parts;
  int first, end;
  bool conjugate;
  const T *x;
  int b;
  cudaStream_t stream;
};

unsigned blocks_of (const gpu_sparse &M)
{
  return (unsigned)((M.tile_count + WARPS - 1) / WARPS);
}

template <class T, int K, bool PATTERN, int B> void launch_parts (const product_of<T> &p)
{
  const gpu_sparse &M = *p.parts->of[p.first].M;
  const spmv_scalar<T> scalar = spmv_scalar_of<T> (M, p.conjugate);
  if (p.end == p.first + 1) {
    block_kernel<T, K, PATTERN, B><<<blocks_of (M), 32 * WARPS, 0, p.stream>>> (
        tile_arrays_of (M), scalar, p.conjugate, p.x, p.parts->of[p.first].y);
    return;
  }
  tile_parts<T> tiles = {};
  for (int k = p.first; k < p.end; k++) {
    tiles.tiles[k - p.first] = tile_arrays_of (*p.parts->of[k].M);
    tiles.y[k - p.first] = p.parts->of[k].y;
    tiles.first[k - p.first + 1] = tiles.first[k - p.first] + blocks_of (*p.parts->of[k].M);
  }
  parts_kernel<T, K, PATTERN, B>
      <<<tiles.first[p.end - p.first], 32 * WARPS, 0, p.stream>>> (tiles, scalar, p.conjugate, p.x);
}

template <class T, int K, bool PATTERN> void launch (const product_of<T> &p)
{
  const gpu_sparse &M = *p.parts->of[p.first].M;
  if (p.b == 1)
    tiles_kernel<T, K, PATTERN><<<blocks_of (M), 32 * WARPS, 0, p.stream>>> (
        tile_arrays_of (M), spmv_scalar_of<T> (M, p.conjugate), p.conjugate, p.x,
        p.parts->of[p.first].y);
  else if (p.b == 2)
    launch_parts<T, K, PATTERN, 2> (p);
  else if (p.b == 4)
    launch_parts<T, K, PATTERN, 4> (p);
  else
    launch_parts<T, K, PATTERN, 8> (p);
}

template <class T, int K> void launch (const product_of<T> &p)
{
  if (p.parts->of[p.first].M->pattern)
    launch<T, K, true> (p);
  else
    launch<T, K, false> (p);
}

template <class T> cudaError_t by_tiles (const product_of<T> &p)
{
  if (p.parts->of[p.first].M->capacity == 128)
    launch<T, 4> (p);
  else
    launch<T, 8> (p);
  return cudaGetLastError ();
}

} // namespace

template <class T>
cudaError_t spmv_by_tiles (const gpu_sparse &M, bool conjugate, const T *x, T *y, int b,
                           cudaStream_t stream)
{
  const spmv_parts<T> parts = {1, {{&M, y}}};
  return by_tiles<T> ({&parts, 0, 1, conjugate, x, b, stream});
}

template <class T>
cudaError_t spmv_multiply (const gpu_sparse &M, bool conjugate, const T *x, T *y, int b,
                           cudaStream_t stream)
{
  if (M.method != GLA_SPMV_METHOD_BALANCED)
    return spmv_by_rows (M, conjugate, x, y, b, stream);
  return b == 1 && M.coded != nullptr ? spmv_by_hubs (M, conjugate, x, y, stream)
                                      : spmv_by_tiles (M, conjugate, x, y, b, stream);
}

// Whether one launch can have both.
static bool go_together (const gpu_sparse &a, const gpu_sparse &b)
{
  return a.method == GLA_SPMV_METHOD_BALANCED && b.method == a.method && a.capacity == b.capacity &&
         a.pattern == b.pattern;
}

template <class T>
cudaError_t spmv_multiply_parts (const spmv_parts<T> &parts, bool conjugate, const T *x, int b,
                                 cudaStream_t stream)
{
  cudaError_t error = cudaSuccess;
  for (int k = 0, end = 0; k < parts.count && error == cudaSuccess; k = end) {
    const gpu_sparse &M = *parts.of[k].M;
    for (end = k + 1; b > 1 && end < parts.count && go_together (M, *parts.of[end].M);)
      end++;
    error = end > k + 1 ? by_tiles<T> ({&parts, k, end, conjugate, x, b, stream})
                        : spmv_multiply (M, conjugate, x, parts.of[k].y, b, stream);
  }
  return error;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t spmv_by_tiles (const gpu_sparse &, bool, const T *, T *, int,               \
                                      cudaStream_t);                                               \
  template cudaError_t spmv_multiply (const gpu_sparse &, bool, const T *, T *, int,               \
                                      cudaStream_t);                                               \
  template cudaError_t spmv_multiply_parts (const spmv_parts<T> &, bool, const T *, int,           \
                                            cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)

// svd_tall.cu: adjoints of pages, and the phase of vectors, for pages with many rows or columns
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/phase.cuh"
#include "svd.cuh"

namespace
{

enum { TILE = 32, TILE_ROWS = 8, PHASE_WARPS = 4, GRID_MOST = 65535 };

// Block (x, y) takes tiles of 32 x 32 numbers: x over those of a page, y over pages.
template <class T>
__global__ void __launch_bounds__ (TILE *TILE_ROWS)
    adjoint_kernel (page_matrix<T> to, page_matrix<const T> A, int64_t rows, int64_t columns,
                    int64_t pages)
{
  __shared__ T tile[TILE][TILE + 1];
  const int64_t down = (rows + TILE - 1) / TILE;
  const int64_t i0 = blockIdx.x % down * TILE, j0 = blockIdx.x / down * TILE;
  const int x = threadIdx.x % TILE, y0 = threadIdx.x / TILE;
  for (int64_t page = blockIdx.y; page < pages; page += gridDim.y) {
    for (int y = y0; y < TILE; y += TILE_ROWS) // row j0+x of A, column i0+y
      if (j0 + x < columns && i0 + y < rows)
        tile[y][x] = conj (A.data[page * A.page + j0 + x + (i0 + y) * A.ld]);
    __syncthreads ();
    for (int y = y0; y < TILE; y += TILE_ROWS)
      if (i0 + x < rows && j0 + y < columns)
        to.data[page * to.page + i0 + x + (j0 + y) * to.ld] = tile[x][y];
    __syncthreads ();
  }
}

// A warp for each column.
template <class T>
__global__ void __launch_bounds__ (32 * PHASE_WARPS)
    phase_kernel (page_matrix<T> U, int64_t rows, page_matrix<T> V, int64_t v_rows, int64_t columns,
                  int64_t pages)
{
  typedef real_t<T> R;
  const int lane = threadIdx.x % 32;
  const int64_t which = (int64_t)blockIdx.x * PHASE_WARPS + threadIdx.x / 32;
  if (which >= columns * pages)
    return;
  T *u = U.data + which / columns * U.page + which % columns * U.ld;
  R most = 0;
  for (int64_t i = lane; i < rows; i += 32) {
    const R size = phase_size (u[i]);
    most = size > most ? size : most;
  }
  for (int mask = 16; mask > 0; mask /= 2) {
    const R other = shuffle_xor (most, mask);
    most = other > most ? other : most;
  }
  int64_t place = rows;
  for (int64_t i = lane; i < rows && place == rows; i += 32)
    if (phase_size (u[i]) >= R (phase_near<T>) * most)
      place = i;
  for (int mask = 16; mask > 0; mask /= 2) {
    const int64_t other = shuffle_xor (place, mask);
    place = other < place ? other : place;
  }
  if (place == rows) // NaN: the page has failed
    return;
  const T phase = phase_factor (u[place]);
  __syncwarp ();
  for (int64_t i = lane; i < rows; i += 32)
    u[i] = phase_turned (phase, u[i], i == place);
  if (V.data == nullptr)
    return;
  T *v = V.data + which / columns * V.page + which % columns * V.ld;
  for (int64_t i = lane; i < v_rows; i += 32)
    v[i] = v[i] * phase;
}

} // namespace

template <class T>
cudaError_t svd_adjoint (page_matrix<T> to, page_matrix<const T> A, int64_t rows, int64_t columns,
                         int64_t pages, cudaStream_t stream)
{
  const int64_t tiles = ((rows + TILE - 1) / TILE) * ((columns + TILE - 1) / TILE);
  const dim3 grid ((unsigned)tiles, (unsigned)(pages < GRID_MOST ? pages : GRID_MOST));
  adjoint_kernel<<<grid, TILE * TILE_ROWS, 0, stream>>> (to, A, rows, columns, pages);
  return cudaGetLastError ();
}

template <class T>
cudaError_t svd_fix_phase (page_matrix<T> U, int64_t rows, page_matrix<T> V, int64_t v_rows,
                           int64_t columns, int64_t pages, cudaStream_t stream)
{
  const int64_t blocks = (columns * pages + PHASE_WARPS - 1) / PHASE_WARPS;
  phase_kernel<<<(unsigned)blocks, 32 * PHASE_WARPS, 0, stream>>> (U, rows, V, v_rows, columns,
                                                                   pages);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t svd_adjoint (page_matrix<T>, page_matrix<const T>, int64_t, int64_t,        \
                                    int64_t, cudaStream_t);                                        \
  template cudaError_t svd_fix_phase (page_matrix<T>, int64_t, page_matrix<T>, int64_t, int64_t,   \
                                      int64_t, cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)

// gsvd_update.cu: multiplies pairs of block columns by their transformations
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gsvd_kernels.cuh"
#include "common/mma_tiles.cuh"
#include "pair_tiles.cuh"

namespace
{

enum { THREADS = 256, WAVE = 528 };

template <class T> __host__ __device__ constexpr int tile_rows ()
{
  return is_complex_v<T> ? 32 : 64;
}

template <class T, int NB> constexpr size_t shared_bytes ()
{
  constexpr int V = NB * tile_stride<T, NB, true> ();
  constexpr int M = NB * tile_stride<T, tile_rows<T> (), false> ();
  return (size_t)(V + M) * sizeof (T);
}

int groups_of (int64_t rows, int pairs, int tile)
{
  int64_t tiles = (rows + tile - 1) / tile, wanted = (WAVE + pairs - 1) / pairs;
  return (int)(wanted < tiles ? wanted : tiles);
}

// Block (x, y, z) has every gridDim.x-th tile of rows of pair y; z numbers the matrices of all
// pages. The tile and the transformation are in shared memory; a warp owns 16 rows of the tile and
// a part of its columns, which it overwrites.
template <class T, int NB>
__global__ void __launch_bounds__ (THREADS) update_kernel (gsvd_step<T> s)
{
  constexpr int ROWS = tile_rows<T> (), LDV = tile_stride<T, NB, true> ();
  constexpr int LD = tile_stride<T, ROWS, false> (), ACROSS = 8 / (ROWS / 16);
  constexpr int COLUMNS = NB / ACROSS, TILES = COLUMNS / 8;
  extern __shared__ __align__ (16) unsigned char memory[];
  T *V = reinterpret_cast<T *> (memory), *tile = V + NB * LDV;
  int which = blockIdx.z % 2;
  int64_t page = blockIdx.z / 2, pair = page * s.pairs + blockIdx.y;
  wait_for_previous ();
  let_next_start ();
  if (s.state[page].done || !s.active[pair])
    return;
  page_matrix<T> M = which == 0 ? s.F : s.G;
  int rows = (int)(which == 0 ? s.rows_f : s.rows_g);
  T *data = M.data + page * M.page;
  int2 columns = pair_columns (s.seat, s.blocks[blockIdx.y], s.width);
  const T *from = s.V + pair * NB * NB;
  for (int w = threadIdx.x; w < NB * NB; w += THREADS)
    V[w / NB * LDV + w % NB] = from[w];

  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  int i0 = warp % (ROWS / 16) * 16, j0 = warp / (ROWS / 16) * COLUMNS;
  for (int row = blockIdx.x * ROWS; row < rows; row += gridDim.x * ROWS) {
    __syncthreads ();
    fetch_pair<THREADS, NB, ROWS, LD> (tile, data, M.ld, s.width, columns, row, rows);
    async_commit ();
    async_wait<0> ();
    __syncthreads ();
    tile_sum<T> sum[TILES];
#pragma unroll 4
    for (int k = 0; k < NB; k += 8) {
      tile_left<T> a;
      for (int i = 0; i < 4; i++)
        a.set (i, tile[(k + t + 4 * (i / 2)) * LD + i0 + g + 8 * (i % 2)]);
      for (int c = 0; c < TILES; c++) {
        tile_right<T> b;
        for (int i = 0; i < 2; i++)
          b.set (i, V[(j0 + 8 * c + g) * LDV + k + t + 4 * i]);
        tile_add (sum[c], a, b);
      }
    }
    for (int c = 0; c < TILES; c++)
      for (int i = 0; i < 4; i++) {
        int r = row + i0 + tile_row (i);
        if (r < rows)
          data[pair_column (columns, s.width, j0 + 8 * c + tile_column (i)) * M.ld + r] =
              sum[c].get (i);
      }
  }
}

template <class T, int NB> cudaError_t launch (const gsvd_step<T> &s, cudaStream_t stream)
{
  static std::atomic<uint64_t> configured{0};
  cudaError_t error = allow_cluster (update_kernel<T, NB>, shared_bytes<T, NB> (), &configured);
  if (error != cudaSuccess)
    return error;
  int64_t rows = s.rows_f > s.rows_g ? s.rows_f : s.rows_g;
  int groups = groups_of (rows, 2 * s.pairs, tile_rows<T> ());
  cluster_launch way (1, 1, THREADS, shared_bytes<T, NB> (), stream, true);
  way.config.gridDim = dim3 (groups, s.pairs, (unsigned)(2 * s.pages));
  return cudaLaunchKernelEx (&way.config, update_kernel<T, NB>, s);
}

} // namespace

template <class T> cudaError_t gsvd_update (const gsvd_step<T> &s, cudaStream_t stream)
{
  return s.width == 32 ? launch<T, 64> (s, stream) : launch<T, 32> (s, stream);
}

template cudaError_t gsvd_update (const gsvd_step<double> &, cudaStream_t);
template cudaError_t gsvd_update (const gsvd_step<cx<double>> &, cudaStream_t);

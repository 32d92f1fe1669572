// gsvd_gram.cu: Gram matrices of pairs of block columns
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gsvd_kernels.cuh"
#include "common/mma_tiles.cuh"
#include "pair_tiles.cuh"

namespace
{

enum { ROWS = 32, WAVE = 264, SPLITS_MAX = 16, ROWS_OF_SPLIT = 128 };
// Steps with so many pairs are large: their sums have LARGE_SPLITS row groups.
enum { LARGE_PAIRS = 32, LARGE_SPLITS = 8 };

template <class T, int NB> __host__ __device__ constexpr int threads_of ()
{
  return NB == 64 ? 256 : 128;
}

// Block (x, y, z) has row group x of pair y; z numbers the matrices of all pages. It fetches the
// columns of a pair in tiles of 32 rows, the next tile while it multiplies one. A warp owns 16 rows
// and half of the columns of the Gram matrix.
template <class T, int NB>
__global__ void __launch_bounds__ (threads_of<T, NB> ()) gram_kernel (gsvd_step<T> s)
{
  constexpr int THREADS = threads_of<T, NB> (), LD = tile_stride<T, ROWS, true> ();
  constexpr int TILES = NB / 16, HALF = NB / 2;
  extern __shared__ __align__ (16) unsigned char memory[];
  T *tile[2] = {reinterpret_cast<T *> (memory), reinterpret_cast<T *> (memory) + NB * LD};
  int matrices = s.both ? 2 : 1, which = blockIdx.z % matrices;
  int64_t page = blockIdx.z / matrices;
  wait_for_previous ();
  let_next_start ();
  if (s.state[page].done)
    return;
  page_matrix<T> M = which == 0 ? s.F : s.G;
  int rows = (int)(which == 0 ? s.rows_f : s.rows_g);
  const T *data = M.data + page * M.page;
  int2 columns = pair_columns (s.seat, s.blocks[blockIdx.y], s.width);
  int share = (rows / 16 + s.splits - 1) / s.splits * 16, first = blockIdx.x * share;
  int last = first + share < rows ? first + share : rows;

  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  int i0 = warp % (NB / 16) * 16, j0 = warp / (NB / 16) * HALF;
  tile_sum<T> sum[TILES];
  if (first < last)
    fetch_pair<THREADS, NB, ROWS, LD> (tile[0], data, M.ld, s.width, columns, first, last);
  async_commit ();
  for (int row = first, k = 0; row < last; row += ROWS, k++) {
    if (row + ROWS < last)
      fetch_pair<THREADS, NB, ROWS, LD> (tile[(k + 1) % 2], data, M.ld, s.width, columns,
                                         row + ROWS, last);
    async_commit ();
    async_wait<1> ();
    __syncthreads ();
    const T *m = tile[k % 2];
#pragma unroll
    for (int r = 0; r < ROWS; r += 8) {
      tile_left<T> a;
      for (int i = 0; i < 4; i++)
        a.set (i, conj (m[(i0 + g + 8 * (i % 2)) * LD + r + t + 4 * (i / 2)]));
      for (int c = 0; c < TILES; c++) {
        tile_right<T> b;
        for (int i = 0; i < 2; i++)
          b.set (i, m[(j0 + 8 * c + g) * LD + r + t + 4 * i]);
        tile_add (sum[c], a, b);
      }
    }
    __syncthreads ();
  }
  T *out = s.gram +
           (((page * matrices + which) * s.pairs + blockIdx.y) * s.splits + blockIdx.x) * NB * NB;
  for (int c = 0; c < TILES; c++)
    for (int i = 0; i < 4; i++)
      out[(j0 + 8 * c + tile_column (i)) * NB + i0 + tile_row (i)] = sum[c].get (i);
}

template <class T, int NB> cudaError_t launch (const gsvd_step<T> &s, cudaStream_t stream)
{
  constexpr size_t bytes = (size_t)2 * NB * tile_stride<T, ROWS, true> () * sizeof (T);
  static std::atomic<uint64_t> configured{0};
  cudaError_t error = allow_cluster (gram_kernel<T, NB>, bytes, &configured);
  if (error != cudaSuccess)
    return error;
  cluster_launch way (1, 1, threads_of<T, NB> (), bytes, stream, true);
  way.config.gridDim = dim3 (s.splits, s.pairs, (unsigned)(s.pages * (s.both ? 2 : 1)));
  return cudaLaunchKernelEx (&way.config, gram_kernel<T, NB>, s);
}

} // namespace

int gsvd_splits (int64_t rows, int pairs)
{
  int64_t most = (rows + ROWS_OF_SPLIT - 1) / ROWS_OF_SPLIT, wanted = WAVE / pairs;
  wanted = pairs < LARGE_PAIRS ? wanted : (int64_t)LARGE_SPLITS;
  wanted = wanted < most ? wanted : most;
  wanted = wanted < SPLITS_MAX ? wanted : (int64_t)SPLITS_MAX;
  return wanted < 1 ? 1 : (int)wanted;
}

int64_t gsvd_gram_size (int splits, bool both, int width, int pairs)
{
  return (int64_t)(both ? 2 : 1) * splits * pairs * 4 * width * width;
}

template <class T> cudaError_t gsvd_gram (const gsvd_step<T> &s, cudaStream_t stream)
{
  return s.width == 32 ? launch<T, 64> (s, stream) : launch<T, 32> (s, stream);
}

template cudaError_t gsvd_gram (const gsvd_step<double> &, cudaStream_t);
template cudaError_t gsvd_gram (const gsvd_step<cx<double>> &, cudaStream_t);

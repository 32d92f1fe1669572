// qr_gram.cu: A'A of matrices with many more rows than columns
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rows are distributed over blocks of threads, whose sums are added in a fixed order. Single
// precision is summed in double.

#include "common/async_copy.cuh"
#include "common/cluster.cuh"
#include "qr_cholesky.cuh"

namespace
{

enum { NB = QR_GRAM_BLOCK, ROWS = 32, THREADS = 256, WAVE = 528, ROWS_OF_SPLIT = 256 };

int pairs_of (int64_t n)
{
  int blocks = (int)((n + NB - 1) / NB);
  return blocks * (blocks + 1) / 2;
}

// Columns of blocks first <= second, the `pair`-th of all.
struct column_pair {
  int first, second;
  GLA_DEVICE column_pair (int pair) : first (pair), second (0)
  {
    while (first > second)
      first -= ++second;
  }
};

// ROWS rows of NB columns of A, from (row, column) on, to entry (r, c) at c*LD + r; zeros where
// there are none.
template <int LD, class T>
GLA_DEVICE void fetch (T *tile, const T *data, int64_t ld, int64_t row, int64_t last, int column,
                       int columns)
{
#pragma unroll 4
  for (int w = threadIdx.x; w < ROWS * NB; w += THREADS) {
    int r = w % ROWS, c = w / ROWS;
    if (row + r < last && column + c < columns)
      async_copy (tile + c * LD + r, data + (column + c) * ld + row + r);
    else
      tile[c * LD + r] = T{};
  }
}

// Block: a pair of blocks of 64 columns, then a share of the rows, then pages. Tiles of 32 rows
// are fetched while those before them are multiplied. A warp owns 16 rows and 32 columns of the
// 64 x 64 product.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    gram_kernel (page_matrix<const T> A, int64_t m, int n, int pairs, int splits, wide<T> *parts)
{
  constexpr int LD = tile_stride<T, ROWS, true> (), TILES = 4;
  extern __shared__ __align__ (16) unsigned char memory[];
  T *tiles = reinterpret_cast<T *> (memory);
  column_pair pair (blockIdx.x % pairs);
  int64_t split = blockIdx.x / pairs % splits, page = blockIdx.x / pairs / splits;
  bool same = pair.first == pair.second;
  int stage = (pairs == 1 ? 1 : 2) * NB * LD; // elements from one stage to the next
  const T *data = A.data + page * A.page;
  int64_t share = (m + splits - 1) / splits, first, last;
  share = (share + ROWS - 1) / ROWS * ROWS;
  first = split * share;
  last = first + share < m ? first + share : m;

  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  int i0 = warp % 4 * 16, j0 = warp / 4 * 32;
  tile_sum<wide<T>> sum[TILES];
  auto fetch_stage = [&] (int64_t row, int k) {
    fetch<LD> (tiles + k * stage, data, A.ld, row, last, pair.first * NB, n);
    if (!same)
      fetch<LD> (tiles + k * stage + NB * LD, data, A.ld, row, last, pair.second * NB, n);
  };
  if (first < last)
    fetch_stage (first, 0);
  async_commit ();
  int k = 0;
  for (int64_t row = first; row < last; row += ROWS, k ^= 1) {
    if (row + ROWS < last)
      fetch_stage (row + ROWS, k ^ 1);
    async_commit ();
    async_wait<1> ();
    __syncthreads ();
    const T *left = tiles + k * stage, *right = same ? left : left + NB * LD;
#pragma unroll
    for (int r = 0; r < ROWS; r += 8) {
      tile_left<wide<T>> a;
      for (int i = 0; i < 4; i++)
        a.set (i, conj (widen (left[(i0 + g + 8 * (i % 2)) * LD + r + t + 4 * (i / 2)])));
      for (int c = 0; c < TILES; c++) {
        tile_right<wide<T>> b;
        for (int i = 0; i < 2; i++)
          b.set (i, widen (right[(j0 + 8 * c + g) * LD + r + t + 4 * i]));
        tile_add (sum[c], a, b);
      }
    }
    __syncthreads ();
  }
  wide<T> *out = parts + ((page * pairs + blockIdx.x % pairs) * splits + split) * NB * NB;
  for (int c = 0; c < TILES; c++)
    for (int i = 0; i < 4; i++)
      out[(j0 + 8 * c + tile_column (i)) * NB + i0 + tile_row (i)] = sum[c].get (i);
}

// A block of threads adds the shares of 32 entries of a pair, eight threads each entry.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    add_kernel (page_matrix<T> G, int n, int pairs, int splits, const wide<T> *parts)
{
  constexpr int PIECES = NB * NB / 32;
  __shared__ wide<T> part[8][32];
  int piece = blockIdx.x % PIECES, lane = threadIdx.x % 32, group = threadIdx.x / 32;
  int64_t which = blockIdx.x / PIECES, page = which / pairs;
  int entry = piece * 32 + lane;
  const wide<T> *from = parts + which * splits * NB * NB + entry;
  wide<T> sum = wide<T> ();
#pragma unroll 8
  for (int s = group; s < splits; s += 8)
    sum = sum + from[(int64_t)s * NB * NB];
  part[group][lane] = sum;
  __syncthreads ();
  if (group > 0)
    return;
  for (int q = 1; q < 8; q++)
    sum = sum + part[q][lane];
  column_pair pair ((int)(which % pairs));
  int i = pair.first * NB + entry % NB, j = pair.second * NB + entry / NB;
  if (i < n && j < n)
    G.data[page * G.page + i + j * G.ld] = narrow<T> (sum);
}

} // namespace

int qr_gram_splits (int64_t m, int64_t n)
{
  int64_t most = (m + ROWS_OF_SPLIT - 1) / ROWS_OF_SPLIT, wanted = WAVE / pairs_of (n);
  wanted = wanted < most ? wanted : most;
  return wanted < 1 ? 1 : (int)wanted;
}

int64_t qr_gram_chain (int64_t m, int64_t n)
{
  int64_t splits = qr_gram_splits (m, n);
  return (m + splits - 1) / splits + 8 * (splits / 8 + 8);
}

int64_t qr_gram_work (int64_t m, int64_t n)
{
  return (int64_t)qr_gram_splits (m, n) * pairs_of (n) * NB * NB;
}

template <class T>
cudaError_t qr_gram (page_matrix<const T> A, int64_t m, int64_t n, page_matrix<T> G, void *work,
                     int64_t pages, cudaStream_t stream)
{
  int pairs = pairs_of (n), splits = qr_gram_splits (m, n);
  constexpr size_t tile = (size_t)NB * tile_stride<T, ROWS, true> () * sizeof (T);
  static std::atomic<uint64_t> configured{0};
  cudaError_t error = allow_cluster (gram_kernel<T>, 4 * tile, &configured);
  if (error != cudaSuccess)
    return error;
  auto parts = static_cast<wide<T> *> (work);
  gram_kernel<T>
      <<<(unsigned)(pages * pairs * splits), THREADS, (pairs == 1 ? 2 : 4) * tile, stream>>> (
          A, m, (int)n, pairs, splits, parts);
  add_kernel<T><<<(unsigned)(pages * pairs * (NB * NB / 32)), THREADS, 0, stream>>> (
      G, (int)n, pairs, splits, parts);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t qr_gram (page_matrix<const T>, int64_t, int64_t, page_matrix<T>, void *,    \
                                int64_t, cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)

// qr_product.cu: products of small matrices, for many pages in one launch
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A call of cuBLAS takes longer than such a product, must be made page by page so that the bits do
// not depend on the number of pages, and cannot apply signs to a factor. Sums are formed in
// double on the FP64 tensor cores, of single precision, too, always in the same order.

#include "common/async_copy.cuh"
#include "common/cluster.cuh"
#include "qr_cholesky.cuh"

namespace
{

enum { THREADS = 128 };

// Tiles of C of TILE x TILE, a quarter for each of four warps. DEPTH rows of op(A)' and of B are
// loaded at a time, while those of STAGES - 1 previous steps wait or are multiplied. With few small
// tiles the stages hide the time of loads, with many large ones the tiles hide each other's.
template <class T, int TILE, bool ADJOINT> struct product_tiles {
  static constexpr int STAGES = TILE == 32 && sizeof (T) < 16 ? 3 : 2;
  static constexpr int DEPTH = TILE == 32 ? 32 : 16;
  static constexpr int LEFT_LD =
      ADJOINT ? tile_stride<T, DEPTH, true> () : tile_stride<T, TILE, false> ();
  static constexpr int RIGHT_LD = tile_stride<T, DEPTH, true> ();
  static constexpr int LEFT = (ADJOINT ? TILE : DEPTH) * LEFT_LD, RIGHT = TILE * RIGHT_LD;
  static constexpr size_t bytes = STAGES * (LEFT + RIGHT) * sizeof (T);
};

// ROWS x COLUMNS entries, those that are inside of rows x columns; zeros elsewhere.
template <int ROWS, int COLUMNS, int LD, class T>
GLA_DEVICE void fetch (T *tile, const T *data, int64_t ld, int rows, int columns)
{
#pragma unroll 4
  for (int w = threadIdx.x; w < ROWS * COLUMNS; w += THREADS) {
    int r = w % ROWS, c = w / ROWS;
    if (r < rows && c < columns)
      async_copy (tile + c * LD + r, data + c * ld + r);
    else
      tile[c * LD + r] = T{};
  }
}

// The same of M - S R, S the rows' signs.
template <int ROWS, int COLUMNS, int LD, class T>
GLA_DEVICE void fetch_signed (T *tile, const T *m, int64_t ldm, const T *upper, int64_t ldr,
                              const int *sign, int rows, int columns)
{
#pragma unroll 4
  for (int w = threadIdx.x; w < ROWS * COLUMNS; w += THREADS) {
    int r = w % ROWS, c = w / ROWS;
    T v = T{};
    if (r < rows && c < columns)
      v = m[c * ldm + r] - scale ((real_t<T>)sign[r], upper[c * ldr + r]);
    tile[c * LD + r] = v;
  }
}

// alpha times a warp's part of a tile, plus beta times C, to C from (row, column) on.
template <class T, int DOWN, int ACROSS>
GLA_DEVICE void store_tile (const qr_product<T> &p, T *C, int row, int column,
                            const tile_sum<wide<T>> (&sum)[DOWN][ACROSS])
{
#pragma unroll
  for (int d = 0; d < DOWN; d++)
    for (int c = 0; c < ACROSS; c++)
      for (int e = 0; e < 4; e++) {
        int i = row + 16 * d + tile_row (e), j = column + 8 * c + tile_column (e);
        if (i >= p.m || j >= p.n)
          continue;
        T *to = C + i + j * p.C.ld;
        wide<T> v = scale ((double)p.alpha, sum[d][c].get (e));
        *to = narrow<T> (p.beta == 0 ? v : v + scale ((double)p.beta, widen (*to)));
      }
}

// One block of threads per tile of C, tiles of a column side by side, then columns, then pages. A
// warp owns a quarter of the tile, as tiles of 16 x 8.
template <class T, int TILE, bool ADJOINT, bool SIGNED>
__global__ void __launch_bounds__ (THREADS) product_kernel (qr_product<T> p)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800 // before, the CPU does the QR
  typedef product_tiles<T, TILE, ADJOINT> tiles;
  constexpr int DEPTH = tiles::DEPTH;
  constexpr int DOWN = TILE / 32, ACROSS = TILE / 16; // tiles of a warp
  extern __shared__ __align__ (16) unsigned char memory[];
  T *shared = reinterpret_cast<T *> (memory);
  int across = (p.m + TILE - 1) / TILE, columns = (p.n + TILE - 1) / TILE;
  int row = blockIdx.x % across * TILE, column = blockIdx.x / across % columns * TILE;
  int64_t page = blockIdx.x / across / columns;
  if (p.upper && row >= column + TILE)
    return;
  const T *A = p.A.data + page * p.A.page + (ADJOINT ? row * p.A.ld : row);
  const T *B = p.B.data + page * p.B.page + column * p.B.ld;
  int depth = p.triangular && column + TILE < p.k ? column + TILE : p.k;
  if (ADJOINT && p.upper_a && row + TILE < depth)
    depth = row + TILE;
  int zeros = !ADJOINT && p.upper_a ? row / DEPTH * DEPTH : 0; // terms before the others
  int steps = depth > zeros ? (depth - zeros + DEPTH - 1) / DEPTH : 0;

  auto fetch_step = [&] (int step) {
    T *left = shared + step % tiles::STAGES * (tiles::LEFT + tiles::RIGHT);
    T *right = left + tiles::LEFT;
    int k = zeros + step * DEPTH;
    if constexpr (ADJOINT)
      fetch<DEPTH, TILE, tiles::LEFT_LD> (left, A + k, p.A.ld, p.k - k, p.m - row);
    else
      fetch<TILE, DEPTH, tiles::LEFT_LD> (left, A + k * p.A.ld, p.A.ld, p.m - row, p.k - k);
    if constexpr (SIGNED)
      fetch_signed<DEPTH, TILE, tiles::RIGHT_LD> (
          right, B + k, p.B.ld, p.R.data + page * p.R.page + k + column * p.R.ld, p.R.ld,
          p.sign + page * p.sign_page + k, p.k - k, p.n - column);
    else
      fetch<DEPTH, TILE, tiles::RIGHT_LD> (right, B + k, p.B.ld, p.k - k, p.n - column);
  };

  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  int i0 = warp % 2 * (TILE / 2), j0 = warp / 2 * (TILE / 2);
  tile_sum<wide<T>> sum[DOWN][ACROSS];
  for (int s = 0; s < tiles::STAGES - 1; s++) {
    if (s < steps)
      fetch_step (s);
    async_commit ();
  }
  for (int step = 0; step < steps; step++) {
    async_wait<tiles::STAGES - 2> ();
    __syncthreads ();
    if (step + tiles::STAGES - 1 < steps)
      fetch_step (step + tiles::STAGES - 1);
    async_commit ();
    const T *left = shared + step % tiles::STAGES * (tiles::LEFT + tiles::RIGHT);
    const T *right = left + tiles::LEFT;
#pragma unroll
    for (int k = 0; k < DEPTH; k += 8) {
      tile_left<wide<T>> a[DOWN];
#pragma unroll
      for (int d = 0; d < DOWN; d++)
        for (int i = 0; i < 4; i++) {
          int r = i0 + 16 * d + g + 8 * (i % 2), c = k + t + 4 * (i / 2);
          if constexpr (ADJOINT)
            a[d].set (i, conj (widen (left[r * tiles::LEFT_LD + c])));
          else
            a[d].set (i, widen (left[c * tiles::LEFT_LD + r]));
        }
#pragma unroll
      for (int c = 0; c < ACROSS; c++) {
        tile_right<wide<T>> b;
        for (int i = 0; i < 2; i++)
          b.set (i, widen (right[(j0 + 8 * c + g) * tiles::RIGHT_LD + k + t + 4 * i]));
        for (int d = 0; d < DOWN; d++)
          tile_add (sum[d][c], a[d], b);
      }
    }
  }
  store_tile (p, p.C.data + page * p.C.page, row + i0, column + j0, sum);
#endif
}

template <class T, int TILE, bool ADJOINT, bool SIGNED>
cudaError_t launch (const qr_product<T> &p, int64_t pages, cudaStream_t stream)
{
  static std::atomic<uint64_t> configured{0};
  constexpr size_t bytes = product_tiles<T, TILE, ADJOINT>::bytes;
  static_assert (bytes <= product_tiles<cx<double>, 64, true>::bytes, "see qr_product_shared");
  auto kernel = product_kernel<T, TILE, ADJOINT, SIGNED>;
  cudaError_t error = allow_cluster (kernel, bytes, &configured);
  if (error != cudaSuccess)
    return error;
  int64_t blocks = (int64_t)((p.m + TILE - 1) / TILE) * ((p.n + TILE - 1) / TILE) * pages;
  if (blocks > 0)
    kernel<<<(unsigned)blocks, THREADS, bytes, stream>>> (p);
  return cudaGetLastError ();
}

template <class T, int TILE>
cudaError_t launch_tiles (const qr_product<T> &p, int64_t pages, cudaStream_t stream)
{
  if (p.sign != nullptr)
    return launch<T, TILE, false, true> (p, pages, stream);
  return p.adjoint ? launch<T, TILE, true, false> (p, pages, stream)
                   : launch<T, TILE, false, false> (p, pages, stream);
}

} // namespace

// The larger tiles need fewer bytes, the smaller ones have more multiprocessors at work; the order
// of sums is the same.
template <class T>
cudaError_t qr_multiply (const qr_product<T> &p, int64_t pages, cudaStream_t stream)
{
  enum { WAVE = 264 };
  int64_t large = (int64_t)((p.m + 63) / 64) * ((p.n + 63) / 64) * pages;
  return large >= WAVE ? launch_tiles<T, 64> (p, pages, stream)
                       : launch_tiles<T, 32> (p, pages, stream);
}

size_t qr_product_shared ()
{
  return product_tiles<cx<double>, 64, true>::bytes;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t qr_multiply (const qr_product<T> &, int64_t, cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)

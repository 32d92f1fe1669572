// svd_band_tiles.cu: the passes over the rest of a page in a step of the reduction to band form
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/async_copy.cuh"
#include "common/runtime.cuh"
#include "common/panel_qr.cuh"
#include "svd_band.cuh"

namespace
{

// Warps of a block, as 4 by 2, on half of a tile at a time; a warp has 16 rows and NARROW pieces of
// 8 columns of it.
enum { WARPS = 8, NARROW = 2, HALF = SVD_BAND_TILE / 2, PARTS = 2 };
enum { SUMS = PARTS * SVD_BAND_TILE * SVD_BAND };

// Distance of rows of V and others in shared memory: lanes that read together are in different
// banks.
template <class T> constexpr int ROW = is_complex_v<T> ? SVD_BAND + 1 : SVD_BAND + 2;
template <class T> constexpr int STAGED = SVD_BAND_TILE *ROW<T>;

// Shared memory: what is staged, and in its place the sums.
template <class T> size_t pass_bytes (bool updates)
{
  const int staged = (updates ? 5 : 1) * STAGED<T>;
  return (staged > SUMS ? staged : (int)SUMS) * sizeof (wide<T>);
}

// Copies 64 rows of eight to shared memory without waiting.
template <class T> GLA_DEVICE void stage (wide<T> *to, const wide<T> *rows)
{
  constexpr int PIECES = SVD_BAND * sizeof (wide<T>) / 16; // of 16 bytes, in a row
#pragma unroll
  for (int t = threadIdx.x; t < SVD_BAND_TILE * PIECES; t += 32 * WARPS)
    async_copy (reinterpret_cast<cx<double> *> (to + t / PIECES * ROW<T>) + t % PIECES,
                reinterpret_cast<const cx<double> *> (rows) + t);
}

// Two adjacent numbers of a column.
template <class T> struct alignas (2 * sizeof (T) > 16 ? 16 : 2 * sizeof (T)) two_numbers {
  T x[2];
};

// What a warp has of half a tile.
template <class T> struct warp_piece {
  numbers<wide<T>, 4> c[NARROW];
};

// Rows of the piece are rows of A, or of its adjoint: then adjacent entries of a lane's row are
// adjacent in a column of A. Memory has rows of A beyond m, up to ld.
template <bool ADJOINT, class T>
GLA_DEVICE void load_piece (const T *A, const svd_band_layout<T> &s, int row, int column,
                            warp_piece<T> &piece)
{
  const int m = (int)s.m, n = (int)s.n;
  const int64_t ld = s.ld ();
  const int lane = threadIdx.x % 32, i = row + lane / 4, j = column + lane % 4 * 2;
#pragma unroll
  for (int q = 0; q < NARROW; q++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      const int at = i + 8 * h, across = j + 8 * q;
      two_numbers<T> x = {from_real<T> (0), from_real<T> (0)};
      if constexpr (ADJOINT) {
        if (at < n && across < m)
          x = *reinterpret_cast<const two_numbers<T> *> (A + at * ld + across);
      } else {
#pragma unroll
        for (int p = 0; p < 2; p++)
          if (at < m && across + p < n)
            x.x[p] = A[(across + p) * ld + at];
      }
#pragma unroll
      for (int p = 0; p < 2; p++)
        piece.c[q].set (2 * h + p, conj_if (widen (x.x[p]), ADJOINT));
    }
}

template <class T>
GLA_DEVICE void store_adjoint (T *A, const svd_band_layout<T> &s, int row, int column,
                               const warp_piece<T> &piece)
{
  const int m = (int)s.m, n = (int)s.n;
  const int64_t ld = s.ld ();
  const int lane = threadIdx.x % 32, i = row + lane / 4, j = column + lane % 4 * 2;
#pragma unroll
  for (int q = 0; q < NARROW; q++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      const int at = i + 8 * h, across = j + 8 * q;
      two_numbers<T> x;
#pragma unroll
      for (int p = 0; p < 2; p++)
        x.x[p] = conj (narrow<T> (piece.c[q].get (2 * h + p)));
      if (at < n && across < m)
        *reinterpret_cast<two_numbers<T> *> (A + at * ld + across) = x;
    }
}

// Subtracts V W' and Z U' (adjoint: W V' and U Z') one after the other, which needs fewer
// registers.
template <class T>
GLA_DEVICE void update_piece (const wide<T> *factors, int high, int across, warp_piece<T> &piece)
{
  typedef wide<T> E;
  const E *rows = factors + high * ROW<T>, *columns = factors + STAGED<T> + across * ROW<T>;
#pragma unroll 1
  for (int t = 0; t < 2; t++) {
    const numbers<E, 4> x = load_rows<E, 4, ROW<T>> (rows);
#pragma unroll
    for (int q = 0; q < NARROW; q++)
      subtract_product (piece.c[q], x, load_rows<E, 2, ROW<T>> (columns + q * 8 * ROW<T>));
    rows += 2 * STAGED<T>;
    columns += 2 * STAGED<T>;
  }
}

// Adds the piece times the factor at its columns to 16 rows of the product.
template <class T>
GLA_DEVICE void multiply_piece (const warp_piece<T> &piece, const wide<T> *factor,
                                numbers<wide<T>, 4> &x)
{
  const int lane = threadIdx.x % 32;
  factor += lane % 4 * 2 * ROW<T> + lane / 4;
#pragma unroll
  for (int q = 0; q < NARROW; q++) {
    numbers<wide<T>, 2> v;
    v.set (0, factor[q * 8 * ROW<T>]);
    v.set (1, factor[q * 8 * ROW<T> + ROW<T>]);
    multiply (x, piece.c[q], v);
  }
}

// Begins to copy what 64 columns from `column` on need: V or U of this step, and V and Z of the
// step before.
template <bool LEFT, class T>
GLA_DEVICE void stage_columns (const wide<T> *factors, const svd_band_layout<T> &s, int step,
                               int column, wide<T> *staged)
{
  const int64_t at = (int64_t)column * SVD_BAND;
  stage<T> (staged, factors + (LEFT ? s.v (step) : s.u ()) + at);
  if (LEFT && step > 0) {
    stage<T> (staged + 2 * STAGED<T>, factors + s.v (step - 1) + at);
    stage<T> (staged + 4 * STAGED<T>, factors + s.z () + at);
  }
}

// Blocks on a multiprocessor: registers.
template <class T> constexpr int pass_blocks = is_complex_v<T> ? 2 : 4;

// One block has a tile of 64 by 128 of the rest of A, or of its adjoint (LEFT), 32 columns at a
// time, so that there are more blocks and some load while others multiply. Each of its 8 warps has
// 16 rows and 16 columns of these in registers. LEFT: the rows are columns 8k+8.. of A, the columns
// its rows 8k..; they are updated by the previous step, stored, and multiplied by V. Else the rows
// are rows 8k+8.. of A, the columns its columns 8k+8.., and they are multiplied by U. The product
// of a tile goes to the slot of the tile's column.
template <class T, bool LEFT>
__global__ void __launch_bounds__ (32 * WARPS, pass_blocks<T>)
    pass_kernel (svd_band_args<T> a, int step, int high_tiles, int wide_tiles)
{
  typedef wide<T> E;
  extern __shared__ __align__ (16) unsigned char memory[];
  const svd_band_layout<T> s = a.layout ();
  const int warp = threadIdx.x / 32, high = warp % 4 * 16, tiles = high_tiles * wide_tiles;
  const int64_t page = blockIdx.x / tiles;
  const int r = (int)(blockIdx.x % tiles) % high_tiles, c = (int)(blockIdx.x % tiles) / high_tiles;
  if (a.info[page] != 0)
    return;
  T *base = a.page (page), *A = base + s.page ();
  const E *factors = reinterpret_cast<const E *> (base);
  E *staged = reinterpret_cast<E *> (memory);
  const int row = (step + 1) * SVD_BAND + r * SVD_BAND_TILE,
            column = (step + (LEFT ? 0 : 1)) * SVD_BAND + c * SVD_BAND_WIDE,
            columns = min ((LEFT ? a.m : a.n) - column, (int)SVD_BAND_WIDE);
  const bool updates = LEFT && step > 0;
  if (updates) {
    stage<T> (staged + STAGED<T>, factors + s.w () + (int64_t)row * SVD_BAND);
    stage<T> (staged + 3 * STAGED<T>, factors + s.u () + (int64_t)row * SVD_BAND);
  }
  numbers<E, 4> x = {};
#pragma unroll 1
  for (int from = 0; from < columns; from += HALF) {
    const int across = from % SVD_BAND_TILE + warp / 4 * 8 * NARROW;
    const bool next = from % SVD_BAND_TILE == 0;
    if (next) {
      __syncthreads (); // what was staged before has been read
      stage_columns<LEFT, T> (factors, s, step, column + from, staged);
      async_commit ();
    }
    warp_piece<T> piece;
    load_piece<LEFT> (A, s, row + high, column + from + warp / 4 * 8 * NARROW, piece);
    if (next) {
      async_wait<0> ();
      __syncthreads ();
    }
    if (updates) {
      update_piece<T> (staged + STAGED<T>, high, across, piece);
      store_adjoint (A, s, row + high, column + from + warp / 4 * 8 * NARROW, piece);
    }
    multiply_piece<T> (piece, staged + across * ROW<T>, x);
  }
  __syncthreads ();
  store_sum (staged + (warp / 4 * SVD_BAND_TILE + high) * SVD_BAND, x);
  __syncthreads ();
  T *to = base + s.part () + c * s.slot () + (int64_t)r * SVD_BAND_TILE * SVD_BAND;
#pragma unroll
  for (int t = threadIdx.x; t < SVD_BAND_TILE * SVD_BAND; t += 32 * WARPS)
    to[t] = narrow<T> (staged[t] + staged[SVD_BAND_TILE * SVD_BAND + t]);
}

template <bool LEFT, class T> cudaError_t launch (const svd_band_args<T> &a, int step)
{
  const int done = (step + 1) * SVD_BAND, rows = (LEFT ? a.n : a.m) - done,
            columns = LEFT ? a.m - done + SVD_BAND : a.n - done;
  const int high = (rows + SVD_BAND_TILE - 1) / SVD_BAND_TILE,
            across = (columns + SVD_BAND_WIDE - 1) / SVD_BAND_WIDE;
  const size_t bytes = pass_bytes<T> (LEFT && step > 0);
  const cudaError_t status = allow_shared (pass_kernel<T, LEFT>, bytes);
  if (status != cudaSuccess)
    return status;
  pass_kernel<T, LEFT><<<(unsigned)(a.pages * high * across), 32 * WARPS, bytes, a.stream>>> (
      a, step, high, across);
  return cudaGetLastError ();
}

} // namespace

template <class T> cudaError_t svd_band_left (const svd_band_args<T> &a, int step)
{
  return launch<true> (a, step);
}

template <class T> cudaError_t svd_band_right (const svd_band_args<T> &a, int step)
{
  return launch<false> (a, step);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t svd_band_left (const svd_band_args<T> &, int);                              \
  template cudaError_t svd_band_right (const svd_band_args<T> &, int);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)

// he2hb_tiles.cu: the pass over the trailing matrix of a step of the reduction to band form
// SPDX-License-Identifier: GPL-3.0-or-later

#include "he2hb.cuh"

namespace
{

// Warps of a block, as 4 by 2; a warp has 16 rows and NARROW pieces of 8 columns.
enum { WARPS = 8, NARROW = 4, ROW_PARTS = 2, COLUMN_PARTS = 4, STRIP = BAND_TILE * BAND };

template <class T>
constexpr size_t tiles_bytes = (ROW_PARTS + COLUMN_PARTS) * STRIP * sizeof (wide<T>);

// The piece of a tile that a warp has.
template <class T> struct tile_piece {
  typedef wide<T> E;
  numbers<E, 4> c[NARROW];
};

// Entry (i, j) of a Hermitian matrix of which the lower triangle is stored.
template <class T> GLA_DEVICE wide<T> entry_at (const T *A, int n, int i, int j, bool diagonal)
{
  bool swap = diagonal && i < j;
  int row = swap ? j : i, column = swap ? i : j;
  wide<T> value = from_real<wide<T>> (0);
  if (row < n && column < n)
    value = widened (A[(int64_t)column * n + row]);
  return swap ? conj (value) : value;
}

template <class T>
GLA_DEVICE void load_piece (const T *A, int n, int row, int column, bool diagonal,
                            tile_piece<T> &piece)
{
  int lane = threadIdx.x % 32, i = row + lane / 4, j = column + lane % 4 * 2;
#pragma unroll
  for (int q = 0; q < NARROW; q++)
#pragma unroll
    for (int p = 0; p < 4; p++)
      piece.c[q].set (p, entry_at (A, n, i + p / 2 * 8, j + q * 8 + p % 2, diagonal));
}

// A - V W' - W V'
template <class T>
GLA_DEVICE void update_piece (const wide<T> *V, const wide<T> *W, int row, int column,
                              tile_piece<T> &piece)
{
  typedef wide<T> E;
  numbers<E, 4> v = load_rows<E, 4> (V, row), w = load_rows<E, 4> (W, row);
#pragma unroll
  for (int q = 0; q < NARROW; q++) {
    subtract_product (piece.c[q], v, load_rows<E, 2> (W, column + 8 * q));
    subtract_product (piece.c[q], w, load_rows<E, 2> (V, column + 8 * q));
  }
}

template <class T>
GLA_DEVICE void store_piece (T *A, int n, int row, int column, bool diagonal, tile_piece<T> &piece)
{
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int q = 0; q < NARROW; q++)
#pragma unroll
    for (int p = 0; p < 4; p++) {
      int i = row + lane / 4 + p / 2 * 8, j = column + lane % 4 * 2 + q * 8 + p % 2;
      if (i == j)
        piece.c[q].set (p, from_real<wide<T>> (re (piece.c[q].get (p))));
      if (i < n && (!diagonal || i >= j))
        A[(int64_t)j * n + i] = narrowed<T> (piece.c[q].get (p));
    }
}

// A sum of 16 rows, or of 8, by rows of eight.
template <class E, int N> GLA_DEVICE void store_sum (E *to, const numbers<E, N> &x)
{
  to += threadIdx.x % 32 / 4 * BAND + threadIdx.x % 4 * 2;
#pragma unroll
  for (int p = 0; p < N; p++)
    to[p / 2 * 8 * BAND + p % 2] = x.get (p);
}

// The piece times V at its columns: 16 rows of X.
template <class T>
GLA_DEVICE void multiply_piece (const tile_piece<T> &piece, const wide<T> *V, int column,
                                wide<T> *sums)
{
  typedef wide<T> E;
  int lane = threadIdx.x % 32;
  const E *from = V + (int64_t)(column + lane % 4 * 2) * BAND + lane / 4;
  numbers<E, 4> x = {};
#pragma unroll
  for (int q = 0; q < NARROW; q++) {
    numbers<E, 2> v;
    v.set (0, from[q * 8 * BAND]);
    v.set (1, from[q * 8 * BAND + BAND]);
    multiply (x, piece.c[q], v);
  }
  store_sum (sums, x);
}

// The transposed piece times V at its rows: 32 rows of X, 16 at a time. Overwrites the piece.
template <class T>
GLA_DEVICE void multiply_transposed (tile_piece<T> &piece, const wide<T> *V, int row, wide<T> *sums)
{
  typedef wide<T> E;
  int lane = threadIdx.x % 32;
  const E *from = V + (int64_t)(row + lane % 4) * BAND + lane / 4;
  numbers<E, 2> v[2];
#pragma unroll
  for (int h = 0; h < 2; h++) {
    v[h].set (0, from[h * 8 * BAND]);
    v[h].set (1, from[h * 8 * BAND + 4 * BAND]);
  }
#pragma unroll
  for (int q = 0; q < NARROW; q += 2) {
    numbers<E, 4> x = {};
#pragma unroll
    for (int h = 0; h < 2; h++) {
      numbers<E, 4> a;
#pragma unroll
      for (int g = 0; g < 2; g++)
        transpose_half (piece.c[q + g], h, a, g);
      multiply_conj (x, a, v[h]);
    }
    store_sum (sums + q * 8 * BAND, x);
  }
}

// Sum of `count` parts of a strip, in order, to a slot.
template <int COUNT, class T> GLA_DEVICE void add_parts (const wide<T> *parts, T *to)
{
#pragma unroll
  for (int t = threadIdx.x; t < STRIP; t += 32 * WARPS) {
    wide<T> sum = parts[t];
#pragma unroll
    for (int g = 1; g < COUNT; g++)
      sum = sum + parts[g * STRIP + t];
    to[t] = narrowed<T> (sum);
  }
}

// One block per tile of 64 by 64 of the lower triangle of the trailing matrix. Its 8 warps have 16
// rows and 32 columns each, in the registers from the time they are loaded: the update by the step
// before, then the product with V of this step and, but for a tile on the diagonal, which is taken
// whole, the product of its transpose. Rows of X that several warps have parts of are added up in
// shared memory and go to the slot of the tile's column or row.
template <class T>
__global__ void __launch_bounds__ (32 * WARPS, is_complex_v<T> ? 2 : 3)
    he2hb_tiles_kernel (eig_args<T> a, int step)
{
  typedef wide<T> E;
  extern __shared__ __align__ (16) unsigned char memory[];
  E *row_sums = reinterpret_cast<E *> (memory), *column_sums = row_sums + ROW_PARTS * STRIP;
  int n = a.n, origin = (step + 1) * BAND, tiles = (n - origin + BAND_TILE - 1) / BAND_TILE;
  int count = tiles * (tiles + 1) / 2, t = blockIdx.x % count;
  int64_t page = blockIdx.x / count;
  if (a.info[page] != 0)
    return;
  int r = (int)((sqrtf (8.0f * t + 1) - 1) / 2);
  r -= r * (r + 1) / 2 > t;
  r += (r + 1) * (r + 2) / 2 <= t;
  int c = t - r * (r + 1) / 2, warp = threadIdx.x / 32;
  int high = warp % 4 * 16, wide_at = warp / 4 * 8 * NARROW; // in the tile
  int row = origin + r * BAND_TILE + high, column = origin + c * BAND_TILE + wide_at;

  band_scratch<T> s (n);
  T *A = a.W + page * n * n, *base = a.panel + page * s.size ();
  const E *scratch = reinterpret_cast<const E *> (base), *V = scratch + s.v (step);
  T *part = reinterpret_cast<T *> (reinterpret_cast<E *> (base) + s.part ());
  tile_piece<T> piece;
  load_piece (A, n, row, column, r == c, piece);
  if (r == c) // what is read across the diagonal is another warp's to write
    __syncthreads ();
  if (step > 0) {
    update_piece<T> (scratch + s.v (step - 1), scratch + s.w (), row, column, piece);
    store_piece (A, n, row, column, r == c, piece);
  }
  multiply_piece<T> (piece, V, column, row_sums + warp / 4 * STRIP + high * BAND);
  if (r > c)
    multiply_transposed<T> (piece, V, row, column_sums + warp % 4 * STRIP + wide_at * BAND);
  __syncthreads ();
  add_parts<ROW_PARTS, T> (row_sums, part + c * s.slot () + r * STRIP);
  if (r > c)
    add_parts<COLUMN_PARTS, T> (column_sums, part + r * s.slot () + c * STRIP);
}

} // namespace

template <class T> cudaError_t he2hb_tiles (const eig_args<T> &a, int step)
{
  int64_t tiles = (a.n - (step + 1) * BAND + BAND_TILE - 1) / BAND_TILE;
  int64_t blocks = a.pages * tiles * (tiles + 1) / 2;
  cudaError_t status = allow_shared (he2hb_tiles_kernel<T>, tiles_bytes<T>);
  if (status != cudaSuccess)
    return status;
  he2hb_tiles_kernel<T><<<(unsigned)blocks, 32 * WARPS, tiles_bytes<T>, a.stream>>> (a, step);
  return cudaGetLastError ();
}

template cudaError_t he2hb_tiles (const eig_args<float> &, int);
template cudaError_t he2hb_tiles (const eig_args<double> &, int);
template cudaError_t he2hb_tiles (const eig_args<cx<float>> &, int);
template cudaError_t he2hb_tiles (const eig_args<cx<double>> &, int);

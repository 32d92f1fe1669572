// he2hb_tiles.cu: the pass over the trailing matrix of a step of the reduction to band form
// SPDX-License-Identifier: GPL-3.0-or-later

#include "he2hb.cuh"
#include "hetrd_tiles.cuh"

namespace
{

// Warps of a block, as 4 by 2, on half of a tile's columns at a time; a warp has 16 rows and NARROW
// pieces of 8 columns of it.
enum { WARPS = 8, NARROW = 2, HALF = EIG_BAND_TILE / 2 };

// Parts of sums of rows and of columns, and what they have room for in shared memory.
enum { ROW_PARTS = 2, COLUMN_PARTS = 4, SUMS = ROW_PARTS * EIG_BAND_TILE * EIG_BANDWIDTH };

// Distance of rows of V and W in shared memory: lanes that read together are in different banks.
template <class T> constexpr int ROW = is_complex_v<T> ? EIG_BANDWIDTH + 1 : EIG_BANDWIDTH + 2;
template <class T> constexpr int STAGED = EIG_BAND_TILE *ROW<T>;

// Shared memory: sums, and V of this step and, `before`, V and W of the step before, each for the
// rows and the columns of the tile.
template <class T> size_t tiles_bytes (bool before)
{
  return (SUMS + (before ? 6 : 2) * STAGED<T>)*sizeof (wide<T>);
}

// What a warp has of half a tile.
template <class T> struct tile_piece {
  typedef wide<T> E;
  numbers<E, 4> c[NARROW];
};

// Copies 64 rows of V or W to shared memory without waiting.
template <class T> GLA_DEVICE void stage (wide<T> *to, const wide<T> *rows)
{
  constexpr int PIECES = EIG_BANDWIDTH * sizeof (wide<T>) / 16; // of 16 bytes, in a row
#pragma unroll
  for (int t = threadIdx.x; t < EIG_BAND_TILE * PIECES; t += 32 * WARPS)
    async_copy (reinterpret_cast<cx<double> *> (to + t / PIECES * ROW<T>) + t % PIECES,
                reinterpret_cast<const cx<double> *> (rows) + t);
}

// Entry (i, j) of a Hermitian matrix of which the lower triangle is stored.
template <class T> GLA_DEVICE wide<T> entry_at (const T *A, int n, int i, int j, bool diagonal)
{
  bool swap = diagonal && i < j;
  int row = swap ? j : i, column = swap ? i : j;
  wide<T> value = from_real<wide<T>> (0);
  if (row < n && column < n)
    value = widen (A[(int64_t)column * n + row]);
  return swap ? conj (value) : value;
}

// EDGE: on the diagonal, or rows may be missing.
template <bool EDGE, class T>
GLA_DEVICE void load_piece (const T *A, int n, int row, int column, bool diagonal,
                            tile_piece<T> &piece)
{
  int lane = threadIdx.x % 32, i = row + lane / 4, j = column + lane % 4 * 2;
  const T *from = A + (int64_t)j * n + i;
#pragma unroll
  for (int q = 0; q < NARROW; q++)
#pragma unroll
    for (int p = 0; p < 4; p++)
      if (EDGE)
        piece.c[q].set (p, entry_at (A, n, i + p / 2 * 8, j + q * 8 + p % 2, diagonal));
      else
        piece.c[q].set (p, widen (from[(q * 8 + p % 2) * (int64_t)n + p / 2 * 8]));
}

// A - V W' - W V', one after the other, which leaves more registers.
template <class T>
GLA_DEVICE void update_piece (const wide<T> *factors, int high, int across, tile_piece<T> &piece)
{
  typedef wide<T> E;
  const E *rows = factors + high * ROW<T>,
          *columns = factors + (3 * EIG_BAND_TILE + across) * ROW<T>;
#pragma unroll 1
  for (int t = 0; t < 2; t++) {
    numbers<E, 4> x = load_rows<E, 4, ROW<T>> (rows);
#pragma unroll
    for (int q = 0; q < NARROW; q++)
      subtract_product (piece.c[q], x, load_rows<E, 2, ROW<T>> (columns + q * 8 * ROW<T>));
    rows += 2 * STAGED<T>;
    columns -= 2 * STAGED<T>;
  }
}

template <bool EDGE, class T>
GLA_DEVICE void store_piece (T *A, int n, int row, int column, bool diagonal, tile_piece<T> &piece)
{
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int q = 0; q < NARROW; q++)
#pragma unroll
    for (int p = 0; p < 4; p++) {
      int i = row + lane / 4 + p / 2 * 8, j = column + lane % 4 * 2 + q * 8 + p % 2;
      if (EDGE && i == j)
        piece.c[q].set (p, from_real<wide<T>> (re (piece.c[q].get (p))));
      if (!EDGE || (i < n && (!diagonal || i >= j)))
        A[(int64_t)j * n + i] = narrow<T> (piece.c[q].get (p));
    }
}

// Adds the piece times V at its columns to 16 rows of X.
template <class T>
GLA_DEVICE void multiply_piece (const tile_piece<T> &piece, const wide<T> *V,
                                numbers<wide<T>, 4> &x)
{
  typedef wide<T> E;
  int lane = threadIdx.x % 32;
  V += lane % 4 * 2 * ROW<T> + lane / 4;
#pragma unroll
  for (int q = 0; q < NARROW; q++) {
    numbers<E, 2> v;
    v.set (0, V[q * 8 * ROW<T>]);
    v.set (1, V[q * 8 * ROW<T> + ROW<T>]);
    multiply (x, piece.c[q], v);
  }
}

// The piece, transposed, times V at its rows: 16 rows of X.
template <class T>
GLA_DEVICE void multiply_transposed (const tile_piece<T> &piece, const wide<T> *V, wide<T> *sums)
{
  typedef wide<T> E;
  int lane = threadIdx.x % 32;
  V += lane % 4 * ROW<T> + lane / 4;
  numbers<E, 4> x = {};
#pragma unroll
  for (int h = 0; h < 2; h++) {
    numbers<E, 2> v;
    numbers<E, 4> a;
    v.set (0, V[h * 8 * ROW<T>]);
    v.set (1, V[h * 8 * ROW<T> + 4 * ROW<T>]);
#pragma unroll
    for (int q = 0; q < NARROW; q++)
      transpose_half (piece.c[q], h, a, q);
    multiply_conj (x, a, v);
  }
  store_sum (sums, x);
}

// Sums of COUNT parts of ROWS rows of X, in order.
template <int COUNT, int ROWS, class T> GLA_DEVICE void add_parts (const wide<T> *parts, T *to)
{
#pragma unroll
  for (int t = threadIdx.x; t < ROWS * EIG_BANDWIDTH; t += 32 * WARPS) {
    wide<T> sum = parts[t];
#pragma unroll
    for (int g = 1; g < COUNT; g++)
      sum = sum + parts[g * ROWS * EIG_BANDWIDTH + t];
    to[t] = narrow<T> (sum);
  }
}

// Where a block is, and what it works on.
template <class T> struct tile_place {
  typedef wide<T> E;
  int64_t page;
  int tiles, r, c; // tiles in a row of tiles; the tile
  T *A, *part;
  const E *scratch;
  band_scratch<T> s;
  GLA_DEVICE tile_place (const eig_args<T> &a, int origin)
      : tiles ((a.n - origin + EIG_BAND_TILE - 1) / EIG_BAND_TILE), s (a.n)
  {
    int count = tiles * (tiles + 1) / 2, t = blockIdx.x % count;
    page = blockIdx.x / count;
    r = (int)((sqrtf (8.0f * t + 1) - 1) / 2);
    r -= r * (r + 1) / 2 > t;
    r += (r + 1) * (r + 2) / 2 <= t;
    c = t - r * (r + 1) / 2;
    A = a.W + page * a.n * a.n;
    scratch = reinterpret_cast<const E *> (a.panel + page * s.size ());
    part = reinterpret_cast<T *> (const_cast<E *> (scratch) + s.part ());
  }
};

// Begins to copy V of this step, and V and W of those before, to shared memory.
template <class T>
GLA_DEVICE void stage_factors (const tile_place<T> &at, int origin, int step, wide<T> *shared)
{
  int64_t row = (origin + at.r * EIG_BAND_TILE) * EIG_BANDWIDTH,
          column = (origin + at.c * EIG_BAND_TILE) * EIG_BANDWIDTH;
  const wide<T> *V = at.scratch + at.s.v (step);
  stage<T> (shared, V + row);
  stage<T> (shared + STAGED<T>, V + column);
  if (step > 0) {
    const wide<T> *before = at.scratch + at.s.v (step - 1), *W = at.scratch + at.s.w ();
    shared += 2 * STAGED<T>;
    stage<T> (shared, before + row);
    stage<T> (shared + STAGED<T>, before + column);
    shared += 2 * STAGED<T>;
    stage<T> (shared, W + row);
    stage<T> (shared + STAGED<T>, W + column);
  }
  async_commit ();
}

// Blocks on a multiprocessor, as measured: with three, complex double has too few registers.
template <class T> constexpr int tile_blocks = !is_complex_v<T> ? 4 : sizeof (T) == 8 ? 3 : 2;

// One block per tile of 64 by 64 of the lower triangle of the trailing matrix, which it does in two
// halves of 32 columns: that takes fewer registers, so that more blocks are there and some load
// while others multiply. Each of its 8 warps has 16 rows and 16 columns of a half in the registers
// from the time they are loaded: the update by the step before, then the product with V and, but
// for a tile on the diagonal, the product of its transpose. A tile on the diagonal is taken whole,
// from what is below; in the second half the rows of the first are up to date already. Rows of X
// that several warps have parts of are added up in shared memory and go to the slot of the tile's
// column or row.
template <class T>
__global__ void __launch_bounds__ (32 * WARPS, tile_blocks<T>)
    he2hb_tiles_kernel (eig_args<T> a, int step)
{
  typedef wide<T> E;
  extern __shared__ __align__ (16) unsigned char memory[];
  int n = a.n, origin = (step + 1) * EIG_BANDWIDTH, warp = threadIdx.x / 32, high = warp % 4 * 16;
  tile_place<T> at (a, origin);
  if (a.info[at.page] != 0)
    return;
  E *sums = reinterpret_cast<E *> (memory), *V = sums + SUMS;
  stage_factors (at, origin, step, V);
  bool diagonal = at.r == at.c, edge = diagonal || at.r == at.tiles - 1;
  numbers<E, 4> x = {};
#pragma unroll 1
  for (int half = 0; half < EIG_BAND_TILE; half += HALF) {
    int across = half + warp / 4 * 8 * NARROW;
    int row = origin + at.r * EIG_BAND_TILE + high, column = origin + at.c * EIG_BAND_TILE + across;
    bool live = row < n && column < n, ready = step == 0 || (diagonal && high < half);
    tile_piece<T> piece = {};
    if (live && edge)
      load_piece<true> (at.A, n, row, column, diagonal, piece);
    else if (live)
      load_piece<false> (at.A, n, row, column, diagonal, piece);
    async_wait<0> ();
    __syncthreads (); // and what is read across the diagonal is another warp's to write
    if (live && !ready) {
      update_piece<T> (V + 2 * STAGED<T>, high, across, piece);
      if (edge)
        store_piece<true> (at.A, n, row, column, diagonal, piece);
      else
        store_piece<false> (at.A, n, row, column, diagonal, piece);
    }
    if (!diagonal)
      multiply_transposed<T> (piece, V + high * ROW<T>,
                              sums + (warp % 4 * HALF + across - half) * EIG_BANDWIDTH);
    multiply_piece<T> (piece, V + (EIG_BAND_TILE + across) * ROW<T>, x);
    __syncthreads ();
    if (!diagonal)
      add_parts<COLUMN_PARTS, HALF, T> (sums, at.part + at.r * at.s.slot () +
                                                  (at.c * EIG_BAND_TILE + half) * EIG_BANDWIDTH);
  }
  __syncthreads ();
  store_sum (sums + (warp / 4 * EIG_BAND_TILE + high) * EIG_BANDWIDTH, x);
  __syncthreads ();
  add_parts<ROW_PARTS, EIG_BAND_TILE, T> (sums, at.part + at.c * at.s.slot () +
                                                    at.r * EIG_BAND_TILE * EIG_BANDWIDTH);
}

} // namespace

template <class T> cudaError_t he2hb_tiles (const eig_args<T> &a, int step)
{
  int64_t tiles = (a.n - (step + 1) * EIG_BANDWIDTH + EIG_BAND_TILE - 1) / EIG_BAND_TILE;
  int64_t blocks = a.pages * tiles * (tiles + 1) / 2;
  size_t bytes = tiles_bytes<T> (step > 0);
  cudaError_t status = allow_shared (he2hb_tiles_kernel<T>, bytes);
  if (status != cudaSuccess)
    return status;
  he2hb_tiles_kernel<T><<<(unsigned)blocks, 32 * WARPS, bytes, a.stream>>> (a, step);
  return cudaGetLastError ();
}

template cudaError_t he2hb_tiles (const eig_args<float> &, int);
template cudaError_t he2hb_tiles (const eig_args<double> &, int);
template cudaError_t he2hb_tiles (const eig_args<cx<float>> &, int);
template cudaError_t he2hb_tiles (const eig_args<cx<double>> &, int);

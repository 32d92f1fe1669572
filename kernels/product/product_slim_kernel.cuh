// product_slim_kernel.cuh: products with 3 to 16 columns or rows in double precision
// SPDX-License-Identifier: GPL-3.0-or-later
//
// C = L*X as in product_thin_kernel.cuh, on tensor cores. A warp has 16 or more rows of L, in tiles
// of 16, and all columns of X, in one tile of 8 or two. Its lanes copy whole lines of L and X to
// shared memory of the warp, some steps of 16 terms (complex: 8) ahead, so that no warp waits for
// another one. Of a block's warps ACROSS have rows of their own, the others other terms; a cluster
// of blocks has the same rows, each block other terms. The terms are cut into `parts`, a power of
// two that follows from the sizes of the page alone, which are added in pairs, the pairs in pairs
// and so on. Warps and blocks each have a subtree, so that every division gives the same bits.

#ifndef GPULINALG_PRODUCT_SLIM_KERNEL_CUH
#define GPULINALG_PRODUCT_SLIM_KERNEL_CUH

#include "common/async_copy.cuh"
#include "common/mma_tiles.cuh"
#include "product_thin_kernel.cuh"

enum { SLIM_WARPS = 4, SLIM_THREADS = 32 * SLIM_WARPS };

// T: double or cx<double>. R: tiles of 16 rows of a warp; C: those of 8 columns of X.
template <class T_, int R, int C, int ACROSS_, int STAGES_> struct slim_shape {
  typedef T_ T;
  static constexpr int ROWS = R, TILES = C, ACROSS = ACROSS_, STAGES = STAGES_;
  static constexpr int SPLIT = SLIM_WARPS / ACROSS; // warps with other terms
  static constexpr int WARP = 16 * R, GROUP = WARP * ACROSS, LINE = WARP + 4;
  static constexpr int PER = sizeof (T) / 8, EIGHTS = 2 / PER, STEP = 8 * EIGHTS; // terms
  // Bytes of a step and of all steps of a warp.
  static constexpr int STAGE = 2048 * R + 1024 * C, RING = STAGES * STAGE;
  static constexpr int SUMS = 4 * R * C * PER;             // numbers of a lane
  static constexpr int LEVEL = SLIM_WARPS * SUMS * 32 * 8; // bytes of a block
  static_assert (8 * C * LINE * 8 * PER <= RING, "sums of a warp take the place of steps");
};

// Byte of an element of a tile in shared memory. BY_TERMS: a line of 128 bytes has the terms of a
// row, else the rows of a term (complex: 256). Pieces of 16 bytes are exchanged within a line, so
// that lanes read from different banks.
template <class T, bool BY_TERMS> GLA_DEVICE int slim_place (int row, int term)
{
  if constexpr (is_complex_v<T>)
    return BY_TERMS ? 128 * row + 16 * (term ^ row % 8) : 256 * term + 16 * (row ^ (term & 6));
  else
    return BY_TERMS ? 128 * row + 16 * (term / 2 ^ (row % 2 * 4 + row / 2 % 4)) + 8 * (term % 2)
                    : 128 * term + 16 * (row / 2 ^ (term & 6)) + 8 * (row % 2);
}

// How a warp copies a tile of ROWS rows by STEP terms, WIDE elements for each lane at a time:
//   SIDE       the rows of the array are contiguous; otherwise its terms are
//   BY_TERMS   the terms are contiguous in shared memory; otherwise the rows are
// LANES lanes copy one line of the array, and AT_ONCE lines are copied together.
template <class T, bool SIDE, int WIDE, int ROWS, bool BY_TERMS> struct slim_copy {
  static constexpr int STEP = 128 / sizeof (T), SIZE = sizeof (T);
  static constexpr int LANES = (SIDE ? ROWS : STEP) / WIDE, AT_ONCE = 32 / LANES; // lines
  static constexpr int COUNT = (SIDE ? STEP : ROWS) / AT_ONCE;
  static_assert (LANES <= 32 && COUNT * AT_ONCE == (SIDE ? STEP : ROWS), "whole lines");

  GLA_DEVICE static int along () { return threadIdx.x % LANES * WIDE; }
  GLA_DEVICE static int line () { return threadIdx.x % 32 / LANES; }
  // The lane's first element: lines are `ld` apart.
  GLA_DEVICE static const T *first (const T *tile, int64_t ld)
  {
    return tile + along () + line () * ld;
  }
  // Of the tile `rows` rows and `terms` terms are there; the others are 0.
  GLA_DEVICE static void copy (unsigned char *to, const T *from, int64_t ld, int rows, int terms)
  {
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
      const int across = line () + AT_ONCE * i;
      const int row = SIDE ? along () : across, term = SIDE ? across : along ();
      const bool there = across < (SIDE ? terms : rows);
      const int many = there ? max (0, min (WIDE, (SIDE ? rows : terms) - along ())) : 0;
      async_copy<SIZE * WIDE> (to + slim_place<T, BY_TERMS> (row, term), from, SIZE * many);
      from += AT_ONCE * ld;
    }
  }
};

// Where a lane is in the tiles of the tensor cores.
GLA_DEVICE int slim_row ()
{
  return threadIdx.x % 32 / 4;
}
GLA_DEVICE int slim_term ()
{
  return 2 * (threadIdx.x % 4); // and the next one
}

// A warp's rows of L. TURNED: rows are contiguous, else columns. WIDE, of real numbers: two
// neighbours at a time, which are two terms, or two rows.
template <class S, bool TURNED, bool WIDE> struct slim_lines {
  typedef typename S::T T;
  typedef slim_copy<T, !TURNED, WIDE ? 2 : 1, 16, TURNED> tile;
  static constexpr bool PAIRS = !is_complex_v<T> && !TURNED; // of rows
  const T *from;                                             // of the lane
  int64_t ld;
  int rows; // that are left

  // Row number `half` of the lane of tile q, of the warp.
  GLA_DEVICE static int row (int q, int half)
  {
    return 16 * q + (PAIRS ? 2 * slim_row () + half : 8 * half + slim_row ());
  }
  // The rows from `row` on, of so many; the terms from l on.
  GLA_DEVICE slim_lines (const T *L, int64_t ld, int row, int rows, int l)
      : from (tile::first (L + (TURNED ? row * ld + l : l * ld + row), ld)), ld (ld),
        rows (rows - row)
  {
  }
  GLA_DEVICE void copy (unsigned char *to, int left)
  {
#pragma unroll
    for (int q = 0; q < S::ROWS; q++)
      tile::copy (to + 2048 * q, from + (TURNED ? 16 * q * ld : 16 * q), ld, rows - 16 * q, left);
    from += TURNED ? S::STEP : S::STEP * ld;
  }
  // The operands of tile q and eight e.
  GLA_DEVICE static void read (tile_left<double> &a, const unsigned char *step, int q, int e)
  {
    const unsigned char *here = step + 2048 * q;
#pragma unroll
    for (int i = 0; i < 2; i++) {
      const int row = TURNED ? slim_row () + 8 * i : 2 * slim_row ();
      const int term = 8 * e + slim_term () + (TURNED ? 0 : i);
      const double2 v =
          *reinterpret_cast<const double2 *> (here + slim_place<double, TURNED> (row, term));
      a.set (TURNED ? i : 2 * i, v.x);
      a.set (TURNED ? 2 + i : 2 * i + 1, v.y);
    }
  }
  GLA_DEVICE static void read (tile_left<cx<double>> &a, const unsigned char *step, int q, int)
  {
#pragma unroll
    for (int i = 0; i < 4; i++)
      a.set (i,
             *reinterpret_cast<const cx<double> *> (
                 step + 2048 * q +
                 slim_place<cx<double>, TURNED> (slim_row () + i % 2 * 8, slim_term () + i / 2)));
  }
};

// X. Its columns are contiguous, read two real terms at a time where `wide`, or rows are.
template <class S> struct slim_columns {
  typedef typename S::T T;
  typedef slim_copy<T, false, 3 - S::PER, 8, true> wide_tile;
  typedef slim_copy<T, false, 1, 8, true> tile;
  typedef slim_copy<T, true, 1, 8, true> turned_tile;
  const T *from; // of the lane
  int64_t ld;
  int columns;
  bool wide, turned;

  GLA_DEVICE slim_columns (const T *X, const thin_args<T, T> &a, int l, bool wide)
      : columns (a.columns), wide (wide), turned (a.x_term != 1)
  {
    ld = turned ? a.x_term : a.x_column;
    X += l * a.x_term;
    from = turned ? turned_tile::first (X, ld)
           : wide ? wide_tile::first (X, ld)
                  : tile::first (X, ld);
  }
  GLA_DEVICE void copy (unsigned char *to, int left)
  {
#pragma unroll
    for (int c = 0; c < S::TILES; c++) {
      unsigned char *here = to + 1024 * c;
      const T *x = from + (turned ? 8 * c : 8 * c * ld);
      if (turned)
        turned_tile::copy (here, x, ld, columns - 8 * c, left);
      else if (wide)
        wide_tile::copy (here, x, ld, columns - 8 * c, left);
      else
        tile::copy (here, x, ld, columns - 8 * c, left);
    }
    from += turned ? S::STEP * ld : S::STEP;
  }
  GLA_DEVICE static void read (tile_right<double> &b, const unsigned char *step, int c, int e, bool)
  {
    const double2 v = *reinterpret_cast<const double2 *> (
        step + 1024 * c + slim_place<double, true> (slim_row (), 8 * e + slim_term ()));
    b.set (0, v.x);
    b.set (1, v.y);
  }
  GLA_DEVICE static void read (tile_right<cx<double>> &b, const unsigned char *step, int c, int,
                               bool flip)
  {
#pragma unroll
    for (int i = 0; i < 2; i++)
      b.set (i, conj_if (*reinterpret_cast<const cx<double> *> (
                             step + 1024 * c +
                             slim_place<cx<double>, true> (slim_row (), slim_term () + i)),
                         flip));
  }
};

// A lane's sums.
template <class S> struct slim_sums {
  tile_sum<typename S::T> of[S::ROWS][S::TILES];

  // f (number i of the lane, its place)
  template <class F> GLA_DEVICE void each (F f)
  {
#pragma unroll
    for (int q = 0; q < S::ROWS; q++)
#pragma unroll
      for (int c = 0; c < S::TILES; c++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
          const int number = ((q * S::TILES + c) * 4 + i) * S::PER;
          f (number, of[q][c].x[i]);
          if constexpr (S::PER == 2)
            f (number + 1, of[q][c].y[i]);
        }
  }
  // Adds the sums of part number `part` to those of earlier parts, as far as pairs are complete:
  // after the last part the sum is whole. Sums without a partner are kept at `held`, of the lane,
  // by levels.
  GLA_DEVICE void add_part (int part, bool last, double *held)
  {
    for (; part % 2 != 0; part /= 2, held += S::LEVEL / 8)
      each ([&] (int i, double &x) { x = held[32 * i] + x; });
    if (!last)
      each ([&] (int i, double &x) { held[32 * i] = x; });
  }
};

// The terms of a warp, step by step, some of them under way.
template <class S, bool TURNED, bool WIDE> struct slim_source {
  typedef slim_lines<S, TURNED, WIDE> lines_of;
  lines_of lines;
  slim_columns<S> columns;
  unsigned char *ring;
  int left, from, to; // terms to copy; stages that are read and written next, in bytes

  GLA_DEVICE slim_source (lines_of lines, slim_columns<S> columns, unsigned char *ring, int count)
      : lines (lines), columns (columns), ring (ring), left (count), from (0), to (0)
  {
    for (int s = 0; s < S::STAGES - 1; s++)
      copy ();
  }
  GLA_DEVICE static int next (int stage)
  {
    return stage == S::RING - S::STAGE ? 0 : stage + S::STAGE;
  }
  GLA_DEVICE void copy ()
  {
    if (left > 0) {
      lines.copy (ring + to, left);
      columns.copy (ring + to + 2048 * S::ROWS, left);
    }
    async_commit ();
    left -= S::STEP;
    to = next (to);
  }
  GLA_DEVICE void multiply (slim_sums<S> &sums, bool flip)
  {
    async_wait<S::STAGES - 2> ();
    __syncwarp (); // all lanes have copied this step, and read the one before
    copy ();
    const unsigned char *step = ring + from;
#pragma unroll
    for (int e = 0; e < S::EIGHTS; e++) {
      tile_right<typename S::T> b[S::TILES];
#pragma unroll
      for (int c = 0; c < S::TILES; c++)
        slim_columns<S>::read (b[c], step + 2048 * S::ROWS, c, e, flip);
#pragma unroll
      for (int q = 0; q < S::ROWS; q++) {
        tile_left<typename S::T> a;
        lines_of::read (a, step, q, e);
#pragma unroll
        for (int c = 0; c < S::TILES; c++)
          tile_add (sums.of[q][c], a, b[c]);
      }
    }
    from = next (from);
  }
};

// The sum of get (first) .. get (first + N - 1), in pairs.
template <int N, class F> GLA_DEVICE auto slim_tree (const F &get, int first)
{
  if constexpr (N == 1)
    return get (first);
  else
    return slim_tree<N / 2> (get, first) + slim_tree<N / 2> (get, first + N / 2);
}
template <class F> GLA_DEVICE auto slim_sum (const F &get, int count)
{
  return count == 1    ? slim_tree<1> (get, 0)
         : count == 2  ? slim_tree<2> (get, 0)
         : count == 4  ? slim_tree<4> (get, 0)
         : count == 8  ? slim_tree<8> (get, 0)
         : count == 16 ? slim_tree<16> (get, 0)
                       : slim_tree<32> (get, 0);
}

// Adds the sums of the warps of the cluster, each at the beginning of its slots, and stores the
// result.
template <class S>
GLA_DEVICE void slim_store (const thin_args<typename S::T, typename S::T> &a, int64_t page,
                            int group, int rank, const unsigned char *memory)
{
  typedef typename S::T T;
  for (int e = rank * SLIM_THREADS + threadIdx.x; e < S::GROUP * a.columns;
       e += a.blocks * SLIM_THREADS) {
    const int i = e % S::GROUP, j = e / S::GROUP;
    if (group + i >= a.rows)
      continue;
    const unsigned char *here =
        memory + i / S::WARP * S::RING + (j * S::LINE + i % S::WARP) * sizeof (T);
    const auto get = [&] (int n) {
      const unsigned char *of_warp = here + n % S::SPLIT * S::ACROSS * S::RING;
      return *reinterpret_cast<const T *> (in_block (of_warp, n / S::SPLIT, a.blocks));
    };
    const T sum = conj_if (slim_sum (get, a.blocks * S::SPLIT), a.conjugate);
    T *to = a.C + page * a.page + (group + i) * a.c_row + j * a.c_column;
    *to = a.add ? sum + *to : sum;
  }
}

// A cluster of blocks has a group of rows of a page, as the header says.
template <class S, bool TURNED, bool WIDE>
__global__ void __launch_bounds__ (SLIM_THREADS, S::PER == 1 ? 4 : 3)
    product_slim_kernel (thin_args<typename S::T, typename S::T> a, int parts, bool wide_x)
{
  typedef typename S::T T;
  typedef slim_source<S, TURNED, WIDE> source_of;
  extern __shared__ __align__ (128) unsigned char memory[];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int rank = (int)(blockIdx.x % a.blocks);
  const int group = (a.first_group + (int)(blockIdx.x / a.blocks)) * S::GROUP;
  const int row = group + warp % S::ACROSS * S::WARP, split = warp / S::ACROSS;
  const int steps = ((a.terms + parts - 1) / parts + S::STEP - 1) / S::STEP; // of a part
  const int mine = parts / (a.blocks * S::SPLIT), most = mine * steps * S::STEP;
  const int first = min (a.terms, (rank * S::SPLIT + split) * most);
  const int count = row < a.rows ? min (most, a.terms - first) : 0;
  unsigned char *ring = memory + warp * S::RING;
  double *held =
      reinterpret_cast<double *> (memory + SLIM_WARPS * S::RING) + warp * S::SUMS * 32 + lane;
  for (int64_t page = a.first_page + blockIdx.y; page < a.end_page; page += gridDim.y) {
    const int l = a.first_term + first;
    source_of source (typename source_of::lines_of (a.L.at (page), a.L.ld, row, a.rows, l),
                      slim_columns<S> (a.X.at (page), a, l, wide_x), ring, count);
    slim_sums<S> sums;
    int left = (count + S::STEP - 1) / S::STEP;
    for (int part = 0; part < mine; part++) {
      sums.each ([] (int, double &x) { x = 0; });
      for (int n = min (left, steps); n > 0; n--)
        source.multiply (sums, a.flip);
      left -= min (left, steps);
      sums.add_part (part, part == mine - 1, held);
    }
    __syncwarp ();
    T *total = reinterpret_cast<T *> (ring);
#pragma unroll
    for (int q = 0; q < S::ROWS; q++)
#pragma unroll
      for (int c = 0; c < S::TILES; c++)
#pragma unroll
        for (int i = 0; i < 4; i++)
          total[(8 * c + slim_term () + i % 2) * S::LINE + source_of::lines_of::row (q, i / 2)] =
              sums.of[q][c].get (i);
    cluster_barrier (a.blocks);
    slim_store<S> (a, page, group, rank, memory);
    cluster_barrier (a.blocks); // all have read the sums
  }
}

#endif

// pair_tiles.cuh: rows of a pair of block columns, fetched to shared memory
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PAIR_TILES_CUH
#define GPULINALG_PAIR_TILES_CUH

#include "common/async_copy.cuh"
#include "common/cluster.cuh"
#include "common/mma_tiles.cuh"
#include "gsvd_kernels.cuh"

// The first columns of a pair's blocks.
GLA_DEVICE int2 pair_columns (const gsvd_seat &s, short2 blocks, int width)
{
  auto first = [&] (int b) {
    return b < s.blocks ? s.first[0] + b * width : s.first[1] + (b - s.blocks) * width;
  };
  return make_int2 (first (blocks.x), first (blocks.y));
}

// Column of the matrix for column c of the pair.
GLA_DEVICE int64_t pair_column (int2 first, int width, int c)
{
  return c < width ? first.x + c : first.y + c - width;
}

// ROWS rows from `row` on of the pair's NB columns: entry (r, c) at c*LD + r, zeros from row `last`
// on. Leading dimensions, row and last are even: two neighbouring rows of doubles travel at once.
template <int THREADS, int NB, int ROWS, int LD, class T>
GLA_DEVICE void fetch_pair (T *tile, const T *data, int64_t ld, int width, int2 first, int row,
                            int last)
{
  constexpr int AT_ONCE = 16 / sizeof (T), PIECES = ROWS / AT_ONCE;
#pragma unroll
  for (int w = threadIdx.x; w < PIECES * NB; w += THREADS) {
    int r = w % PIECES * AT_ONCE, c = w / PIECES;
    double2 *to = reinterpret_cast<double2 *> (tile + c * LD + r);
    if (row + r < last)
      async_copy (to, reinterpret_cast<const double2 *> (data + pair_column (first, width, c) * ld +
                                                         row + r));
    else
      *to = make_double2 (0, 0);
  }
}

#endif

// triangle_tiles.cuh: a lower triangle in tiles of 8 by 8, in memory of a block of threads
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A tile of warp_tiles.cuh is twice 32 numbers there, the first and the second of each lane.

#ifndef GPULINALG_TRIANGLE_TILES_CUH
#define GPULINALG_TRIANGLE_TILES_CUH

#include "warp_tiles.cuh"

template <class T> struct triangle_tiles {
  typedef warp_tiles<T> ops;
  typedef typename ops::tile tile;
  typedef typename ops::W W;
  enum { TOGETHER = 4, TILE = 64 }; // tiles whose loads are under way at once, and their numbers

  int n, across; // order, and tiles of a column
  W *L;          // tiles of the lower triangle, row by row; on the diagonal inverses
  W *Y;          // as many tiles as a column has, or a row, of each slab

  GLA_DEVICE static int lane () { return threadIdx.x % 32; }
  GLA_DEVICE static int warp () { return threadIdx.x / 32; }
  GLA_DEVICE static int place (int i, int j) { return i * (i + 1) / 2 + j; }

  GLA_DEVICE static tile get (const W *from, int k)
  {
    return {{from[k * TILE + lane ()], from[k * TILE + 32 + lane ()]}};
  }
  GLA_DEVICE static void put (W *to, int k, const tile &v)
  {
    to[k * TILE + lane ()] = v.x[0];
    to[k * TILE + 32 + lane ()] = v.x[1];
  }
  // The transpose of a tile in memory.
  GLA_DEVICE static tile get_turned (const W *from, int k)
  {
    const W *source = from + k * TILE + ops::g () % 2 * 32 + ops::g () / 2 + 8 * ops::t ();
    return {{source[0], source[4]}};
  }

  // Tiles first .. across-1 of column j: minus column k times row j. SCALED: column k of L*D is in
  // Y.
  template <bool SCALED> GLA_DEVICE void update_column (int first, int j, int k) const
  {
    const tile right = get (L, place (j, k));
    for (int i = first; i < across; i += TOGETHER) {
      tile c[TOGETHER], u[TOGETHER];
#pragma unroll
      for (int m = 0; m < TOGETHER; m++) { // beyond the last tile that one again
        const int row = min (i + m, across - 1);
        c[m] = get (L, place (row, j));
        u[m] = SCALED ? get (Y, row) : get (L, place (row, k));
      }
#pragma unroll
      for (int m = 0; m < TOGETHER; m++)
        ops::subtract (c[m], u[m], right);
#pragma unroll
      for (int m = 0; m < TOGETHER; m++)
        if (i + m < across)
          put (L, place (i + m, j), c[m]);
    }
  }
};

#endif

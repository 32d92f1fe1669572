// solve_page_matrix.cuh: a matrix in shared or global memory, and its tiles for the tensor cores
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SOLVE_PAGE_MATRIX_CUH
#define GPULINALG_SOLVE_PAGE_MATRIX_CUH

#include "common/mma.cuh"
#include "common/scalar.cuh"

// Entry (i, j) is at i + j*ld, and its imaginary part at a distance of `plane`. ld is 4 modulo 16,
// so that tiles are read without bank conflicts.
template <class W> struct lu_matrix {
  static constexpr bool C = is_complex_v<W>;
  double *at;
  int ld, plane;

  GLA_DEVICE W get (int i, int j) const
  {
    const int k = i + j * ld;
    if constexpr (C)
      return {at[k], at[plane + k]};
    else
      return at[k];
  }
  GLA_DEVICE void put (int i, int j, W x) const
  {
    const int k = i + j * ld;
    at[k] = re (x);
    if constexpr (C)
      at[plane + k] = x.y;
  }
  GLA_DEVICE mma_entry<C> entry (int i, int j) const { return mma_entry_of (get (i, j)); }

  // Tiles of 8 by 8: entry (g, 2*t + x) of the tensor cores is column t + 4*x here.
  GLA_DEVICE static int tile_g () { return threadIdx.x % 32 / 4; }
  GLA_DEVICE static int tile_t () { return threadIdx.x % 4; }

  GLA_DEVICE void get_tile (int i, int j, mma_tile<C> &c) const
  {
#pragma unroll
    for (int x = 0; x < 2; x++) {
      const W e = get (i + tile_g (), j + tile_t () + 4 * x);
      c.re[x] = re (e);
      if constexpr (C)
        c.im[x] = im (e);
    }
  }
  GLA_DEVICE void put_tile (int i, int j, const mma_tile<C> &c) const
  {
#pragma unroll
    for (int x = 0; x < 2; x++) {
      W e;
      if constexpr (C)
        e = {c.re[x], c.im[x]};
      else
        e = c.re[x];
      put (i + tile_g (), j + tile_t () + 4 * x, e);
    }
  }
  // Loads rows k .. k+7 of columns j .. j+7, as the right factor.
  GLA_DEVICE void get_right (int k, int j, mma_entry<C> (&b)[2]) const
  {
    const int column = j + tile_g () / 2 + tile_g () % 2 * 4;
    b[0] = entry (k + tile_t (), column);
    b[1] = entry (k + tile_t () + 4, column);
  }
};

// Rows of the matrix and of slabs, rounded up to tiles, and the distance of columns.
__host__ __device__ constexpr int lu_rows (int n)
{
  return (n + 7) / 8 * 8;
}
__host__ __device__ constexpr int lu_stride (int n)
{
  return (n + 15) / 16 * 16 + 4;
}
// Returns doubles of `columns` columns.
template <class W> __host__ __device__ constexpr int lu_doubles (int n, int columns)
{
  return (is_complex_v<W> ? 2 : 1) * lu_stride (n) * columns;
}

#endif

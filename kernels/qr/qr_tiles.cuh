// qr_tiles.cuh: 64 x 64 matrices in the registers of a block of threads; entries of products
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Products are computed in double on the FP64 tensor cores, of single precision, too.

#ifndef GPULINALG_QR_TILES_CUH
#define GPULINALG_QR_TILES_CUH

#include "common/mma_tiles.cuh"
#include "common/scalar.cuh"

enum {
  QR_TILE = 64,
  QR_TILE_THREADS = 256,
  QR_TILE_SIDE = 16,
  QR_TILE_OWN = QR_TILE / QR_TILE_SIDE
};

// Rows or columns that an elimination takes at a time, as registers allow.
template <class T> constexpr int qr_tile_steps = is_complex_v<T> ? 2 : 4;

// 1 / a for an a > 0 that is far from the ends of the range, to an ulp or so.
GLA_DEVICE float qr_reciprocal (float a)
{
  return 1 / a;
}
GLA_DEVICE double qr_reciprocal (double a)
{
  double x;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(x) : "d"(a));
  for (int i = 0; i < 2; i++)
    x = fma (x, fma (-a, x, 1.0), x);
  return x;
}

// The 4 x 4 entries that a thread holds in registers: rows x + 16 p, columns y + 16 q.
struct qr_tile_place {
  int x, y;
  GLA_DEVICE qr_tile_place () : x (threadIdx.x % QR_TILE_SIDE), y (threadIdx.x / QR_TILE_SIDE) {}
  GLA_DEVICE int row (int p) const { return x + QR_TILE_SIDE * p; }
  GLA_DEVICE int column (int q) const { return y + QR_TILE_SIDE * q; }
};

#endif

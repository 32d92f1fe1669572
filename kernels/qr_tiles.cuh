// qr_tiles.cuh: 64 x 64 matrices, in the registers of a block of threads and as products
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Products are computed in double on the FP64 tensor cores, of single precision, too.

#ifndef GPULINALG_QR_TILES_CUH
#define GPULINALG_QR_TILES_CUH

#include "gsvd_tiles.cuh"

template <class T> struct wide_of {
  typedef double type;
};
template <class R> struct wide_of<cx<R>> {
  typedef cx<double> type;
};
template <class T> using wide = typename wide_of<T>::type;

GLA_DEVICE double widen (double a)
{
  return a;
}
template <class R> GLA_DEVICE cx<double> widen (cx<R> a)
{
  return {(double)a.x, (double)a.y};
}
template <class T> GLA_DEVICE T narrow (wide<T> a)
{
  if constexpr (is_complex_v<T>)
    return {(real_t<T>)a.x, (real_t<T>)a.y};
  else
    return (T)a;
}

enum { SQUARE = 64, SQUARE_THREADS = 256, SQUARE_SIDE = 16, SQUARE_OWN = SQUARE / SQUARE_SIDE };

// Rows or columns that an elimination takes at a time, as registers allow.
template <class T> constexpr int square_steps = is_complex_v<T> ? 2 : 4;

// 1 / a for an a > 0 that is far from the ends of the range, to an ulp or so.
GLA_DEVICE float reciprocal (float a)
{
  return 1 / a;
}
GLA_DEVICE double reciprocal (double a)
{
  double x;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(x) : "d"(a));
  for (int i = 0; i < 2; i++)
    x = fma (x, fma (-a, x, 1.0), x);
  return x;
}

// The 4 x 4 entries that a thread holds in registers: rows x + 16 p, columns y + 16 q.
struct square_place {
  int x, y;
  GLA_DEVICE square_place () : x (threadIdx.x % SQUARE_SIDE), y (threadIdx.x / SQUARE_SIDE) {}
  GLA_DEVICE int row (int p) const { return x + SQUARE_SIDE * p; }
  GLA_DEVICE int column (int q) const { return y + SQUARE_SIDE * q; }
};

// In shared memory; lanes that read along rows or along columns meet in few banks.
template <class T> struct square {
  static constexpr int LD = SQUARE + (is_complex_v<T> ? 2 : 4);
  static constexpr size_t bytes = sizeof (wide<T>) * SQUARE * LD;
  wide<T> *data;
  GLA_DEVICE wide<T> &operator() (int i, int j) const { return data[j * LD + i]; }
};

// This warp's 16 x 32 entries of a product: the sum over k < 64 of left (i, k) * right (k, j), or
// over a part of them: those to the warp's last row or column, or from its first row on.
enum square_range_of { SQUARE_ALL, SQUARE_TO_ROW, SQUARE_FROM_ROW, SQUARE_TO_COLUMN };

template <class T> struct square_product {
  enum { TILES = 4 };
  tile_sum<wide<T>> sum[TILES];

  GLA_DEVICE static int first_row () { return threadIdx.x / 32 % 4 * 16; }
  GLA_DEVICE static int first_column () { return threadIdx.x / 128 * 32; }

  template <class L, class R>
  GLA_DEVICE square_product (L left, R right, square_range_of range = SQUARE_ALL)
  {
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    int first = range == SQUARE_FROM_ROW ? first_row () : 0;
    int last = range == SQUARE_TO_ROW      ? first_row () + 16
               : range == SQUARE_TO_COLUMN ? first_column () + 32
                                           : (int)SQUARE;
#pragma unroll 2
    for (int k = first; k < last; k += 8) {
      tile_left<wide<T>> a;
      for (int i = 0; i < 4; i++)
        a.set (i, left (first_row () + g + 8 * (i % 2), k + t + 4 * (i / 2)));
      for (int c = 0; c < TILES; c++) {
        tile_right<wide<T>> b;
        for (int i = 0; i < 2; i++)
          b.set (i, right (k + t + 4 * i, first_column () + 8 * c + g));
        tile_add (sum[c], a, b);
      }
    }
  }
  // f (i, j, entry) for every entry.
  template <class F> GLA_DEVICE void each (F f) const
  {
#pragma unroll
    for (int c = 0; c < TILES; c++)
      for (int i = 0; i < 4; i++)
        f (first_row () + tile_row (i), first_column () + 8 * c + tile_column (i), sum[c].get (i));
  }
};

#endif

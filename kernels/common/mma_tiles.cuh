// mma_tiles.cuh: products of 16 by 8 tiles on the FP64 tensor cores, operands in shared memory
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Layout (PTX, mma.m16n8k8 .f64), g = lane/4, t = lane%4: A(g + 8*(i%2), t + 4*(i/2)) is a[i],
// B(t + 4*i, g) is b[i], C(g + 8*(i/2), 2*t + i%2) is c[i].

#ifndef GPULINALG_MMA_TILES_CUH
#define GPULINALG_MMA_TILES_CUH

#include "mma.cuh"

GLA_DEVICE void mma16 (double (&c)[4], const double (&a)[4], const double (&b)[2])
{
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
  double top[2] = {c[0], c[1]}, bottom[2] = {c[2], c[3]};
  mma (top, a[0], b[0]);
  mma (top, a[2], b[1]);
  mma (bottom, a[1], b[0]);
  mma (bottom, a[3], b[1]);
  c[0] = top[0];
  c[1] = top[1];
  c[2] = bottom[0];
  c[3] = bottom[1];
#endif
}

// Operands and sums of one tile, of double or cx<double>.
template <class T> struct tile_left;
template <class T> struct tile_right;
template <class T> struct tile_sum;

template <> struct tile_left<double> {
  double x[4];
  GLA_DEVICE void set (int i, double v) { x[i] = v; }
};
template <> struct tile_left<cx<double>> {
  double x[4], y[4], minus_y[4];
  GLA_DEVICE void set (int i, cx<double> v)
  {
    x[i] = v.x;
    y[i] = v.y;
    minus_y[i] = -v.y;
  }
};
template <> struct tile_right<double> {
  double x[2];
  GLA_DEVICE void set (int i, double v) { x[i] = v; }
};
template <> struct tile_right<cx<double>> {
  double x[2], y[2];
  GLA_DEVICE void set (int i, cx<double> v)
  {
    x[i] = v.x;
    y[i] = v.y;
  }
};
template <> struct tile_sum<double> {
  double x[4] = {0, 0, 0, 0};
  GLA_DEVICE double get (int i) const { return x[i]; }
};
template <> struct tile_sum<cx<double>> {
  double x[4] = {0, 0, 0, 0}, y[4] = {0, 0, 0, 0};
  GLA_DEVICE cx<double> get (int i) const { return {x[i], y[i]}; }
};

GLA_DEVICE void tile_add (tile_sum<double> &c, const tile_left<double> &a,
                          const tile_right<double> &b)
{
  mma16 (c.x, a.x, b.x);
}
GLA_DEVICE void tile_add (tile_sum<cx<double>> &c, const tile_left<cx<double>> &a,
                          const tile_right<cx<double>> &b)
{
  mma16 (c.x, a.x, b.x);
  mma16 (c.y, a.x, b.y);
  mma16 (c.x, a.minus_y, b.y);
  mma16 (c.y, a.y, b.x);
}

// Place of a lane's entry i of a tile of C.
GLA_DEVICE int tile_row (int i)
{
  return threadIdx.x % 32 / 4 + 8 * (i / 2);
}
GLA_DEVICE int tile_column (int i)
{
  return 2 * (threadIdx.x % 4) + i % 2;
}

// Rows of a tile of `rows` rows from which lanes read entries (t, g) without bank conflicts: the
// distance of its columns. `across`: lanes g run along the distance, else lanes t.
template <class T, int ROWS, bool ACROSS> __host__ __device__ constexpr int tile_stride ()
{
  return is_complex_v<T> && !ACROSS ? ROWS + 2 : ROWS + 4; // 4 modulo 16, of cx 4 or 2 modulo 8
}

#endif

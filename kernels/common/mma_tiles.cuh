// mma_tiles.cuh: products of 16 by 8 tiles on the FP64 tensor cores, operands in shared memory
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Layout (PTX, mma.m16n8k8 .f64), g = lane/4, t = lane%4: A(g + 8*(i%2), t + 4*(i/2)) is a[i],
// B(t + 4*i, g) is b[i], C(g + 8*(i/2), 2*t + i%2) is c[i]. Used by gsvd, pairs and product. All 32
// lanes of a warp call each function.

#ifndef GPULINALG_MMA_TILES_CUH
#define GPULINALG_MMA_TILES_CUH

#include "mma.cuh"
#include "scalar.cuh"

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

// The distance of columns, at least `rows`, at which lanes read entries (t, g) of a tile without
// bank conflicts. `across`: lanes g run along the distance, else lanes t.
template <class T, int ROWS, bool ACROSS> __host__ __device__ constexpr int tile_stride ()
{
  return is_complex_v<T> && !ACROSS ? ROWS + 2 : ROWS + 4; // 4 modulo 16, of cx 4 or 2 modulo 8
}

//------------------------------------------------------------------------------
// tiles of 8 by 8 in the registers of a warp, and their products
//------------------------------------------------------------------------------

// A tile is held in the layout of the sums of the tensor cores: lane 4*g+t has (g, 2*t) and (g,
// 2*t+1). In this layout X is the left factor of X*Y' and Y the right one, if the inner index is
// taken in the order of the registers. The numbers are double for all types.

template <class T> struct warp_tiles {
  typedef wide<T> W;
  static constexpr bool C = is_complex_v<W>;
  static constexpr unsigned ALL = 0xffffffffu;
  struct tile {
    W x[2];
  };

  GLA_DEVICE static int g () { return threadIdx.x % 32 / 4; }
  GLA_DEVICE static int t () { return threadIdx.x % 4; }

  GLA_DEVICE static W from (W x, int lane)
  {
    if constexpr (C)
      return {__shfl_sync (ALL, x.x, lane), __shfl_sync (ALL, x.y, lane)};
    else
      return __shfl_sync (ALL, x, lane);
  }

  GLA_DEVICE static W promote (real_t<T> a) { return from_real<W> ((double)a); }
  template <class E> GLA_DEVICE static W promote (cx<E> a) { return {(double)a.x, (double)a.y}; }

  // c -= u*v', or u*v.' with `plain`
  GLA_DEVICE static void subtract (tile &c, const tile &u, const tile &v, bool plain = false)
  {
    mma_tile<C> sum;
    for (int x = 0; x < 2; x++) {
      sum.re[x] = re (c.x[x]);
      if constexpr (C)
        sum.im[x] = im (c.x[x]);
    }
#pragma unroll
    for (int x = 0; x < 2; x++)
      mma_subtract (sum, mma_entry_of (u.x[x]), mma_entry_of (conj_if (v.x[x], !plain)));
    for (int x = 0; x < 2; x++)
      if constexpr (C)
        c.x[x] = {sum.re[x], sum.im[x]};
      else
        c.x[x] = sum.re[x];
  }
  // u*v', or u*v.' with `plain`
  GLA_DEVICE static tile multiply (const tile &u, const tile &v, bool plain = false)
  {
    tile c = {{from_real<W> (0), from_real<W> (0)}};
    subtract (c, u, v, plain);
    for (int x = 0; x < 2; x++)
      c.x[x] = -c.x[x];
    return c;
  }
  // v.'
  GLA_DEVICE static tile turn (const tile &v)
  {
    tile c;
#pragma unroll
    for (int x = 0; x < 2; x++) {
      const int lane = (2 * t () + x) * 4 + g () / 2;
      const W even = from (v.x[0], lane), odd = from (v.x[1], lane);
      c.x[x] = g () % 2 ? odd : even;
    }
    return c;
  }
};

//------------------------------------------------------------------------------
// a lower triangle in tiles of 8 by 8, in memory of a block of threads
//------------------------------------------------------------------------------

// In memory a tile is twice 32 numbers, the first and the second one of each lane.

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

  // Subtracts column k times row j from tiles first .. across-1 of column j. SCALED: column k of
  // L*D is in Y.
  template <bool SCALED> GLA_DEVICE void update_column (int first, int j, int k) const
  {
    const tile right = get (L, place (j, k));
    for (int i = first; i < across; i += TOGETHER) {
      tile c[TOGETHER], u[TOGETHER];
#pragma unroll
      for (int m = 0; m < TOGETHER; m++) { // beyond the last tile the last one again
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

// product_warp.cuh: a warp's part of a tile of C, and what it adds to it from tiles of A and B
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Double precision: 16 by 8 tiles on the FP64 tensor cores (mma_tiles.cuh), a complex product as
// four real ones. Single precision, which the tensor cores do not have in full: each lane has rows
// lane/4 + 8*x and columns lane%4 + 4*y.

#ifndef GPULINALG_PRODUCT_WARP_CUH
#define GPULINALG_PRODUCT_WARP_CUH

#include <type_traits>

#include "common/mma_tiles.cuh"
#include "product.cuh"

// A tile of an operand in shared memory. BY_TERMS: the terms of a sum lie side by side, and the
// rows (columns, for B) follow in distances of `distance`; else it is the other way round. Of
// complex<double> the real parts lie first, then the imaginary parts: the tensor cores take them
// one by one.
// So that the lanes of a half warp, whose elements lie at 4 places side by side and 4 distances,
// read from 16 different banks, either the distance is no multiple of 16 elements, or `swizzled`,
// where it is one: then element q at distance d lies where q ^ 4*(d % 4) would. Copies into a
// swizzled tile take no longer than into any other memory, those to padded columns nearly twice as
// long.
template <class T, bool BY_TERMS, int ROWS, int TERMS> struct tile_layout {
  static constexpr bool by_terms = BY_TERMS;
  static constexpr int contiguous = BY_TERMS ? TERMS : ROWS, columns = BY_TERMS ? ROWS : TERMS;
  static constexpr bool split = is_complex_v<T> && sizeof (T) == 16;
  typedef std::conditional_t<split, real_t<T>, T> number;
  static constexpr bool padded_by_stride = sizeof (number) == 8 && !is_complex_v<number>;
  static constexpr bool swizzled = padded_by_stride && contiguous % 16 == 0;
  static constexpr int distance = swizzled           ? contiguous
                                  : padded_by_stride ? tile_stride<double, contiguous, BY_TERMS> ()
                                                     : contiguous + 16 / (int)sizeof (T);
  // The distance from the real to the imaginary parts, which threads copy together: they are in
  // different banks.
  static constexpr int part = columns * distance + (split ? 8 : 0);
  static constexpr int numbers = split ? 2 * part : part;
  // Where element q of column d of the tile lies, counted as in the page.
  __host__ __device__ static constexpr int place (int q, int d)
  {
    return d * distance + (swizzled ? q ^ 4 * (d & 3) : q);
  }
  // Where row r, term l lies.
  __host__ __device__ static constexpr int at (int r, int l)
  {
    return BY_TERMS ? place (l, r) : place (r, l);
  }
};

// Where the elements of one lane lie: those 8*x rows below and 4*y terms behind its first one. The
// parts that depend on the lane are computed once, and few.
template <class L> struct lane_places {
  static constexpr int COUNT = !L::swizzled ? 1 : L::by_terms ? 4 : 2;
  int at[COUNT];
  // The first row is one of the 8 behind a multiple of 8, the first term is below 4.
  GLA_DEVICE lane_places (int row, int term)
  {
#pragma unroll
    for (int i = 0; i < COUNT; i++)
      at[i] = L::by_terms ? L::at (row, term + 4 * i) : L::at (row + 8 * i, term);
  }
  // r and l: rows and terms from there, known to the compiler; of a swizzled tile multiples of 8
  // and 4.
  GLA_DEVICE int operator() (int r, int l) const
  {
    if (!L::swizzled)
      return at[0] + L::at (r, l);
    return L::by_terms ? at[l / 4 % COUNT] + r * L::distance + l / 16 * 16
                       : at[r / 8 % COUNT] + l * L::distance + r / 16 * 16;
  }
};

// C += A*B of 16 x TERMS and TERMS x 8, TERMS 8 or 4, laid out as in mma_tiles.cuh.
template <int TERMS>
GLA_DEVICE void multiply_tile (double (&c)[4], const double (&a)[TERMS / 2],
                               const double (&b)[TERMS / 4])
{
  if constexpr (TERMS == 8)
    mma16 (c, a, b);
  else {
    double top[2] = {c[0], c[1]}, bottom[2] = {c[2], c[3]};
    mma_two (top, bottom, a[0], a[1], b[0]);
    c[0] = top[0];
    c[1] = top[1];
    c[2] = bottom[0];
    c[3] = bottom[1];
  }
}

template <class R, class TA, class TB, int WM, int WN, int TERMS> struct warp_sums;

//------------------------------------------------------------------------------
// double precision
//------------------------------------------------------------------------------

// -a if `wanted`
GLA_DEVICE double minus_if (double a, bool wanted)
{
  return conj_if (cx<double>{0, a}, wanted).y;
}

template <class TA, class TB, int WM, int WN, int TERMS>
struct warp_sums<double, TA, TB, WM, WN, TERMS> {
  typedef product_t<TA, TB> T;
  static constexpr bool CA = is_complex_v<TA>, CB = is_complex_v<TB>, CC = CA || CB;
  static constexpr int MT = WM / 16, NT = WN / 8;
  double x[MT][NT][4], y[CC ? MT : 1][CC ? NT : 1][4];

  GLA_DEVICE void clear ()
  {
#pragma unroll
    for (int r = 0; r < MT; r++)
#pragma unroll
      for (int c = 0; c < NT; c++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
          x[r][c][i] = 0;
          if constexpr (CC)
            y[r][c][i] = 0;
        }
  }

  // Of A for the warp's first row in a tile, of B for its first column.
  template <class L> static GLA_DEVICE lane_places<L> places_a (int row)
  {
    return {row + (int)threadIdx.x % 32 / 4, (int)threadIdx.x % 4};
  }
  template <class L> static GLA_DEVICE lane_places<L> places_b (int column)
  {
    return places_a<L> (column);
  }

  // What TERMS terms need of A and B.
  struct part {
    double ax[MT][TERMS / 2], ay[CA ? MT : 1][TERMS / 2];
    double bx[NT][TERMS / 4], by[CB ? NT : 1][TERMS / 4];
  };
  // Terms l and following of the tiles a and b, for the places of this lane in them.
  template <class LA, class LB>
  static GLA_DEVICE void load (part &p, const double *a, const lane_places<LA> &in_a,
                               const double *b, const lane_places<LB> &in_b, int l, bool flip)
  {
#pragma unroll
    for (int r = 0; r < MT; r++)
#pragma unroll
      for (int i = 0; i < TERMS / 2; i++) {
        const int at = in_a (16 * r + i % 2 * 8, l + i / 2 * 4);
        p.ax[r][i] = a[at];
        if constexpr (CA)
          p.ay[r][i] = minus_if (a[LA::part + at], flip);
      }
#pragma unroll
    for (int c = 0; c < NT; c++)
#pragma unroll
      for (int i = 0; i < TERMS / 4; i++) {
        const int at = in_b (8 * c, l + i * 4);
        p.bx[c][i] = b[at];
        if constexpr (CB)
          p.by[c][i] = b[LB::part + at];
      }
  }

  // Adds TERMS terms. WHOLE: of all rows and columns, else of `rows` and `columns` of them at
  // least.
  template <bool WHOLE> GLA_DEVICE void add (const part &p, int rows, int columns)
  {
#pragma unroll
    for (int c = 0; c < NT; c++) {
      if (!WHOLE && c * 8 >= columns)
        break;
#pragma unroll
      for (int r = 0; r < MT; r++)
        if (WHOLE || r * 16 < rows) {
          multiply_tile<TERMS> (x[r][c], p.ax[r], p.bx[c]);
          if constexpr (CB)
            multiply_tile<TERMS> (y[r][c], p.ax[r], p.by[c]);
          else if constexpr (CA)
            multiply_tile<TERMS> (y[r][c], p.ay[r], p.bx[c]);
        }
      if constexpr (CA && CB) {
        double minus_by[TERMS / 4];
#pragma unroll
        for (int i = 0; i < TERMS / 4; i++)
          minus_by[i] = -p.by[c][i];
#pragma unroll
        for (int r = 0; r < MT; r++)
          if (WHOLE || r * 16 < rows) {
            multiply_tile<TERMS> (x[r][c], p.ay[r], minus_by);
            multiply_tile<TERMS> (y[r][c], p.ay[r], p.bx[c]);
          }
      }
    }
  }

  // f (row, column, element) for each element of the lane.
  template <class F> GLA_DEVICE void each (F f) const
  {
#pragma unroll
    for (int c = 0; c < NT; c++)
#pragma unroll
      for (int r = 0; r < MT; r++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
          T v = from_real<T> (x[r][c][i]);
          if constexpr (CC)
            v.y = y[r][c][i];
          f (16 * r + tile_row (i), 8 * c + tile_column (i), v);
        }
  }
};

//------------------------------------------------------------------------------
// single precision
//------------------------------------------------------------------------------

template <class TA, class TB, int WM, int WN, int TERMS>
struct warp_sums<float, TA, TB, WM, WN, TERMS> {
  typedef product_t<TA, TB> T;
  static constexpr int MT = WM / 8, NT = WN / 4;
  T x[MT][NT];

  GLA_DEVICE void clear ()
  {
#pragma unroll
    for (int r = 0; r < MT; r++)
#pragma unroll
      for (int c = 0; c < NT; c++)
        x[r][c] = from_real<T> (0);
  }

  template <class L> static GLA_DEVICE lane_places<L> places_a (int row)
  {
    return {row + (int)threadIdx.x % 32 / 4, 0};
  }
  template <class L> static GLA_DEVICE lane_places<L> places_b (int column)
  {
    return {column + (int)threadIdx.x % 4, 0};
  }

  struct part {
    TA a[TERMS][MT];
    TB b[TERMS][NT];
  };
  template <class LA, class LB>
  static GLA_DEVICE void load (part &p, const TA *a, const lane_places<LA> &in_a, const TB *b,
                               const lane_places<LB> &in_b, int l, bool flip)
  {
#pragma unroll
    for (int i = 0; i < TERMS; i++) {
#pragma unroll
      for (int r = 0; r < MT; r++)
        p.a[i][r] = conj_if (a[in_a (8 * r, l + i)], flip);
#pragma unroll
      for (int c = 0; c < NT; c++)
        p.b[i][c] = b[in_b (4 * c, l + i)];
    }
  }

  template <bool WHOLE> GLA_DEVICE void add (const part &p, int rows, int columns)
  {
#pragma unroll
    for (int l = 0; l < TERMS; l++)
#pragma unroll
      for (int c = 0; c < NT; c++) {
        if (!WHOLE && c * 4 >= columns)
          break;
#pragma unroll
        for (int r = 0; r < MT; r++)
          if (WHOLE || r * 8 < rows)
            x[r][c] = product_madd (p.a[l][r], p.b[l][c], x[r][c]);
      }
  }

  template <class F> GLA_DEVICE void each (F f) const
  {
#pragma unroll
    for (int c = 0; c < NT; c++)
#pragma unroll
      for (int r = 0; r < MT; r++)
        f (8 * r + threadIdx.x % 32 / 4, 4 * c + threadIdx.x % 4, x[r][c]);
  }
};

#endif

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
template <class T, bool BY_TERMS, int ROWS, int TERMS> struct tile_layout {
  static constexpr int contiguous = BY_TERMS ? TERMS : ROWS, columns = BY_TERMS ? ROWS : TERMS;
  static constexpr bool split = is_complex_v<T> && sizeof (T) == 16;
  typedef std::conditional_t<split, real_t<T>, T> number;
  static constexpr int distance = sizeof (number) == 8 && !is_complex_v<number>
                                      ? tile_stride<double, contiguous, BY_TERMS> ()
                                      : contiguous + 16 / (int)sizeof (T);
  // From the real to the imaginary parts, which threads copy side by side: in other banks.
  static constexpr int part = columns * distance + (split ? 8 : 0);
  static constexpr int numbers = split ? 2 * part : part;
  // Where row r, term l lies.
  __host__ __device__ static constexpr int at (int r, int l)
  {
    return BY_TERMS ? r * distance + l : l * distance + r;
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

  // What TERMS terms need of A and B.
  struct part {
    double ax[MT][TERMS / 2], ay[CA ? MT : 1][TERMS / 2];
    double bx[NT][TERMS / 4], by[CB ? NT : 1][TERMS / 4];
  };
  // a, b: the tiles at the warp's first row or column and the first term.
  template <class LA, class LB>
  static GLA_DEVICE void load (part &p, const double *a, const double *b, bool flip)
  {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    a += LA::at (g, t);
    b += LB::at (g, t);
#pragma unroll
    for (int r = 0; r < MT; r++)
#pragma unroll
      for (int i = 0; i < TERMS / 2; i++) {
        const int at = LA::at (16 * r + i % 2 * 8, i / 2 * 4);
        p.ax[r][i] = a[at];
        if constexpr (CA)
          p.ay[r][i] = minus_if (a[LA::part + at], flip);
      }
#pragma unroll
    for (int c = 0; c < NT; c++)
#pragma unroll
      for (int i = 0; i < TERMS / 4; i++) {
        const int at = LB::at (8 * c, i * 4);
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

  struct part {
    TA a[TERMS][MT];
    TB b[TERMS][NT];
  };
  template <class LA, class LB>
  static GLA_DEVICE void load (part &p, const TA *a, const TB *b, bool flip)
  {
    a += LA::at (threadIdx.x % 32 / 4, 0);
    b += LB::at (threadIdx.x % 4, 0);
#pragma unroll
    for (int l = 0; l < TERMS; l++) {
#pragma unroll
      for (int r = 0; r < MT; r++)
        p.a[l][r] = conj_if (a[LA::at (8 * r, l)], flip);
#pragma unroll
      for (int c = 0; c < NT; c++)
        p.b[l][c] = b[LB::at (4 * c, l)];
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

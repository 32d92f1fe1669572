// panel_qr.cuh: the QR factorisation of a panel of eight columns by all warps of a block
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A warp has some of the rows, 16 at a time, as fragments of the tensor cores have them.

#ifndef GPULINALG_PANEL_QR_CUH
#define GPULINALG_PANEL_QR_CUH

#include "fragments.cuh"
#include "householder.cuh"
#include "reflector.cuh"

// The warps that have a panel, and where the factor of its reflectors goes: I - V T V'.
template <class E> struct panel_team {
  int warp, warps;
  E *T_factor;
};

// What warps exchange for a column: sums over their rows of x'a for the eight columns a, and the
// pivot row. Two buffers, so that one barrier per column is enough.
template <class E, int WARPS> struct column_exchange {
  E dots[2][WARPS][PANEL_COLUMNS], pivot[2][PANEL_COLUMNS];
  double square[WARPS];
  E inner[PANEL_COLUMNS][PANEL_COLUMNS], tau[PANEL_COLUMNS]; // v_j'v_c conjugated, for T
};

// x'a over all rows below the pivot for the lane's two columns a.
template <int G, int WARPS, class E>
GLA_DEVICE void sum_dots (const panel_team<E> &p, column_exchange<E, WARPS> &exchange, int c,
                          const E (&x)[G][2], const numbers<E, 4> (&a)[G], E (&dot)[2])
{
  int lane = threadIdx.x % 32, b = lane % 4 * 2, odd = lane / 4 % 2;
  dot[0] = dot[1] = from_real<E> (0);
#pragma unroll
  for (int g = 0; g < G; g++)
#pragma unroll
    for (int q = 0; q < 4; q++)
      dot[q % 2] = cmadd (x[g][q / 2], a[g].get (q), dot[q % 2]);
  // lanes of odd a go on with the odd column
  E keep = odd ? dot[1] : dot[0], give = odd ? dot[0] : dot[1];
  keep = keep + shuffle_xor (give, 4);
  keep = keep + shuffle_xor (keep, 8);
  keep = keep + shuffle_xor (keep, 16);
  if (lane < 8)
    exchange.dots[c % 2][p.warp][b + odd] = keep;
  if (p.warp == 0 && lane / 4 == c)
    for (int q = 0; q < 2; q++)
      exchange.pivot[c % 2][b + q] = a[0].get (q);
  __syncthreads ();
  if constexpr (WARPS <= 8) { // reads that wait together take less than sums over lanes
#pragma unroll
    for (int q = 0; q < 2; q++) {
      dot[q] = exchange.dots[c % 2][0][b + q];
#pragma unroll
      for (int g = 1; g < WARPS; g++)
        if (g < p.warps)
          dot[q] = dot[q] + exchange.dots[c % 2][g][b + q];
    }
    return;
  }
  E sum = from_real<E> (0);
#pragma unroll
  for (int g = 0; g < WARPS; g += 4)
    if (g + lane / 8 < p.warps)
      sum = sum + exchange.dots[c % 2][g + lane / 8][b + odd];
  sum = sum + shuffle_xor (sum, 8);
  sum = sum + shuffle_xor (sum, 16);
  E other = shuffle_xor (sum, 4);
  dot[0] = odd ? other : sum;
  dot[1] = odd ? sum : other;
}

// The square of a column that is tiny, scaled up.
template <int G, int WARPS, class E>
GLA_DEVICE double scaled_square (const panel_team<E> &p, column_exchange<E, WARPS> &exchange,
                                 const E (&x)[G][2])
{
  double square = 0;
#pragma unroll
  for (int g = 0; g < G; g++)
    for (int h = 0; h < 2; h++)
      square += abs2 (scale (limits<double>::up, x[g][h]));
  square = lane_sum<32> (square) / 4; // four lanes have each row
  __syncthreads ();
  if (threadIdx.x % 32 == 0)
    exchange.square[p.warp] = square;
  __syncthreads ();
  square = 0;
  for (int g = 0; g < p.warps; g++)
    square += exchange.square[g];
  return square;
}

// The reflector of column c, applied to the columns right of it; a has v below the pivot then, and
// beta there. Even and odd c are separate instances so that indices of registers are constants.
template <int ODD, int G, int WARPS, class E>
GLA_DEVICE void eliminate (const panel_team<E> &p, column_exchange<E, WARPS> &exchange, int c,
                           numbers<E, 4> (&a)[G])
{
  int lane = threadIdx.x % 32, b = lane % 4 * 2;
  bool first = p.warp == 0; // has the pivots, in group 0
  E x[G][2], dot[2];
#pragma unroll
  for (int g = 0; g < G; g++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      x[g][h] = from_lane (a[g].get (2 * h + ODD), lane / 4 * 4 + c / 2);
      if (g == 0 && h == 0 && first && lane / 4 <= c)
        x[g][h] = from_real<E> (0);
    }
  sum_dots (p, exchange, c, x, a, dot);
  double square = from_lane (re (dot[ODD]), c / 2), up = 1;
  E alpha = exchange.pivot[c % 2][c];
  if (small_column (alpha, square)) {
    up = limits<double>::up;
    alpha = scale (up, alpha);
    square = scaled_square (p, exchange, x);
    if (small_column (alpha, square)) {
      square = 0;
      alpha = from_real<E> (0);
    }
  }
  reflector<E> h (alpha, square);
  if (up != 1) {
    h.inverse = scale (up, h.inverse);
    h.beta *= limits<double>::down;
  }
  E inner[2], factor[2]; // v'a; what times v is taken from a
#pragma unroll
  for (int q = 0; q < 2; q++) {
    inner[q] = cmadd (h.inverse, dot[q], exchange.pivot[c % 2][b + q]);
    factor[q] = b + q > c ? conj (h.tau) * inner[q] : from_real<E> (0);
    if (first && lane < 4 && b + q < c)
      exchange.inner[b + q][c] = conj (inner[q]);
  }
  if (threadIdx.x == 0)
    exchange.tau[c] = h.tau;
#pragma unroll
  for (int g = 0; g < G; g++)
#pragma unroll
    for (int q = 0; q < 4; q++) {
      bool triangle = g == 0 && q < 2 && first && lane / 4 <= c;
      E v = x[g][q / 2] * h.inverse;
      if (triangle && lane / 4 == c)
        v = from_real<E> (1);
      E value = a[g].get (q) - v * factor[q % 2];
      if (q % 2 == ODD && b + ODD == c)
        value = !triangle ? v : lane / 4 == c ? from_real<E> (h.beta) : value;
      a[g].set (q, value);
    }
}

// T(0:c-1, c) = -tau(c) T(0:c-1, 0:c-1) V'v(c): of eight lanes each has a row of T, and adds what
// column j is for the columns after it as soon as it is there.
template <int WARPS, class E>
GLA_DEVICE void store_factor (const panel_team<E> &p, const column_exchange<E, WARPS> &exchange)
{
  int i = threadIdx.x % 32;
  E row[PANEL_COLUMNS];
#pragma unroll
  for (int c = 0; c < PANEL_COLUMNS; c++)
    row[c] = from_real<E> (i == c ? -1 : 0);
#pragma unroll
  for (int j = 0; j < PANEL_COLUMNS; j++) {
    row[j] = -(exchange.tau[j] * row[j]);
    p.T_factor[i * PANEL_COLUMNS + j] = row[j];
#pragma unroll
    for (int c = j + 1; c < PANEL_COLUMNS; c++)
      row[c] = madd (row[j], exchange.inner[j][c], row[c]);
  }
}

// V of the first rows, which have R, with its ones and zeros.
template <class E> GLA_DEVICE void ones_and_zeros (numbers<E, 4> &x)
{
  int i = threadIdx.x % 32 / 4;
#pragma unroll
  for (int q = 0; q < 2; q++) {
    int j = threadIdx.x % 4 * 2 + q;
    x.set (q, i > j ? x.get (q) : from_real<E> (i == j ? 1.0 : 0.0));
  }
}

// Entry t of the sum of `count` squares.
template <class E> GLA_DEVICE E sum_of_squares (const E *squares, int count, int t)
{
  E sum = squares[t];
  for (int g = 1; g < count; g++)
    sum = sum + squares[g * PANEL_SQUARE + t];
  return sum;
}

// V'X as it comes from products with the real parts of V in the upper half, and with the imaginary
// ones in the lower.
template <class E> GLA_DEVICE void store_square (E *to, const numbers<E, 4> &x)
{
  int lane = threadIdx.x % 32, at = lane / 4 * PANEL_COLUMNS + lane % 4 * 2;
#pragma unroll
  for (int q = 0; q < 2; q++)
    if constexpr (is_complex_v<E>)
      to[at + q] = {x.re[q] + x.im[2 + q], x.im[q] - x.re[2 + q]};
    else
      to[at + q] = x.re[q];
}

#endif

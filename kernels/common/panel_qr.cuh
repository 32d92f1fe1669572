// panel_qr.cuh: products and QR factorisation of panels of eight columns on FP64 tensor cores
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Used by the reductions to a band: he2hb.cuh of eig, svd_band.cuh of svd. All warps of the block
// call what has barriers.

#ifndef GPULINALG_PANEL_QR_CUH
#define GPULINALG_PANEL_QR_CUH

#include "mma.cuh"
#include "reflector.cuh"

//------------------------------------------------------------------------------
// pieces of eight columns as the FP64 tensor cores hold them, and their products
//------------------------------------------------------------------------------

// Columns of a panel, and rows and columns of its square factors.
enum { PANEL_COLUMNS = 8, PANEL_SQUARE = PANEL_COLUMNS * PANEL_COLUMNS };

// N numbers of a fragment, real and imaginary parts apart. Of a piece of 16 by 8 lane 4a + b holds
// (a, 2b), (a, 2b+1), (a+8, 2b), (a+8, 2b+1), of one of 8 by 8 the first two. Factors are held in
// the same way: the tensor cores take them for columns b and b+4 of the inner index, and the order
// of a sum does not matter. So a product is a factor of the next one without a shuffle.
template <class E, int N> struct numbers {
  double re[N];
  GLA_DEVICE void set (int q, E value) { re[q] = value; }
  GLA_DEVICE E get (int q) const { return re[q]; }
};
template <int N> struct numbers<cx<double>, N> {
  double re[N], im[N];
  GLA_DEVICE void set (int q, cx<double> value)
  {
    re[q] = value.x;
    im[q] = value.y;
  }
  GLA_DEVICE cx<double> get (int q) const { return {re[q], im[q]}; }
};

// Loads the lane's two entries of a row, which are side by side.
GLA_DEVICE void load_pair (const double *row, double (&to)[2])
{
  double2 x = *reinterpret_cast<const double2 *> (row + threadIdx.x % 4 * 2);
  to[0] = x.x;
  to[1] = x.y;
}
GLA_DEVICE void load_pair (const cx<double> *row, cx<double> (&to)[2])
{
  to[0] = row[threadIdx.x % 4 * 2];
  to[1] = row[threadIdx.x % 4 * 2 + 1];
}

// Loads 16 or 8 rows of V or W, beginning with the first of `rows`; LD is the distance of rows.
template <class E, int N, int LD = PANEL_COLUMNS> GLA_DEVICE numbers<E, N> load_rows (const E *rows)
{
  numbers<E, N> x;
#pragma unroll
  for (int h = 0; h < N / 2; h++) {
    E pair[2];
    load_pair (rows + (8 * h + threadIdx.x % 32 / 4) * LD, pair);
    x.set (2 * h, pair[0]);
    x.set (2 * h + 1, pair[1]);
  }
  return x;
}

// Stores a sum of 16 or 8 rows, each of eight entries, row by row.
template <class E, int N> GLA_DEVICE void store_sum (E *to, const numbers<E, N> &x)
{
  to += threadIdx.x % 32 / 4 * PANEL_COLUMNS + threadIdx.x % 4 * 2;
#pragma unroll
  for (int p = 0; p < N; p++)
    to[p / 2 * 8 * PANEL_COLUMNS + p % 2] = x.get (p);
}

// c += a b with real parts of fragments
GLA_DEVICE void multiply_real (double (&c)[4], const double (&a)[4], double b0, double b1)
{
  const double left[4] = {a[0], a[2], a[1], a[3]};
  mma_tall (c, left, b0, b1);
}

// c += a b, where the lane holds b(2b, a) and b(2b+1, a).
GLA_DEVICE void multiply (numbers<double, 4> &c, const numbers<double, 4> &a,
                          const numbers<double, 2> &b)
{
  multiply_real (c.re, a.re, b.re[0], b.re[1]);
}
GLA_DEVICE void multiply (numbers<cx<double>, 4> &c, const numbers<cx<double>, 4> &a,
                          const numbers<cx<double>, 2> &b)
{
  multiply_real (c.re, a.re, b.re[0], b.re[1]);
  multiply_real (c.im, a.re, b.im[0], b.im[1]);
  multiply_real (c.re, a.im, -b.im[0], -b.im[1]);
  multiply_real (c.im, a.im, b.re[0], b.re[1]);
}

// c += conj(a) b
GLA_DEVICE void multiply_conj (numbers<double, 4> &c, const numbers<double, 4> &a,
                               const numbers<double, 2> &b)
{
  multiply (c, a, b);
}
GLA_DEVICE void multiply_conj (numbers<cx<double>, 4> &c, const numbers<cx<double>, 4> &a,
                               const numbers<cx<double>, 2> &b)
{
  multiply_real (c.re, a.re, b.re[0], b.re[1]);
  multiply_real (c.im, a.re, b.im[0], b.im[1]);
  multiply_real (c.re, a.im, b.im[0], b.im[1]);
  multiply_real (c.im, a.im, -b.re[0], -b.re[1]);
}

// c -= a b', b by rows as a is
GLA_DEVICE void subtract_product (numbers<double, 4> &c, const numbers<double, 4> &a,
                                  const numbers<double, 2> &b)
{
  multiply_real (c.re, a.re, -b.re[0], -b.re[1]);
}
GLA_DEVICE void subtract_product (numbers<cx<double>, 4> &c, const numbers<cx<double>, 4> &a,
                                  const numbers<cx<double>, 2> &b)
{
  multiply_real (c.re, a.re, -b.re[0], -b.re[1]);
  multiply_real (c.im, a.re, b.im[0], b.im[1]);
  multiply_real (c.re, a.im, -b.im[0], -b.im[1]);
  multiply_real (c.im, a.im, -b.re[0], -b.re[1]);
}

// Transposes a piece of 8 by 8: the lane has (a, 2b) and (a, 2b+1) and gets (b, a) and (b+4, a).
// Even columns take from the upper half of the rows first and odd ones from the lower half, so that
// each lane sends one number at a time.
GLA_DEVICE void transpose (double &first, double &second)
{
  int lane = threadIdx.x % 32, from = lane % 4 * 4 + lane / 8;
  bool lower = lane >= 16, odd = lane & 4;
  double x = from_lane (lower ? second : first, odd ? from + 16 : from);
  double y = from_lane (lower ? first : second, odd ? from : from + 16);
  first = odd ? y : x;
  second = odd ? x : y;
}

// Rows 8h..8h+7 of `from`, transposed, become rows 8g..8g+7 of `to`, for columns b and b+4.
template <class E>
GLA_DEVICE void transpose_half (const numbers<E, 4> &from, int h, numbers<E, 4> &to, int g)
{
  to.re[2 * g] = from.re[2 * h];
  to.re[2 * g + 1] = from.re[2 * h + 1];
  transpose (to.re[2 * g], to.re[2 * g + 1]);
  if constexpr (is_complex_v<E>) {
    to.im[2 * g] = from.im[2 * h];
    to.im[2 * g + 1] = from.im[2 * h + 1];
    transpose (to.im[2 * g], to.im[2 * g + 1]);
  }
}

//------------------------------------------------------------------------------
// the QR factorisation of a panel of eight columns by all warps of a block
//------------------------------------------------------------------------------

// A warp holds some of the rows, 16 at a time, as fragments of the tensor cores.

// The warps that have a panel, and where the factor of its reflectors goes: I - V T V'.
template <class E> struct panel_team {
  int warp, warps;
  E *T_factor;
};

// What warps exchange for a column: sums over their rows of x'a for the eight columns a, and the
// pivot row. There are two buffers, so that one barrier per column is enough.
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

// The square of the norm of a tiny column, after scaling it up.
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

// Makes the reflector of column c and applies it to the columns right of it; afterwards a holds v
// below the pivot, and beta at the pivot. Even and odd c are separate instances so that indices of
// registers are constants.
template <int ODD, int G, int WARPS, class E>
GLA_DEVICE void eliminate (const panel_team<E> &p, column_exchange<E, WARPS> &exchange, int c,
                           numbers<E, 4> (&a)[G])
{
  int lane = threadIdx.x % 32, b = lane % 4 * 2;
  bool first = p.warp == 0; // this warp has the pivots, in group 0
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
  E inner[2], factor[2]; // v'a; v is subtracted factor times
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

// T(0:c-1, c) = -tau(c) T(0:c-1, 0:c-1) V'v(c). Each of eight lanes has a row of T, and adds the
// term of column j to the later columns as soon as column j is known.
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

// Puts the ones and zeros of V in place of R in the first rows.
template <class E> GLA_DEVICE void ones_and_zeros (numbers<E, 4> &x)
{
  int i = threadIdx.x % 32 / 4;
#pragma unroll
  for (int q = 0; q < 2; q++) {
    int j = threadIdx.x % 4 * 2 + q;
    x.set (q, i > j ? x.get (q) : from_real<E> (i == j ? 1.0 : 0.0));
  }
}

// Returns entry t of the sum of `count` squares.
template <class E> GLA_DEVICE E sum_of_squares (const E *squares, int count, int t)
{
  E sum = squares[t];
  for (int g = 1; g < count; g++)
    sum = sum + squares[g * PANEL_SQUARE + t];
  return sum;
}

// Stores V'X from the layout of the products: real parts of V are in the upper half, imaginary ones
// in the lower.
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

// fragments.cuh: pieces of eight columns as the FP64 tensor cores hold them, and their products
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_FRAGMENTS_CUH
#define GPULINALG_FRAGMENTS_CUH

#include "mma.cuh"

// Columns of a panel, and rows and columns of its square factors.
enum { PANEL_COLUMNS = 8, PANEL_SQUARE = PANEL_COLUMNS * PANEL_COLUMNS };

// N numbers of a fragment, real and imaginary parts apart. Of a piece of 16 by 8 lane 4a + b holds
// (a, 2b), (a, 2b+1), (a+8, 2b), (a+8, 2b+1), of one of 8 by 8 the first two. Factors are held in
// the same way: the tensor cores take them for columns b and b+4 of the inner index, and the
// order of a sum does not matter. So a product is a factor of the next one without a shuffle.
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

// The lane's two neighbours in a row.
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

// 16 rows of V or W, or 8, from the first of `rows` on; LD is the distance of rows.
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

// A sum of 16 rows, or of 8, by rows of eight.
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

// c += a b, where b(2b, a) and b(2b+1, a) are what the lane holds.
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

// A piece of 8 by 8 transposed: the lane has (a, 2b) and (a, 2b+1) and gets (b, a) and (b+4, a).
// Even columns come from the upper half of the rows first and odd ones from the lower half, so that
// each lane gives one number at a time.
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

#endif

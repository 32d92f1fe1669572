// he2hb_gram.cuh: the QR factorisation of a panel from its products of columns, by one warp
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The reflectors of a panel P of 8 columns need from its rows below the first 8 only V2 = P2 M with
// an 8 by 8 matrix M, and a reflector depends on the columns only through their products, F = P'P.
// A unitary transformation does not change F, and removing a row r of P subtracts r'r from F. So
// one sum over all rows is enough for 8 columns. The norm of the rest of a column is then a
// difference. If it is so small beside the whole column that digits are lost, the caller must use
// the method of he2hb_qr.cuh.

#ifndef GPULINALG_HE2HB_GRAM_CUH
#define GPULINALG_HE2HB_GRAM_CUH

#include "he2hb_qr.cuh"

// The part of the square of a column's norm that must be left when its reflector is made.
constexpr float GRAM_LEFT = 0.25f;

// 1/sqrt(a) and 1/a within about one unit in the last place, without a branch.
GLA_DEVICE double quick_rsqrt (double a)
{
  return fast_rsqrt (a);
}
GLA_DEVICE float quick_rsqrt (float a)
{
  float y = rsqrtf (a);
  return fmaf (y * fmaf (-a * y, y, 1.0f), 0.5f, y);
}
GLA_DEVICE double quick_reciprocal (double a)
{
  return fast_reciprocal (a);
}
GLA_DEVICE float quick_reciprocal (float a)
{
  float y = __fdividef (1.0f, a);
  return fmaf (y, fmaf (-a, y, 1.0f), y);
}

// The panel as one warp has it, lane 4a + b rows a and columns 2b and 2b+1.
template <class T> struct gram_panel {
  typedef real_t<T> R;
  T top[2];      // the first 8 rows: R above V's first rows
  T products[2]; // F
  T factor[2];   // M; while a column waits, what of P2 has become of it
  R before[2];   // the squares of the columns' norms, in the lanes that have the diagonal
  bool sound;
};

template <class T> GLA_DEVICE gram_panel<T> gram_start (const T (&top)[2], const T (&products)[2])
{
  gram_panel<T> g;
  int a = threadIdx.x % 32 / 4, b = threadIdx.x % 4 * 2;
#pragma unroll
  for (int q = 0; q < 2; q++) {
    g.top[q] = top[q];
    g.products[q] = products[q];
    g.factor[q] = from_real<T> (a == b + q ? 1 : 0);
    g.before[q] = re (products[q]);
  }
  g.sound = true;
  return g;
}

// Row c of F: as it is kept, or where the panel ends with its first 8 rows, anew.
template <bool SHORT, class T>
GLA_DEVICE void gram_row (const gram_panel<T> &g, int c, T x, T (&products)[2])
{
  int lane = threadIdx.x % 32, row = 4 * c + lane % 4;
#pragma unroll
  for (int q = 0; q < 2; q++)
    if (SHORT) {
      T sum = lane / 4 >= c ? cmadd (x, g.top[q], from_real<T> (0)) : from_real<T> (0);
      for (int mask = 4; mask < 32; mask *= 2)
        sum = sum + shuffle_xor (sum, mask);
      products[q] = sum;
    } else {
      products[q] = from_lane (g.products[q], row);
    }
}

// Column c. The result for a column that has too little left is not used. R's row c is a_c'a over
// beta, so that F is updated for the next column while the reflector is made; F does not depend on
// the sign of beta.
template <bool SHORT, class T> GLA_DEVICE void gram_column (gram_panel<T> &g, int c, wide<T> *tau)
{
  typedef real_t<T> R;
  int lane = threadIdx.x % 32, a = lane / 4, b = lane % 4 * 2, odd = c % 2;
  int diagonal = 4 * c + c / 2, row = 4 * c + lane % 4, column = 4 * a + c / 2;
  T v = from_lane (g.top[odd], column), r[2];
  gram_row<SHORT> (g, c, v, r);
  R total = from_lane (re (r[odd]), c / 2), before = from_lane (g.before[odd], diagonal);
  bool none = SHORT && total == 0; // H = I
  g.sound &= (SHORT || total > (R)GRAM_LEFT * before) && (none || total > limits<R>::small_square);
  R over_norm = none ? R (0) : quick_rsqrt (total);
#pragma unroll
  for (int q = 0; q < 2; q++)
    r[q] = scale (over_norm, r[q]);
  T even = from_lane (r[0], a / 2), uneven = from_lane (r[1], a / 2);
#pragma unroll
  for (int q = 0; q < 2; q++)
    g.products[q] = cmadd (a % 2 ? -uneven : -even, r[q], g.products[q]);

  T alpha = from_lane (g.top[odd], diagonal);
  R over_beta = -copy_sign (over_norm, re (alpha)), beta = total * over_beta;
  T pivot = alpha - from_real<T> (beta);
  T inverse = scale (none ? R (0) : quick_reciprocal (abs2 (pivot)), conj (pivot));
  T m = from_lane (g.factor[odd], column);
  v = a > c ? v * inverse : from_real<T> (a == c ? 1 : 0);
  m = m * inverse;
#pragma unroll
  for (int q = 0; q < 2; q++) {
    T taken = from_lane (g.top[q], row) + scale (copy_sign (R (1), re (alpha)), r[q]);
    taken = b + q > c && !none ? taken : from_real<T> (0);
    g.top[q] = madd (-v, taken, g.top[q]);
    g.factor[q] = madd (-m, taken, g.factor[q]);
  }
  if (b + odd == c) {
    g.top[odd] = a > c ? v : a == c ? from_real<T> (beta) : g.top[odd];
    g.factor[odd] = m;
  }
  if (lane == 0)
    tau[c] = widen (scale (-over_beta, pivot));
}

// All of them, without a branch, so that the columns' work is done while the next ones' norms are
// waited for. False where too little was left of one. SHORT: there are no rows below the first 8.
template <bool SHORT, class T> GLA_DEVICE bool gram_columns (gram_panel<T> &g, wide<T> *tau)
{
#pragma unroll(SHORT ? 2 : 8)
  for (int c = 0; c < EIG_BANDWIDTH; c++)
    gram_column<SHORT> (g, c, tau);
  return g.sound;
}

#endif

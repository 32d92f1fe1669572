// pair_tiles.cuh: pairs of blocks of columns: their tiles, and the rotations of two columns
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PAIR_TILES_CUH
#define GPULINALG_PAIR_TILES_CUH

#include "common/async_copy.cuh"
#include "common/cluster.cuh"
#include "common/mma_tiles.cuh"
#include "common/scalar.cuh"
#include "gsvd_kernels.cuh"

//------------------------------------------------------------------------------
// rows of a pair of block columns, fetched to shared memory
//------------------------------------------------------------------------------

// Returns the first columns of a pair's blocks.
GLA_DEVICE int2 pair_columns (const gsvd_seat &s, short2 blocks, int width)
{
  auto first = [&] (int b) {
    return b < s.blocks ? s.first[0] + b * width : s.first[1] + (b - s.blocks) * width;
  };
  return make_int2 (first (blocks.x), first (blocks.y));
}

// Returns the column of the matrix for column c of the pair.
GLA_DEVICE int64_t pair_column (int2 first, int width, int c)
{
  return c < width ? first.x + c : first.y + c - width;
}

// Fetches ROWS rows from `row` on of the pair's NB columns: entry (r, c) is at c*LD + r, zeros from
// row `last` on. Leading dimensions, row and last are even, so that two rows of doubles are copied
// at once.
template <int THREADS, int NB, int ROWS, int LD, class T>
GLA_DEVICE void fetch_pair (T *tile, const T *data, int64_t ld, int width, int2 first, int row,
                            int last)
{
  constexpr int AT_ONCE = 16 / sizeof (T), PIECES = ROWS / AT_ONCE;
#pragma unroll
  for (int w = threadIdx.x; w < PIECES * NB; w += THREADS) {
    int r = w % PIECES * AT_ONCE, c = w / PIECES;
    double2 *to = reinterpret_cast<double2 *> (tile + c * LD + r);
    if (row + r < last)
      async_copy (to, reinterpret_cast<const double2 *> (data + pair_column (first, width, c) * ld +
                                                         row + r));
    else
      *to = make_double2 (0, 0);
  }
}

//------------------------------------------------------------------------------
// the 2 x 2 step of Hari-Zimmermann and of Jacobi
//------------------------------------------------------------------------------

// Columns p and q with b_pp = b_qq = 1: a nonsingular Z with Z' [1 b; b' 1] Z = I and
// Z' [a_pp a_pq; a_pq' a_qq] Z diagonal, in the normalised form of Falk and Langemeyer, which has
// no angles: its discriminant and its norms are sums of positive terms, so that pairs of very
// different columns lose nothing. Without b it is the rotation of Jacobi.

// Columns (x_p, x_q) <- (z11 x_p + z21 x_q, z12 x_p + z22 x_q).
template <class T> struct pair_step {
  T z11, z21, z12, z22;
  double app, aqq; // the new diagonal
};

// What the Gram entries of a pair say: whether to transform it, the square of its cosine then, and
// whether only a new Gram matrix can tell.
struct pair_finding {
  bool rotate, unknown;
  double cosine2;
};

// Returns 2^e and 2^-e for the exponent e of x > 0, up to 2^1022.
GLA_DEVICE double power_of (double x)
{
  int high = __double2hiint (x) & 0x7ff00000;
  return __hiloint2double (high > 0x7fd00000 ? 0x7fd00000 : high, 0);
}
GLA_DEVICE double inverse_power (double x)
{
  int high = __double2hiint (x) & 0x7ff00000;
  return __hiloint2double (0x7fe00000 - (high > 0x7fd00000 ? 0x7fd00000 : high), 0);
}

GLA_DEVICE double with_imaginary (double r, double, double)
{
  return r;
}
GLA_DEVICE cx<double> with_imaginary (double r, double i, cx<double>)
{
  return {r, i};
}

// Ignores b without BOTH. tol2 is the square of the tolerance.
template <bool BOTH, class T>
GLA_DEVICE pair_finding look_at_pair (double app, double aqq, T apq, T bpq, double tol2)
{
  if (!(app >= 0 && aqq >= 0)) // made negative by rounding
    return {false, true, 0};
  double most = app > aqq ? app : aqq, s = most > 0 ? inverse_power (most) : 1;
  double a2 = abs2 (scale (s, apq)), product = (s * app) * (s * aqq);
  pair_finding f = {a2 > tol2 * product, false, 0};
  if (f.rotate)
    f.cosine2 = product > 0 ? a2 / product : 1;
  if constexpr (BOTH) {
    double b2 = abs2 (bpq);
    if (!(b2 < 1 - 4e-15)) // dependent as far as the Gram matrix tells
      return {false, true, 0};
    f.rotate |= b2 > tol2;
    f.cosine2 = b2 > f.cosine2 ? b2 : f.cosine2;
  }
  return f;
}

// Finds the transformation of a pair for which look_at_pair asks. With nu, the larger root, al =
// (x2 - i v)/nu and be = (x1 + i v)/nu its columns are (1, -w' be) and (w al, 1) over their norms;
// here they are multiplied by nu, to avoid divisions.
template <bool BOTH, class T>
GLA_DEVICE void solve_pair (pair_step<T> &z, double app, double aqq, T apq, T bpq)
{
  double most = app > aqq ? app : aqq;
  double s = most > 0 ? inverse_power (most) : 1;
  double pp = s * app, qq = s * aqq, b = 0, t2 = 1;
  T w = from_real<T> (1), a = scale (s, apq);
  if constexpr (BOTH) {
    if constexpr (is_complex_v<T>) {
      double b2 = abs2 (bpq), inverse = b2 > 1e-280 ? rsqrt_of (b2) : 0;
      b = b2 * inverse;
      w = inverse > 0 ? scale (inverse, bpq) : from_real<T> (1);
    } else {
      b = fabs (bpq);
      w = copy_sign (1.0, bpq);
    }
    t2 = (1 - b) * (1 + b);
    a = conj (w) * a;
  }
  double u = re (a), v = im (a), e = pp - qq;
  double x1 = fma (pp, b, -u), x2 = fma (qq, b, -u), sum = x1 + x2;
  double h2 = fma (t2, fma (e, e, 4 * v * v), sum * sum), h = h2 > 0 ? h2 * rsqrt_of (h2) : 0;
  double half = (e + copy_sign (h, e)) / 2;
  z.app = app;
  z.aqq = aqq;
  if (half == 0 && v * b == 0) { // A is a multiple of B: Z = B^-1/2
    double plus = rsqrt_of (1 + b), minus = rsqrt_of (1 - b);
    z.z11 = z.z22 = from_real<T> ((plus + minus) / 2);
    z.z12 = scale ((plus - minus) / 2, w);
    z.z21 = conj (z.z12);
    return;
  }
  T nu = with_imaginary (half, v * b, T ());
  T one = with_imaginary (x1, v, T ()), two = with_imaginary (x2, -v, T ());
  double first = t2 * abs2 (nu), second = first;
  if constexpr (BOTH) {
    first += abs2 (one - scale (b, nu));
    second += abs2 (two + scale (b, nu));
  } else {
    first += abs2 (one);
    second = first;
  }
  double n1 = rsqrt_of (first), n2 = BOTH ? rsqrt_of (second) : n1;
  z.z11 = scale (n1, nu);
  z.z22 = scale (n2, nu);
  z.z12 = scale (n2, w * two);
  z.z21 = scale (-n1, conj (w) * one);
  // z' A z of both columns, a = w' a_pq
  T cross1 = conj (z.z11) * (scale (s, apq) * z.z21),
    cross2 = conj (z.z12) * (scale (s, apq) * z.z22);
  double up = most > 0 ? power_of (most) : 1;
  z.app = up * fma (pp, abs2 (z.z11), fma (qq, abs2 (z.z21), 2 * re (cross1)));
  z.aqq = up * fma (pp, abs2 (z.z12), fma (qq, abs2 (z.z22), 2 * re (cross2)));
}

// Exchanges the columns of Z.
template <class T> GLA_DEVICE void swap_columns (pair_step<T> &z)
{
  T x = z.z11, y = z.z21;
  double a = z.app;
  z.z11 = z.z12;
  z.z21 = z.z22;
  z.z12 = x;
  z.z22 = y;
  z.app = z.aqq;
  z.aqq = a;
}

#endif

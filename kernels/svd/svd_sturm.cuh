// svd_sturm.cuh: how many singular values of a bidiagonal matrix are below a number
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Leading principal minors of the matrix [0 B'; B 0] with rows and columns in turn (Golub, Kahan
// 1965) less s times I, each from the two before it: those of even order are +-p, those of odd
// order
// +-s*q. Rounding errors change each entry of B by a few eps of itself, and there is no quotient to
// wait for.

#ifndef GPULINALG_SVD_STURM_CUH
#define GPULINALG_SVD_STURM_CUH

#include "common/scalar.cuh"

// The square of the entry of B on the diagonal, and of that on its right; none is above 1 or below
// sturm_least, by which they differ from B by less than eps. Behind the last row come as many rows
// of nothing as fill up STURM_ROWS.
struct alignas (16) sturm_row {
  double d, e;
};
enum { STURM_ROWS = 4 };
constexpr double sturm_least = 1e-34;
constexpr sturm_row sturm_nothing = {4, sturm_least}; // a value of 2

inline __host__ __device__ int sturm_count (int n)
{
  return (n + STURM_ROWS - 1) / STURM_ROWS * STURM_ROWS;
}
GLA_DEVICE sturm_row sturm_row_of (double d, double e)
{
  return {fmax (d * d, sturm_least), fmax (e * e, sturm_least)};
}

// Divides p and q by the power of two in the larger one.
GLA_DEVICE void sturm_normalize (double &p, double &q)
{
  const int mask = 0x7ff00000, a = __double2hiint (p) & mask, b = __double2hiint (q) & mask;
  const double scale = __hiloint2double (0x7fe00000 - (a > b ? a : b), 0);
  p *= scale;
  q *= scale;
}

// Singular values below s of the first n rows, for s from 2^-54 to 1, or 0, below which there are
// none.
GLA_DEVICE int sturm_below (const sturm_row *b, int n, double s)
{
  const double square = s * s;
  double p = 1, q = 1;
  unsigned signs = 0; // of p, the last one in bit 0
  int changes = 0;
  for (int i = 0; i < n;) {
    const int first = i, end = i + 32 < n ? i + 32 : sturm_count (n);
    const unsigned before = signs & 1;
    signs = 0;
    for (; i < end; i += STURM_ROWS) {
#pragma unroll
      for (int r = 0; r < STURM_ROWS; r++) {
        const sturm_row x = b[i + r];
        p = fma (square, q, -(x.d * p));
        q = fma (-x.e, q, p);
        signs = __funnelshift_l ((unsigned)__double2hiint (p), signs, 1);
      }
      sturm_normalize (p, q);
    }
    changes += __popc (signs ^ (signs >> 1 | before << (end - first - 1)));
  }
  return s > 0 ? sturm_count (n) - changes : 0;
}

#endif

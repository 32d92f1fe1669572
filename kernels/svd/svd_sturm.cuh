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

// The minor of the whole matrix, p*2^exponent but for a factor that is the same for all s, and the
// singular values below s.
struct sturm_minor {
  double p;
  int exponent, below;
};

// Divides p and q by the power of two in the larger one, whose exponent is added.
GLA_DEVICE void sturm_normalize (double &p, double &q, int &exponent)
{
  const int mask = 0x7ff00000, a = __double2hiint (p) & mask, b = __double2hiint (q) & mask;
  const int top = a > b ? a : b;
  const double scale = __hiloint2double (0x7fe00000 - top, 0);
  p *= scale;
  q *= scale;
  exponent += top >> 20;
}

// Of the first n rows, for s from 2^-54 to 1, or 0, below which there are no values.
GLA_DEVICE sturm_minor sturm_minor_of (const sturm_row *b, int n, double s)
{
  const double square = s * s;
  double p = 1, q = 1;
  unsigned signs = 0; // of p, the last one in bit 0
  int changes = 0, exponent = 0;
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
      sturm_normalize (p, q, exponent);
    }
    changes += __popc (signs ^ (signs >> 1 | before << (end - first - 1)));
  }
  return {p, exponent, s > 0 ? sturm_count (n) - changes : 0};
}

// Singular values below s.
GLA_DEVICE int sturm_below (const sturm_row *b, int n, double s)
{
  return sturm_minor_of (b, n, s).below;
}

// x times 2^k
GLA_DEVICE double sturm_times_power (double x, int k)
{
  k = k > 500 ? 500 : k < -500 ? -500 : k;
  return x * __hiloint2double ((1023 + k) << 20, 0);
}

// A value between two points. If it is the only one there, the secant of the minor as a function of
// s^2 gives the next point; the minor at an end that stays twice is made smaller (Anderson, Bjorck
// 1973). Else, and where the same end stayed three times, the next point is the middle. An end
// without a minor has the exponent INT_MIN.
struct sturm_interval {
  double low, high;
  sturm_minor at_low, at_high;
  int kept, steps; // how often high came, or, less than 0, low; secants

  GLA_DEVICE double middle () const { return 0.5 * (low + high); }
  GLA_DEVICE bool is_single () const
  {
    return at_high.below - at_low.below == 1 && at_low.exponent != INT_MIN &&
           at_high.exponent != INT_MIN;
  }
  // The next point, at least `least` from both ends.
  GLA_DEVICE double next (double least)
  {
    if (!is_single () || kept >= 3 || kept <= -3 || steps > 24)
      return middle ();
    steps++;
    const double left = fabs (at_low.p),
                 right = sturm_times_power (fabs (at_high.p), at_high.exponent - at_low.exponent);
    const double x = sqrt (fma (high * high - low * low, left / (left + right), low * low));
    return fmin (fmax (x, low + least), high - least);
  }
  // Makes x, below which there are minor.below values, an end.
  GLA_DEVICE void take (double x, sturm_minor minor, bool is_high)
  {
    const int side = is_high ? 1 : -1;
    const bool again = kept * side > 0;
    const sturm_minor same = is_high ? at_high : at_low;
    double smaller = 1;
    if (again && is_single ()) {
      smaller =
          1 - sturm_times_power (fabs (minor.p), minor.exponent - same.exponent) / fabs (same.p);
      smaller = smaller > 0 ? smaller : 0.5;
    }
    if (is_high) {
      at_low.p *= smaller;
      high = x;
      at_high = minor;
    } else {
      at_high.p *= smaller;
      low = x;
      at_low = minor;
    }
    kept = !is_single () ? 0 : again ? kept + side : side;
  }
};

#endif

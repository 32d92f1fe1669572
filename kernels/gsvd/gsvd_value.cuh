// gsvd_value.cuh: cosine and sine of a value, and how to undo the scaling of a pair
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_GSVD_VALUE_CUH
#define GPULINALG_GSVD_VALUE_CUH

#include "common/scalar.cuh"

// Returns x 2^k for any k.
GLA_DEVICE double far_power (double x, int k)
{
  return times_power (x, k < -3000 ? -3000 : k > 3000 ? 3000 : k);
}

// Cosine and sine of the scaled pair, from its generalized singular value.
struct gsvd_angle {
  double cosine, sine;
  GLA_DEVICE explicit gsvd_angle (double sigma)
  {
    const double h = hypot (1.0, sigma);
    cosine = sigma > 1e150 ? 1 : sigma / h;
    sine = sigma > 1e150 ? 1 / sigma : 1 / h;
  }
};

// With c, s of the scaled pair, c 2^page_a and s 2^page_b are those of the pair times h; its column
// of X must be multiplied by h = factor * 2^exponent.
struct gsvd_unscaled {
  double alpha, beta, factor;
  int exponent;
  GLA_DEVICE gsvd_unscaled (double c, double s, int page_a, int page_b)
  {
    const int a = page_a, b = page_b, most = a > b ? a : b;
    // both to the larger exponent, and from there by a common one
    double cc = far_power (c, a - most), dd = far_power (s, b - most);
    int up = 0;
    if (cc < 0x1p-500 && dd < 0x1p-500) { // this column has nothing of the larger matrix
      up = a > b ? a - b : b - a;
      up = up > 500 ? up - 100 : up;
      cc = far_power (c, a - most + up);
      dd = far_power (s, b - most + up);
    }
    factor = hypot (cc, dd);
    exponent = most - up;
    alpha = cc / factor;
    beta = dd / factor;
  }
};

#endif

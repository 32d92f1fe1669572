// svd_polar_weights.cuh: what X is multiplied by in the steps of svd_polar_steps.cuh
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_POLAR_WEIGHTS_CUH
#define GPULINALG_SVD_POLAR_WEIGHTS_CUH

#include "svd_polar_steps.cuh"

// Of X*(x*I + y*(G - t*I)^2).
struct polar_square {
  double t, x, y;
};

// The nearest to G^(-1/2), relative to it, for eigenvalues of G from 0.65^2 to 1.03 (by Lawson's
// method): 0.0067 at most are left of singular values. Within h of 1: the series of
// (1 + E)^(-1/2) up to E^2, and of the linear term so much less that a quarter of the cubic one is
// left.
__host__ __device__ constexpr polar_square square_of_step (int step)
{
  if (step == POLAR_FIRST) {
    const double c0 = 2.31566216934, c1 = -2.2663353116, c2 = 0.952569151316;
    return {-c1 / (2 * c2), c0 - c1 * c1 / (4 * c2), c2};
  }
  const double h = step == POLAR_SECOND ? 0.0147 : 0, down = 4 / 3.0 * (0.5 + 15 / 64.0 * h * h);
  return {1 + down, 1 - 3 / 8.0 * down * down, 3 / 8.0};
}

// Of X*(x*I + y*inv (I + c*G)), X times `scale` before.
GLA_DEVICE double2 halley_weights (double scale)
{
  const double c = POLAR_WEIGHT, q = 2 * (sqrt (1 + c) - 1), b = q * q / 4;
  return make_double2 (scale * b / c, scale * (1 + q - b / c));
}

#endif

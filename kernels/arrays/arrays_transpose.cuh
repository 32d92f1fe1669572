// arrays_transpose.cuh: copies in another order of the dimensions
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_ARRAYS_TRANSPOSE_CUH
#define GPULINALG_ARRAYS_TRANSPOSE_CUH

#include "arrays.cuh"

// Element (i, j) of n[0] x n[1] is at x + i*x_cross + j, and goes to `to` + i + j*to_cross, for all
// places in `dims` other dimensions.
struct nd_transpose {
  const void *x;
  void *to;
  int64_t n[2], x_cross, to_cross;
  int dims;
  nd_divisor size[GLA_ND_DIMS];
  int64_t x_step[GLA_ND_DIMS], to_step[GLA_ND_DIMS];
  bool flip; // conjugate; only complex elements
  uint32_t tiles[2];
};
cudaError_t nd_launch_transpose (nd_transpose a, size_t size, cudaStream_t stream);

#endif

// solve_lanes_s.cu: pages of order up to 32 in lanes, single precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_lanes_launch.cuh"

template cudaError_t lu_lanes<float> (const lu_args<float> &, cudaStream_t);

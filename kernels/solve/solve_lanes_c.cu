// solve_lanes_c.cu: pages of order up to 32 in lanes, complex, single precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_lanes_launch.cuh"

template cudaError_t lu_lanes<cx<float>> (const lu_args<cx<float>> &, cudaStream_t);

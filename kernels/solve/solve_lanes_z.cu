// solve_lanes_z.cu: pages of order up to 32 in lanes, complex, double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_lanes_launch.cuh"

template cudaError_t lu_lanes<cx<double>> (const lu_args<cx<double>> &, cudaStream_t);

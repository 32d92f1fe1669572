// solve_lanes_d.cu: pages of order up to 32 in lanes, double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_lanes_launch.cuh"

template cudaError_t lu_lanes<double> (const lu_args<double> &, cudaStream_t);

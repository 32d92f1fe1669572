// solve_lanes_types.cu: pages of order up to 32 in lanes, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_lanes_launch.cuh"
#include "common/type.cuh"

template cudaError_t lu_lanes<T> (const lu_args<T> &, cudaStream_t);

// solve_definite_s.cu: definite pages of orders 33 to 256, single precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_definite.cuh"

template cudaError_t lu_definite<float> (const lu_args<float> &, const lu_space &, cudaStream_t);

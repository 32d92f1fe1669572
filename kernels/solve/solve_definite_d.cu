// solve_definite_d.cu: definite pages of orders 33 to 256, double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_definite.cuh"

template cudaError_t lu_definite<double> (const lu_args<double> &, const lu_space &, cudaStream_t);

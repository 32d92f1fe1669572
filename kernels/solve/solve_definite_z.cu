// solve_definite_z.cu: definite pages of orders 33 to 256, complex, double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_definite.cuh"

template cudaError_t lu_definite<cx<double>> (const lu_args<cx<double>> &, const lu_space &,
                                              cudaStream_t);

// solve_definite_c.cu: definite pages of orders 33 to 256, complex, single precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_definite.cuh"

template cudaError_t lu_definite<cx<float>> (const lu_args<cx<float>> &, const lu_space &,
                                             cudaStream_t);

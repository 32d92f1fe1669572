// pairs_factor_z.cu: Cholesky of pages and the inverse of L, complex, double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_factor.cuh"

template bool pencil_factor_fits<cx<double>> (int, int);
template cudaError_t pencil_factor<cx<double>> (const pencil_args<cx<double>> &, int, int, bool);

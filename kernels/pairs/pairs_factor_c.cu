// pairs_factor_c.cu: Cholesky of pages and the inverse of L, complex, single precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_factor.cuh"

template bool pencil_factor_fits<cx<float>> (int, int);
template cudaError_t pencil_factor<cx<float>> (const pencil_args<cx<float>> &, int, int, bool);

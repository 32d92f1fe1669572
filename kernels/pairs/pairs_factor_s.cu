// pairs_factor_s.cu: Cholesky of pages and the inverse of L, single precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_factor.cuh"

template bool pencil_factor_fits<float> (int, int);
template cudaError_t pencil_factor<float> (const pencil_args<float> &, int, int, bool);

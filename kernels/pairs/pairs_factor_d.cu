// pairs_factor_d.cu: Cholesky of pages and the inverse of L, double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_factor.cuh"

template bool pencil_factor_fits<double> (int, int);
template cudaError_t pencil_factor<double> (const pencil_args<double> &, int, int, bool);

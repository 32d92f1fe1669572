// pairs_factor_types.cu: Cholesky of pages and the inverse of L, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_factor.cuh"
#include "common/type.cuh"

template bool pencil_factor_fits<T> (int, int);
template cudaError_t pencil_factor<T> (const pencil_args<T> &, int, int, bool);

// pairs_small_types.cu: pairs of order up to 32, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_back.cuh"
#include "pairs_small.cuh"
#include "common/type.cuh"

template cudaError_t pencil_small<T> (const pencil_args<T> &);
template cudaError_t pencil_small_back<T> (const pencil_args<T> &, const page_matrix<T> &);

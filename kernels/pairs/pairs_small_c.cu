// pairs_small_c.cu: pairs of order up to 32, complex, single precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_back.cuh"
#include "pairs_small.cuh"

template cudaError_t pencil_small<cx<float>> (const pencil_args<cx<float>> &);
template cudaError_t pencil_small_back<cx<float>> (const pencil_args<cx<float>> &,
                                                   const page_matrix<cx<float>> &);

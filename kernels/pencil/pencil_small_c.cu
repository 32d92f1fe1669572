// pencil_small_c.cu: pairs of order up to 32, complex, single precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pencil_back.cuh"
#include "pencil_small.cuh"

template cudaError_t pencil_small<cx<float>> (const pencil_args<cx<float>> &);
template cudaError_t pencil_small_back<cx<float>> (const pencil_args<cx<float>> &,
                                                   const page_matrix<cx<float>> &);

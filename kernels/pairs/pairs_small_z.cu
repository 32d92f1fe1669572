// pairs_small_z.cu: pairs of order up to 32, complex, double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_back.cuh"
#include "pairs_small.cuh"

template cudaError_t pencil_small<cx<double>> (const pencil_args<cx<double>> &);
template cudaError_t pencil_small_back<cx<double>> (const pencil_args<cx<double>> &,
                                                    const page_matrix<cx<double>> &);

// pairs_small_d.cu: pairs of order up to 32, double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_back.cuh"
#include "pairs_small.cuh"

template cudaError_t pencil_small<double> (const pencil_args<double> &);
template cudaError_t pencil_small_back<double> (const pencil_args<double> &,
                                                const page_matrix<double> &);

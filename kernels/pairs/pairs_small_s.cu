// pairs_small_s.cu: pairs of order up to 32, single precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_back.cuh"
#include "pairs_small.cuh"

template cudaError_t pencil_small<float> (const pencil_args<float> &);
template cudaError_t pencil_small_back<float> (const pencil_args<float> &,
                                               const page_matrix<float> &);

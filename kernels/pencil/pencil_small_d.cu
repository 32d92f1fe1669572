// pencil_small_d.cu: pairs of order up to 32, double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pencil_back.cuh"
#include "pencil_small.cuh"

template cudaError_t pencil_small<double> (const pencil_args<double> &);
template cudaError_t pencil_small_back<double> (const pencil_args<double> &,
                                                const page_matrix<double> &);

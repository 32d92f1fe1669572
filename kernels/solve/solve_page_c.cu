// solve_page_c.cu: pages of orders 33 to 112, complex, single precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_page_launch.cuh"

template bool lu_page_serves<cx<float>> (int, bool);
template cudaError_t lu_page<cx<float>> (const lu_args<cx<float>> &, const lu_space &,
                                         cudaStream_t);

// solve_page_z.cu: pages of orders 33 to 112, complex, double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_page_launch.cuh"

template bool lu_page_serves<cx<double>> (int, bool);
template cudaError_t lu_page<cx<double>> (const lu_args<cx<double>> &, const lu_space &,
                                          cudaStream_t);

// solve_page_d.cu: pages of orders 33 to 112, double precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_page_launch.cuh"

template bool lu_page_serves<double> (int, bool);
template cudaError_t lu_page<double> (const lu_args<double> &, const lu_space &, cudaStream_t);

// solve_page_s.cu: pages of orders 33 to 112, single precision
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_page_launch.cuh"

template bool lu_page_serves<float> (int, bool);
template cudaError_t lu_page<float> (const lu_args<float> &, const lu_space &, cudaStream_t);

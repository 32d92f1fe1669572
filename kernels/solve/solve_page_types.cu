// solve_page_types.cu: pages of orders 33 to 112, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_page_launch.cuh"
#include "common/type.cuh"

template bool lu_page_serves<T> (int, bool);
template cudaError_t lu_page<T> (const lu_args<T> &, const lu_space &, cudaStream_t);

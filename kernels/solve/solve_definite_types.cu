// solve_definite_types.cu: definite pages of orders 33 to 256, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_definite.cuh"
#include "common/type.cuh"

template cudaError_t lu_definite<T> (const lu_args<T> &, const lu_space &, cudaStream_t);

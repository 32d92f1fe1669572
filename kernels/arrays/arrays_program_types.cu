// arrays_program_types.cu: several operations of single elements, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_interpret.cuh"
#include "common/type.cuh"

template cudaError_t nd_launch_program<T> (const nd_program &p, cudaStream_t stream);

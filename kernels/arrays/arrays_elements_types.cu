// arrays_elements_types.cu: operations of single elements, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_elements.cuh"
#include "common/type.cuh"

template cudaError_t nd_launch<T> (const nd_elements &a, cudaStream_t stream);
template cudaError_t nd_launch_flat<T> (const nd_flat &a, cudaStream_t stream);

// arrays_elements_s.cu: operations of single elements in single
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_elements.cuh"

template cudaError_t nd_launch<float> (const nd_elements &a, cudaStream_t stream);
template cudaError_t nd_launch_flat<float> (const nd_flat &a, cudaStream_t stream);

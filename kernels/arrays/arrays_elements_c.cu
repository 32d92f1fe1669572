// arrays_elements_c.cu: operations of single elements in complex single
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_elements.cuh"

template cudaError_t nd_launch<cx<float>> (const nd_elements &a, cudaStream_t stream);
template cudaError_t nd_launch_flat<cx<float>> (const nd_flat &a, cudaStream_t stream);

// arrays_elements_z.cu: operations of single elements in complex double
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_elements.cuh"

template cudaError_t nd_launch<cx<double>> (const nd_elements &a, cudaStream_t stream);
template cudaError_t nd_launch_flat<cx<double>> (const nd_flat &a, cudaStream_t stream);

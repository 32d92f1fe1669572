// arrays_elements_d.cu: operations of single elements in double
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_elements.cuh"

template cudaError_t nd_launch<double> (const nd_elements &a, cudaStream_t stream);
template cudaError_t nd_launch_flat<double> (const nd_flat &a, cudaStream_t stream);

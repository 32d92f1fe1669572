// arrays_program_z.cu: several operations of single elements in complex double
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_interpret.cuh"

template cudaError_t nd_launch_program<cx<double>> (const nd_program &p, cudaStream_t stream);

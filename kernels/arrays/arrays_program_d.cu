// arrays_program_d.cu: several operations of single elements in double
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_interpret.cuh"

template cudaError_t nd_launch_program<double> (const nd_program &p, cudaStream_t stream);

// arrays_program_s.cu: several operations of single elements in single
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_interpret.cuh"

template cudaError_t nd_launch_program<float> (const nd_program &p, cudaStream_t stream);

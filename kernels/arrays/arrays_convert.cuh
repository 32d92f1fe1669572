// arrays_convert.cuh: arrays without gaps from one precision to the other
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_ARRAYS_CONVERT_CUH
#define GPULINALG_ARRAYS_CONVERT_CUH

#include <cuda_runtime.h>
#include <cstdint>

// n real numbers, or the parts of n/2 complex ones; both arrays begin at multiples of 16 bytes.
cudaError_t nd_to_single (const double *x, float *to, int64_t n, cudaStream_t stream);
cudaError_t nd_to_double (const float *x, double *to, int64_t n, cudaStream_t stream);

#endif

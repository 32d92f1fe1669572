// product_thin_types.cu: the kernels of products with few columns or few rows, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "product_thin_launch.cuh"
#include "common/type.cuh"

template cudaError_t launch_thin (const product_args<T, T> &, const product_piece &, int64_t,
                                  cudaStream_t, bool *);

// product_types.cu: the kernels of page products of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "product_launch.cuh"
#include "common/type.cuh"

template cudaError_t product_pages (const product_args<T, T> &, const product_piece &,
                                    cudaStream_t);
template int64_t product_tiles<T, T> (int, int, int);

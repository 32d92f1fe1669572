// product_s.cu: the kernels of page products of type s
// SPDX-License-Identifier: GPL-3.0-or-later

#include "product_launch.cuh"

template cudaError_t product_pages (const product_args<float, float> &, const product_piece &,
                                    cudaStream_t);
template int64_t product_tiles<float, float> (int, int, int);

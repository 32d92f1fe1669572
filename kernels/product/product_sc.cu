// product_sc.cu: the kernels of page products of a real factor and a complex one, in float
// SPDX-License-Identifier: GPL-3.0-or-later

#include "product_launch.cuh"

template cudaError_t product_pages (const product_args<float, cx<float>> &, const product_piece &,
                                    cudaStream_t);
template cudaError_t product_pages (const product_args<cx<float>, float> &, const product_piece &,
                                    cudaStream_t);
template int64_t product_tiles<float, cx<float>> (int, int, int);
template int64_t product_tiles<cx<float>, float> (int, int, int);

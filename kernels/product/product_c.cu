// product_c.cu: the kernels of page products of type c
// SPDX-License-Identifier: GPL-3.0-or-later

#include "product_launch.cuh"

template cudaError_t product_pages (const product_args<cx<float>, cx<float>> &,
                                    const product_piece &, cudaStream_t);
template int64_t product_tiles<cx<float>, cx<float>> (int, int, int);

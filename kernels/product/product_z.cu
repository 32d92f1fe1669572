// product_z.cu: the kernels of page products of type z
// SPDX-License-Identifier: GPL-3.0-or-later

#include "product_launch.cuh"

template cudaError_t product_pages (const product_args<cx<double>, cx<double>> &,
                                    const product_piece &, cudaStream_t);
template int64_t product_tiles<cx<double>, cx<double>> (int, int, int);

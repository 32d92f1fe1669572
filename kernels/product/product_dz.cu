// product_dz.cu: the kernels of page products of a real factor and a complex one, in double
// SPDX-License-Identifier: GPL-3.0-or-later

#include "product_launch.cuh"

template cudaError_t product_pages (const product_args<double, cx<double>> &, const product_piece &,
                                    cudaStream_t);
template cudaError_t product_pages (const product_args<cx<double>, double> &, const product_piece &,
                                    cudaStream_t);
template int64_t product_tiles<double, cx<double>> (int, int, int);
template int64_t product_tiles<cx<double>, double> (int, int, int);

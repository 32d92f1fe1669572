// product_d.cu: the kernels of page products of type d
// SPDX-License-Identifier: GPL-3.0-or-later

#include "product_launch.cuh"

template cudaError_t product_pages (const product_args<double, double> &, const product_piece &,
                                    cudaStream_t);
template int64_t product_tiles<double, double> (int, int, int);

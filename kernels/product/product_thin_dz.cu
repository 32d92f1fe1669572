// product_thin_dz.cu: products with few columns or rows of a real and a complex factor, double
// SPDX-License-Identifier: GPL-3.0-or-later

#include "product_thin_launch.cuh"

template cudaError_t launch_thin (const product_args<double, cx<double>> &, const product_piece &,
                                  int64_t, cudaStream_t, bool *);
template cudaError_t launch_thin (const product_args<cx<double>, double> &, const product_piece &,
                                  int64_t, cudaStream_t, bool *);

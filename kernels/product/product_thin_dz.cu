// product_thin_dz.cu: the kernels of products with few columns or few rows of a real factor and a
// complex one, in double SPDX-License-Identifier: GPL-3.0-or-later

#include "product_thin_launch.cuh"

template cudaError_t launch_thin (const product_args<double, cx<double>> &, const product_piece &,
                                  int64_t, cudaStream_t, bool *);
template cudaError_t launch_thin (const product_args<cx<double>, double> &, const product_piece &,
                                  int64_t, cudaStream_t, bool *);

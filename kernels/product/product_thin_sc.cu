// product_thin_sc.cu: the kernels of products with few columns or few rows of a real factor and a
// complex one, in single SPDX-License-Identifier: GPL-3.0-or-later

#include "product_thin_launch.cuh"

template cudaError_t launch_thin (const product_args<float, cx<float>> &, const product_piece &,
                                  int64_t, cudaStream_t, bool *);
template cudaError_t launch_thin (const product_args<cx<float>, float> &, const product_piece &,
                                  int64_t, cudaStream_t, bool *);

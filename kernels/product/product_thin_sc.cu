// product_thin_sc.cu: products with few columns or rows of a real and a complex factor, single
// SPDX-License-Identifier: GPL-3.0-or-later

#include "product_thin_launch.cuh"

template cudaError_t launch_thin (const product_args<float, cx<float>> &, const product_piece &,
                                  int64_t, cudaStream_t, bool *);
template cudaError_t launch_thin (const product_args<cx<float>, float> &, const product_piece &,
                                  int64_t, cudaStream_t, bool *);

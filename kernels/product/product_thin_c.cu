// product_thin_c.cu: the kernels of products with few columns or few rows of type c
// SPDX-License-Identifier: GPL-3.0-or-later

#include "product_thin_launch.cuh"

template cudaError_t launch_thin (const product_args<cx<float>, cx<float>> &, const product_piece &,
                                  int64_t, cudaStream_t, bool *);

// product_thin.cuh: products with few columns or few rows: their launch
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PRODUCT_THIN_CUH
#define GPULINALG_PRODUCT_THIN_CUH

#include "product.cuh"

// Multiplies a piece, whose page has `tiles` tiles, where the sizes of the pages are such as the
// kernels of product_thin_kernel.cuh serve; `done` tells whether they are.
template <class TA, class TB>
cudaError_t launch_thin (const product_args<TA, TB> &a, const product_piece &piece, int64_t tiles,
                         cudaStream_t stream, bool *done);

#endif

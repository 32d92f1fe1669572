// product_square_part.cuh: products of complex double pages that are added to C (product/)
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PRODUCT_SQUARE_PART_CUH
#define GPULINALG_PRODUCT_SQUARE_PART_CUH

#include "product_part.cuh"

// Computes C = A'*B or C = A*B, or with `add` C += A*B, of any sizes, by squares of 64 by 64.
// `done` is false, and nothing was launched, if the device has no TMA (common/tensor_map.cuh) or
// columns of A or B do not begin at multiples of 16 bytes.
template <class T>
cudaError_t product_squares (const product_args<T, T> &a, int multiprocessors, bool add,
                             cudaStream_t stream, bool *done);

#endif

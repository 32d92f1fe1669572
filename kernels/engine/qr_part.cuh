// qr_part.cuh: QR of small pages as a part of an operation's work on a chunk (qr/qr_small.cu)
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_QR_PART_CUH
#define GPULINALG_QR_PART_CUH

#include "common/pages.cuh"

// Whether pages of m x n, m >= n, are small: to 512 x 64 at most, less where a number has more
// bytes.
bool qr_part_serves (gla_type type, int64_t m, int64_t n);
// Finds A = Q*R of m x n and n x n on every page, all on the device, in one launch.
template <class T>
cudaError_t qr_part (page_matrix<const T> A, page_matrix<T> Q, page_matrix<T> R, int m, int n,
                     int64_t pages, cudaStream_t stream);

#endif

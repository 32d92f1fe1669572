// unmtr_wide.cuh: V = Q Z of large complex double pages by products of matrices
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_UNMTR_WIDE_CUH
#define GPULINALG_UNMTR_WIDE_CUH

#include "eig_kernels.cuh"

// Reflectors of a block, and the orders of the pages that are served.
enum { UNMTR_WIDE = 64, UNMTR_WIDE_FROM = 256, UNMTR_WIDE_TO = 1536 };

// Doubles of work of one page, behind the factors of all pages.
template <class T> int64_t unmtr_wide_doubles (int n);

// Whether it serves: by the types, n and the number of wanted columns alone.
template <class T> bool unmtr_wide_serves (const eig_args<T> &a);

// The same as the strips of unmtr_blocked.cu, from the factors of its blocks. Without TMA
// (tensor_map.cuh) *done is false, and what the strips need is as it was.
template <class T> cudaError_t unmtr_wide (const eig_args<T> &a, bool *done);

#endif

// eig_whole.cuh: batcheig on small pages, each in one kernel that does everything
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_EIG_WHOLE_CUH
#define GPULINALG_EIG_WHOLE_CUH

#include "eig_kernels.cuh"

// A -> lambda, V, info, skew. *any, memory of the host, becomes 1 where a page has info, so that no
// kernel has to look for it.

// For n up to 32, by "qr".
template <class T> cudaError_t eig_small (const eig_args<T> &a, int *any);

// For n up to JACOBI_WHOLE, as eig_jacobi does.
enum { JACOBI_WHOLE = 16 };
template <class T> cudaError_t eig_jacobi_whole (const eig_args<T> &a, int *any);

#endif

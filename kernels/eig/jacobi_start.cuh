// jacobi_start.cuh: blocked Jacobi that begins with the eigenvectors of "qr"
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_JACOBI_START_CUH
#define GPULINALG_JACOBI_START_CUH

#include "eig_kernels.cuh"

// Pages where "qr" failed, but nothing else was wrong with them (bad[page] is 0): info becomes 0
// and bad[page] -1.
template <class T> cudaError_t eig_block_forgive (const eig_args<T> &a, int32_t *bad);
// Z := V; of pages with bad = -1 W := A, and Z stays what it is.
template <class T>
cudaError_t eig_block_begin (const eig_args<T> &a, const T *A, const T *V, const int32_t *bad);

#endif

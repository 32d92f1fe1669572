// jacobi_lanes.cuh: one-sided Jacobi on a Cholesky factor, for pages of up to 64 rows
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A = L L' with pivoting; L J has orthogonal columns, whose directions are the eigenvectors of A
// and whose squared lengths are its eigenvalues (Veselic, Hari 1989). Where A is definite these
// have high relative accuracy (Demmel, Veselic 1992). Where it is not, A + s I is factored.

#ifndef GPULINALG_JACOBI_LANES_CUH
#define GPULINALG_JACOBI_LANES_CUH

#include "eig_kernels.cuh"

enum { JACOBI_LANES = 64 }; // rows at most

// W := L, d[page] := s; or W stays as it is, and d[page] becomes NaN: W is diagonal. Then
// eig_jacobi goes on.
template <class T> cudaError_t eig_jacobi_factor (const eig_args<T> &a);

#endif

// hetrd_band.cuh: reduction to tridiagonal form by way of a band matrix, and the way back
// SPDX-License-Identifier: GPL-3.0-or-later
//
// LAPACK's ?hetrd_2stage (Haidar, Ltaief, Dongarra 2011): the dense matrix is first made a band
// matrix, which takes products of matrices only; then the band is chased to two diagonals. The
// reflectors of both stages are kept where eigenvectors are wanted: two transformations of few
// columns, or of those of large pages, take less than the other reduction takes more.

#ifndef GPULINALG_HETRD_BAND_CUH
#define GPULINALG_HETRD_BAND_CUH

#include "eig_kernels.cuh"

// Diagonals of the band below the main one, and columns of a panel of the first stage.
enum { EIG_BANDWIDTH = 8 };

// Dense to band: W (n*n per page; of a page the lower triangle is read; destroyed) -> band. Of
// column j a.band has EIG_BANDWIDTH + 1 entries from the diagonal down: entry (j+r, j) at
// j*(EIG_BANDWIDTH+1) + r, zero where j + r >= n. Diagonal entries are real. It is a number of
// steps of falling cost; this does steps first..last-1 of them. a.panel has eig_he2hb_scratch (n)
// elements of T per page. With a.chased W gets the reflectors, from EIG_BANDWIDTH rows below the
// diagonal on, and tau their factors.
template <class T> int64_t eig_he2hb_scratch (int n, int smem_limit);
template <class T> int eig_he2hb_steps (int n, int smem_limit);
template <class T> cudaError_t eig_he2hb (const eig_args<T> &a, int first, int last);

// What is left after `step` steps, in one kernel, in shared memory; eig_he2hb takes it from the
// first step on from which it fits. At step 0 it starts from A and does what eig_prepare does, too,
// but for the norm; later, he2hb_update has to be through.
template <class T> int he2hb_page_from (int n, int smem_limit);
template <class T> cudaError_t he2hb_page (const eig_args<T> &a, int step);

// Band to tridiagonal: band -> d, e and, if it is there, a.chased.
template <class T> cudaError_t eig_hb2st (const eig_args<T> &a);

// Reflector t of sweep s has rows s+1+EIG_BANDWIDTH*t and the next ones. In a.chased it is tau, in
// the place of its one, and the other entries: at EIG_BANDWIDTH*(s*eig_chased_tasks + t).
__host__ __device__ inline int eig_chased_tasks (int n)
{
  return (n - 1 + EIG_BANDWIDTH - 1) / EIG_BANDWIDTH;
}
__host__ __device__ inline int64_t eig_chased_numbers (int n)
{
  return (int64_t)n * eig_chased_tasks (n) * EIG_BANDWIDTH;
}

// Up to so many wanted columns are few.
enum { EIG_ALONE_COLUMNS = 4 };

// V = Q2 Z for the wanted columns, by the reflectors of the second stage.
template <class T> cudaError_t eig_chased (const eig_args<T> &a);
// The same for more than EIG_ALONE_COLUMNS columns, where a strip of them fits in shared memory;
// eig_chased takes it.
template <class T> bool eig_chased_strip_fits (int n, int smem_limit);
template <class T> cudaError_t eig_chased_strip (const eig_args<T> &a);

#endif

// eig_kernels.cuh: arguments and calls of the kernels of batcheig
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every launcher works on one chunk of pages that is resident on the device and returns the
// launch's error. Buffers belong to the engine; sizes are per page.

#ifndef GPULINALG_EIG_KERNELS_CUH
#define GPULINALG_EIG_KERNELS_CUH

#include <cuda_runtime.h>

#include "common/eig_range.cuh"
#include "common/runtime.cuh"
#include "common/scalar.cuh"

// Up to n / EIG_FEW_SHARE columns are few.
enum { EIG_FEW_SHARE = 4 };

// The ends of an interval, of which vl is not part.
struct eig_interval {
  double vl, vu;
};

template <class T> struct eig_args {
  typedef real_t<T> R;

  int n;
  int64_t pages;
  int triangle; // gla_triangle
  int vectors;
  int phase;         // whether columns of V get the phase of common/phase.cuh
  int first, wanted; // columns of V that are formed, in ascending order; all n of them, or a part
  int gathered;      // whether Z has the wanted columns alone, in their order
  R tol;
  int maxit;
  int smem_limit; // bytes of shared memory that one block may take
  int multiprocessors;
  cudaStream_t stream;

  // the caller's arrays, in elements
  const T *A;
  int64_t lda, page_a;
  T *V;
  int64_t ldv, page_v;
  R *lambda;
  int64_t inc_lambda, page_lambda;

  // work, packed
  T *W;            // n*n: the scaled full matrix, then reflectors (qr) or A*Q (jacobi); may be A
  void *Z;         // n*n: eigenvectors of the tridiagonal matrix (R), or Q (T, blocked jacobi)
  R *d, *e;        // n each: tridiagonal matrix, then eigenvalues
  T *tau;          // n
  T *panel;        // eig_hetrd_panel (n): may be the memory of Z
  int *rank;       // n: the place of eigenvalue k in ascending order; of a part the wanted ones' k
  int *exponent;   // 1: the page was divided by 2^exponent
  R *norm;         // 1: Frobenius norm of the scaled page
  int32_t *info;   // 1
  double *skew;    // 1: largest |A - A'| where info is GLA_INFO_NOT_HERMITIAN
  T *band;         // 9*n: entry (j+r, j) of the band matrix at 9*j + r, by way of a band only
  T *chased;       // eig_chased_numbers (n): reflectors of the second stage, with vectors
  double *tfactor; // eig_unmtr_doubles (n): triangular factors of blocks of reflectors
  int strip;       // columns of V that a block of the back-transform takes
  void *stedc;     // eig_stedc_bytes (n, pages): divide and conquer
  int *state;      // 8: flags of blocked jacobi
  char *large;     // work space of ROUTE_LARGE (large.cuh)
  int *count;      // of the chunk: pages that are not finished, and a list of them (pages + 4)
  eig_span *spans; // 1: of an interval each page's own part, `wanted` columns at most; else NULL
  int *lists;      // eig_few_list_numbers (pages): where eig_few finds spans, else NULL
};

// Checks and scales: A -> W, exponent, norm, info, skew.
template <class T> cudaError_t eig_prepare (const eig_args<T> &a);
// Does the same for one large page with the whole GPU; `memory` is for what its blocks exchange.
template <class T> cudaError_t eig_prepare_large (const eig_args<T> &a, void *memory);
size_t eig_prepare_large_bytes ();

// Checks, scales and reduces pages of n up to 128, where they fit: A -> d, e, exponent, info, skew
// and, with vectors, tau and what W has below the diagonal; no norm.
template <class T> bool eig_hetrd_warp_fits (int n, int smem_limit);
template <class T> cudaError_t eig_hetrd_warp (const eig_args<T> &a);

// Householder tridiagonalisation: W, d, e, tau. It is a number of steps of falling cost; this does
// steps first..last-1 of them. Below the diagonal W holds the reflectors; the rest of it is lost.
template <class T> int eig_hetrd_steps (int n, int smem_limit);
template <class T> int64_t eig_hetrd_panel (int n, int smem_limit);
template <class T> cudaError_t eig_hetrd (const eig_args<T> &a, int first, int last);

// Divide and conquer: (d, e) -> d, Z. V is scratch.
template <class T> int64_t eig_stedc_bytes (int n, int64_t pages);
template <class T> cudaError_t eig_stedc (const eig_args<T> &a);

// Whether only some columns of V are formed; the first one of a page, and how many.
template <class T> __host__ __device__ inline bool eig_in_part (const eig_args<T> &a)
{
  return a.wanted < a.n || a.spans != nullptr;
}
template <class T> GLA_DEVICE int eig_first_of (const eig_args<T> &a, int64_t page)
{
  return a.spans != nullptr ? a.spans[page].first : a.first;
}
template <class T> GLA_DEVICE int eig_columns_of (const eig_args<T> &a, int64_t page)
{
  return a.spans != nullptr ? a.spans[page].stored : a.wanted;
}

// Sorts d and writes lambda and rank, which is -1 behind the wanted ones of a page in an interval;
// and spans where eig_few has not.
template <class T> cudaError_t eig_sort (const eig_args<T> &a, const eig_interval &interval);

// Of a part of V, eig_stedc leaves out the last product, if there is one that is not joined with a
// merge: eig_stedc_gathers. After eig_sort eig_stedc_part does it for the wanted columns alone.
template <class T> bool eig_stedc_gathers (int n);
template <class T> cudaError_t eig_stedc_part (const eig_args<T> &a);

// Wanted column j: where it is in Z, and where it goes in V.
template <class T> GLA_DEVICE int64_t eig_source_of (const eig_args<T> &a, int64_t page, int j)
{
  return eig_in_part (a) && !a.gathered ? a.rank[page * a.n + j] : j;
}
template <class T> GLA_DEVICE int64_t eig_place_of (const eig_args<T> &a, int64_t page, int j)
{
  return eig_in_part (a) ? eig_first_of (a, page) + j : a.rank[page * a.n + j];
}

// V = Q Z with columns in the order of rank; Q from the reflectors in W and tau. By way of a band,
// Z is in V already (eig_chased) and the reflectors begin EIG_BANDWIDTH rows below the diagonal.
template <class T> cudaError_t eig_unmtr (const eig_args<T> &a);
// The same for n up to 128 where all reflectors of a page fit in shared memory; eig_unmtr takes it.
template <class T> bool eig_unmtr_page_fits (int n, int smem_limit);
template <class T> cudaError_t eig_unmtr_page (const eig_args<T> &a);
// The same by blocks of reflectors, a.strip columns to a block: 8, 16 or 32 where they fit.
template <class T> int64_t eig_unmtr_doubles (int n);
template <class T> bool eig_unmtr_strip_fits (int n, int strip, int smem_limit);
template <class T> cudaError_t eig_unmtr_blocked (const eig_args<T> &a);

// One-sided Jacobi on a Cholesky factor, up to n = 64; W -> lambda, V. One number of d per page.
template <class T> bool eig_jacobi_fits (int n, int smem_limit);
template <class T> cudaError_t eig_jacobi (const eig_args<T> &a);

// One-sided block Jacobi above: W <- A Q and Q in Z. One sweep is eig_block_rounds (n) rounds.
int eig_block_rounds (int n);
template <class T> cudaError_t eig_block_start (const eig_args<T> &a);
template <class T> cudaError_t eig_block_round (const eig_args<T> &a, int round, int64_t active);
// Ends a sweep: lists the pages that rotated; their number is a.count[0].
template <class T> cudaError_t eig_block_next (const eig_args<T> &a, int64_t active);
// Pages still listed get info; d, then (after eig_sort) V.
template <class T> cudaError_t eig_block_values (const eig_args<T> &a, int64_t active);
template <class T> cudaError_t eig_block_vectors (const eig_args<T> &a);

//------------------------------------------------------------------------------
// reduction to tridiagonal form by way of a band matrix, and the way back
//------------------------------------------------------------------------------

// LAPACK's ?hetrd_2stage (Haidar, Ltaief, Dongarra 2011): products of matrices alone reduce the
// dense matrix to a band, and bulge chasing reduces the band to tridiagonal form. Where
// eigenvectors are wanted the reflectors of both stages are kept: for few columns, or for large
// pages, two back-transformations cost less than the direct reduction would.

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

// Finishes the reduction after `step` steps in one kernel, in shared memory; eig_he2hb calls it
// from the first step at which the rest fits. At step 0 it reads A and does what eig_prepare does,
// except for the norm; later, he2hb_update must have finished.
template <class T> int he2hb_page_from (int n, int smem_limit);
template <class T> cudaError_t he2hb_page (const eig_args<T> &a, int step);

// Band to tridiagonal: band -> d, e and, if not NULL, a.chased.
template <class T> cudaError_t eig_hb2st (const eig_args<T> &a);

// Reflector t of sweep s has rows s+1+EIG_BANDWIDTH*t and the next ones. a.chased has tau, at the
// place of its one, and the other entries: at EIG_BANDWIDTH*(s*eig_chased_tasks + t).
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

//------------------------------------------------------------------------------
// batcheig on small pages, each in one kernel that does everything
//------------------------------------------------------------------------------

// A -> lambda, V, info, skew. *any, memory of the host, becomes 1 where a page has info, so that no
// kernel has to look for it.

// For n up to 32, by "qr".
template <class T> cudaError_t eig_small (const eig_args<T> &a, int *any);

// For n up to JACOBI_WHOLE, as eig_jacobi does.
enum { JACOBI_WHOLE = 16 };
template <class T> cudaError_t eig_jacobi_whole (const eig_args<T> &a, int *any);

//------------------------------------------------------------------------------
// one-sided Jacobi on a Cholesky factor, for pages of up to 64 rows
//------------------------------------------------------------------------------

// A = L L' with pivoting; L J has orthogonal columns, whose directions are the eigenvectors of A
// and whose squared lengths are its eigenvalues (Veselic, Hari 1989). If A is definite these have
// high relative accuracy (Demmel, Veselic 1992), else A + s I is factored.

enum { JACOBI_LANES = 64 }; // rows at most

// W := L, d[page] := s; or W stays as it is, and d[page] becomes NaN: W is diagonal. Then
// eig_jacobi goes on.
template <class T> cudaError_t eig_jacobi_factor (const eig_args<T> &a);

//------------------------------------------------------------------------------
// blocked Jacobi that begins with the eigenvectors of "qr"
//------------------------------------------------------------------------------

// Pages where "qr" failed, but nothing else was wrong with them (bad[page] is 0): info becomes 0
// and bad[page] -1.
template <class T> cudaError_t eig_block_forgive (const eig_args<T> &a, int32_t *bad);
// Z := V; of pages with bad = -1 W := A, and Z stays what it is.
template <class T>
cudaError_t eig_block_begin (const eig_args<T> &a, const T *A, const T *V, const int32_t *bad);

//------------------------------------------------------------------------------
// the second stage undone on the tensor cores, for complex double pages
//------------------------------------------------------------------------------

// Of more than n / EIG_MANY_SHARE columns.
enum { EIG_MANY_SHARE = 4 };

// Numbers of work of one page, behind a.chased of all pages.
template <class T> int64_t chased_wide_numbers (int n);

// V = Q2 Z by the reflectors of the second stage, where a strip of columns fits in shared memory;
// eig_chased takes it for many columns, of an interval for the pages with many.
template <class T> bool chased_wide_fits (int n, int smem_limit);
template <class T> cudaError_t chased_wide (const eig_args<T> &a);

//------------------------------------------------------------------------------
// V = Q Z of large complex double pages by products of matrices
//------------------------------------------------------------------------------

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

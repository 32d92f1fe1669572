// eig_kernels.cuh: the kernels of batcheig, as the engine launches them
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every launcher works on one chunk of pages that is resident on the device and returns the
// launch's error. Buffers belong to the engine; sizes are per page.

#ifndef GPULINALG_EIG_KERNELS_CUH
#define GPULINALG_EIG_KERNELS_CUH

#include <cuda_runtime.h>
#include "common/runtime.cuh"
#include "common/eig_range.cuh"
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
  char *large;     // work space of ROUTE_LARGE (large_page.cuh)
  int *count;      // of the chunk: pages that are not finished, and a list of them (pages + 4)
  eig_span *spans; // 1: of an interval each page's own part, `wanted` columns at most; else NULL
  int *lists;      // eig_few_list_numbers (pages): where eig_few finds spans, else NULL
};

// Checks and scales: A -> W, exponent, norm, info, skew.
template <class T> cudaError_t eig_prepare (const eig_args<T> &a);
// The same for one large page by the whole GPU, with memory for what the blocks tell each other.
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

#endif

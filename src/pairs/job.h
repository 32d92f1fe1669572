// job.h: the work of gla_batcheig_pairs on one engine
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PAIRS_JOB_H
#define GPULINALG_PAIRS_JOB_H

#include "eig/job.h"

// One job on Hermitian pencils (A, B) with B = L*L', L lower triangular. Each page has the steps
// that are wanted: L of B; C = inv (L)*A*inv (L)', or L'*A*L with `product`; X = inv (L)'*X, or L*X
// with `times`, in place.
typedef struct {
  gla_job head;
  int64_t n;
  int factor, reduce, back; // the steps
  int product, times;
  gla_triangle triangle; // of A and B
  int phase;             // with back: columns of X get the phase of common/phase.h
} gla_pencil_job;

// Pages of the job, on the host; those of steps that are not wanted have NULL data. The lower
// triangle of C is written, divided by 2^exponents[page], and the lower triangle of L is used. info
// as in gla_eig_pairs_results: `factor` sets it; the other steps skip pages with nonzero info,
// except that their C is NaN. Pages of A or B that are not Hermitian get GLA_INFO_NOT_HERMITIAN,
// and the largest |A - A'| in skew_a[page], that of B in skew_b[page]; these are 0 for all others.
typedef struct {
  union {
    gla_array arrays[5];
    struct {
      gla_array L, A, B, C, X;
    };
  };
  int32_t *info, *exponents;
  double *skew_a, *skew_b;
} gla_pencil_chunk;

// One job of gla_batcheig_pairs: that of the standard problem, whose head and options are those of
// the call, and how it is formed: C = inv (L)*A*inv (L)' or with `product` L'*A*L, and X = inv
// (L)'*Y or with `times` L*Y from the eigenvectors Y of C.
typedef struct {
  gla_eig_job eig; // must stay first; `triangle` is of A and B
  int product, times;
  int a_shared, b_shared; // nonzero: one page for all
} gla_eigpairs_job;

// Pages of the job. A and B have one page if that is shared; lambda has all. V and rcond have NULL
// data if they are not wanted; rcond is NaN if B has no Cholesky factor. info is that of
// gla_eig_pairs_results, or GLA_INFO_NOT_HERMITIAN, and then skew[page] is the largest |A - A'|, or
// minus the largest |B - B'|. count, and info and *clean before and after, as in gla_eig_chunk.
typedef struct {
  union {
    gla_array arrays[5];
    struct {
      gla_array lambda, A, B, V, rcond;
    };
  };
  int32_t *info;
  double *skew;
  int *clean, clean_word; // clean points to clean_word, or elsewhere
  int64_t *count;
} gla_eigpairs_chunk;

#endif

// job.h: the work of gla_batchsvd on one engine
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_JOB_H
#define GPULINALG_SVD_JOB_H

#include "row.h"

// One job of gla_batchsvd: A = U*S*V' of each page. m, n >= 1, k = min (m, n). tol and maxit are
// resolved (not 0); method may be GLA_SVD_METHOD_AUTO, which each backend resolves by m, n and type
// alone.
typedef struct {
  gla_job head;
  int64_t m, n;
  int64_t values;    // of S: the largest, 1 to k
  int64_t u_columns; // of U: 0 (not wanted), `values`, or m if values is k
  int64_t v_columns; // of V: 0, `values`, or n if values is k
  gla_svd_method method;
  double tol; // of "jacobi": two columns count as orthogonal if the cosine is at most tol
  int maxit;  // sweeps of Jacobi
} gla_svd_job;

// Pages of the job; those not wanted have NULL data. S is values x 1, of the real type, descending,
// with any row_stride. For a page that fails the backend fills S, U and V with NaN and sets info as
// gpulinalg.h says. info and *clean as in gla_eig_chunk. Phase: with U and V, the largest
// element of each of the first `values` columns of V is real and positive (common/phase.h).
typedef struct {
  union {
    gla_array arrays[4];
    struct {
      gla_array A, S, U, V;
    };
  };
  int32_t *info;
  int *clean, clean_word; // clean points to clean_word, or elsewhere
} gla_svd_chunk;

#endif

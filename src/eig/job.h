// job.h: the work of gla_batcheig on one engine
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_EIG_JOB_H
#define GPULINALG_EIG_JOB_H

#include "row.h"

// One eigenvalue job: the same for all its chunks. tol and maxit are resolved (not 0); method may
// be GLA_EIG_METHOD_AUTO, which each backend resolves by n and type alone.
typedef struct {
  gla_job head; // must stay first
  int64_t n;
  int vectors; // nonzero: V is wanted
  gla_eig_method method;
  gla_triangle triangle;
  double tol; // as in gla_eig_options
  int maxit;
  gla_eig_range range;
  int64_t il;      // GLA_EIG_INDICES: the first, from 1; columns of them are wanted
  int64_t columns; // of V and rows of lambda; n with GLA_EIG_ALL
  double vl, vu;   // GLA_EIG_INTERVAL
  // For measurements: a row that replaces that of the table (on a GPU a gla_eig_route,
  // kernels/eig/eig_routes.h). NULL: the table's.
  const void *route;
  int phase; // nonzero: eigenvectors get the phase of common/phase.h
} gla_eig_job;

// Pages of the job. info, skew and count are host arrays of A.pages entries, valid after `finish`;
// count is NULL with GLA_EIG_ALL, and with a part as gla_eig_results says. For a page that fails,
// the backend fills lambda and V with NaN and sets info as gpulinalg.h says; a page that did not
// converge keeps info in 1..n. A page that is not Hermitian within 10*n*eps*max|A|
// (GLA_TRIANGLE_FULL only) gets GLA_INFO_NOT_HERMITIAN and max |A - A'| in skew[page]. Before a
// chunk is submitted, info is 0 and *clean is 0. `finish` may leave info unchanged if it is 0 on
// all pages, and then says so in *clean: the host need not read a million words.
typedef struct {
  union {
    gla_array arrays[3];
    struct {
      gla_array A, lambda, V; // V.data is NULL when vectors are not wanted
    };
  };
  int32_t *info;
  double *skew;
  int *clean, clean_word; // clean points to clean_word, or elsewhere
  int64_t *count;
} gla_eig_chunk;

#endif

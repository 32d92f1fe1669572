// eigs_rows.h: one call of gla_eigs_rows
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_RANKS_EIGS_ROWS_H
#define GPULINALG_RANKS_EIGS_ROWS_H

#include "eigs/eigs.h"
#include "sparse_rows.h"

typedef struct {
  gla_eigs_run run;
  gla_eigs_ranks common;
  gla_sparse_rows *S;
  // The failure that this rank returns is that of another one, or has been noted already.
  int elsewhere;
} gla_eigs_rows_call;

// Small matrices: rank 0 gets all of A and computes all eigenvalues.
gla_status gla_eigs_rows_dense (gla_eigs_rows_call *call, const gla_eigs_results *results);

#endif

// lanczos_rows.h: one call of gla_eigs_rows
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_RANKS_LANCZOS_ROWS_H
#define GPULINALG_RANKS_LANCZOS_ROWS_H

#include "lanczos/lanczos.h"
#include "sparse_rows.h"

typedef struct {
  gla_eigs_run run;
  gla_eigs_ranks common;
  gla_sparse_rows *S;
  // The failure that this rank returns is that of another one, or has been noted already.
  int elsewhere;
  gla_choice choice; // of this rank's place
  int lost;          // its GPU has failed
} gla_eigs_rows_call;

// The place that this rank would take, before the ranks meet: the kind of its GPU, 0 for the CPU.
gla_status gla_eigs_rows_choose (gla_eigs_rows_call *call, const gla_eigs_results *results,
                                 int64_t *gpu_kind);
// What must be the same on all ranks of the place that their callers want.
int gla_eigs_rows_wish (const gla_eigs_rows_call *call);
// When they have met: a GPU of each, if all would take one of the same kind.
gla_status gla_eigs_rows_settle (gla_eigs_rows_call *call);
// When the work has ended: this rank's GPU may have failed.
gla_status gla_eigs_rows_leave (gla_eigs_rows_call *call, gla_status status);
// For gla_krylov_swap: rows that go from GPU to GPU by way of the host, and failures of a GPU.
void gla_eigs_rows_swap (void *call, int64_t columns);
void gla_eigs_rows_count (void *call, int64_t columns); // those that NCCL has brought
void gla_eigs_rows_fail (void *call, gla_status status);

// Small matrices: rank 0 gets all of A and computes all eigenvalues.
gla_status gla_eigs_rows_dense (gla_eigs_rows_call *call, const gla_eigs_results *results);

#endif

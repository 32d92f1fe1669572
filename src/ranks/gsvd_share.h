// gsvd_share.h: ranks that share the sweeps of one pair
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rank 0 has the pair and solves it, as gla_gsvd does alone. When its CPU begins sweeps over blocks
// of columns it commands the other ranks, which wait for that, to share them. On a GPU, and for few
// columns, it does not, and they only wait. Included by gsvd_columns.c and gsvd_rows.c.

#ifndef GPULINALG_RANKS_GSVD_SHARE_H
#define GPULINALG_RANKS_GSVD_SHARE_H

#include "group.h"
#include "gsvd/job.h"

typedef struct {
  gla_ranks *ranks;
  gla_gsvd_ranks hook;             // what the backend sees
  const gla_gsvd_options *options; // the same on all ranks
  int joined;                      // whether this rank has come to the first sum of the sweeps
} gla_gsvd_share;

// Whether ranks share such a pair; and bytes of the messages for that.
int gla_gsvd_is_shared (const gla_ranks *ranks, const gla_array *A, const gla_gsvd_options *o);
size_t gla_gsvd_share_bytes (const gla_array *A);

// Before the ranks meet: memory, beside that of messages.
gla_status gla_gsvd_share_start (gla_gsvd_share *share, gla_ranks *ranks,
                                 const gla_gsvd_options *o);
// On rank 0, before the pair is solved and after that, also where it is not for an error.
void gla_gsvd_share_lead (gla_gsvd_share *share, const gla_array *A);
void gla_gsvd_share_dismiss (gla_gsvd_share *share);
// Called on the other ranks meanwhile. A and B: the shapes of the pair, without data.
void gla_gsvd_share_serve (gla_gsvd_share *share, const gla_array *A, const gla_array *B);
void gla_gsvd_share_end (gla_gsvd_share *share);

#endif

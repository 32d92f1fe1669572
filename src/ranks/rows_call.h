// rows_call.h: what all collective calls on rows do before and after their work
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_RANKS_ROWS_CALL_H
#define GPULINALG_RANKS_ROWS_CALL_H

#include "rows.h"

// Whether A, and B unless it is NULL, can be read and are on the host.
gla_status gla_rows_check_inputs (gla_context *ctx, const gla_array *A, const gla_array *B);
// The same for right-hand sides B of A.
gla_status gla_rows_check_rhs (gla_context *ctx, const gla_array *A, const gla_array *B);
// The same for a pair of gla_gsvd.
gla_status gla_rows_check_pair (gla_context *ctx, const gla_array *A, const gla_array *B,
                                const gla_gsvd_options *o);
// Whether a result without data, or of this type and shape, is on the host.
gla_status gla_rows_check_output (gla_context *ctx, const char *name, const gla_array *a,
                                  const gla_array *shape);
// The type and the pages of A with other rows and columns; no data.
gla_array gla_rows_shape (const gla_array *A, int64_t rows, int64_t columns);

// Room for the messages of A with right-hand sides B (NULL: none) and `more` bytes of results.
gla_status gla_rows_reserve (gla_context *ctx, gla_ranks *ranks, const gla_array *A,
                             const gla_array *B, size_t more);
// The ranks meet: with the sizes of A, and of B where its rows count, or where the status of the
// card is not GLA_OK, with the message of the context.
gla_status gla_rows_meet (gla_context *ctx, gla_ranks *ranks, gla_rank_card *card,
                          const gla_array *A, const gla_array *B);
// The same for a pair and its options, where nothing is wrong.
gla_status gla_rows_meet_pair (gla_context *ctx, gla_ranks *ranks, gla_rank_card *card,
                               const gla_array *A, const gla_array *B, const gla_gsvd_options *o);

// Memory that all ranks get as it is on rank 0.
typedef struct {
  void *data;
  size_t bytes;
} gla_rows_bytes;
// From rank 0 to all, in one message: arrays, whole, and behind them other memory. Nonzero: nothing
// has come, because a rank has failed.
int gla_rows_spread (gla_ranks *ranks, const gla_array *const *arrays, int count,
                     const gla_rows_bytes *parts, int part_count);
// To the caller, unless `to` is NULL: not wanted.
void gla_rows_give (void *to, const void *from, size_t bytes);

#endif

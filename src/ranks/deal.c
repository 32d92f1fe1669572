// deal.c: a matrix of rank 0 goes to all ranks by rows, and comes back
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/status.h"
#include "rows.h"
#include "arrays.h"

// The first row of a rank; that of rank `ranks` is behind the last one.
static int64_t first_row (int64_t rows, int rank, int ranks)
{
  return rows / ranks * rank + rows % ranks * rank / ranks;
}

static gla_status check_whole (gla_context *ctx, const gla_ranks *ranks, const gla_array *whole,
                               const gla_array *part)
{
  if (ranks->transport.rank > 0)
    return GLA_OK;
  if (whole == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "whole must not be NULL on rank 0");
  const gla_array shape = gla_rows_shape (part, whole->rows, part->columns);
  GLA_TRY (gla_check_input (ctx, "whole", whole));
  return gla_rows_check_output (ctx, "whole", whole, &shape);
}

// Reserves memory for the largest part.
static gla_status reserve (gla_context *ctx, gla_ranks *ranks, const gla_array *whole,
                           const gla_array *part)
{
  gla_array largest = *part;
  if (ranks->transport.rank == 0)
    largest.rows = whole->rows / ranks->transport.ranks + 1;
  if (gla_ranks_reserve (ranks, gla_full_bytes (&largest)) == GLA_OK)
    return GLA_OK;
  return gla_fail (ctx, GLA_ERROR_OUT_OF_MEMORY, "too little memory for messages");
}

// Checks that all parts have the sizes that the whole matrix gives; all ranks get the answer.
static gla_status check_parts (gla_context *ctx, const gla_ranks *ranks)
{
  const int count = ranks->transport.ranks;
  const int64_t m = ranks->cards[0].rows[1];
  for (int r = 0; r < count; r++) {
    const int64_t rows = ranks->cards[r].rows[0],
                  right = first_row (m, r + 1, count) - first_row (m, r, count);
    if (rows != right)
      return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                       "rank %d: part has %lld rows, it must have %lld of %lld", r, (long long)rows,
                       (long long)right, (long long)m);
  }
  return GLA_OK;
}

// Sends one message between rank 0 and each other rank, and copies on rank 0.
static void transfer (gla_ranks *ranks, const gla_array *whole, const gla_array *part, int collects)
{
  const int rank = ranks->transport.rank, count = ranks->transport.ranks;
  const size_t bytes = gla_full_bytes (part);
  char *memory = gla_ranks_bytes (ranks);
  if (rank > 0 && collects) {
    (void)gla_put_full (memory, part);
    gla_ranks_send (ranks, 0, bytes);
  } else if (rank > 0 && gla_ranks_receive (ranks, 0, bytes) == 0 && gla_ranks_well (ranks)) {
    (void)gla_get_full (memory, part);
  }
  for (int r = 0; rank == 0 && r < count; r++) {
    const int64_t first = first_row (whole->rows, r, count);
    const gla_array rows =
        gla_rows_part (whole, first, first_row (whole->rows, r + 1, count) - first);
    if (r > 0 && collects && gla_ranks_receive (ranks, r, gla_full_bytes (&rows)))
      return;
    if (r == 0 || !collects)
      (void)gla_put_full (memory, r == 0 && collects ? part : &rows);
    if (r == 0 || collects)
      (void)gla_get_full (memory, r == 0 && !collects ? part : &rows);
    else if (gla_ranks_send (ranks, r, gla_full_bytes (&rows)))
      return;
  }
}

static gla_status move (gla_context *ctx, gla_ranks *ranks, const gla_array *whole,
                        const gla_array *part, gla_rank_call which)
{
  gla_status status = gla_ranks_begin (ctx, ranks);
  if (status != GLA_OK)
    return status;
  if (part == NULL)
    status = gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "part must not be NULL");
  if (status == GLA_OK)
    status = gla_rows_check_inputs (ctx, part, NULL);
  if (status == GLA_OK)
    status = check_whole (ctx, ranks, whole, part);
  if (status == GLA_OK)
    status = reserve (ctx, ranks, whole, part);
  gla_rank_card card = {.call = which, .status = status};
  const gla_array *second = ranks->transport.rank == 0 ? whole : NULL;
  status = gla_rows_meet (ctx, ranks, &card, part, second);
  if (status == GLA_OK)
    status = check_parts (ctx, ranks);
  if (status == GLA_OK) {
    transfer (ranks, whole, part, which == GLA_CALL_COLLECT);
    status = gla_ranks_agree (ranks);
  }
  return gla_end_call (ctx, status);
}

gla_status gla_ranks_deal (gla_context *ctx, gla_ranks *ranks, const gla_array *whole,
                           const gla_array *part)
{
  return move (ctx, ranks, whole, part, GLA_CALL_DEAL);
}

gla_status gla_ranks_collect (gla_context *ctx, gla_ranks *ranks, const gla_array *part,
                              const gla_array *whole)
{
  return move (ctx, ranks, whole, part, GLA_CALL_COLLECT);
}

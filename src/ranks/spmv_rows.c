// spmv_rows.c: products with a sparse matrix whose rows are spread over ranks
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays.h"
#include "common/status.h"
#include "sparse_rows.h"
#include "structs.h"

// x and y of this rank.
static gla_status check (gla_context *ctx, const gla_sparse_rows *S, const gla_array *x,
                         const gla_array *y)
{
  if (x == NULL || y == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not be NULL", x == NULL ? "x" : "y");
  GLA_TRY (gla_check_array (ctx, "x", x, S->type, S->rows, x->columns, 1));
  GLA_TRY (gla_check_array (ctx, "y", y, S->type, S->rows, x->columns, 1));
  if (x->device != GLA_DEVICE_HOST || y->device != GLA_DEVICE_HOST)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "x and y must be on the host");
  if (S->rows > 1 && x->columns > 0 && (x->row_stride != 1 || y->row_stride != 1))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "x and y must have row stride 1");
  const gla_named_array arrays[] = {{"x", x}, {"y", y}};
  return gla_check_apart (ctx, arrays, 1, 2);
}

gla_status gla_spmv_rows (gla_context *ctx, gla_sparse_rows *S, const gla_array *x,
                          const gla_array *y, gla_spmv_report *report)
{
  gla_spmv_report own = {.size = sizeof own, .device = GLA_DEVICE_HOST};
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  GLA_TRY (gla_sparse_rows_check (ctx, S));
  GLA_TRY (gla_ranks_check (ctx, S->ranks));

  // check inputs, allocate, and meet
  gla_ranks *ranks = S->ranks;
  gla_rank_card card = {.call = GLA_CALL_SPMV};
  gla_status status =
      gla_check_report (ctx, "report", report) ? check (ctx, S, x, y) : GLA_ERROR_BAD_ARGUMENT;
  if (status == GLA_OK && gla_sparse_rows_room (S, x->columns) != GLA_OK)
    status = gla_fail (ctx, GLA_ERROR_OUT_OF_MEMORY, "too little memory");
  card.status = status;
  if (status == GLA_OK)
    card.facts[GLA_FACT_RIGHT_SIDES] = x->columns;
  status = gla_ranks_meet (ctx, ranks, &card);
  if (status != GLA_OK)
    return gla_end_call (ctx, status);

  const void *extended = gla_sparse_rows_extend (S, x->data, x->column_stride, x->columns);
  const gla_array whole = gla_array_packed ((void *)(uintptr_t)extended, S->type, S->reach,
                                            x->columns, 1, GLA_DEVICE_HOST);
  const gla_callbacks before = gla_ranks_enter (ranks);
  if (S->rows > 0)
    gla_ranks_note (ranks, gla_spmv (ctx, S->local, 'N', &whole, y, &own));
  status = gla_ranks_agree (ranks);
  gla_ranks_leave (ranks, before);
  if (status == GLA_OK)
    gla_give_struct (report, &own, sizeof own);
  return gla_end_call (ctx, status);
}

// least_squares_rows.c: least squares with a matrix whose rows are spread over ranks
// SPDX-License-Identifier: GPL-3.0-or-later
//
// |A*x - b| and |R*x - Q'*b| differ by a constant, and R has the columns of A in length and rank.
// So rank 0 solves with R and C = Q'*B as gla_least_squares does, and Q is not formed.

#include "common/status.h"
#include "rows.h"
#include "arrays.h"
#include "structs.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  gla_rows rows;
  gla_array X;
  int32_t *info; // of all pages
  gla_least_squares_report report;
} ls_call;

static gla_status check (gla_context *ctx, const gla_array *A, const gla_array *B,
                         const gla_array *X, const gla_qr_options *o)
{
  if (B == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "B must not be NULL");
  GLA_TRY (gla_rows_check_rhs (ctx, A, B));
  if (o->pivot)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "pivot must be 0");
  if (o->block < 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "block = %d must not be negative", o->block);
  const gla_named_array arrays[] = {{"A", A}, {"B", B}, {"X", X}};
  gla_status status = gla_check_array (ctx, "X", X, A->type, A->columns, B->columns, A->pages);
  if (status == GLA_OK)
    status = gla_check_rows (ctx, "X", X);
  if (status == GLA_OK && X->device != GLA_DEVICE_HOST)
    status = gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "X is in place %d, it must be on the host",
                       X->device);
  return status == GLA_OK ? gla_check_apart (ctx, arrays, 2, 3) : status;
}

static void solve (ls_call *call)
{
  gla_rows *rows = &call->rows;
  gla_ranks *ranks = rows->ranks;
  const gla_qr_options options = {.size = sizeof options, .block = rows->block};
  const gla_least_squares_results results = {
      .size = sizeof results, .X = call->X, .info = call->info};
  const gla_array *arrays[] = {&call->X};
  const gla_rows_bytes parts[] = {{call->info, (size_t)rows->pages * sizeof *call->info},
                                  {&call->report, sizeof call->report}};
  gla_rows_up (rows);
  if (ranks->transport.rank == 0 && gla_ranks_well (ranks))
    gla_ranks_note (ranks, gla_least_squares (ranks->ctx, &rows->R, &rows->C, &results, &options,
                                              &call->report));
  if (gla_rows_spread (ranks, arrays, 1, parts, 2))
    return;
  call->report.base.device = rows->base.device; // where this rank has worked
  call->report.base.chunk_pages = rows->base.chunk_pages;
}

static gla_status allocate (gla_context *ctx, ls_call *call, const gla_array *A, const gla_array *B)
{
  const size_t codes = (size_t)A->pages * sizeof *call->info;
  call->info = calloc (codes + 1, 1);
  if (call->info == NULL)
    return gla_fail (ctx, GLA_ERROR_OUT_OF_MEMORY, "too little memory");
  return gla_rows_reserve (ctx, call->rows.ranks, A, B, codes + sizeof call->report);
}

gla_status gla_least_squares_rows (gla_context *ctx, gla_ranks *ranks, const gla_array *A,
                                   const gla_array *B, const gla_least_squares_results *results,
                                   const gla_qr_options *options, gla_least_squares_report *report)
{
  gla_least_squares_results r = {.size = 0};
  gla_qr_options o = {.size = 0};
  GLA_TRY (gla_ranks_begin (ctx, ranks));

  // check inputs; what is wrong is sent to the others
  ls_call call = {
      .rows = {.ranks = ranks},
      .report = {.base = {.size = sizeof call.report, .first_failed = -1}, .first_deficient = -1}};
  gla_rank_card card = {.call = GLA_CALL_LEAST_SQUARES};
  gla_status status = gla_take_structs (ctx, results, &r, sizeof r, options, &o, sizeof o, report);
  if (status == GLA_OK)
    status = check (ctx, A, B, &r.X, &o);

  // allocate, and meet
  if (status == GLA_OK) {
    status = allocate (ctx, &call, A, B);
    card.facts[GLA_FACT_RIGHT_SIDES] = B->columns;
    card.facts[GLA_FACT_BLOCK] = o.block;
  }
  card.status = status;
  status = gla_rows_meet (ctx, ranks, &card, A, NULL);

  if (status == GLA_OK) {
    const gla_callbacks before = gla_ranks_enter (ranks);
    call.rows.A = *A;
    call.rows.B = *B;
    call.rows.rhs = B->columns;
    call.rows.block = o.block;
    call.X = r.X;
    gla_rows_start (&call.rows);
    solve (&call);
    status = gla_ranks_agree (ranks);
    gla_ranks_leave (ranks, before);
  }
  if (status == GLA_OK) {
    gla_rows_give (r.info, call.info, (size_t)A->pages * sizeof *r.info);
    gla_give_struct (report, &call.report, sizeof call.report);
  }
  gla_rows_end (&call.rows);
  free (call.info);
  return gla_end_call (ctx, status);
}

// qr_rows.c: QR and least squares of a matrix whose rows are spread over ranks
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/status.h"
#include "rows.h"
#include "arrays.h"
#include "batch/host_page.h"
#include "structs.h"

#include <stdlib.h>
#include <string.h>

//------------------------------------------------------------------------------
// gla_qr_rows
//------------------------------------------------------------------------------

// A call on one rank. On rank 0 the factors of the pivoting: R = W * R2, with P.
typedef struct {
  gla_rows rows;
  gla_qr_results r;
  int pivot;
  gla_array W;
  int64_t *order;
} qr_call;

static gla_status check_options (gla_context *ctx, const gla_qr_results *r, const gla_qr_options *o,
                                 const gla_array *B)
{
  if (r->W.data != NULL || r->Y.data != NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "W and Y are not formed by rows");
  if (B == NULL && r->C.data != NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "C needs B");
  if (o->pivot && r->jpvt == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "jpvt must not be NULL with pivoting");
  if (o->block < 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "block = %d must not be negative", o->block);
  return GLA_OK;
}

static gla_status check_results (gla_context *ctx, const qr_call *call, const gla_array *A,
                                 const gla_array *B)
{
  const int64_t k = call->rows.k, rhs = call->rows.rhs;
  const gla_array Q = gla_rows_shape (A, A->rows, k), R = gla_rows_shape (A, k, A->columns),
                  C = gla_rows_shape (A, k, rhs);
  gla_named_array arrays[] = {
      {"A", A}, {"B", B}, {"Q", &call->r.Q}, {"R", &call->r.R}, {"C", &call->r.C}};
  GLA_TRY (gla_rows_check_output (ctx, "Q", &call->r.Q, &Q));
  GLA_TRY (gla_rows_check_output (ctx, "R", &call->r.R, &R));
  GLA_TRY (gla_rows_check_output (ctx, "C", &call->r.C, &C));
  return gla_check_apart (ctx, arrays, 2, 5);
}

// On rank 0: R of all rows is factored again, with pivoting.
static void pivot (qr_call *call)
{
  gla_rows *rows = &call->rows;
  gla_ranks *ranks = rows->ranks;
  const gla_qr_options options = {.size = sizeof options, .pivot = 1, .block = rows->block};
  gla_array R = gla_take_pages (rows->R.type, rows->k, rows->n, rows->pages),
            C = gla_take_pages (rows->R.type, rows->k, rows->rhs, rows->pages);
  gla_qr_results results = {.size = sizeof results, .R = R, .jpvt = call->order};
  if (rows->rhs > 0)
    results.C = C;
  if (rows->with_q)
    results.Q = call->W = gla_take_pages (rows->R.type, rows->k, rows->k, rows->pages);
  if (R.data == NULL || C.data == NULL || (rows->with_q && call->W.data == NULL))
    gla_ranks_note (ranks, gla_fail (ranks->ctx, GLA_ERROR_OUT_OF_MEMORY, "too little memory"));
  if (gla_ranks_well (ranks))
    gla_ranks_note (ranks, gla_qr (ranks->ctx, &rows->R, rows->rhs > 0 ? &rows->C : NULL, &results,
                                   &options, NULL));
  free (rows->R.data);
  free (rows->C.data);
  rows->R = R;
  rows->C = C;
}

// R, C and the order of the columns, as far as they are wanted, from rank 0 to all.
static void spread_results (qr_call *call)
{
  gla_rows *rows = &call->rows;
  gla_ranks *ranks = rows->ranks;
  const gla_qr_results *r = &call->r;
  const gla_array R = gla_rows_shape (&rows->A, rows->k, rows->n),
                  C = gla_rows_shape (&rows->A, rows->k, rows->rhs);
  const size_t order = call->pivot ? (size_t)(rows->n * rows->pages) * sizeof *call->order : 0;
  const size_t bytes = (r->R.data != NULL ? gla_upper_bytes (&R) : 0) +
                       (r->C.data != NULL ? gla_full_bytes (&C) : 0) + order;
  if (bytes == 0)
    return;
  char *at = gla_ranks_bytes (ranks);
  if (ranks->transport.rank == 0 && gla_ranks_well (ranks)) {
    at = r->R.data != NULL ? gla_put_upper (at, &rows->R) : at;
    at = r->C.data != NULL ? gla_put_full (at, &rows->C) : at;
    if (order > 0)
      memcpy (at, call->order, order);
  }
  if (gla_ranks_spread (ranks, bytes) || !gla_ranks_well (ranks))
    return;
  const char *from = gla_ranks_bytes (ranks);
  from = r->R.data != NULL ? gla_get_upper (from, &r->R) : from;
  from = r->C.data != NULL ? gla_get_full (from, &r->C) : from;
  if (order > 0)
    memcpy (r->jpvt, from, order);
}

static void factor_rows (qr_call *call, const gla_array *A, const gla_array *B)
{
  gla_ranks *ranks = call->rows.ranks;
  const gla_status status = check_results (ranks->ctx, call, A, B);
  gla_ranks_note (ranks, status);
  gla_rows_up (&call->rows);
  if (ranks->transport.rank == 0 && call->pivot && call->rows.k > 0 && call->rows.pages > 0)
    pivot (call);
  spread_results (call);
  if (call->rows.with_q) {
    gla_array Q = call->r.Q;
    if (status != GLA_OK) // what the others expect has the right size
      Q = gla_rows_shape (A, A->rows, call->rows.k);
    gla_rows_down (&call->rows, &call->W, &Q);
  }
}

gla_status gla_qr_rows (gla_context *ctx, gla_ranks *ranks, const gla_array *A, const gla_array *B,
                        const gla_qr_results *results, const gla_qr_options *options,
                        gla_qr_report *report)
{
  gla_qr_results r = {.size = 0};
  gla_qr_options o = {.size = 0};
  GLA_TRY (gla_ranks_begin (ctx, ranks));

  // check inputs; what is wrong is sent to the others
  qr_call call = {.rows = {.ranks = ranks}};
  gla_rank_card card = {.call = GLA_CALL_QR};
  gla_status status = gla_take_structs (ctx, results, &r, sizeof r, options, &o, sizeof o, report);
  if (status == GLA_OK)
    status = gla_rows_check_rhs (ctx, A, B);
  if (status == GLA_OK)
    status = check_options (ctx, &r, &o, B);

  // allocate, and meet
  if (status == GLA_OK) {
    const size_t order = (size_t)A->columns * (size_t)A->pages * sizeof *call.order;
    call.order = calloc (order + 1, 1);
    status = call.order != NULL ? gla_rows_reserve (ctx, ranks, A, B, order)
                                : gla_fail (ctx, GLA_ERROR_OUT_OF_MEMORY, "too little memory");
    card.facts[GLA_FACT_RIGHT_SIDES] = B != NULL ? B->columns : -1;
    card.facts[GLA_FACT_BLOCK] = o.block;
    card.facts[GLA_FACT_OUTPUTS] = (r.Q.data != NULL) | (r.R.data != NULL) << 1 |
                                   (r.C.data != NULL) << 2 | (o.pivot != 0) << 3;
  }
  card.status = status;
  status = gla_rows_meet (ctx, ranks, &card, A, NULL);

  if (status == GLA_OK) {
    const gla_callbacks before = gla_ranks_enter (ranks);
    call.rows.A = *A;
    if (B != NULL)
      call.rows.B = *B;
    call.rows.rhs = B != NULL ? B->columns : 0;
    call.rows.with_q = r.Q.data != NULL;
    call.rows.block = o.block;
    call.r = r;
    call.pivot = o.pivot != 0;
    for (int64_t j = 0; j < A->columns * A->pages; j++)
      call.order[j] = A->columns > 0 ? j % A->columns : 0;
    gla_rows_start (&call.rows);
    factor_rows (&call, A, B);
    status = gla_ranks_agree (ranks);
    gla_ranks_leave (ranks, before);
    const gla_qr_report own = {.base = call.rows.base};
    gla_give_struct (report, &own, sizeof own);
  }
  gla_rows_end (&call.rows);
  free (call.W.data);
  free (call.order);
  return gla_end_call (ctx, status);
}

// norm.c: norms of many matrices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// This is the smallest operation on pages, and the example of doc/adding-an-operation.md.
// norm_two.c has the 2-norm.

#include "arrays.h"
#include "batch/queue.h"
#include "common/status.h"
#include "norm_two.h"
#include "structs.h"
#include "norm/job.h"

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

static gla_status check (gla_context *ctx, const gla_array *A, gla_norm norm,
                         const gla_array *norms)
{
  if (A == NULL || norms == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not be NULL", A == NULL ? "A" : "norms");
  if (norm != GLA_NORM_FRO && norm != GLA_NORM_ONE && norm != GLA_NORM_INF && norm != GLA_NORM_TWO)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "norm = %d is not a gla_norm", (int)norm);
  gla_status status = gla_check_input (ctx, "A", A);
  if (status == GLA_OK)
    status = gla_check_array (ctx, "norms", norms, gla_type_real (A->type), 1, 1, A->pages);
  if (status == GLA_OK)
    status = gla_check_place (ctx, "norms", norms, "A", A);
  if (status == GLA_OK && norm == GLA_NORM_TWO && A->device != GLA_DEVICE_HOST)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                     "A is in place %d, it must be on the host for the 2-norm", A->device);
  const gla_named_array arrays[] = {{"A", A}, {"norms", norms}};
  return status == GLA_OK ? gla_check_apart (ctx, arrays, 1, 2) : status;
}

//------------------------------------------------------------------------------
// the operation
//------------------------------------------------------------------------------

typedef struct {
  gla_call call; // must stay first
  gla_pagenorm_job job;
  gla_pagenorm_chunk all; // the whole arrays
} pagenorm_run;

static const gla_operation pagenorm_operation = {
    .row = GLA_BATCH_PAGENORM,
    .placing = {.unsupported = "pages of this size have no norm on a GPU",
                .supports = gla_batch_supports,
                .seconds = gla_batch_seconds},
    .arrays = 2,
    .chunk_bytes = sizeof (gla_pagenorm_chunk),
};

//------------------------------------------------------------------------------
// gla_pagenorm
//------------------------------------------------------------------------------

static gla_status answer_empty (gla_context *ctx, const gla_array *norms)
{
  if (norms->device != GLA_DEVICE_HOST && norms->pages > 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A is empty, it must not be in device memory");
  for (int64_t p = 0; p < norms->pages; p++)
    gla_put_number (norms, p * norms->page_stride, 0);
  return GLA_OK;
}

// Finds the norms that a page has by itself.
static gla_status work (gla_context *ctx, const gla_array *A, gla_norm norm, const gla_array *norms,
                        gla_report *report)
{
  pagenorm_run run = {.all = {.A = *A, .norms = *norms}};
  run.call.arrays = run.all.arrays;
  gla_call_start (&run.call, &pagenorm_operation, &run.job.head, ctx, A->pages);
  run.job.head = (gla_job){.type = A->type,
                           .device_arrays = A->device != GLA_DEVICE_HOST,
                           .monitor = {gla_run_poll, &run.call.run}};
  run.job.m = A->rows;
  run.job.n = A->columns;
  run.job.norm = norm;
  const gla_status status =
      gla_array_empty (A) ? answer_empty (ctx, norms) : gla_call_run (&run.call);
  *report = gla_call_report (&run.call);
  return status;
}

gla_status gla_pagenorm (gla_context *ctx, const gla_array *A, gla_norm norm,
                         const gla_array *norms, gla_pagenorm_report *report)
{
  gla_pagenorm_report own_report = {.base = {.device = GLA_DEVICE_HOST, .first_failed = -1}};
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  if (!gla_check_report (ctx, "report", report))
    return GLA_ERROR_BAD_ARGUMENT;
  GLA_TRY (check (ctx, A, norm, norms));
  // a page of one row or column has one singular value
  const int squares = norm == GLA_NORM_TWO && A->rows > 1 && A->columns > 1;
  if (norm == GLA_NORM_TWO && !squares)
    norm = GLA_NORM_FRO;
  gla_status status = squares && !gla_array_empty (A)
                          ? gla_pagenorm_two (ctx, A, norms, &own_report.base)
                          : work (ctx, A, norm, norms, &own_report.base);
  gla_give_struct (report, &own_report, sizeof own_report);
  return gla_end_call (ctx, status);
}

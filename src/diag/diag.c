// diag.c: diagonals and traces of many matrices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Both backends get the elements of the diagonal as pages of one row, a part of A, so that the rest
// of A is neither read nor copied to a GPU.

#include "arrays.h"
#include "batch/queue.h"
#include "common/status.h"
#include "diag/job.h"
#include "structs.h"

//------------------------------------------------------------------------------
// sizes
//------------------------------------------------------------------------------

static int64_t first_row (int64_t k)
{
  return k < 0 ? -k : 0;
}

static int64_t first_column (int64_t k)
{
  return k > 0 ? k : 0;
}

static int64_t elements (int64_t m, int64_t n, int64_t k)
{
  const int64_t rows = k < 0 ? m + k : m, columns = n - first_column (k);
  const int64_t count = rows < columns ? rows : columns;
  return count > 0 ? count : 0;
}

// Returns the diagonal, or the vector that becomes one, as one row.
static gla_array diagonal_of (const gla_array *A, gla_diag what, int64_t k)
{
  gla_array d = *A;
  d.rows = 1;
  if (what == GLA_DIAG_MAKE) {
    d.columns = A->rows * A->columns;
    d.column_stride = A->columns == 1 ? 1 : A->column_stride;
    return d;
  }
  d.columns = elements (A->rows, A->columns, k);
  d.column_stride = A->column_stride + 1;
  if (d.columns > 0) {
    const int64_t first = first_row (k) + first_column (k) * A->column_stride;
    d.data = (char *)A->data + first * (int64_t)gla_type_size (A->type);
  }
  return d;
}

static gla_status check (gla_context *ctx, const gla_array *A, gla_diag what, int64_t k,
                         const gla_array *D)
{
  if (A == NULL || D == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not be NULL", A == NULL ? "A" : "D");
  if (what != GLA_DIAG_TAKE && what != GLA_DIAG_MAKE && what != GLA_DIAG_TRACE)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "what = %d is not a gla_diag", (int)what);
  GLA_TRY (gla_check_input (ctx, "A", A));
  const int makes = what == GLA_DIAG_MAKE;
  if (makes && A->rows != 1 && A->columns != 1)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                     "A has pages of %lldx%lld, they must have one row or one column",
                     (long long)A->rows, (long long)A->columns);
  const int64_t most = INT64_MAX / 2, n = A->rows > A->columns ? A->rows : A->columns;
  if (makes && (k > most || k < -most || n > most))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "k = %lld: no matrix is so large", (long long)k);
  const int64_t order = makes ? A->rows * A->columns + first_row (k) + first_column (k) : 1;
  const int64_t rows = what == GLA_DIAG_TAKE ? elements (A->rows, A->columns, k) : order;
  GLA_TRY (gla_check_array (ctx, "D", D, A->type, rows, order, A->pages));
  GLA_TRY (gla_check_rows (ctx, "D", D));
  GLA_TRY (gla_check_place (ctx, "D", D, "A", A));
  const gla_named_array arrays[] = {{"A", A}, {"D", D}};
  return gla_check_apart (ctx, arrays, 1, 2);
}

//------------------------------------------------------------------------------
// the operation
//------------------------------------------------------------------------------

typedef struct {
  gla_call call; // must stay first
  gla_pagediag_job job;
  gla_pagediag_chunk all; // the whole arrays
} pagediag_run;

static const gla_operation pagediag_operation = {
    .row = GLA_BATCH_PAGEDIAG,
    .placing = {.unsupported = "pages of this size have no diagonal on a GPU",
                .supports = gla_batch_supports,
                .seconds = gla_batch_seconds},
    .arrays = 2,
    .chunk_bytes = sizeof (gla_pagediag_chunk),
};

//------------------------------------------------------------------------------
// gla_pagediag
//------------------------------------------------------------------------------

gla_status gla_pagediag (gla_context *ctx, const gla_array *A, gla_diag what, int64_t k,
                         const gla_array *D, gla_pagediag_report *report)
{
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  if (!gla_check_report (ctx, "report", report))
    return GLA_ERROR_BAD_ARGUMENT;
  gla_status status = check (ctx, A, what, k, D);
  if (status != GLA_OK)
    return status;
  pagediag_run run = {.all = {.A = diagonal_of (A, what, k), .D = *D}};
  run.call.arrays = run.all.arrays;
  gla_call_start (&run.call, &pagediag_operation, &run.job.head, ctx, A->pages);
  run.job.head = (gla_job){.type = A->type,
                           .device_arrays = A->device != GLA_DEVICE_HOST,
                           .monitor = {gla_run_poll, &run.call.run}};
  run.job.what = what;
  run.job.n = run.all.A.columns;
  run.job.row = what == GLA_DIAG_MAKE ? first_row (k) : 0;
  run.job.column = what == GLA_DIAG_MAKE ? first_column (k) : 0;
  run.job.rows = D->rows;
  run.job.columns = D->columns;
  if (!gla_array_empty (D))
    status = gla_call_run (&run.call);
  const gla_pagediag_report own_report = {.base = gla_call_report (&run.call)};
  gla_give_struct (report, &own_report, sizeof own_report);
  return gla_end_call (ctx, status);
}

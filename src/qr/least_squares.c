// least_squares.c: min |A*x - b| for many matrices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// gla_qr factors all pages and forms Q'*B; the CPU solves with R. Pages that may not have full
// rank, or have fewer rows than columns, get a solution of least norm by QR with column pivoting.

#include "arrays.h"
#include "batch/host_page.h"
#include "common/status.h"
#include "structs.h"

#include <stdlib.h>

static gla_status check_one (gla_context *ctx, const char *name, const gla_array *a, gla_type type,
                             int64_t rows, int64_t columns, int64_t pages)
{
  gla_status status = gla_check_array (ctx, name, a, type, rows, columns, pages);
  if (status == GLA_OK)
    status = gla_check_rows (ctx, name, a);
  if (status != GLA_OK || a->device == GLA_DEVICE_HOST)
    return status;
  return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s is in place %d, it must be on the host", name,
                   a->device);
}

static gla_status check (gla_context *ctx, const gla_array *A, const gla_array *B,
                         const gla_least_squares_results *r, const gla_qr_options *o)
{
  if (A == NULL || B == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not be NULL", A == NULL ? "A" : "B");
  const gla_array *X = &r->X;
  if (gla_type_size (A->type) == 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A has type %d, it must be one of s d c z",
                     (int)A->type);
  if (A->rows < 0 || A->columns < 0 || A->pages < 0 || B->columns < 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "a size of A or B is negative");
  if (o->pivot)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "pivot must be 0");
  GLA_TRY (check_one (ctx, "A", A, A->type, A->rows, A->columns, A->pages));
  GLA_TRY (check_one (ctx, "B", B, A->type, A->rows, B->columns, A->pages));
  GLA_TRY (check_one (ctx, "X", X, A->type, A->columns, B->columns, A->pages));
  GLA_TRY (gla_check_columns (ctx, "X", X));
  const gla_named_array arrays[] = {{"A", A}, {"B", B}, {"X", X}};
  return gla_check_apart (ctx, arrays, 2, 3);
}

// Solves X = R \ (Q'*B) of all pages; info tells which remain.
static gla_status solve_regular (gla_context *ctx, const gla_array *A, const gla_array *B,
                                 const gla_array *X, int32_t *info, const gla_qr_options *options,
                                 gla_report *report)
{
  gla_qr_report qr = {.base.size = sizeof qr};
  gla_array R = gla_take_pages (A->type, A->columns, A->columns, A->pages);
  if (R.data == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  gla_qr_results results = {.size = sizeof results, .R = R};
  if (B->columns > 0)
    results.C = *X;
  gla_status status = gla_qr (ctx, A, B->columns > 0 ? B : NULL, &results, options, &qr);
  report->device = qr.base.device;
  report->chunk_pages = qr.base.chunk_pages;
  if (status == GLA_OK) {
    gla_pages_job job = {.work = GLA_PAGES_SOLVE, .A = *A, .R = R, .X = *X, .info = info};
    status = gla_finish_pages (ctx, &job, A->type, 0);
  }
  free (R.data);
  return status;
}

static int any_again (const int32_t *info, int64_t pages)
{
  for (int64_t p = 0; p < pages; p++)
    if (info[p] == GLA_INFO_AGAIN)
      return 1;
  return 0;
}

static gla_status work (gla_context *ctx, const gla_array *A, const gla_array *B,
                        const gla_array *X, int32_t *info, const gla_qr_options *options,
                        gla_report *report)
{
  const int64_t m = A->rows, n = A->columns, pages = A->pages;
  gla_status status = GLA_OK;
  for (int64_t p = 0; p < pages; p++)
    info[p] = m > 0 && n > 0 ? GLA_INFO_AGAIN : 0;
  for (int64_t p = 0; p < pages && m == 0; p++)
    for (int64_t j = 0; j < X->columns && n > 0; j++) {
      char *x = (char *)X->data;
      const size_t size = gla_type_size (X->type);
      x += (size_t)(p * X->page_stride + j * X->column_stride) * size;
      for (size_t k = 0; k < (size_t)n * size; k++)
        x[k] = 0;
    }
  if (m == 0 || n == 0 || pages == 0)
    return GLA_OK;
  if (m >= n)
    status = solve_regular (ctx, A, B, X, info, options, report);
  if (status == GLA_OK && any_again (info, pages)) {
    gla_pages_job job = {.work = GLA_PAGES_LEAST_NORM, .A = *A, .B = *B, .X = *X, .info = info};
    status = gla_finish_pages (ctx, &job, A->type, m < n);
  }
  return status;
}

static void count (const int32_t *info, int64_t pages, int64_t n, gla_least_squares_report *report)
{
  for (int64_t p = pages - 1; p >= 0; p--) {
    if (info[p] > n) {
      report->base.pages_failed++;
      report->base.first_failed = p;
    } else if (info[p] > 0) {
      report->pages_deficient++;
      report->first_deficient = p;
    }
  }
}

gla_status gla_least_squares (gla_context *ctx, const gla_array *A, const gla_array *B,
                              const gla_least_squares_results *results,
                              const gla_qr_options *options, gla_least_squares_report *report)
{
  gla_least_squares_results r;
  gla_qr_options o;
  gla_least_squares_report own_report = {.base = {.device = GLA_DEVICE_HOST, .first_failed = -1},
                                         .first_deficient = -1};

  gla_status status = gla_begin_call (ctx, results, &r, sizeof r, options, &o, sizeof o, report);
  if (status == GLA_OK)
    status = check (ctx, A, B, &r, &o);
  if (status != GLA_OK)
    return status;

  int32_t *info = r.info, *own = NULL;
  if (info == NULL && A->pages > 0) {
    info = own = malloc ((size_t)A->pages * sizeof *own);
    status = own == NULL ? GLA_ERROR_OUT_OF_MEMORY : GLA_OK;
  }
  if (status == GLA_OK)
    status = work (ctx, A, B, &r.X, info, &o, &own_report.base);
  if (status == GLA_OK)
    count (info, A->pages, A->columns, &own_report);
  free (own);
  gla_give_struct (report, &own_report, sizeof own_report);
  return gla_end_call (ctx, status);
}

// gevd.c: eigenvalues and eigenvectors of the pencil (A'*A, B'*B), which is never formed
// SPDX-License-Identifier: GPL-3.0-or-later
//
// gla_gsvd gives alpha, beta and X. Z is the inverse of X', or, if X has fewer columns than rows,
// the Z of least norm with X'*Z = I: Q / R' of the QR of X. The rows of X have the sizes of the
// columns of A and B, so they are scaled to one size first.

#include "arrays.h"
#include "batch/host_page.h"
#include "common/status.h"
#include "structs.h"

#include <math.h>
#include <stdlib.h>

static gla_status check (gla_context *ctx, const gla_array *A, const gla_array *B,
                         const gla_gevd_results *r)
{
  if (A == NULL || B == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not be NULL", A == NULL ? "A" : "B");
  if (r->alpha.data == NULL || r->beta.data == NULL)
    return gla_array_empty (&r->alpha)
               ? GLA_OK
               : gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "alpha and beta must not be NULL");
  if (A->device != GLA_DEVICE_HOST)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A is in place %d, it must be on the host",
                     A->device);
  if (r->Z.data == NULL)
    return GLA_OK;
  const int64_t rows = A->rows + B->rows, q = rows < A->columns ? rows : A->columns;
  GLA_TRY (gla_check_array (ctx, "Z", &r->Z, A->type, A->columns, q, A->pages));
  return gla_check_columns (ctx, "Z", &r->Z);
}

// Balances X, and makes Z the inverse of its adjoint.
static gla_status invert (gla_context *ctx, const gla_array *X, const gla_array *R,
                          const gla_array *Z, int32_t *info, int32_t *exponents)
{
  gla_pages_job balance = {.work = GLA_PAGES_BALANCE, .X = *X, .exponents = exponents};
  gla_pages_job inverse = {.work = GLA_PAGES_INVERSE, .R = *R, .X = *Z, .info = info};
  inverse.exponents = exponents;
  gla_status status = GLA_OK;
  if (X->rows == X->columns)
    status = gla_finish_pages (ctx, &balance, X->type, 0);
  if (status == GLA_OK)
    status =
        gla_qr (ctx, X, NULL, &(gla_qr_results){.size = sizeof (gla_qr_results), .Q = *Z, .R = *R},
                NULL, NULL);
  if (status == GLA_OK)
    status = gla_finish_pages (ctx, &inverse, X->type, 0);
  return status;
}

static gla_status invert_pages (gla_context *ctx, const gla_array *X, const gla_array *Z,
                                int32_t *info)
{
  gla_array R = gla_take_pages (X->type, X->columns, X->columns, X->pages);
  int32_t *exponents = calloc ((size_t)X->pages, (size_t)X->rows * sizeof *exponents);
  gla_status status = GLA_ERROR_OUT_OF_MEMORY;
  if (R.data != NULL && exponents != NULL) {
    const gla_callbacks before = gla_silence (ctx);
    status = invert (ctx, X, &R, Z, info, exponents);
    ctx->callbacks = before;
  }
  free (exponents);
  free (R.data);
  return status;
}

// One of the values of a page whose [A; B] has less than full rank means nothing, and is NaN.
static int holds_nan (const gla_array *a, int64_t page)
{
  for (int64_t j = 0; j < a->rows; j++) {
    const int64_t at = page * a->page_stride + j * a->row_stride;
    if (a->type == GLA_TYPE_S ? isnan (((const float *)a->data)[at])
                              : isnan (((const double *)a->data)[at]))
      return 1;
  }
  return 0;
}

static void count (const gla_gevd_results *r, int32_t *info, int64_t pages, int64_t p,
                   gla_gevd_report *report)
{
  for (int64_t page = pages - 1; page >= 0; page--) {
    if (info[page] != 0) {
      report->base.pages_failed++;
      report->base.first_failed = page;
    } else if (holds_nan (&r->alpha, page)) {
      report->pages_singular++;
      report->first_singular = page;
      info[page] = (int32_t)(p + 2);
    }
  }
}

static gla_status work (gla_context *ctx, const gla_array *A, const gla_array *B,
                        const gla_gevd_results *r, int32_t *info, const gla_gsvd_options *options,
                        gla_gevd_report *report)
{
  const int vectors = r->Z.data != NULL && !gla_array_empty (&r->Z);
  gla_gsvd_results results = {
      .size = sizeof results, .alpha = r->alpha, .beta = r->beta, .info = info};
  if (vectors) {
    results.X = gla_take_pages (A->type, r->Z.rows, r->Z.columns, A->pages);
    if (results.X.data == NULL)
      return GLA_ERROR_OUT_OF_MEMORY;
  }
  gla_gsvd_report gsvd = {.base.size = sizeof gsvd};
  gla_status status = gla_gsvd (ctx, A, B, &results, options, &gsvd);
  report->base.device = gsvd.base.device;
  report->base.chunk_pages = gsvd.base.chunk_pages;
  if (status == GLA_OK)
    count (r, info, A->pages, A->columns, report);
  if (status == GLA_OK && vectors)
    status = invert_pages (ctx, &results.X, &r->Z, info);
  free (results.X.data);
  return status;
}

gla_status gla_gevd (gla_context *ctx, const gla_array *A, const gla_array *B,
                     const gla_gevd_results *results, const gla_gsvd_options *options,
                     gla_gevd_report *report)
{
  gla_gevd_results r;
  gla_gsvd_options o;
  gla_gevd_report own_report = {.base = {.device = GLA_DEVICE_HOST, .first_failed = -1},
                                .first_singular = -1};

  gla_status status = gla_begin_call (ctx, results, &r, sizeof r, options, &o, sizeof o, report);
  o.blank = 1;
  if (status == GLA_OK)
    status = check (ctx, A, B, &r);
  if (status != GLA_OK)
    return status;

  int32_t *info = r.info, *own = NULL;
  if (info == NULL && A->pages > 0) {
    info = own = malloc ((size_t)A->pages * sizeof *own);
    status = own == NULL ? GLA_ERROR_OUT_OF_MEMORY : GLA_OK;
  }
  if (status == GLA_OK)
    status = work (ctx, A, B, &r, info, &o, &own_report);
  free (own);
  gla_give_struct (report, &own_report, sizeof own_report);
  return gla_end_call (ctx, status);
}

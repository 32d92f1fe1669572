// factor.c: sparse Hermitian factors: create, solve, destroy
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/status.h"
#include "factor.h"
#include "arrays.h"
#include "structs.h"
#include "threads/blas_threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t size_of (const gla_factor *F)
{
  return gla_type_size (F->type);
}

void gla_factor_destroy (gla_factor *F)
{
  if (F == NULL)
    return;
  free (F->order);
  free (F->inverse);
  free (F->fronts);
  free (F->rows);
  free (F->values);
  free (F->d);
  free (F->e);
  free (F->swaps);
  free (F->work);
  free (F);
}

//------------------------------------------------------------------------------
// create
//------------------------------------------------------------------------------

// Copies the order and its inverse; returns 0 if it is no permutation.
static int take_order (gla_factor *F, const int64_t *order)
{
  for (int64_t i = 0; i < F->n; i++)
    F->inverse[i] = -1;
  for (int64_t k = 0; k < F->n; k++) {
    const int64_t i = order != NULL ? order[k] : k;
    if (i < 0 || i >= F->n || F->inverse[i] >= 0)
      return 0;
    F->order[k] = i;
    F->inverse[i] = k;
  }
  return 1;
}

// The rows of a column may have any order.
static gla_status check_columns (gla_context *ctx, const gla_csr *A)
{
  const int64_t n = A->columns, entries = gla_csr_at (A->start, A->index_bytes, n);
  for (int64_t j = 0; j < n; j++) {
    const int64_t first = gla_csr_at (A->start, A->index_bytes, j),
                  end = gla_csr_at (A->start, A->index_bytes, j + 1);
    if ((j == 0 && first != 0) || end < first || end > entries)
      return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                       "column %lld (from 0) is not in order: start must ascend from 0",
                       (long long)j);
    for (int64_t k = first; k < end; k++) {
      const int64_t i = gla_csr_at (A->index, A->index_bytes, k);
      if (i < 0 || i >= n)
        return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                         "column %lld (from 0) has row %lld, it must be 0 to %lld", (long long)j,
                         (long long)i, (long long)n - 1);
    }
  }
  return GLA_OK;
}

static gla_status check (gla_context *ctx, const gla_csr *A, double shift)
{
  if (A->type != GLA_TYPE_D && A->type != GLA_TYPE_Z)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A has type %d, it must be d or z", (int)A->type);
  if (A->rows != A->columns)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A is %lldx%lld, it must be square",
                     (long long)A->rows, (long long)A->columns);
  if (!isfinite (shift))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "shift = %g must be finite", shift);
  GLA_TRY (gla_check_csr (ctx, "A", A, 1));
  return check_columns (ctx, A);
}

static gla_status take_values (gla_factor *F)
{
  const size_t n = (size_t)F->n + 1;
  F->values = malloc ((size_t)F->n_entries * size_of (F) + 1);
  F->d = malloc (n * sizeof *F->d);
  F->e = malloc (n * size_of (F));
  F->swaps = malloc (n * sizeof *F->swaps);
  return F->values && F->d && F->e && F->swaps ? GLA_OK : GLA_ERROR_OUT_OF_MEMORY;
}

// Sums in the BLAS depend on its number of threads, so it has one here.
static gla_status fill (gla_factor *F, const gla_csr *A, double shift, gla_context *ctx,
                        int *singular)
{
  const int held = gla_blas_enter (1);
  if (held == 0)
    return GLA_ERROR_OUT_OF_MEMORY;
  const gla_status status = F->type == GLA_TYPE_D ? gla_factor_fill_d (F, A, shift, ctx, singular)
                                                  : gla_factor_fill_z (F, A, shift, ctx, singular);
  gla_blas_leave (held);
  return status;
}

// A factor without entries, with its order.
static gla_status take_factor (gla_context *ctx, const gla_csr *A, const gla_factor_options *o,
                               gla_factor **F_out)
{
  gla_factor *F = *F_out = calloc (1, sizeof *F);
  if (F == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  F->type = A->type;
  F->n = A->rows;
  F->smallest = o->smallest;
  F->order = malloc (((size_t)F->n + 1) * sizeof *F->order);
  F->inverse = malloc (((size_t)F->n + 1) * sizeof *F->inverse);
  if (F->order == NULL || F->inverse == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  if (!take_order (F, o->order))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "order must be a permutation of 0 to n-1");
  return GLA_OK;
}

// Leaves F->values NULL if more operations are needed than the options allow.
static gla_status analyse_and_fill (gla_context *ctx, gla_factor *F, const gla_csr *A, double shift,
                                    const gla_factor_options *o, gla_factor_report *report)
{
  gla_status status = gla_factor_analyse (F, A, &report->flops);
  if (status == GLA_ERROR_NOT_HERMITIAN)
    return gla_fail (ctx, status,
                     "A is not Hermitian: an entry has no mirror image; both triangles are needed");
  if (status != GLA_OK)
    return status;
  report->entries = F->n_entries;
  if (o->most_flops > 0 && report->flops > o->most_flops)
    return GLA_OK;
  status = take_values (F);
  if (status == GLA_OK)
    status = fill (F, A, shift, ctx, &report->singular);
  report->negative = report->singular ? 0 : F->negative;
  return status;
}

gla_status gla_factor_create (gla_context *ctx, const gla_csr *A, double shift, gla_factor **F_out,
                              const gla_factor_options *options, gla_factor_report *report)
{
  gla_factor_options o;
  gla_factor_report own = {0};
  gla_factor *F = NULL;
  if (F_out != NULL)
    *F_out = NULL;
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';

  if (A == NULL || F_out == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not be NULL", A == NULL ? "A" : "F");
  if (!gla_take_options (ctx, "options", options, &o, sizeof o) ||
      !gla_check_report (ctx, "report", report))
    return GLA_ERROR_BAD_ARGUMENT;
  GLA_TRY (check (ctx, A, shift));

  gla_status status = take_factor (ctx, A, &o, &F);
  if (status == GLA_OK)
    status = analyse_and_fill (ctx, F, A, shift, &o, &own);
  const int whole = status == GLA_OK && F->values != NULL && !own.singular;
  if (whole)
    *F_out = F;
  else
    gla_factor_destroy (F);
  gla_give_struct (report, &own, sizeof own);
  if (status != GLA_OK && ctx->message[0] == '\0')
    gla_fail (ctx, status, "%s", gla_status_text (status));
  return status;
}

//------------------------------------------------------------------------------
// solve
//------------------------------------------------------------------------------

enum { TOGETHER = 8 };

static int take_work (gla_factor *F, int64_t columns)
{
  if (columns <= F->work_columns)
    return 1;
  free (F->work);
  F->work_columns = 0;
  F->work = malloc ((size_t)((F->n + F->most_below) * columns) * size_of (F) + 1);
  if (F->work != NULL)
    F->work_columns = columns;
  return F->work != NULL;
}

gla_status gla_factor_solve (gla_factor *F, const void *B, void *X, int64_t columns)
{
  if (F == NULL || columns < 0 || (F->n > 0 && columns > 0 && (B == NULL || X == NULL)))
    return GLA_ERROR_BAD_ARGUMENT;
  const size_t size = size_of (F);
  const int64_t n = F->n, most = columns < TOGETHER ? columns : TOGETHER;
  if (!take_work (F, most))
    return GLA_ERROR_OUT_OF_MEMORY;
  char *work = F->work, *rows = work + (size_t)(n * most) * size;
  const int held = gla_blas_enter (1);
  if (held == 0)
    return GLA_ERROR_OUT_OF_MEMORY;
  for (int64_t at = 0; at < columns; at += most) {
    const int64_t c = columns - at < most ? columns - at : most;
    const char *b = (const char *)B + (size_t)(at * n) * size;
    char *x = (char *)X + (size_t)(at * n) * size;
    for (int64_t q = 0; q < c; q++)
      for (int64_t k = 0; k < n; k++)
        memcpy (work + (size_t)(k + q * n) * size, b + (size_t)(F->order[k] + q * n) * size, size);
    if (F->type == GLA_TYPE_D)
      gla_factor_apply_d (F, (double *)(void *)work, c, (double *)(void *)rows);
    else
      gla_factor_apply_z (F, (double *)(void *)work, c, (double *)(void *)rows);
    for (int64_t q = 0; q < c; q++)
      for (int64_t k = 0; k < n; k++)
        memcpy (x + (size_t)(F->order[k] + q * n) * size, work + (size_t)(k + q * n) * size, size);
  }
  gla_blas_leave (held);
  return GLA_OK;
}

//------------------------------------------------------------------------------
// the BLAS of callers
//------------------------------------------------------------------------------

int gla_blas_hold (void)
{
  return gla_blas_enter (1);
}

void gla_blas_release (int held)
{
  if (held > 0)
    gla_blas_leave (held);
}

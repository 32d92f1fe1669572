// factor.c: sparse Hermitian factors: made, used, freed
// SPDX-License-Identifier: GPL-3.0-or-later

#include "factor.h"
#include "arrays.h"
#include "blas_threads.h"

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

// The order and its inverse; 0 where it is no permutation.
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

static gla_status check (gla_context *ctx, const gla_csr *A, double shift)
{
  if (A->type != GLA_D && A->type != GLA_Z)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "A has type %d, it must be d or z", (int)A->type);
  if (A->rows != A->columns)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "A is %lldx%lld, it must be square", (long long)A->rows,
                     (long long)A->columns);
  if (!isfinite (shift))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "shift = %g must be finite", shift);
  return GLA_OK;
}

static gla_status take_values (gla_factor *F)
{
  const size_t n = (size_t)F->n + 1;
  F->values = malloc ((size_t)F->n_entries * size_of (F) + 1);
  F->d = malloc (n * sizeof *F->d);
  F->e = malloc (n * size_of (F));
  F->swaps = malloc (n * sizeof *F->swaps);
  return F->values && F->d && F->e && F->swaps ? GLA_OK : GLA_OUT_OF_MEMORY;
}

// Sums in the BLAS depend on its number of threads, so it has one here.
static gla_status fill (gla_factor *F, const gla_csr *A, double shift, gla_context *ctx,
                        int *singular)
{
  const int held = gla_blas_enter (1);
  if (held == 0)
    return GLA_OUT_OF_MEMORY;
  const gla_status status = F->type == GLA_D ? gla_factor_fill_d (F, A, shift, ctx, singular)
                                             : gla_factor_fill_z (F, A, shift, ctx, singular);
  gla_blas_leave (held);
  return status;
}

gla_status gla_factor_create (gla_context *ctx, const gla_csr *A, double shift,
                              const gla_factor_options *options, gla_factor **F_out,
                              gla_factor_report *report)
{
  gla_status status = GLA_OK;
  int singular = 0;
  *F_out = NULL;
  *report = (gla_factor_report){0};
  ctx->message[0] = '\0';
  status = check (ctx, A, shift);
  if (status != GLA_OK)
    return status;
  gla_factor *F = calloc (1, sizeof *F);
  if (F != NULL) {
    F->type = A->type;
    F->n = A->rows;
    F->smallest = options->smallest;
    F->order = malloc (((size_t)F->n + 1) * sizeof *F->order);
    F->inverse = malloc (((size_t)F->n + 1) * sizeof *F->inverse);
  }
  if (F == NULL || F->order == NULL || F->inverse == NULL)
    status = GLA_OUT_OF_MEMORY;
  if (status == GLA_OK && !take_order (F, options->order))
    status = gla_fail (ctx, GLA_BAD_ARGUMENT, "order must be a permutation of 0 to n-1");
  if (status == GLA_OK)
    status = gla_factor_analyse (F, A, &report->flops);
  if (status == GLA_OK) {
    report->entries = F->n_entries;
    if (options->most_flops > 0 && report->flops > options->most_flops) {
      gla_factor_destroy (F);
      return GLA_OK;
    }
    status = take_values (F);
  }
  if (status == GLA_OK)
    status = fill (F, A, shift, ctx, &singular);
  report->singular = singular;
  if (status != GLA_OK || singular) {
    gla_factor_destroy (F);
    if (status != GLA_OK && ctx->message[0] == '\0')
      gla_fail (ctx, status, "%s", gla_status_text (status));
    return status;
  }
  report->negative = F->negative;
  *F_out = F;
  return GLA_OK;
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
  const size_t size = size_of (F);
  const int64_t n = F->n, most = columns < TOGETHER ? columns : TOGETHER;
  if (!take_work (F, most))
    return GLA_OUT_OF_MEMORY;
  char *work = F->work, *rows = work + (size_t)(n * most) * size;
  const int held = gla_blas_enter (1);
  if (held == 0)
    return GLA_OUT_OF_MEMORY;
  for (int64_t at = 0; at < columns; at += most) {
    const int64_t c = columns - at < most ? columns - at : most;
    const char *b = (const char *)B + (size_t)(at * n) * size;
    char *x = (char *)X + (size_t)(at * n) * size;
    for (int64_t q = 0; q < c; q++)
      for (int64_t k = 0; k < n; k++)
        memcpy (work + (size_t)(k + q * n) * size, b + (size_t)(F->order[k] + q * n) * size, size);
    if (F->type == GLA_D)
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

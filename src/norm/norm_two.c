// norm_two.c: 2-norms of many matrices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The largest eigenvalue of A*A' or A'*A, whichever is smaller, is the square of the 2-norm, and
// its relative error is a few k*eps, because no eigenvalue is larger. The Frobenius norm, which
// is between the 2-norm and sqrt (k) times that, says which pages have to be scaled first. Pages
// are done in groups, so that the products take little memory.

#include "norm_two.h"

#include "arrays.h"
#include "batch/host_page.h"
#include "batch/groups.h"
#include "common/status.h"

#include <math.h>
#include <stdlib.h>

// Bytes of the pages and the products of a group.
static const double GROUP_BYTES = 3e7;

typedef struct {
  gla_array copy;     // scaled pages; no data until they are needed
  gla_array products; // k x k
  gla_array lambda;   // k x 1
  int *exponents;     // of the powers of 2
  gla_groups groups;
} two_group;

//------------------------------------------------------------------------------
// scaling
//------------------------------------------------------------------------------

// Returns the exponent e, so that squares of the page times 2^-e neither overflow nor underflow; 0
// if they do not anyway. A Frobenius norm may overflow although the 2-norm does not.
static int exponent_for (double frobenius, int is_single)
{
  const int lowest = is_single ? -40 : -400, highest = is_single ? 50 : 500;
  if (isnan (frobenius) || frobenius == 0)
    return 0;
  if (isinf (frobenius))
    return is_single ? 128 : 1024;
  const int e = ilogb (frobenius);
  return e < lowest || e > highest ? e : 0;
}

// Copies a page times 2^-e; the copy is packed.
static void copy_scaled (const gla_array *A, int64_t page, const gla_array *copy, int64_t to, int e)
{
  const int64_t parts = 1 + gla_type_is_complex (A->type);
  const int64_t count = A->rows * parts;
  for (int64_t j = 0; j < A->columns; j++) {
    const int64_t from = (page * A->page_stride + j * A->column_stride) * parts;
    const int64_t at = (to * A->columns + j) * count;
    if (gla_type_real (A->type) == GLA_TYPE_S)
      for (int64_t i = 0; i < count; i++)
        ((float *)copy->data)[at + i] = ldexpf (((const float *)A->data)[from + i], -e);
    else
      for (int64_t i = 0; i < count; i++)
        ((double *)copy->data)[at + i] = ldexp (((const double *)A->data)[from + i], -e);
  }
}

// Takes pages `first` .. of A in place or, if one of them has to be scaled, a copy of all. norms
// holds the Frobenius norms.
static gla_status take_pages (two_group *g, const gla_array *A, const gla_array *norms,
                              int64_t first, int64_t count, gla_array *pages)
{
  int any = 0;
  for (int64_t p = 0; p < count; p++) {
    const double frobenius = gla_get_number (norms, (first + p) * norms->page_stride);
    g->exponents[p] = exponent_for (frobenius, norms->type == GLA_TYPE_S);
    any |= g->exponents[p] != 0;
  }
  *pages = gla_array_pages (A, first, count);
  if (!any)
    return GLA_OK;
  if (g->copy.data == NULL)
    g->copy = gla_take_pages (A->type, A->rows, A->columns, g->products.pages);
  if (g->copy.data == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  for (int64_t p = 0; p < count; p++)
    copy_scaled (A, first + p, &g->copy, p, g->exponents[p]);
  *pages = gla_array_pages (&g->copy, 0, count);
  return GLA_OK;
}

//------------------------------------------------------------------------------
// a group of pages
//------------------------------------------------------------------------------

// Multiplies on the CPU, whatever the place of the context.
static gla_status multiply (gla_context *ctx, const gla_array *A, const gla_array *products)
{
  const gla_place place = ctx->place;
  const int wide = A->rows <= A->columns;
  const gla_pagemul_options options = {
      .size = sizeof options, .op_a = wide ? 'N' : 'C', .op_b = wide ? 'C' : 'N'};
  const gla_pagemul_results results = {sizeof results, *products};
  const gla_callbacks before = gla_silence (ctx);
  ctx->place = GLA_PLACE_CPU;
  const gla_status status = gla_pagemul (ctx, A, A, &results, &options, NULL);
  ctx->place = place;
  ctx->callbacks = before;
  return status;
}

static gla_status eigenvalues (gla_context *ctx, gla_groups *groups, const gla_array *products,
                               const gla_array *lambda, int64_t first, gla_eig_report *report)
{
  const gla_eig_results results = {.size = sizeof results, .lambda = *lambda};
  const gla_eig_options options = {.size = sizeof options, .triangle = GLA_TRIANGLE_LOWER};
  gla_group_enter (ctx, groups, first);
  const gla_status status = gla_batcheig (ctx, products, &results, &options, report);
  gla_group_leave (ctx, groups);
  return status;
}

static gla_status do_group (gla_context *ctx, two_group *g, const gla_array *A,
                            const gla_array *norms, int64_t first, gla_report *report)
{
  const int64_t rest = A->pages - first, most = g->products.pages;
  const int64_t count = rest < most ? rest : most, k = g->products.rows;
  const gla_array products = gla_array_pages (&g->products, 0, count);
  const gla_array lambda = gla_array_pages (&g->lambda, 0, count);
  gla_eig_report eig = {.base.size = sizeof eig};
  gla_array pages;
  GLA_TRY (take_pages (g, A, norms, first, count, &pages));
  GLA_TRY (multiply (ctx, &pages, &products));
  GLA_TRY (eigenvalues (ctx, &g->groups, &products, &lambda, first, &eig));
  for (int64_t p = 0; p < count; p++) {
    const double largest = gla_get_number (&lambda, p * k + k - 1);
    const double root = largest < 0 ? 0 : sqrt (largest);
    gla_put_number (norms, (first + p) * norms->page_stride, ldexp (root, g->exponents[p]));
  }
  if (report->device == GLA_DEVICE_HOST)
    report->device = eig.base.device;
  if (eig.base.chunk_pages > report->chunk_pages)
    report->chunk_pages = eig.base.chunk_pages;
  return GLA_OK;
}

//------------------------------------------------------------------------------
// gla_pagenorm_two
//------------------------------------------------------------------------------

static gla_status frobenius_norms (gla_context *ctx, const gla_array *A, const gla_array *norms)
{
  const gla_place place = ctx->place;
  const gla_callbacks before = gla_silence (ctx);
  ctx->place = GLA_PLACE_CPU;
  const gla_status status = gla_pagenorm (ctx, A, GLA_NORM_FRO, norms, NULL);
  ctx->place = place;
  ctx->callbacks = before;
  return status;
}

gla_status gla_pagenorm_two (gla_context *ctx, const gla_array *A, const gla_array *norms,
                             gla_report *report)
{
  const int64_t k = A->rows < A->columns ? A->rows : A->columns;
  const double numbers = (double)A->rows * (double)A->columns + (double)k * (double)k;
  const double fitting = GROUP_BYTES / (numbers * (double)gla_type_size (A->type));
  const int64_t group = fitting > 1 ? (int64_t)fitting : 1;
  const int64_t count = group < A->pages ? group : A->pages;
  gla_status status = frobenius_norms (ctx, A, norms);
  if (status != GLA_OK)
    return status;
  two_group g = {.products = gla_take_pages (A->type, k, k, count),
                 .lambda = gla_take_pages (norms->type, k, 1, count),
                 .exponents = malloc ((size_t)count * sizeof (int))};
  gla_groups_start (&g.groups, ctx, A->pages);
  if (g.products.data == NULL || g.lambda.data == NULL || g.exponents == NULL)
    status = GLA_ERROR_OUT_OF_MEMORY;
  for (int64_t first = 0; first < A->pages && status == GLA_OK; first += count)
    status = do_group (ctx, &g, A, norms, first, report);
  free (g.copy.data);
  free (g.products.data);
  free (g.lambda.data);
  free (g.exponents);
  return status;
}

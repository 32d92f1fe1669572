// pairs.c: eigenvalues and eigenvectors of many Hermitian-definite pairs
// SPDX-License-Identifier: GPL-3.0-or-later
//
// This file checks the arguments, and chooses who does the pages: pairs_call.c, pairs_drop.c if
// eigenvalues of B are dropped, or groups (pairs_groups.c) of pages of (B, A) if A is the definite
// one.

#include "arrays.h"
#include "eig/eig_options.h"
#include "pairs_call.h"
#include "pairs_steps.h"
#include "structs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

static gla_status check_input (gla_context *ctx, const char *name, const gla_array *a,
                               const gla_array *lambda)
{
  const gla_status status = gla_check_input (ctx, name, a);
  if (status != GLA_OK)
    return status;
  if (a->rows != a->columns)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s is %lldx%lldx%lld, its pages must be square",
                     name, (long long)a->rows, (long long)a->columns, (long long)a->pages);
  if (a->pages != lambda->pages && a->pages != 1)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s has %lld pages, it must have 1 or %lld", name,
                     (long long)a->pages, (long long)lambda->pages);
  return GLA_OK;
}

static gla_status check_results (gla_context *ctx, const gla_array *A, const gla_array *B,
                                 const gla_eig_pairs_results *r, int64_t columns)
{
  const int64_t n = A->rows, pages = r->lambda.pages;
  const gla_type real_type = gla_type_real (A->type);
  gla_status status = gla_check_array (ctx, "lambda", &r->lambda, real_type, columns, 1, pages);
  if (status == GLA_OK)
    status = gla_check_place (ctx, "lambda", &r->lambda, "A", A);
  if (status == GLA_OK && r->V.data != NULL)
    status = gla_check_array (ctx, "V", &r->V, A->type, n, columns, pages);
  if (status == GLA_OK && r->V.data != NULL)
    status = gla_check_columns (ctx, "V", &r->V);
  if (status == GLA_OK && r->V.data != NULL)
    status = gla_check_place (ctx, "V", &r->V, "A", A);
  if (status == GLA_OK && r->rcond.data != NULL)
    status = gla_check_array (ctx, "rcond", &r->rcond, real_type, 1, 1, pages);
  if (status == GLA_OK && r->rcond.data != NULL)
    status = gla_check_place (ctx, "rcond", &r->rcond, "A", A);
  const gla_named_array arrays[] = {
      {"A", A}, {"B", B}, {"lambda", &r->lambda}, {"V", &r->V}, {"rcond", &r->rcond}};
  return status == GLA_OK ? gla_check_apart (ctx, arrays, 2, 5) : status;
}

gla_eig_options gla_common_options (const gla_eig_pairs_options *o)
{
  return (gla_eig_options){.size = sizeof (gla_eig_options),
                           .method = o->method,
                           .triangle = o->triangle,
                           .tol = o->tol,
                           .maxit = o->maxit,
                           .range = o->range,
                           .il = o->il,
                           .iu = o->iu,
                           .vl = o->vl,
                           .vu = o->vu,
                           .phase = o->phase};
}

static gla_status check_options (gla_context *ctx, const gla_eig_pairs_options *o)
{
  const gla_eig_options common = gla_common_options (o);
  const gla_status status = gla_check_eig_options (ctx, &common);
  if (status != GLA_OK)
    return status;
  if (o->itype < 0 || o->itype > 3)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "itype = %d must be 1, 2 or 3", o->itype);
  if (o->way != GLA_PAIRS_CHOL && o->way != GLA_PAIRS_DROP && o->way != GLA_PAIRS_SWAP)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "way = %d is not a gla_pairs_way", (int)o->way);
  if (o->way != GLA_PAIRS_CHOL && o->itype > 1)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                     "itype = %d must be 1 with GLA_PAIRS_DROP and GLA_PAIRS_SWAP", o->itype);
  if (!(o->drop >= 0 && o->drop < 1))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "drop = %g must be at least 0 and less than 1",
                     o->drop);
  if (o->largest != 0 && (o->way != GLA_PAIRS_DROP || o->range != GLA_EIG_INDICES))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                     "largest = %d needs GLA_PAIRS_DROP and GLA_EIG_INDICES", o->largest);
  return GLA_OK;
}

// Checks the columns of the results. The number of eigenvalues that are not dropped is known only
// at the end, so the caller says how many there is room for.
static gla_status check_columns (gla_context *ctx, const gla_eig_pairs_options *o, int64_t n,
                                 const gla_array *lambda, int64_t *columns)
{
  gla_eig_options common = gla_common_options (o);
  if (o->way == GLA_PAIRS_DROP && o->range == GLA_EIG_ALL) {
    common.range = GLA_EIG_INTERVAL;
    common.vl = -INFINITY;
    common.vu = INFINITY;
  }
  return gla_check_range (ctx, &common, n, lambda, columns);
}

static gla_status check (gla_context *ctx, const gla_array *A, const gla_array *B,
                         const gla_eig_pairs_results *r, const gla_eig_pairs_options *o,
                         int64_t *columns)
{
  if (A == NULL || B == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not be NULL", A == NULL ? "A" : "B");
  gla_status status = check_input (ctx, "A", A, &r->lambda);
  if (status == GLA_OK)
    status = check_input (ctx, "B", B, &r->lambda);
  if (status != GLA_OK)
    return status;
  if (A->type != B->type)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "B has type '%c', it must be '%c' as A",
                     (char)B->type, (char)A->type);
  if (A->rows != B->rows)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "B has %lld rows, and A has %lld",
                     (long long)B->rows, (long long)A->rows);
  status = gla_check_place (ctx, "B", B, "A", A);
  if (status != GLA_OK)
    return status;
  if (A->rows == 0 && r->rcond.data != NULL && A->device != GLA_DEVICE_HOST)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                     "rcond must not be wanted where n is 0 and A is in place %d", A->device);
  if (o->way != GLA_PAIRS_CHOL && A->device != GLA_DEVICE_HOST)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                     "way must be GLA_PAIRS_CHOL where A is in place %d, not on the host",
                     A->device);
  status = check_columns (ctx, o, A->rows, &r->lambda, columns);
  if (status == GLA_OK)
    status = check_results (ctx, A, B, r, *columns);
  return status == GLA_OK ? check_options (ctx, o) : status;
}

//------------------------------------------------------------------------------
// pairs with a semidefinite B
//------------------------------------------------------------------------------

// Goes by groups, because copies of B may be made.
static gla_status condition_numbers (const gla_pairs_run *p)
{
  const gla_array *rcond = &p->r.rcond;
  const int64_t pages = p->B.pages == 1 && p->pages > 0 ? 1 : p->pages;
  gla_status status = GLA_OK;
  if (rcond->data == NULL)
    return GLA_OK;
  for (int64_t first = 0; first < pages && status == GLA_OK; first += p->group) {
    const int64_t count = pages - first < p->group ? pages - first : p->group;
    const gla_array B = gla_array_pages (&p->B, first, count);
    const gla_array part = gla_array_pages (rcond, first, count);
    status = gla_pencil_rcond (p->ctx, &B, p->o.triangle, &part);
  }
  for (int64_t k = pages; k < p->pages && status == GLA_OK; k++)
    gla_put_number (rcond, k * rcond->page_stride, gla_get_number (rcond, 0));
  return status;
}

//------------------------------------------------------------------------------
// gla_batcheig_pairs
//------------------------------------------------------------------------------

static void count_all (const gla_pairs_run *p)
{
  for (int64_t k = 0; k < p->pages; k++)
    p->r.count[k] = p->info[k] == 0 ? p->n : 0;
}

// Sets ranks if B has full rank; other ways set them page by page.
static void rank_all (const gla_pairs_run *p)
{
  for (int64_t k = 0; p->r.rank != NULL && k < p->pages; k++)
    p->r.rank[k] = p->info[k] == 0 ? p->n : 0;
}

static gla_status do_groups (gla_pairs_run *p)
{
  gla_status status = gla_pairs_take_memory (p);
  if (status == GLA_OK && gla_pairs_share_b (p))
    status = gla_pairs_factor_once (p);
  for (int64_t first = 0; first < p->pages && status == GLA_OK; first += p->group) {
    const int64_t rest = p->pages - first;
    status = gla_pairs_do_group (p, first, rest < p->group ? rest : p->group);
  }
  gla_pairs_free_memory (p);
  return status;
}

static gla_status work (gla_pairs_run *p)
{
  if (p->pages == 0)
    return GLA_OK;
  if (p->count != NULL)
    memset (p->count, 0, (size_t)p->pages * sizeof *p->count);
  if (p->r.rank != NULL)
    memset (p->r.rank, 0, (size_t)p->pages * sizeof *p->r.rank);
  if (p->n == 0) {
    memset (p->info, 0, (size_t)p->pages * sizeof *p->info);
    for (int64_t k = 0; p->r.rcond.data != NULL && k < p->pages; k++)
      gla_put_number (&p->r.rcond, k * p->r.rcond.page_stride, INFINITY);
    return GLA_OK;
  }
  if (p->o.way == GLA_PAIRS_CHOL) {
    const gla_status status = gla_pairs_call (p);
    rank_all (p);
    return status;
  }
  p->group = gla_pairs_group (p);
  const gla_status status = p->o.way == GLA_PAIRS_DROP ? gla_pairs_drop (p) : do_groups (p);
  return status == GLA_OK ? condition_numbers (p) : status;
}

gla_status gla_batcheig_pairs (gla_context *ctx, const gla_array *A, const gla_array *B,
                               const gla_eig_pairs_results *results,
                               const gla_eig_pairs_options *options, gla_eig_pairs_report *report)
{
  gla_pairs_run p = {.ctx = ctx, .report = {.bad_page = -1}};

  gla_status status =
      gla_begin_call (ctx, results, &p.r, sizeof p.r, options, &p.o, sizeof p.o, report);
  if (status == GLA_OK)
    status = check (ctx, A, B, &p.r, &p.o, &p.columns);
  if (status != GLA_OK)
    return status;

  const int64_t pages = p.r.lambda.pages;
  const int part = p.o.range != GLA_EIG_ALL || p.o.way == GLA_PAIRS_DROP;
  int32_t *own_info = p.r.info == NULL ? malloc ((size_t)(pages + 1) * sizeof *own_info) : NULL;
  int64_t *own_count =
      part && p.r.count == NULL ? malloc ((size_t)(pages + 1) * sizeof *own_count) : NULL;
  p.info = own_info != NULL ? own_info : p.r.info;
  p.count = !part ? NULL : own_count != NULL ? own_count : p.r.count;
  if (p.info == NULL || (part && p.count == NULL)) {
    free (own_info);
    free (own_count);
    return gla_fail (ctx, GLA_ERROR_OUT_OF_MEMORY, "no memory for %lld status words",
                     (long long)pages);
  }

  const int swap = p.o.way == GLA_PAIRS_SWAP;
  p.A = swap ? *B : *A;
  p.B = swap ? *A : *B;
  p.n = A->rows;
  p.pages = pages;
  gla_groups_start (&p.groups, ctx, pages);
  p.report.base = (gla_report){.device = GLA_DEVICE_HOST, .first_failed = -1};
  status = work (&p);
  if (!part && p.r.count != NULL)
    count_all (&p);
  p.report.most = gla_largest_count (part ? p.count : p.r.count, pages);
  gla_give_struct (report, &p.report, sizeof p.report);
  free (own_info);
  free (own_count);
  return gla_end_call (ctx, status);
}

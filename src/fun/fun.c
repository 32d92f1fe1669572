// fun.c: functions of many Hermitian matrices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// This file checks the arguments, and shares the pages among engines (fun_call.c). If one page
// serves for all, or the caller computes the values of the function, gla_batcheig finds eigenvalues
// and eigenvectors first, and the CPU does the rest.

#include "arrays.h"
#include "batch/groups.h"
#include "batch/host_page.h"
#include "common/status.h"
#include "eig/eig_options.h"
#include "fun_run.h"
#include "fun_values.h"
#include "structs.h"

#include <math.h>
#include <stdlib.h>

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

// One page of A may serve for all, each with its own number.
static int64_t pages_of_result (const gla_array *A, gla_fun fun, const gla_pagefun_options *o)
{
  if (A->pages != 1)
    return A->pages;
  if (fun == GLA_FUN_OCCUPIED)
    return o->occupied != NULL && o->occupied_count > 1 ? o->occupied_count : 1;
  return o->scale != NULL && o->scale_count > 1 ? o->scale_count : 1;
}

static gla_status check_arrays (gla_context *ctx, const gla_array *A, const gla_array *F,
                                int64_t pages)
{
  if (A == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A must not be NULL");
  GLA_TRY (gla_check_input (ctx, "A", A));
  if (A->rows != A->columns)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A is %lldx%lldx%lld, its pages must be square",
                     (long long)A->rows, (long long)A->columns, (long long)A->pages);
  const gla_type wide = gla_type_real (A->type) == GLA_TYPE_S ? GLA_TYPE_C : GLA_TYPE_Z;
  GLA_TRY (
      gla_check_array (ctx, "F", F, F->type == wide ? wide : A->type, A->rows, A->rows, pages));
  GLA_TRY (gla_check_rows (ctx, "F", F));
  GLA_TRY (gla_check_place (ctx, "F", F, "A", A));
  const gla_named_array arrays[] = {{"A", A}, {"F", F}};
  return gla_check_apart (ctx, arrays, 1, 2);
}

static gla_status check_counts (gla_context *ctx, const gla_pagefun_options *o, gla_fun fun,
                                int64_t n, int64_t pages)
{
  if (o->scale != NULL && o->scale_count != 1 && o->scale_count != pages)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "scale_count = %lld must be 1 or %lld",
                     (long long)o->scale_count, (long long)pages);
  if (fun != GLA_FUN_OCCUPIED)
    return GLA_OK;
  if (o->occupied == NULL || (o->occupied_count != 1 && o->occupied_count != pages))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "occupied needs 1 or %lld numbers",
                     (long long)pages);
  if (o->scale != NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "scale must be NULL with GLA_FUN_OCCUPIED");
  for (int64_t p = 0; p < o->occupied_count; p++)
    if (o->occupied[p] < 0 || o->occupied[p] > n)
      return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "occupied[%lld] = %lld is not in 0 to %lld",
                       (long long)p, (long long)o->occupied[p], (long long)n);
  return GLA_OK;
}

static gla_status check_options (gla_context *ctx, const gla_array *A, const gla_array *F,
                                 gla_fun fun, const gla_pagefun_options *o)
{
  if (fun < GLA_FUN_EXP || fun > GLA_FUN_VALUES)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "fun = %d is not a gla_fun", (int)fun);
  GLA_TRY (gla_check_triangle (ctx, o->triangle));
  if (!isfinite (o->power))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "power = %g must be finite", o->power);
  if (!(o->floor >= 0 && o->floor < 1))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "floor = %g must be at least 0 and less than 1",
                     o->floor);
  if (!(o->tol < 1))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "tol = %g must be less than 1", o->tol);
  if (o->scale != NULL && o->scale_complex && fun != GLA_FUN_VALUES &&
      !gla_type_is_complex (F->type))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "F has type '%c', but scale is complex",
                     (char)F->type);
  if (fun == GLA_FUN_VALUES && o->values == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "values must not be NULL");
  if (fun == GLA_FUN_VALUES && A->device != GLA_DEVICE_HOST)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                     "A is in place %d, with GLA_FUN_VALUES it must be on the host", A->device);
  if (F->pages > A->pages && A->device != GLA_DEVICE_HOST)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                     "A is in place %d, one page for all of F must be on the host", A->device);
  return check_counts (ctx, o, fun, A->rows, F->pages);
}

//------------------------------------------------------------------------------
// eigenvalues first
//------------------------------------------------------------------------------

static int is_shared (const gla_fun_run *run)
{
  return run->all.F.pages > run->all.A.pages;
}

// Finds all eigenvalues and eigenvectors, in the context's place; of one page if that serves for
// all.
static gla_status find_eigenvalues (gla_fun_run *run, gla_context *ctx)
{
  gla_pagefun_chunk *all = &run->all;
  const int64_t n = all->A.rows, pages = all->A.pages;
  all->V = gla_take_pages (all->A.type, n, n, pages);
  all->lambda = gla_take_pages (gla_type_real (all->A.type), n, 1, pages);
  if (all->V.data == NULL || all->lambda.data == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  const gla_eig_results results = {
      .size = sizeof results, .lambda = all->lambda, .V = all->V, .info = all->info};
  const gla_eig_options options = {
      .size = sizeof options, .triangle = run->o.triangle, .phase = GLA_EIG_PHASE_NONE};
  gla_eig_report report = {.base.size = sizeof report};
  gla_groups groups; // progress counts the pages of F
  gla_groups_start (&groups, ctx, all->F.pages);
  gla_group_enter (ctx, &groups, 0);
  const gla_status status = gla_batcheig (ctx, &all->A, &results, &options, &report);
  gla_group_leave (ctx, &groups);
  if (status == GLA_ERROR_NOT_HERMITIAN) {
    run->failures.bad_page = report.bad_page;
    run->failures.bad_difference = report.bad_difference;
  } else {
    run->report.base.device = report.base.device;
    run->report.base.chunk_pages = report.base.chunk_pages;
  }
  return status;
}

static void share_page (gla_pagefun_chunk *all)
{
  all->A.page_stride = all->V.page_stride = all->lambda.page_stride = 0;
  for (int64_t p = 1; p < all->F.pages; p++)
    all->info[p] = all->info[0];
}

// Asks for the caller's values of the function, in all.values, and perhaps another F.
static gla_status ask_for_values (gla_fun_run *run, gla_context *ctx)
{
  gla_pagefun_chunk *all = &run->all;
  const gla_type real = gla_type_real (all->A.type);
  const gla_type wide = real == GLA_TYPE_S ? GLA_TYPE_C : GLA_TYPE_Z;
  const gla_type type = run->job.scale_complex ? wide : real;
  const int64_t n = run->job.n, pages = all->F.pages;
  gla_array x = gla_take_pages (type, n, 1, pages);
  if (x.data == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  for (int64_t p = 0; p < pages; p++)
    gla_fun_arguments (&run->job, all, p, &x);
  const int stopped = run->o.values (run->o.user, &x, &all->values, &all->F);
  free (x.data);
  if (stopped)
    return GLA_ERROR_STOPPED;
  GLA_TRY (check_arrays (ctx, &all->A, &all->F, pages));
  GLA_TRY (gla_check_array (
      ctx, "f", &all->values,
      all->values.type == wide && gla_type_is_complex (all->F.type) ? wide : real, n, 1, pages));
  return gla_check_place (ctx, "f", &all->values, "A", &all->A);
}

static gla_status multiply (gla_fun_run *run, gla_context *ctx)
{
  const gla_place place = ctx->place;
  const gla_callbacks before = ctx->callbacks;
  gla_fun_fill_job (run, run->job.fun); // of the new F
  run->job.solved = 1;
  ctx->place = GLA_PLACE_CPU;
  if (!is_shared (run)) // all pages are reported
    ctx->callbacks.progress = NULL;
  const gla_status status = gla_fun_call (run, ctx);
  ctx->callbacks = before;
  ctx->place = place;
  return status;
}

static gla_status work_in_steps (gla_fun_run *run, gla_context *ctx)
{
  gla_status status = find_eigenvalues (run, ctx);
  if (status == GLA_OK && is_shared (run))
    share_page (&run->all);
  if (status == GLA_OK && run->job.fun == GLA_FUN_VALUES)
    status = ask_for_values (run, ctx);
  if (status == GLA_OK)
    status = multiply (run, ctx);
  free (run->all.V.data);
  free (run->all.lambda.data);
  return status;
}

//------------------------------------------------------------------------------
// gla_pagefun
//------------------------------------------------------------------------------

static void count_failures (gla_fun_run *run)
{
  gla_pagefun_report *r = &run->report;
  for (int64_t p = 0; p < run->all.F.pages; p++) {
    if (run->all.info[p] != 0 && r->base.pages_failed++ == 0)
      r->base.first_failed = p;
    r->pages_complex += run->all.info[p] == run->job.n + 3;
  }
}

static gla_status work (gla_fun_run *run, gla_context *ctx)
{
  if (gla_array_empty (&run->all.F))
    return GLA_OK;
  if (run->job.fun == GLA_FUN_VALUES || is_shared (run))
    return work_in_steps (run, ctx);
  const gla_status status = gla_fun_call (run, ctx);
  run->report.base.device = run->call.device;
  run->report.base.chunk_pages = run->call.chunk_pages;
  return status;
}

gla_status gla_pagefun (gla_context *ctx, const gla_array *A, gla_fun fun,
                        const gla_pagefun_results *results, const gla_pagefun_options *options,
                        gla_pagefun_report *report)
{
  gla_pagefun_results r;
  gla_fun_run run = {.failures.bad_page = -1,
                     .report = {.base = {.device = GLA_DEVICE_HOST, .first_failed = -1}}};

  gla_status status =
      gla_begin_call (ctx, results, &r, sizeof r, options, &run.o, sizeof run.o, report);
  if (status == GLA_OK)
    status = check_arrays (ctx, A, &r.F, A == NULL ? 0 : pages_of_result (A, fun, &run.o));
  if (status == GLA_OK)
    status = check_options (ctx, A, &r.F, fun, &run.o);
  if (status != GLA_OK)
    return status;

  gla_infos infos;
  status = gla_infos_take (ctx, r.info, r.F.pages, &infos);
  if (status != GLA_OK)
    return status;

  run.all = (gla_pagefun_chunk){.A = *A, .F = r.F, .info = infos.words};
  if (run.o.tol == 0)
    run.o.tol = 10 * (double)A->rows * gla_type_eps (A->type);
  gla_fun_fill_job (&run, fun);
  status = work (&run, ctx);
  if (status == GLA_OK && run.failures.suspect)
    count_failures (&run);
  run.report.bad_page = run.failures.bad_page;
  run.report.bad_difference = run.failures.bad_difference;
  gla_give_struct (report, &run.report, sizeof run.report);
  gla_infos_free (&infos);
  return gla_end_call (ctx, status);
}

// fun.c: functions of many Hermitian matrices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks the arguments. A GPU does all with a chunk of pages at once (fun_call.c). On the CPU:
// eigenvectors and eigenvalues of a group of pages by batcheig, then the values of the function and
// the products (fun_products.c). Groups fit into the cache. Eigenvectors of
// middle-sized pages go to the place of the result, which is written anyway.

#include "arrays.h"
#include "batch/host_page.h"
#include "eig/eig_options.h"
#include "fun_run.h"
#include "structs.h"
#include "threads/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A group of pages: V has so many bytes for each thread, but there are at least so many pages for
// each, because the CPU works on up to 32 pages at a time.
static const double GROUP_BYTES = 5e5, MOST_BYTES = 5e8;
enum { LEAST_PAGES = 32 };

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

// One page of A may stand for all, each with a number of its own.
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
  gla_status status = gla_check_input (ctx, "A", A);
  if (status != GLA_OK)
    return status;
  if (A->rows != A->columns)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A is %lldx%lldx%lld, its pages must be square",
                     (long long)A->rows, (long long)A->columns, (long long)A->pages);
  const gla_type wide = gla_type_real (A->type) == GLA_TYPE_S ? GLA_TYPE_C : GLA_TYPE_Z;
  status = gla_check_array (ctx, "F", F, F->type == wide ? wide : A->type, A->rows, A->rows, pages);
  if (status == GLA_OK)
    status = gla_check_rows (ctx, "F", F);
  if (status == GLA_OK)
    status = gla_check_place (ctx, "F", F, "A", A);
  const gla_named_array arrays[] = {{"A", A}, {"F", F}};
  return status == GLA_OK ? gla_check_apart (ctx, arrays, 1, 2) : status;
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
  const gla_status status = gla_check_triangle (ctx, o->triangle);
  if (status != GLA_OK)
    return status;
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
// eigenvalues
//------------------------------------------------------------------------------

// Where the eigenvectors of those pages go: to the first pages of V, or where there is no V to the
// pages of F.
static gla_array place_of_vectors (const gla_fun_run *run, int64_t first, int64_t count)
{
  if (run->V.data != NULL)
    return gla_array_pages (&run->V, 0, count);
  gla_array V = gla_array_pages (&run->F, first, count);
  const int64_t parts = V.type == run->A.type ? 1 : 2;
  V.type = run->A.type;
  V.column_stride *= parts;
  V.page_stride *= parts;
  return V;
}

gla_status gla_fun_eigenvalues (gla_fun_run *run, int64_t first, int64_t count, gla_array *V)
{
  gla_context *ctx = run->ctx;
  const gla_array A = gla_array_pages (&run->A, first, count);
  const gla_eig_results results = {.size = sizeof results,
                                   .lambda = gla_array_pages (&run->lambda, 0, count),
                                   .V = place_of_vectors (run, first, count),
                                   .info = run->info + first};
  const gla_eig_options options = {
      .size = sizeof options, .triangle = run->o.triangle, .phase = GLA_EIG_PHASE_NONE};
  gla_eig_report report = {.base.size = sizeof report};
  gla_group_enter (ctx, &run->groups, first);
  const gla_status status = gla_batcheig (ctx, &A, &results, &options, &report);
  gla_group_leave (ctx, &run->groups);
  *V = results.V;
  if (status == GLA_ERROR_NOT_HERMITIAN) {
    run->failures.bad_page = first + report.bad_page;
    run->failures.bad_difference = report.bad_difference;
    return gla_fail_not_hermitian (ctx, &run->failures);
  }
  run->report.base.device = report.base.device;
  if (report.base.chunk_pages > run->report.base.chunk_pages)
    run->report.base.chunk_pages = report.base.chunk_pages;
  return status;
}

//------------------------------------------------------------------------------
// groups
//------------------------------------------------------------------------------

int64_t gla_fun_group (const gla_fun_run *run)
{
  const double page =
      (double)run->rule.n * (double)run->rule.n * (double)gla_type_size (run->A.type);
  const double threads = gla_pool_threads ();
  double count = threads * GROUP_BYTES / page;
  count = count < threads * LEAST_PAGES ? threads * LEAST_PAGES : count;
  count = count > MOST_BYTES / page ? MOST_BYTES / page : count;
  if (count >= (double)run->F.pages)
    return run->F.pages;
  return count < LEAST_PAGES ? (int64_t)count + 1 : (int64_t)(count / LEAST_PAGES) * LEAST_PAGES;
}

gla_status gla_fun_take_memory (gla_fun_run *run, int64_t vectors, int64_t values)
{
  const int64_t n = run->rule.n;
  run->count = gla_fun_group (run);
  if (vectors > 0)
    run->V = gla_take_pages (run->A.type, n, n, vectors);
  run->lambda = gla_take_pages (gla_type_real (run->A.type), n, 1, values);
  run->values = malloc ((size_t)(run->count * n) * sizeof *run->values);
  return (vectors == 0 || run->V.data != NULL) && run->lambda.data != NULL && run->values != NULL
             ? GLA_OK
             : GLA_ERROR_OUT_OF_MEMORY;
}

//------------------------------------------------------------------------------
// one page for all
//------------------------------------------------------------------------------

static int is_shared (const gla_fun_run *run)
{
  return run->F.pages > run->A.pages;
}

// The last page to all others: of the memory for eigenvectors of a group.
static void copy_last (const gla_array *a)
{
  const size_t bytes = (size_t)a->page_stride * gla_type_size (a->type);
  for (int64_t p = 0; p + 1 < a->pages; p++)
    memcpy ((char *)a->data + (size_t)p * bytes, (char *)a->data + (size_t)(a->pages - 1) * bytes,
            bytes);
}

// One page of eigenvectors for all, or memory for a group and one page more, where they stay while
// products overwrite the others: copies take less time than products.
static gla_status find_one_page (gla_fun_run *run)
{
  const int alone = gla_fun_alone (run);
  gla_status status = gla_fun_take_memory (run, alone ? 1 : gla_fun_group (run) + 1, 1);
  gla_array V;
  if (status == GLA_OK)
    status = gla_fun_eigenvalues (run, 0, 1, &V);
  if (status != GLA_OK)
    return status;
  run->lambda.page_stride = 0;
  if (alone)
    run->V.page_stride = 0;
  else {
    const gla_array last = gla_array_pages (&run->V, run->V.pages - 1, 1);
    memcpy (last.data, V.data, (size_t)last.page_stride * gla_type_size (last.type));
  }
  for (int64_t p = 1; p < run->F.pages; p++)
    run->info[p] = run->info[0];
  return GLA_OK;
}

// Products of all pages of F, by groups; V holds the eigenvectors of all pages, or of a group.
static gla_status multiply_groups (gla_fun_run *run)
{
  const int64_t pages = run->F.pages;
  gla_status status = GLA_OK;
  for (int64_t first = 0; first < pages && status == GLA_OK; first += run->count) {
    const int64_t count = pages - first < run->count ? pages - first : run->count;
    if (is_shared (run) && !gla_fun_alone (run) && (first == 0 || run->rule.n > GLA_CPU_FUN_SMALL))
      copy_last (&run->V);
    const gla_array V = gla_array_pages (&run->V, is_shared (run) ? 0 : first, count);
    const gla_array lambda = gla_array_pages (&run->lambda, is_shared (run) ? 0 : first, count);
    status = gla_fun_products (run, first, count, &V, &lambda);
    if (status == GLA_OK && is_shared (run))
      gla_report_progress (run->ctx, first + count, pages);
    if (status == GLA_OK && gla_poll_stop (run->ctx, count))
      status = GLA_ERROR_STOPPED;
  }
  return status;
}

static gla_status work_with_one_page (gla_fun_run *run)
{
  const gla_status status = find_one_page (run);
  return status == GLA_OK ? multiply_groups (run) : status;
}

//------------------------------------------------------------------------------
// values of the caller
//------------------------------------------------------------------------------

static gla_status take_kernels (gla_fun_run *run)
{
  char why[128] = "";
  return gla_cpu_fun_here (run->A.type, run->F.type, &run->kernels, why, sizeof why)
             ? GLA_OK
             : gla_fail (run->ctx, GLA_ERROR_BAD_ARGUMENT, "%s", why);
}

static gla_status ask_for_values (gla_fun_run *run)
{
  gla_context *ctx = run->ctx;
  const gla_type real = gla_type_real (run->A.type);
  const gla_type wide = real == GLA_TYPE_S ? GLA_TYPE_C : GLA_TYPE_Z;
  const gla_type type = run->o.scale != NULL && run->o.scale_complex ? wide : real;
  const int64_t n = run->rule.n, pages = run->F.pages;
  gla_array x = gla_take_pages (type, n, 1, pages);
  if (x.data == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  for (int64_t p = 0; p < pages; p++) {
    const int64_t at = is_shared (run) ? 0 : p;
    gla_fun_arguments (&run->rule, gla_array_pages (&run->lambda, at, 1).data, p, &x);
  }
  const int stopped = run->o.values (run->o.user, &x, &run->rule.given, &run->F);
  free (x.data);
  if (stopped)
    return GLA_ERROR_STOPPED;
  const gla_array *f = &run->rule.given;
  run->rule.real_only = run->o.real_only || !gla_type_is_complex (run->F.type);
  gla_status status = check_arrays (ctx, &run->A, &run->F, pages);
  if (status == GLA_OK)
    status = take_kernels (run); // of another F
  if (status == GLA_OK)
    status = gla_check_array (ctx, "f", f,
                              f->type == wide && gla_type_is_complex (run->F.type) ? wide : real, n,
                              1, pages);
  return status == GLA_OK ? gla_check_place (ctx, "f", f, "A", &run->A) : status;
}

static gla_status work_with_values (gla_fun_run *run)
{
  const int64_t pages = run->F.pages;
  gla_array V;
  gla_status status =
      is_shared (run) ? find_one_page (run) : gla_fun_take_memory (run, pages, pages);
  if (status == GLA_OK && !is_shared (run))
    status = gla_fun_eigenvalues (run, 0, pages, &V);
  if (status == GLA_OK)
    status = ask_for_values (run);
  return status == GLA_OK ? multiply_groups (run) : status;
}

//------------------------------------------------------------------------------
// gla_pagefun
//------------------------------------------------------------------------------

static void count_failures (gla_fun_run *run)
{
  gla_pagefun_report *r = &run->report;
  for (int64_t p = 0; p < run->F.pages; p++) {
    if (run->info[p] != 0 && r->base.pages_failed++ == 0)
      r->base.first_failed = p;
    r->pages_complex += run->info[p] == run->rule.n + 3;
  }
}

static gla_status work (gla_fun_run *run)
{
  if (gla_array_empty (&run->F))
    return GLA_OK;
  gla_status status = take_kernels (run);
  if (status != GLA_OK)
    return status;
  const int values = run->rule.fun == GLA_FUN_VALUES;
  status = values            ? work_with_values (run)
           : is_shared (run) ? work_with_one_page (run)
                             : gla_fun_call (run);
  free (run->V.data);
  free (run->Y.data);
  free (run->lambda.data);
  free (run->values);
  if (status == GLA_OK && (run->failures.suspect || values || is_shared (run)))
    count_failures (run);
  return status;
}

gla_status gla_pagefun (gla_context *ctx, const gla_array *A, gla_fun fun,
                        const gla_pagefun_results *results, const gla_pagefun_options *options,
                        gla_pagefun_report *report)
{
  gla_pagefun_results r;
  gla_fun_run run = {.ctx = ctx,
                     .report = {.base = {.device = GLA_DEVICE_HOST, .first_failed = -1}}};

  // check inputs
  gla_status status =
      gla_begin_call (ctx, results, &r, sizeof r, options, &run.o, sizeof run.o, report);
  if (status == GLA_OK)
    status = check_arrays (ctx, A, &r.F, A == NULL ? 0 : pages_of_result (A, fun, &run.o));
  if (status == GLA_OK)
    status = check_options (ctx, A, &r.F, fun, &run.o);
  if (status != GLA_OK)
    return status;

  // allocate
  run.A = *A;
  run.F = r.F;
  gla_infos infos;
  status = gla_infos_take (ctx, r.info, r.F.pages, &infos);
  if (status != GLA_OK)
    return status;

  // work
  run.info = infos.words;
  if (run.o.tol == 0)
    run.o.tol = 10 * (double)A->rows * gla_type_eps (A->type);
  run.rule = (gla_fun_rule){.fun = fun, .n = A->rows, .o = &run.o};
  run.rule.is_single = gla_type_real (A->type) == GLA_TYPE_S;
  run.rule.real_only = run.o.real_only || !gla_type_is_complex (r.F.type);
  run.call.device = GLA_DEVICE_HOST;
  gla_groups_start (&run.groups, ctx, r.F.pages);
  run.failures.bad_page = -1;
  status = work (&run);
  run.report.bad_page = run.failures.bad_page;
  run.report.bad_difference = run.failures.bad_difference;
  gla_give_struct (report, &run.report, sizeof run.report);
  gla_infos_free (&infos);
  return gla_end_call (ctx, status);
}

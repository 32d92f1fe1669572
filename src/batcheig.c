// batcheig.c: eigenvalues and eigenvectors of many Hermitian matrices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks the arguments, has the pages dealt out to engines (lanes.c), and gives pages that did not
// converge a second chance by the other method. The arithmetic is the backends'.

#include "arrays.h"
#include "eig_lanes.h"

#include <stdlib.h>

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

static gla_status check (gla_context *ctx, const gla_array *A, const gla_array *lambda,
                         const gla_array *V, const gla_eig_options *o)
{
  if (A == NULL)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "A must not be NULL");
  if (gla_type_size (A->type) == 0)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "A has type %d, it must be one of s d c z",
                     (int)A->type);
  if (A->rows < 0 || A->pages < 0 || A->rows != A->columns)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "A is %lldx%lldx%lld, its pages must be square",
                     (long long)A->rows, (long long)A->columns, (long long)A->pages);
  gla_status status = gla_check_array (ctx, "A", A, A->type, A->rows, A->rows, A->pages);
  if (status == GLA_OK)
    status = gla_check_array (ctx, "lambda", lambda, gla_type_real (A->type), A->rows, 1, A->pages);
  if (status == GLA_OK && V != NULL)
    status = gla_check_array (ctx, "V", V, A->type, A->rows, A->rows, A->pages);
  if (status != GLA_OK)
    return status;
  if (A->row_stride != 1 || (V != NULL && V->row_stride != 1))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s has row stride %lld, it must be 1",
                     A->row_stride != 1 ? "A" : "V",
                     (long long)(A->row_stride != 1 ? A->row_stride : V->row_stride));
  if (lambda->device != A->device || (V != NULL && V->device != A->device))
    return gla_fail (ctx, GLA_BAD_ARGUMENT,
                     "A, lambda and V must be in the same place, not %d, "
                     "%d and %d",
                     A->device, lambda->device, V != NULL ? V->device : A->device);
  int empty = A->rows == 0 || A->pages == 0;
  if (!empty && V != NULL && gla_arrays_overlap (A, V))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "V must not overlap A");
  if (!empty && (gla_arrays_overlap (A, lambda) || (V != NULL && gla_arrays_overlap (V, lambda))))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "lambda must not overlap %s",
                     gla_arrays_overlap (A, lambda) ? "A" : "V");
  if (o->method != GLA_METHOD_AUTO && o->method != GLA_METHOD_QR && o->method != GLA_METHOD_JACOBI)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "method = %d is not a gla_eig_method", (int)o->method);
  if (o->triangle != GLA_FULL && o->triangle != GLA_LOWER && o->triangle != GLA_UPPER)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "triangle = %d is not a gla_triangle",
                     (int)o->triangle);
  if (!(o->tol >= 0 && o->tol < 1))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "tol = %g must be at least 0 and less than 1", o->tol);
  if (o->maxit < 0)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "maxit = %d must not be negative", o->maxit);
  return GLA_OK;
}

//------------------------------------------------------------------------------
// second chances
//------------------------------------------------------------------------------

// A retried page is already counted; only the wish to stop matters.
static int poll_stop (void *pages, int64_t ignored)
{
  (void)ignored;
  return gla_run_poll (pages, 0);
}

// Runs one page on an engine by a method; returns whether it converged.
static int retry_page (gla_eig_run *run, gla_engine *engine, gla_eig_method method, int64_t page)
{
  gla_lane l = {.engine = engine, .run = &run->pages, .operation = &gla_eig_operation, .call = run};
  run->job.method = method;
  run->job.maxit = 30;
  if (!engine->backend->eig_supports (&run->job) || gla_lane_begin (&l, 1) != GLA_OK)
    return 0;
  run->pages.in_flight = 1;
  gla_status status = gla_lane_submit (&l, (gla_range){page, 1});
  if (status == GLA_OK)
    status = gla_lane_finish (&l);
  run->pages.n_waiting = 0; // a page that was given back stays failed
  gla_lane_end (&l);
  return status == GLA_OK && run->info[page] == 0;
}

// Pages that did not converge: the other method where the page was, then the CPU by either.
static void second_chances (gla_eig_run *run)
{
  gla_context *ctx = run->pages.ctx;
  gla_eig_method other = run->job.method == GLA_METHOD_JACOBI ? GLA_METHOD_QR : GLA_METHOD_JACOBI;
  run->job.monitor.poll = poll_stop;
  for (int64_t page = 0; page < run->pages.pages && !run->pages.stopped; page++) {
    if (run->info[page] < 1 || run->info[page] > run->job.n)
      continue;
    int32_t first_info = run->info[page];
    gla_engine *engine = NULL;
    int solved = 0;
    if (run->report.device != GLA_HOST && !ctx->lost[run->report.device] &&
        gla_context_gpu (ctx, run->report.device, &engine) == GLA_OK)
      solved = retry_page (run, engine, other, page);
    if (!solved && !run->job.device_arrays && gla_context_cpu (ctx, &engine) == GLA_OK)
      solved =
          retry_page (run, engine, other, page) || retry_page (run, engine, GLA_METHOD_AUTO, page);
    if (!solved)
      run->info[page] = first_info;
  }
}

//------------------------------------------------------------------------------
// gla_batcheig
//------------------------------------------------------------------------------

static void fill_job (gla_eig_run *run, const gla_eig_options *o)
{
  gla_eig_job *job = &run->job;
  job->type = run->A.type;
  job->n = run->A.rows;
  job->vectors = run->V.data != NULL;
  job->method = o->method;
  job->triangle = o->triangle;
  job->tol = o->tol > 0 ? o->tol : gla_type_eps (job->type);
  job->maxit = o->maxit > 0 ? o->maxit : 30;
  job->device_arrays = run->A.device != GLA_HOST;
  job->monitor.poll = gla_run_poll;
  job->monitor.user = &run->pages;
}

static void count_failed (gla_eig_run *run)
{
  for (int64_t p = 0; p < run->pages.pages; p++)
    if (run->info[p] != 0 && run->report.pages_failed++ == 0)
      run->report.first_failed = p;
}

gla_status gla_batcheig (gla_context *ctx, const gla_array *A, const gla_array *lambda,
                         const gla_array *V, int32_t *info, const gla_eig_options *options,
                         gla_eig_report *report)
{
  const gla_eig_options defaults = {GLA_METHOD_AUTO, GLA_FULL, 0, 0};
  if (ctx == NULL)
    return GLA_BAD_ARGUMENT;
  if (options == NULL)
    options = &defaults;
  ctx->message[0] = '\0';

  // check inputs
  gla_status status = check (ctx, A, lambda, V, options);
  if (status != GLA_OK)
    return status;

  // allocate
  int64_t pages = A->pages;
  int32_t *own_info = NULL;
  if (info == NULL && pages > 0) {
    info = own_info = malloc ((size_t)pages * sizeof *info);
    if (info == NULL)
      return gla_fail (ctx, GLA_OUT_OF_MEMORY, "no memory for %lld status words", (long long)pages);
  }

  // work
  gla_eig_run run = {.A = *A, .lambda = *lambda, .info = info};
  if (V != NULL)
    run.V = *V;
  run.report.first_failed = run.report.bad_page = -1;
  run.report.device = GLA_HOST;
  gla_run_start (&run.pages, ctx, pages);
  fill_job (&run, options);
  if (A->rows == 0) {
    for (int64_t p = 0; p < pages; p++)
      info[p] = 0;
  } else if (pages > 0) {
    status = gla_run_call (&run.pages, &gla_eig_operation, &run, run.A.device, &run.report.device);
    if (status == GLA_OK && run.report.bad_page >= 0)
      status = gla_fail (ctx, GLA_NOT_HERMITIAN,
                         "page %lld is not Hermitian: the largest |A - A'| is %g",
                         (long long)run.report.bad_page, run.report.bad_difference);
    if (status == GLA_OK && run.suspect) {
      second_chances (&run);
      count_failed (&run);
      if (run.pages.stopped)
        status = GLA_STOPPED;
    }
  }

  // free
  if (report != NULL)
    *report = run.report;
  free (own_info);
  if (status == GLA_OK)
    ctx->message[0] = '\0';
  else if (ctx->message[0] == '\0')
    gla_fail (ctx, status, "%s", gla_status_text (status));
  return status;
}

// eig.c: eigenvalues and eigenvectors of many Hermitian matrices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// This file checks the arguments, shares the pages among engines (batch/dispatch.c), and tries
// pages that did not converge again by the other method. The backends do the arithmetic.

#include "arrays.h"
#include "batch/queue.h"
#include "batch/failures.h"
#include "common/status.h"
#include "eig_options.h"
#include "eig_run.h"
#include "structs.h"

#include <stdlib.h>
#include <string.h>

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

static gla_status check (gla_context *ctx, const gla_array *A, const gla_eig_results *r,
                         const gla_eig_options *o)
{
  if (A == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A must not be NULL");
  const gla_array *lambda = &r->lambda, *V = r->V.data != NULL ? &r->V : NULL;
  if (gla_type_size (A->type) == 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A has type %d, it must be one of s d c z",
                     (int)A->type);
  if (A->rows < 0 || A->pages < 0 || A->rows != A->columns)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A is %lldx%lldx%lld, its pages must be square",
                     (long long)A->rows, (long long)A->columns, (long long)A->pages);
  gla_status status = gla_check_array (ctx, "A", A, A->type, A->rows, A->rows, A->pages);
  int64_t k = 0;
  if (status == GLA_OK)
    status = gla_check_range (ctx, o, A->rows, lambda, &k);
  if (status == GLA_OK)
    status = gla_check_array (ctx, "lambda", lambda, gla_type_real (A->type), k, 1, A->pages);
  if (status == GLA_OK && V != NULL)
    status = gla_check_array (ctx, "V", V, A->type, A->rows, k, A->pages);
  if (status != GLA_OK)
    return status;
  if (A->row_stride != 1 || (V != NULL && V->row_stride != 1))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s has row stride %lld, it must be 1",
                     A->row_stride != 1 ? "A" : "V",
                     (long long)(A->row_stride != 1 ? A->row_stride : V->row_stride));
  if (lambda->device != A->device || (V != NULL && V->device != A->device))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                     "A, lambda and V must be in the same place, not %d, "
                     "%d and %d",
                     A->device, lambda->device, V != NULL ? V->device : A->device);
  int empty = A->rows == 0 || A->pages == 0 || k == 0;
  if (!empty && V != NULL && gla_arrays_overlap (A, V))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "V must not overlap A");
  if (!empty && (gla_arrays_overlap (A, lambda) || (V != NULL && gla_arrays_overlap (V, lambda))))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "lambda must not overlap %s",
                     gla_arrays_overlap (A, lambda) ? "A" : "V");
  return gla_check_eig_options (ctx, o);
}

//------------------------------------------------------------------------------
// second method
//------------------------------------------------------------------------------

static void use_method (gla_call *call, gla_retry_method method)
{
  gla_eig_run *run = (gla_eig_run *)call;
  run->job.method = method == GLA_RETRY_AUTO ? GLA_EIG_METHOD_AUTO : run->other;
  run->job.maxit = GLA_EIG_MAX_ITERATIONS;
}

static void retry_failed (gla_eig_run *run)
{
  run->other = run->job.method == GLA_EIG_METHOD_JACOBI ? GLA_EIG_METHOD_QR : GLA_EIG_METHOD_JACOBI;
  const gla_retry retry = {&run->job.head, run->all.info, run->job.n, use_method};
  gla_retry_failed (&run->call, &retry);
}

//------------------------------------------------------------------------------
// gla_batcheig
//------------------------------------------------------------------------------

static void fill_job (gla_eig_run *run, const gla_eig_options *o)
{
  gla_eig_job *job = &run->job;
  job->head = (gla_job){.type = run->all.A.type,
                        .device_arrays = run->all.A.device != GLA_DEVICE_HOST,
                        .monitor = {gla_run_poll, &run->call.run}};
  job->n = run->all.A.rows;
  job->vectors = run->all.V.data != NULL && run->all.V.columns > 0;
  job->method = o->method;
  job->triangle = o->triangle;
  job->tol = o->tol > 0 ? o->tol : gla_type_eps (job->head.type);
  job->maxit = o->maxit > 0 ? o->maxit : GLA_EIG_MAX_ITERATIONS;
  job->range = o->range;
  job->il = o->range == GLA_EIG_INDICES ? o->il : 1;
  job->columns = run->all.lambda.rows;
  job->vl = o->vl;
  job->vu = o->vu;
  job->phase = o->phase == GLA_EIG_PHASE_MAX;
}

// In a range all pages that have not failed have equally many, and no count is needed.
static int64_t largest_count (const gla_eig_run *run, int64_t failed)
{
  const int64_t pages = run->call.run.pages;
  if (run->all.count != NULL || run->job.range != GLA_EIG_INDICES)
    return gla_largest_count (run->all.count, pages);
  return failed < pages ? run->job.columns : 0;
}

static gla_eig_report report_of (const gla_eig_run *run)
{
  gla_eig_report report = {.base = gla_call_report (&run->call),
                           .bad_page = run->failures.bad_page,
                           .bad_difference = run->failures.bad_difference};
  if (run->failures.bad_page < 0)
    gla_count_failed (&run->failures, run->all.info, run->call.run.pages, &report.base);
  report.most = largest_count (run, report.base.pages_failed);
  return report;
}

static gla_status work (gla_eig_run *run)
{
  const gla_eig_chunk *all = &run->all;
  if (all->A.pages == 0 || all->A.rows == 0)
    return GLA_OK;
  GLA_TRY (gla_call_run (&run->call));
  if (run->failures.suspect && run->failures.bad_page < 0)
    retry_failed (run);
  if (run->failures.bad_page >= 0) // the second attempt checks again
    return gla_fail_not_hermitian (run->call.run.ctx, &run->failures);
  for (int64_t p = 0; run->job.range == GLA_EIG_ALL && all->count != NULL && p < all->A.pages; p++)
    all->count[p] = all->info[p] == 0 ? all->A.rows : 0;
  return run->call.run.stopped ? GLA_ERROR_STOPPED : GLA_OK;
}

gla_status gla_batcheig (gla_context *ctx, const gla_array *A, const gla_eig_results *results,
                         const gla_eig_options *options, gla_eig_report *report)
{
  gla_eig_results r;
  gla_eig_options o;

  gla_status status = gla_begin_call (ctx, results, &r, sizeof r, options, &o, sizeof o, report);
  if (status == GLA_OK)
    status = check (ctx, A, &r, &o);
  if (status != GLA_OK)
    return status;

  const int64_t pages = A->pages;
  const int counts = o.range == GLA_EIG_INTERVAL && r.count == NULL; // else they need not be stored
  gla_infos infos;
  status = gla_infos_take (ctx, r.info, pages, &infos);
  if (status != GLA_OK)
    return status;
  int64_t *own_count = counts ? calloc ((size_t)(pages + 1), sizeof *own_count) : NULL;
  if (counts && own_count == NULL) {
    gla_infos_free (&infos);
    return gla_fail (ctx, GLA_ERROR_OUT_OF_MEMORY, "no memory for %lld status words",
                     (long long)pages);
  }

  if (r.count != NULL && pages > 0)
    memset (r.count, 0, (size_t)pages * sizeof *r.count);
  gla_eig_run run = {.all = {.A = *A, .lambda = r.lambda, .V = r.V}, .failures.bad_page = -1};
  run.all.info = infos.words;
  run.all.count = r.count != NULL ? r.count : own_count;
  run.call.arrays = run.all.arrays;
  gla_call_start (&run.call, &gla_eig_operation, &run.job.head, ctx, pages);
  fill_job (&run, &o);
  status = work (&run);
  const gla_eig_report own_report = report_of (&run);
  gla_give_struct (report, &own_report, sizeof own_report);
  gla_infos_free (&infos);
  free (own_count);
  return gla_end_call (ctx, status);
}

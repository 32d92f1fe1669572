// svd.c: singular value decompositions of many matrices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// This file checks the arguments, answers what needs no arithmetic, shares the pages among engines
// (batch/dispatch.c), and tries pages that did not converge again by the other method. The backends
// do the arithmetic.

#include "arrays.h"
#include "batch/queue.h"
#include "batch/failures.h"
#include "structs.h"
#include "svd_run.h"

#include <math.h>

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

static int64_t least_of (const gla_array *A)
{
  return A->rows < A->columns ? A->rows : A->columns;
}

static gla_status check_options (gla_context *ctx, const gla_svd_options *o, int64_t k)
{
  if (o->method != GLA_SVD_METHOD_AUTO && o->method != GLA_SVD_METHOD_QR &&
      o->method != GLA_SVD_METHOD_JACOBI)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "method = %d is not a gla_svd_method",
                     (int)o->method);
  if (!(o->tol >= 0 && o->tol < 1))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "tol = %g must be at least 0 and less than 1",
                     o->tol);
  if (o->maxit < 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "maxit = %d must not be negative", o->maxit);
  if (o->values < 0 || o->values > k)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "values = %lld must be in 0 to %lld",
                     (long long)o->values, (long long)k);
  return GLA_OK;
}

// Checks U or V, with as many columns as there are values or, if all values are wanted, with all.
static gla_status check_vectors (gla_context *ctx, const char *name, const gla_array *a,
                                 const gla_array *A, int64_t rows, int64_t values)
{
  if (a->data == NULL)
    return GLA_OK;
  const int full = values == least_of (A) && a->columns == rows;
  gla_status status = gla_check_array (ctx, name, a, A->type, rows, full ? rows : values, A->pages);
  if (status == GLA_OK)
    status = gla_check_columns (ctx, name, a);
  return status == GLA_OK ? gla_check_place (ctx, name, a, "A", A) : status;
}

static gla_status check (gla_context *ctx, const gla_array *A, const gla_svd_results *r,
                         const gla_svd_options *o, int64_t *values)
{
  if (A == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A must not be NULL");
  gla_status status = gla_check_input (ctx, "A", A);
  if (status == GLA_OK)
    status = check_options (ctx, o, least_of (A));
  if (status != GLA_OK)
    return status;
  *values = o->values > 0 ? o->values : least_of (A);
  status = gla_check_array (ctx, "S", &r->S, gla_type_real (A->type), *values, 1, A->pages);
  if (status == GLA_OK)
    status = gla_check_place (ctx, "S", &r->S, "A", A);
  if (status == GLA_OK)
    status = check_vectors (ctx, "U", &r->U, A, A->rows, *values);
  if (status == GLA_OK)
    status = check_vectors (ctx, "V", &r->V, A, A->columns, *values);
  const gla_named_array arrays[] = {{"A", A}, {"S", &r->S}, {"U", &r->U}, {"V", &r->V}};
  return status == GLA_OK ? gla_check_apart (ctx, arrays, 1, 4) : status;
}

//------------------------------------------------------------------------------
// the operation
//------------------------------------------------------------------------------

static void slice (const gla_call *call, gla_range range, void *chunk, void *memory)
{
  (void)memory;
  gla_svd_chunk *c = chunk;
  c->info = ((const gla_svd_run *)call)->all.info + range.first;
  c->clean = &c->clean_word;
  c->clean_word = 0;
}

static gla_status look_for_failures (gla_call *call, gla_range range, const void *chunk)
{
  const gla_svd_chunk *c = chunk;
  gla_look_for_failures (call, &((gla_svd_run *)call)->failures, c->info, range.count, *c->clean);
  return GLA_OK;
}

static const gla_operation svd_operation = {
    .row = GLA_BATCH_SVD,
    .placing = {.unsupported = "pages of this size have no singular value decomposition on a GPU, "
                               "nor tall ones and large ones on one before compute capability 8.0",
                .supports = gla_batch_supports,
                .seconds = gla_batch_seconds},
    .arrays = 4,
    .chunk_bytes = sizeof (gla_svd_chunk),
    .slice = slice,
    .after_finish = look_for_failures,
};

//------------------------------------------------------------------------------
// gla_batchsvd
//------------------------------------------------------------------------------

static void use_method (gla_call *call, gla_retry_method method)
{
  gla_svd_run *run = (gla_svd_run *)call;
  run->job.method = method == GLA_RETRY_AUTO ? GLA_SVD_METHOD_AUTO : run->other;
  run->job.maxit = GLA_SVD_MAX_SWEEPS;
}

static void retry_failed (gla_svd_run *run)
{
  run->other = run->job.method == GLA_SVD_METHOD_JACOBI ? GLA_SVD_METHOD_QR : GLA_SVD_METHOD_JACOBI;
  const gla_retry retry = {&run->job.head, run->all.info, least_of (&run->all.A), use_method};
  gla_retry_failed (&run->call, &retry);
}

static void fill_job (gla_svd_run *run, const gla_svd_options *o)
{
  const gla_array *A = &run->all.A;
  gla_svd_job *job = &run->job;
  job->head = (gla_job){.type = A->type,
                        .device_arrays = A->device != GLA_DEVICE_HOST,
                        .monitor = {gla_run_poll, &run->call.run}};
  job->m = A->rows;
  job->n = A->columns;
  job->values = run->all.S.rows;
  job->u_columns = run->all.U.data != NULL ? run->all.U.columns : 0;
  job->v_columns = run->all.V.data != NULL ? run->all.V.columns : 0;
  job->method = o->method;
  job->tol = o->tol > 0 ? o->tol : gla_type_eps (A->type) * sqrt ((double)least_of (A));
  job->maxit = o->maxit > 0 ? o->maxit : GLA_SVD_MAX_SWEEPS;
}

static gla_status work (gla_svd_run *run, const gla_svd_options *o)
{
  const gla_svd_chunk *all = &run->all;
  if (all->A.pages == 0)
    return GLA_OK;
  if (least_of (&all->A) == 0) {
    if (all->A.device != GLA_DEVICE_HOST)
      return gla_fail (run->call.run.ctx, GLA_ERROR_BAD_ARGUMENT,
                       "A is empty, it must not be in device memory");
    gla_put_identity (&all->U);
    gla_put_identity (&all->V);
    return GLA_OK;
  }
  if (gla_svd_is_copied (run))
    return gla_svd_copied (run, o);
  const gla_status status = gla_call_run (&run->call);
  if (status != GLA_OK)
    return status;
  if (run->failures.suspect)
    retry_failed (run);
  return run->call.run.stopped ? GLA_ERROR_STOPPED : GLA_OK;
}

gla_status gla_batchsvd (gla_context *ctx, const gla_array *A, const gla_svd_results *results,
                         const gla_svd_options *options, gla_svd_report *report)
{
  gla_svd_results r;
  gla_svd_options o;
  int64_t values;

  gla_status status = gla_begin_call (ctx, results, &r, sizeof r, options, &o, sizeof o, report);
  if (status == GLA_OK)
    status = check (ctx, A, &r, &o, &values);
  if (status != GLA_OK)
    return status;

  gla_infos infos;
  status = gla_infos_take (ctx, r.info, A->pages, &infos);
  if (status != GLA_OK)
    return status;

  gla_svd_run run = {.all = {.A = *A, .S = r.S, .U = r.U, .V = r.V}};
  run.all.info = infos.words;
  run.call.arrays = run.all.arrays;
  gla_call_start (&run.call, &svd_operation, &run.job.head, ctx, A->pages);
  fill_job (&run, &o);
  status = work (&run, &o);
  gla_svd_report own_report = {.base = gla_call_report (&run.call)};
  gla_count_failed (&run.failures, infos.words, infos.pages, &own_report.base);
  gla_give_struct (report, &own_report, sizeof own_report);
  gla_infos_free (&infos);
  return gla_end_call (ctx, status);
}

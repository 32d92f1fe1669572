// batcheig.c: eigenvalues and eigenvectors of many Hermitian matrices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks the arguments, chooses the engines, deals the pages out to them in chunks, gives pages
// that did not converge a second chance by the other method, and lets the CPU finish what a
// failing GPU left. The arithmetic is the backends'.

#include "eig_costs.h"
#include "eig_lanes.h"

#include <stdlib.h>

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

static gla_status check_array (gla_context *ctx, const char *name, const gla_array *a,
                               gla_type type, int64_t rows, int64_t columns, int64_t pages)
{
  if (a == NULL)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s must not be NULL", name);
  if (a->type != type)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s has type '%c', it must be '%c'", name,
                     (char)a->type, (char)type);
  if (a->rows != rows || a->columns != columns || a->pages != pages)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s is %lldx%lldx%lld, it must be %lldx%lldx%lld", name,
                     (long long)a->rows, (long long)a->columns, (long long)a->pages,
                     (long long)rows, (long long)columns, (long long)pages);
  int empty = rows == 0 || columns == 0 || pages == 0;
  if (!empty && a->data == NULL)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s has no data", name);
  if (!empty && (a->row_stride < 1 || (columns > 1 && a->column_stride < rows * a->row_stride) ||
                 (pages > 1 && a->page_stride < 1)))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s has overlapping strides (%lld, %lld, %lld)", name,
                     (long long)a->row_stride, (long long)a->column_stride,
                     (long long)a->page_stride);
  return GLA_OK;
}

// Bytes from the first to the last element.
static size_t extent (const gla_array *a)
{
  int64_t last = (a->rows - 1) * a->row_stride + (a->columns - 1) * a->column_stride +
                 (a->pages - 1) * a->page_stride;
  return (size_t)(last + 1) * gla_type_size (a->type);
}

static int overlap (const gla_array *a, const gla_array *b)
{
  const char *x = a->data, *y = b->data;
  return x < y + extent (b) && y < x + extent (a);
}

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
  gla_status status = check_array (ctx, "A", A, A->type, A->rows, A->rows, A->pages);
  if (status == GLA_OK)
    status = check_array (ctx, "lambda", lambda, gla_type_real (A->type), A->rows, 1, A->pages);
  if (status == GLA_OK && V != NULL)
    status = check_array (ctx, "V", V, A->type, A->rows, A->rows, A->pages);
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
  if (!empty && V != NULL && overlap (A, V))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "V must not overlap A");
  if (!empty && (overlap (A, lambda) || (V != NULL && overlap (V, lambda))))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "lambda must not overlap %s",
                     overlap (A, lambda) ? "A" : "V");
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

static gla_status run_on_cpu (gla_eig_run *run)
{
  gla_engine *cpu;
  gla_status trouble = GLA_OK, status = gla_context_cpu (run->pages.ctx, &cpu);
  if (status != GLA_OK)
    return status;
  gla_eig_lane l = {.engine = cpu};
  int64_t pages = cpu->backend->eig_chunk_pages (cpu, &run->job, run->pages.pages);
  status = gla_eig_lane_begin (&l, &run->job, pages < GLA_MAX_CHUNK ? pages : GLA_MAX_CHUNK);
  if (status == GLA_OK)
    status = gla_eig_run_lanes (run, &l, 1, &trouble);
  return status == GLA_OK ? trouble : status;
}

// The GPUs in `devices`; what they leave undone stays waiting, with one warning. *trouble is GLA_OK
// or the reason.
static gla_status run_on_gpus (gla_eig_run *run, const int *devices, int count, gla_status *trouble)
{
  gla_eig_lane lanes[GLA_MAX_DEVICES] = {0};
  int n_lanes = 0;
  for (int k = 0; k < count; k++) {
    gla_eig_lane *l = &lanes[n_lanes];
    gla_status status = gla_context_gpu (run->pages.ctx, devices[k], &l->engine);
    if (status == GLA_OK) {
      int64_t share = (run->pages.pages + count - 1) / count;
      int64_t pages = l->engine->backend->eig_chunk_pages (l->engine, &run->job, share);
      int64_t chunks = (share + pages - 1) / pages; // of equal size, so that all end together
      if (count > 1)
        pages = (share + chunks - 1) / chunks;
      status = gla_eig_lane_begin (l, &run->job, pages < GLA_MAX_CHUNK ? pages : GLA_MAX_CHUNK);
      if (status == GLA_DEVICE_FAILURE)
        gla_context_lose (run->pages.ctx, devices[k]);
    }
    if (status == GLA_OK)
      n_lanes++;
    else
      *trouble = status;
  }
  if (n_lanes > 0)
    run->report.device = lanes[0].engine->device;
  return gla_eig_run_lanes (run, lanes, n_lanes, trouble);
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
  gla_eig_lane l = {.engine = engine};
  gla_eig_job job = run->job;
  job.method = method;
  job.maxit = 30;
  if (!engine->backend->eig_supports (&job) || gla_eig_lane_begin (&l, &job, 1) != GLA_OK)
    return 0;
  run->pages.in_flight = 1;
  gla_status status = gla_eig_lane_submit (&l, run, (gla_range){page, 1});
  if (status == GLA_OK)
    status = gla_eig_lane_finish (&l, run);
  run->pages.n_waiting = 0; // a page that was given back stays failed
  gla_eig_lane_end (&l);
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
// where to run
//------------------------------------------------------------------------------

// Lists the GPUs to use: none means the CPU.
static gla_status choose_gpus (gla_eig_run *run, int *devices, int *count)
{
  gla_context *ctx = run->pages.ctx;
  gla_engine *gpu;
  *count = 0;
  if (run->A.device != GLA_HOST) {
    devices[0] = run->A.device;
    *count = 1;
    gla_status status = gla_context_gpu (ctx, devices[0], &gpu);
    if (status == GLA_OK && !gpu->backend->eig_supports (&run->job))
      return gla_fail (ctx, GLA_BAD_ARGUMENT, "n = %lld is too large for this method on a GPU",
                       (long long)run->job.n);
    return status;
  }
  if (ctx->place == GLA_CPU || ctx->n_gpus == 0)
    return GLA_OK;
  for (int k = 0; k < ctx->n_devices; k++)
    if (!ctx->lost[ctx->devices[k]])
      devices[(*count)++] = ctx->devices[k];
  if (ctx->place != GLA_AUTO) {
    if (*count == 0)
      return gla_fail (ctx, GLA_NO_DEVICE, "device %d failed earlier and is not used again",
                       ctx->devices[0]);
    if (!ctx->gpu_backend->eig_supports (&run->job))
      return gla_fail (ctx, GLA_BAD_ARGUMENT, "n = %lld is too large for this method on a GPU",
                       (long long)run->job.n);
    return GLA_OK;
  }
  // "auto": one GPU, where it is faster, transfers included
  if (*count == 0 || !ctx->gpu_backend->eig_supports (&run->job)) {
    *count = 0;
    return GLA_OK;
  }
  return gla_eig_gpu_is_faster (ctx, devices[0], &run->job, run->pages.pages, count);
}

static gla_status run_pages (gla_eig_run *run)
{
  gla_context *ctx = run->pages.ctx;
  int devices[GLA_MAX_DEVICES], count;
  gla_status status = choose_gpus (run, devices, &count);
  if (status != GLA_OK)
    return status;

  if (count > 0) {
    gla_status trouble = GLA_OK;
    status = run_on_gpus (run, devices, count, &trouble);
    int undone = run->pages.n_waiting > 0 && run->report.bad_page < 0;
    if (status != GLA_OK)
      return status;
    if (undone && run->job.device_arrays)
      return gla_fail (ctx, trouble, "device %d: %s", devices[0], gla_status_text (trouble));
    if (trouble == GLA_OUT_OF_MEMORY && undone)
      gla_warn (ctx, "device-memory", "the GPU has too little free memory; the CPU does the rest");
    else if (trouble != GLA_OK && trouble != GLA_OUT_OF_MEMORY)
      gla_warn (ctx, "device-failed", "a GPU failed (%s)%s", gla_status_text (trouble),
                undone ? "; the CPU does the rest" : "");
  }
  if (run->pages.n_waiting > 0 && run->report.bad_page < 0)
    status = run_on_cpu (run);
  return status;
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
    status = run_pages (&run);
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

// qr.c: QR factorisation of large, tall and many matrices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks the arguments, answers what needs no arithmetic, and has the pages dealt out to engines
// (lanes.c). The arithmetic is the backends'.

#include "arrays.h"
#include "qr_run.h"

#include <stdlib.h>
#include <string.h>

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

enum { OUTPUTS = 5 };

typedef struct {
  const char *name;
  const gla_array *array; // NULL: not wanted
  int64_t rows[2];        // what may be, full and economy
  int64_t columns[2];
} expectation;

static gla_status check_output (gla_context *ctx, const expectation *e, const gla_array *A)
{
  const gla_array *a = e->array;
  int which = a->rows == e->rows[1] && a->columns == e->columns[1];
  gla_status status =
      gla_check_array (ctx, e->name, a, A->type, e->rows[which], e->columns[which], A->pages);
  if (status == GLA_OK && a->row_stride != 1)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s has row stride %lld, it must be 1", e->name,
                     (long long)a->row_stride);
  if (status == GLA_OK && a->device != A->device)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s is in place %d, it must be where A is, %d", e->name,
                     a->device, A->device);
  return status;
}

static gla_status check_overlap (gla_context *ctx, const char *name, const gla_array *a,
                                 const char *other_name, const gla_array *b)
{
  if (a != NULL && b != NULL && !gla_array_empty (a) && !gla_array_empty (b) &&
      gla_arrays_overlap (a, b))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s must not overlap %s", name, other_name);
  return GLA_OK;
}

static gla_status check_input (gla_context *ctx, const char *name, const gla_array *a)
{
  if (gla_type_size (a->type) == 0)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s has type %d, it must be one of s d c z", name,
                     (int)a->type);
  if (a->rows < 0 || a->columns < 0 || a->pages < 0)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s is %lldx%lldx%lld", name, (long long)a->rows,
                     (long long)a->columns, (long long)a->pages);
  if (a->row_stride != 1)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s has row stride %lld, it must be 1", name,
                     (long long)a->row_stride);
  return GLA_OK;
}

static const gla_array *wanted (const gla_array *a)
{
  return a->data != NULL ? a : NULL;
}

static gla_status check (gla_context *ctx, const gla_array *A, const gla_array *B,
                         const gla_qr_results *r, const gla_qr_options *o)
{
  if (A == NULL || r == NULL)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s must not be NULL", A == NULL ? "A" : "results");
  gla_status status = check_input (ctx, "A", A);
  if (status == GLA_OK)
    status = gla_check_array (ctx, "A", A, A->type, A->rows, A->columns, A->pages);
  if (status == GLA_OK && B != NULL)
    status = check_input (ctx, "B", B);
  if (status == GLA_OK && B != NULL)
    status = gla_check_array (ctx, "B", B, A->type, A->rows, B->columns, A->pages);
  if (status != GLA_OK)
    return status;
  if (B != NULL && B->device != A->device)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "B is in place %d, it must be where A is, %d",
                     B->device, A->device);
  if (B == NULL && r->C.data != NULL)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "C needs B");
  if ((r->W.data != NULL) != (r->Y.data != NULL))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "W and Y are wanted together");
  if (o->pivot && r->jpvt == NULL)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "jpvt must not be NULL with pivoting");
  if (o->block < 0)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "block = %d must not be negative", o->block);

  int64_t m = A->rows, n = A->columns, k = m < n ? m : n, rhs = B != NULL ? B->columns : 0;
  expectation outputs[OUTPUTS] = {{"Q", wanted (&r->Q), {m, m}, {m, k}},
                                  {"R", wanted (&r->R), {m, k}, {n, n}},
                                  {"C", wanted (&r->C), {m, k}, {rhs, rhs}},
                                  {"W", wanted (&r->W), {m, m}, {k, k}},
                                  {"Y", wanted (&r->Y), {m, m}, {k, k}}};
  for (int x = 0; x < OUTPUTS && status == GLA_OK; x++) {
    if (outputs[x].array == NULL)
      continue;
    status = check_output (ctx, &outputs[x], A);
    if (status == GLA_OK)
      status = check_overlap (ctx, outputs[x].name, outputs[x].array, "A", A);
    if (status == GLA_OK)
      status = check_overlap (ctx, outputs[x].name, outputs[x].array, "B", B);
    for (int y = 0; y < x && status == GLA_OK; y++)
      status =
          check_overlap (ctx, outputs[x].name, outputs[x].array, outputs[y].name, outputs[y].array);
  }
  return status;
}

//------------------------------------------------------------------------------
// chunks
//------------------------------------------------------------------------------

// A backend may do without QR: its entries in the table are NULL then.
static int supports (const gla_backend *backend, const void *call)
{
  return backend->qr_supports != NULL && backend->qr_supports (&((const gla_qr_run *)call)->job);
}

static double seconds (gla_engine *engine, const void *call, int64_t pages)
{
  return engine->backend->qr_seconds (engine, &((const gla_qr_run *)call)->job, pages);
}

static int64_t chunk_pages (gla_engine *engine, const void *call, int64_t pages)
{
  return engine->backend->qr_chunk_pages (engine, &((const gla_qr_run *)call)->job, pages);
}

static gla_status begin (gla_lane *l, int64_t pages)
{
  const gla_qr_run *run = l->call;
  l->memory = malloc (GLA_MAX_SLOTS * sizeof (gla_qr_chunk));
  if (l->memory == NULL)
    return GLA_OUT_OF_MEMORY;
  gla_status status = l->engine->backend->qr_begin (l->engine, &run->job, pages);
  if (status != GLA_OK) {
    free (l->memory);
    l->memory = NULL;
  }
  return status;
}

static gla_status submit (gla_lane *l, int slot, gla_range range)
{
  gla_qr_run *run = l->call;
  const gla_qr_chunk *all = &run->all;
  gla_qr_chunk *chunk = (gla_qr_chunk *)l->memory + slot;
  chunk->A = gla_array_pages (&all->A, range.first, range.count);
  chunk->B = gla_array_pages (&all->B, range.first, range.count);
  chunk->Q = gla_array_pages (&all->Q, range.first, range.count);
  chunk->R = gla_array_pages (&all->R, range.first, range.count);
  chunk->C = gla_array_pages (&all->C, range.first, range.count);
  chunk->W = gla_array_pages (&all->W, range.first, range.count);
  chunk->Y = gla_array_pages (&all->Y, range.first, range.count);
  chunk->jpvt = all->jpvt == NULL ? NULL : all->jpvt + range.first * run->job.n;
  pthread_mutex_lock (&run->pages.lock);
  if (range.count > run->report.chunk_pages)
    run->report.chunk_pages = range.count;
  pthread_mutex_unlock (&run->pages.lock);
  return l->engine->backend->qr_submit (l->engine, slot, chunk);
}

static gla_status finish (gla_lane *l, int slot, gla_range range)
{
  (void)range;
  return l->engine->backend->qr_finish (l->engine, slot);
}

static void end (gla_lane *l)
{
  l->engine->backend->qr_end (l->engine);
}

static const gla_operation qr_operation = {
    .placing = {.name = "qr",
                .unsupported = "matrices of this size or this option are not done on a GPU, "
                               "nor any on one before compute capability 8.0",
                .supports = supports,
                .seconds = seconds,
                .kinds = gla_qr_kinds},
    .chunk_pages = chunk_pages,
    .begin = begin,
    .submit = submit,
    .finish = finish,
    .end = end,
};

//------------------------------------------------------------------------------
// gla_qr
//------------------------------------------------------------------------------

// Without rows or columns Q is the identity, R is empty or zero, and C is B.
static void answer_empty (const gla_qr_run *run)
{
  const gla_qr_chunk *all = &run->all;
  size_t size = gla_type_size (run->job.type);
  if (all->jpvt != NULL)
    for (int64_t j = 0; j < run->job.n * run->pages.pages; j++)
      all->jpvt[j] = j % run->job.n;
  for (int64_t p = 0; p < run->pages.pages; p++) {
    for (int64_t j = 0; j < all->Q.columns && all->Q.data != NULL; j++) {
      char *column =
          (char *)all->Q.data + (size_t)(p * all->Q.page_stride + j * all->Q.column_stride) * size;
      memset (column, 0, (size_t)all->Q.rows * size);
      if (gla_type_real (run->job.type) == GLA_S)
        *(float *)(column + (size_t)j * size) = 1;
      else
        *(double *)(column + (size_t)j * size) = 1;
    }
    for (int64_t j = 0; j < all->C.columns && all->C.data != NULL; j++)
      memcpy ((char *)all->C.data +
                  (size_t)(p * all->C.page_stride + j * all->C.column_stride) * size,
              (const char *)all->B.data +
                  (size_t)(p * all->B.page_stride + j * all->B.column_stride) * size,
              (size_t)all->C.rows * size);
  }
}

static void describe (gla_qr_run *run, const gla_array *A, const gla_array *B,
                      const gla_qr_results *r, const gla_qr_options *o)
{
  gla_qr_job *job = &run->job;
  run->all = (gla_qr_chunk){.A = *A, .Q = r->Q, .R = r->R, .C = r->C, .W = r->W, .Y = r->Y};
  if (B != NULL)
    run->all.B = *B;
  run->all.jpvt = o->pivot ? r->jpvt : NULL;
  job->type = A->type;
  job->m = A->rows;
  job->n = A->columns;
  job->q_columns = r->Q.data != NULL ? r->Q.columns : 0;
  job->r_rows = r->R.data != NULL ? r->R.rows : 0;
  job->rhs = r->C.data != NULL ? r->C.columns : 0;
  job->c_rows = job->rhs > 0 ? r->C.rows : 0;
  job->wy = r->W.data != NULL;
  job->pivot = o->pivot;
  job->block = o->block;
  job->device_arrays = A->device != GLA_HOST;
  job->monitor.poll = gla_run_poll;
  job->monitor.user = &run->pages;
}

gla_status gla_qr (gla_context *ctx, const gla_array *A, const gla_array *B,
                   const gla_qr_results *results, const gla_qr_options *options,
                   gla_qr_report *report)
{
  const gla_qr_options defaults = {0, 0};
  if (ctx == NULL)
    return GLA_BAD_ARGUMENT;
  if (options == NULL)
    options = &defaults;
  ctx->message[0] = '\0';

  // check inputs
  gla_status status = check (ctx, A, B, results, options);
  if (status != GLA_OK)
    return status;

  // work
  gla_qr_run run = {.report.device = GLA_HOST};
  gla_run_start (&run.pages, ctx, A->pages);
  describe (&run, A, B, results, options);
  if ((A->rows == 0 || A->columns == 0) && A->device != GLA_HOST)
    status = gla_fail (ctx, GLA_BAD_ARGUMENT, "A is empty, it must not be in device memory");
  else if (A->rows == 0 || A->columns == 0)
    answer_empty (&run);
  else if (A->pages > 0)
    status = gla_run_call (&run.pages, &qr_operation, &run, A->device, &run.report.device);

  if (report != NULL)
    *report = run.report;
  if (status == GLA_OK)
    ctx->message[0] = '\0';
  else if (ctx->message[0] == '\0')
    gla_fail (ctx, status, "%s", gla_status_text (status));
  return status;
}

// qr.c: QR factorisation of large, tall and many matrices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// This file checks the arguments, answers what needs no arithmetic, and shares the pages among
// engines (batch/dispatch.c). The backends do the arithmetic.

#include "arrays.h"
#include "batch/queue.h"
#include "common/status.h"
#include "qr_run.h"
#include "structs.h"

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
  if (status == GLA_OK)
    status = gla_check_columns (ctx, e->name, a);
  return status == GLA_OK ? gla_check_place (ctx, e->name, a, "A", A) : status;
}

static gla_status check_rhs (gla_context *ctx, const gla_array *A, const gla_array *B)
{
  GLA_TRY (gla_check_input (ctx, "B", B));
  GLA_TRY (gla_check_array (ctx, "B", B, A->type, A->rows, B->columns, A->pages));
  return gla_check_place (ctx, "B", B, "A", A);
}

static const gla_array *wanted (const gla_array *a)
{
  return a->data != NULL ? a : NULL;
}

static gla_status check (gla_context *ctx, const gla_array *A, const gla_array *B,
                         const gla_qr_results *r, const gla_qr_options *o)
{
  if (A == NULL || r == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not be NULL",
                     A == NULL ? "A" : "results");
  gla_status status = gla_check_input (ctx, "A", A);
  if (status == GLA_OK && B != NULL)
    status = check_rhs (ctx, A, B);
  if (status != GLA_OK)
    return status;
  if (B == NULL && r->C.data != NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "C needs B");
  if ((r->W.data != NULL) != (r->Y.data != NULL))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "W and Y are wanted together");
  if (o->pivot && r->jpvt == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "jpvt must not be NULL with pivoting");
  if (o->block < 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "block = %d must not be negative", o->block);

  int64_t m = A->rows, n = A->columns, k = m < n ? m : n, rhs = B != NULL ? B->columns : 0;
  expectation outputs[OUTPUTS] = {{"Q", wanted (&r->Q), {m, m}, {m, k}},
                                  {"R", wanted (&r->R), {m, k}, {n, n}},
                                  {"C", wanted (&r->C), {m, k}, {rhs, rhs}},
                                  {"W", wanted (&r->W), {m, m}, {k, k}},
                                  {"Y", wanted (&r->Y), {m, m}, {k, k}}};
  gla_named_array arrays[2 + OUTPUTS] = {{"A", A}, {"B", B}};
  for (int x = 0; x < OUTPUTS; x++) {
    arrays[2 + x] = (gla_named_array){outputs[x].name, outputs[x].array};
    GLA_TRY (outputs[x].array != NULL ? check_output (ctx, &outputs[x], A) : GLA_OK);
  }
  return gla_check_apart (ctx, arrays, 2, 2 + OUTPUTS);
}

//------------------------------------------------------------------------------
// chunks
//------------------------------------------------------------------------------

static void slice (const gla_call *call, gla_range range, void *chunk, void *memory)
{
  (void)memory;
  const gla_qr_run *run = (const gla_qr_run *)call;
  int64_t *jpvt = run->all.jpvt;
  ((gla_qr_chunk *)chunk)->jpvt = jpvt == NULL ? NULL : jpvt + range.first * run->job.n;
}

static const gla_operation qr_operation = {
    .row = GLA_BATCH_QR,
    .placing = {.unsupported = "matrices of this size or this option are not done on a GPU, "
                               "nor any on one before compute capability 8.0",
                .supports = gla_batch_supports,
                .seconds = gla_batch_seconds},
    .arrays = 7,
    .chunk_bytes = sizeof (gla_qr_chunk),
    .slice = slice,
};

//------------------------------------------------------------------------------
// gla_qr
//------------------------------------------------------------------------------

// Without rows or columns Q is the identity, R is empty or zero, and C is B.
static void answer_empty (const gla_qr_run *run)
{
  const gla_qr_chunk *all = &run->all;
  size_t size = gla_type_size (run->job.head.type);
  if (all->jpvt != NULL)
    for (int64_t j = 0; j < run->job.n * run->call.run.pages; j++)
      all->jpvt[j] = j % run->job.n;
  gla_put_identity (&all->Q);
  for (int64_t p = 0; p < run->call.run.pages; p++)
    for (int64_t j = 0; j < all->C.columns && all->C.data != NULL; j++)
      memcpy ((char *)all->C.data +
                  (size_t)(p * all->C.page_stride + j * all->C.column_stride) * size,
              (const char *)all->B.data +
                  (size_t)(p * all->B.page_stride + j * all->B.column_stride) * size,
              (size_t)all->C.rows * size);
}

static void describe (gla_qr_run *run, const gla_array *A, const gla_array *B,
                      const gla_qr_results *r, const gla_qr_options *o)
{
  gla_qr_job *job = &run->job;
  run->all = (gla_qr_chunk){.A = *A, .Q = r->Q, .R = r->R, .C = r->C, .W = r->W, .Y = r->Y};
  if (B != NULL)
    run->all.B = *B;
  run->all.jpvt = o->pivot ? r->jpvt : NULL;
  job->head = (gla_job){.type = A->type,
                        .device_arrays = A->device != GLA_DEVICE_HOST,
                        .monitor = {gla_run_poll, &run->call.run}};
  job->m = A->rows;
  job->n = A->columns;
  job->q_columns = r->Q.data != NULL ? r->Q.columns : 0;
  job->r_rows = r->R.data != NULL ? r->R.rows : 0;
  job->rhs = r->C.data != NULL ? r->C.columns : 0;
  job->c_rows = job->rhs > 0 ? r->C.rows : 0;
  job->wy = r->W.data != NULL;
  job->pivot = o->pivot != 0;
  job->block = o->block;
}

gla_status gla_qr_choose (gla_context *ctx, const gla_array *A, const gla_array *B,
                          const gla_qr_results *results, int block, gla_choice *choice)
{
  const gla_qr_options options = {.size = sizeof options, .block = block};
  gla_qr_run run = {0};
  run.call.arrays = run.all.arrays;
  gla_call_start (&run.call, &qr_operation, &run.job.head, ctx, A->pages);
  describe (&run, A, B, results, &options);
  return gla_choose (ctx, &qr_operation.placing, &run.call, A->pages, GLA_DEVICE_HOST, choice);
}

static gla_status work (gla_qr_run *run)
{
  const gla_array *A = &run->all.A;
  if (A->rows > 0 && A->columns > 0)
    return A->pages > 0 ? gla_call_run (&run->call) : GLA_OK;
  if (A->device != GLA_DEVICE_HOST)
    return gla_fail (run->call.run.ctx, GLA_ERROR_BAD_ARGUMENT,
                     "A is empty, it must not be in device memory");
  answer_empty (run);
  return GLA_OK;
}

gla_status gla_qr (gla_context *ctx, const gla_array *A, const gla_array *B,
                   const gla_qr_results *results, const gla_qr_options *options,
                   gla_qr_report *report)
{
  gla_qr_results r;
  gla_qr_options o;

  GLA_TRY (gla_begin_call (ctx, results, &r, sizeof r, options, &o, sizeof o, report));
  GLA_TRY (check (ctx, A, B, &r, &o));

  gla_qr_run run = {0};
  run.call.arrays = run.all.arrays;
  gla_call_start (&run.call, &qr_operation, &run.job.head, ctx, A->pages);
  describe (&run, A, B, &r, &o);
  gla_status status = work (&run);
  const gla_qr_report own_report = {.base = gla_call_report (&run.call)};
  gla_give_struct (report, &own_report, sizeof own_report);
  return gla_end_call (ctx, status);
}

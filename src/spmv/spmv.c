// spmv.c: products of sparse matrices with dense vectors: check, choose the place, run
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays.h"
#include "common/status.h"
#include "spmv_run.h"
#include "structs.h"
#include "backend.h"

#include <string.h>

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

static gla_status check (gla_context *ctx, const gla_sparse *S, char op, const gla_array *x,
                         const gla_array *y)
{
  if (S == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "S must not be NULL");
  if (S->ctx != ctx)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "S belongs to another context");
  if (op != 'N' && op != 'T' && op != 'C')
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "op = %d must be one of N T C", (int)op);
  const gla_type type = S->faces[0].M.csr.type;
  const int64_t rows = op == 'N' ? S->rows : S->columns;
  const int64_t columns = op == 'N' ? S->columns : S->rows;
  GLA_TRY (gla_check_array (ctx, "x", x, type, columns, x ? x->columns : 0, 1));
  GLA_TRY (gla_check_array (ctx, "y", y, type, rows, x->columns, 1));
  if (x->row_stride != 1 || y->row_stride != 1)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "row strides (%lld, %lld) of x and y must be 1",
                     (long long)x->row_stride, (long long)y->row_stride);
  GLA_TRY (gla_check_place (ctx, "y", y, "x", x));
  const gla_named_array arrays[] = {{"x", x}, {"y", y}};
  return gla_check_apart (ctx, arrays, 1, 2);
}

//------------------------------------------------------------------------------
// choose the place
//------------------------------------------------------------------------------

static const gla_face *likely_face (const gla_sparse *S, char op)
{
  const int other = (op != 'N') != (S->options.by_columns != 0);
  return &S->faces[other && S->hermitian != 1 && S->faces[1].M.csr.start != NULL];
}

static int supports (const gla_backend *backend, const void *call)
{
  const gla_spmv_call *p = call;
  return backend->spmv != NULL && backend->spmv->supports (&p->S->faces[0].M);
}

static double seconds (gla_engine *engine, const void *call, int64_t pages)
{
  (void)pages;
  const gla_spmv_call *p = call;
  const gla_face *face = likely_face (p->S, p->op);
  return engine->backend->spmv->seconds (engine, &face->M, gla_sparse_prepared (p->S, face, engine),
                                         p->columns);
}

static const gla_placing placing = {.unsupported = "this matrix is not multiplied on a GPU",
                                    .supports = supports,
                                    .seconds = seconds};

//------------------------------------------------------------------------------
// gla_spmv
//------------------------------------------------------------------------------

gla_status gla_spmv_on_engine (void *call, gla_engine *engine)
{
  const gla_spmv_call *p = call;
  gla_sparse_use use;
  void *prepared;
  GLA_TRY (gla_sparse_find_use (p->S, p->op, engine->backend->spmv->transposes, &use));
  GLA_TRY (gla_sparse_prepare (p->S, use.face, engine, &prepared));
  const gla_spmv_job job = {.conjugate = use.conjugate,
                            .transposed = use.transposed,
                            .x = *p->x,
                            .y = *p->y,
                            .device_arrays = p->x->device != GLA_DEVICE_HOST,
                            .monitor = {gla_poll_stop, p->S->ctx}};
  return engine->backend->spmv->product (engine, prepared, &job);
}

static const gla_placed_work work = {.on_gpus = gla_spmv_on_gpus, .on_engine = gla_spmv_on_engine};

// If x is empty the sums are 0.
static gla_status answer_empty (gla_context *ctx, const gla_array *y)
{
  if (y->device != GLA_DEVICE_HOST)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "x is empty, it must not be in device memory");
  const size_t size = gla_type_size (y->type);
  for (int64_t j = 0; j < y->columns; j++)
    memset ((char *)y->data + (size_t)(j * y->column_stride) * size, 0, (size_t)y->rows * size);
  return GLA_OK;
}

gla_status gla_spmv (gla_context *ctx, gla_sparse *S, char op, const gla_array *x,
                     const gla_array *y, gla_spmv_report *report)
{
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  if (!gla_check_report (ctx, "report", report))
    return GLA_ERROR_BAD_ARGUMENT;
  int device = GLA_DEVICE_HOST;
  gla_status status = check (ctx, S, op, x, y);
  if (status != GLA_OK)
    return status;
  gla_spmv_call p = {S, op, x->columns, x, y};
  const gla_placed placed = {
      .placing = &placing, .work = &work, .call = &p, .pages = 1, .data_device = x->device};
  if (!gla_array_empty (y))
    status = gla_array_empty (x) ? answer_empty (ctx, y) : gla_place_call (ctx, &placed, &device);
  gla_give_struct (report, &(gla_spmv_report){.device = device}, sizeof *report);
  return gla_end_call (ctx, status);
}

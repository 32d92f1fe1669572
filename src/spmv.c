// spmv.c: products of sparse matrices with dense vectors: check, choose the place, run
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays.h"
#include "choose.h"
#include "sparse.h"

#include <string.h>

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

static gla_status check (gla_context *ctx, const gla_sparse *S, char op, const gla_array *x,
                         const gla_array *y)
{
  if (S == NULL)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "S must not be NULL");
  if (S->ctx != ctx)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "S belongs to another context");
  if (op != 'N' && op != 'T' && op != 'C')
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "op = %d must be one of N T C", (int)op);
  const gla_type type = S->faces[0].M.csr.type;
  const int64_t rows = op == 'N' ? S->rows : S->columns;
  const int64_t columns = op == 'N' ? S->columns : S->rows;
  gla_status status = gla_check_array (ctx, "x", x, type, columns, x ? x->columns : 0, 1);
  if (status == GLA_OK)
    status = gla_check_array (ctx, "y", y, type, rows, x->columns, 1);
  if (status != GLA_OK)
    return status;
  if (x->row_stride != 1 || y->row_stride != 1)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "row strides (%lld, %lld) of x and y must be 1",
                     (long long)x->row_stride, (long long)y->row_stride);
  if (x->device != y->device)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "y is in place %d, it must be where x is, %d",
                     y->device, x->device);
  if (!gla_array_empty (x) && !gla_array_empty (y) && gla_arrays_overlap (x, y))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "y must not overlap x");
  return GLA_OK;
}

//------------------------------------------------------------------------------
// choose the place
//------------------------------------------------------------------------------

// One product, for the choice between the CPU and a GPU.
typedef struct {
  gla_sparse *S;
  char op;
  int64_t columns;
} product;

static const gla_face *likely_face (const gla_sparse *S, char op)
{
  const int other = (op != 'N') != (S->options.by_columns != 0);
  return &S->faces[other && S->hermitian != 1 && S->faces[1].M.csr.start != NULL];
}

static int supports (const gla_backend *backend, const void *call)
{
  const product *p = call;
  return backend->spmv_supports != NULL && backend->spmv_supports (&p->S->faces[0].M);
}

static double seconds (gla_engine *engine, const void *call, int64_t pages)
{
  (void)pages;
  const product *p = call;
  const gla_face *face = likely_face (p->S, p->op);
  return engine->backend->spmv_seconds (engine, &face->M, gla_sparse_prepared (p->S, face, engine),
                                        p->columns);
}

static const gla_placing placing = {.name = "spmv",
                                    .unsupported = "this matrix is not multiplied on a GPU",
                                    .supports = supports,
                                    .seconds = seconds};

//------------------------------------------------------------------------------
// gla_spmv
//------------------------------------------------------------------------------

static int poll_stop (void *ctx, int64_t pages)
{
  (void)pages;
  return gla_stop_asked (ctx);
}

static gla_status multiply (gla_engine *engine, const product *p, const gla_array *x,
                            const gla_array *y)
{
  gla_sparse_use use;
  void *prepared;
  gla_status status = gla_sparse_find_use (p->S, p->op, engine->backend->spmv_transposes, &use);
  if (status == GLA_OK)
    status = gla_sparse_prepare (p->S, use.face, engine, &prepared);
  if (status != GLA_OK)
    return status;
  const gla_spmv_job job = {.conjugate = use.conjugate,
                            .transposed = use.transposed,
                            .x = *x,
                            .y = *y,
                            .device_arrays = x->device != GLA_HOST,
                            .monitor = {poll_stop, p->S->ctx}};
  return engine->backend->spmv_product (engine, prepared, &job);
}

// On the GPU where one was chosen; what that cannot do the CPU does. *device is where it was done.
static gla_status multiply_somewhere (gla_context *ctx, const product *p, const gla_array *x,
                                      const gla_array *y, int *device)
{
  gla_engine *engine;
  gla_status status;
  if (*device != GLA_HOST) {
    const int gpu = *device;
    status = gla_context_gpu (ctx, gpu, &engine);
    if (status == GLA_OK)
      status = multiply (engine, p, x, y);
    if (status == GLA_OK || status == GLA_STOPPED || x->device != GLA_HOST)
      return status;
    if (status == GLA_DEVICE_FAILURE)
      gla_context_lose (ctx, gpu);
    gla_warn (ctx, status == GLA_OUT_OF_MEMORY ? "device-memory" : "device-failed",
              "the GPU cannot do it (%s); the CPU does", gla_status_text (status));
    *device = GLA_HOST;
  }
  status = gla_context_cpu (ctx, &engine);
  return status == GLA_OK ? multiply (engine, p, x, y) : status;
}

// Without anything in x there is nothing to add up.
static gla_status answer_empty (gla_context *ctx, const gla_array *y)
{
  if (y->device != GLA_HOST)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "x is empty, it must not be in device memory");
  const size_t size = gla_type_size (y->type);
  for (int64_t j = 0; j < y->columns; j++)
    memset ((char *)y->data + (size_t)(j * y->column_stride) * size, 0, (size_t)y->rows * size);
  return GLA_OK;
}

gla_status gla_spmv (gla_context *ctx, gla_sparse *S, char op, const gla_array *x,
                     const gla_array *y, gla_spmv_report *report)
{
  if (ctx == NULL)
    return GLA_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  int device = GLA_HOST;
  gla_status status = check (ctx, S, op, x, y);
  if (status != GLA_OK)
    return status;
  const product p = {S, op, x->columns};
  if (!gla_array_empty (y) && gla_array_empty (x))
    status = answer_empty (ctx, y);
  else if (!gla_array_empty (y)) {
    gla_choice choice;
    status = gla_choose (ctx, &placing, &p, 1, x->device, &choice);
    if (status == GLA_OK) {
      device = choice.count > 0 ? choice.devices[0] : GLA_HOST;
      status = multiply_somewhere (ctx, &p, x, y, &device);
      gla_choice_end (ctx, &choice, status == GLA_OK ? device : GLA_NOWHERE);
    }
  }
  if (report != NULL)
    report->device = device;
  if (status == GLA_OK)
    ctx->message[0] = '\0';
  else if (ctx->message[0] == '\0')
    gla_fail (ctx, status, "%s", gla_status_text (status));
  return status;
}

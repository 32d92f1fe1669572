// product.c: products of the pages of two arrays
// SPDX-License-Identifier: GPL-3.0-or-later
//
// This file checks the arguments, recognises Hermitian products, and shares the pages among
// engines.

#include "batch/queue.h"
#include "common/status.h"
#include "page_grid.h"
#include "product_run.h"
#include "structs.h"
#include "product/job.h"

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

static gla_status check (gla_context *ctx, const gla_array *A, const gla_array *B,
                         const gla_array *C, const gla_pagemul_options *o)
{
  const int trans_a = o->op_a != 'N', trans_b = o->op_b != 'N';
  const gla_type types[2] = {A->type, B->type};
  const gla_type type = gla_type_is_complex (types[0]) ? types[0] : types[1];
  if (gla_type_size (C->type) == 0 || C->type != type)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "C has type '%c', it must be '%c'", (char)C->type,
                     (char)type);
  GLA_TRY (gla_check_operand (ctx, "A", A, "C", C));
  GLA_TRY (gla_check_operand (ctx, "B", B, "C", C));
  GLA_TRY (gla_check_op (ctx, "A", o->op_a));
  GLA_TRY (gla_check_op (ctx, "B", o->op_b));
  const int64_t m = trans_a ? A->columns : A->rows, n = trans_b ? B->rows : B->columns;
  const int64_t k = trans_a ? A->rows : A->columns, other = trans_b ? B->columns : B->rows;
  if (k != other)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "op (A) has %lld columns and op (B) %lld rows",
                     (long long)k, (long long)other);
  GLA_TRY (gla_check_array (ctx, "C", C, type, m, n, C->pages));
  GLA_TRY (gla_check_rows (ctx, "C", C));
  const gla_page_grid grid = {o->dims, o->dim_size, o->a_step, o->b_step};
  return gla_check_grid (ctx, A, B, "C", C, &grid);
}

//------------------------------------------------------------------------------
// chunks
//------------------------------------------------------------------------------

typedef struct {
  gla_call call; // must stay first
  gla_pagemul_job job;
  gla_pagemul_chunk all;
} pagemul_run;

static void slice (const gla_call *call, gla_range range, void *chunk, void *memory)
{
  const pagemul_run *run = (const pagemul_run *)call;
  gla_pagemul_chunk *c = chunk;
  (void)memory;
  c->A = run->all.A;
  c->B = run->all.B;
  c->first = range.first;
}

static const gla_operation pagemul_operation = {
    .row = GLA_BATCH_PAGEMUL,
    .placing = {.unsupported = "pages of this size are not multiplied on a GPU, "
                               "nor any on one before compute capability 8.0",
                .supports = gla_batch_supports,
                .seconds = gla_batch_seconds},
    .arrays = 1,
    .chunk_bytes = sizeof (gla_pagemul_chunk),
    .slice = slice,
};

// Whether C is A*A' or A'*A: the same pages on both sides, one of them transposed.
static int is_hermitian (const gla_array *A, const gla_array *B, const gla_pagemul_options *o)
{
  const char conjugate = gla_type_is_complex (A->type) ? 'C' : 'T';
  const char a = o->op_a == 'C' && conjugate == 'T' ? 'T' : o->op_a;
  const char b = o->op_b == 'C' && conjugate == 'T' ? 'T' : o->op_b;
  if (!((a == 'N' && b == conjugate) || (a == conjugate && b == 'N')))
    return 0;
  if (A->data != B->data || A->type != B->type || A->rows != B->rows ||
      A->column_stride != B->column_stride || A->page_stride != B->page_stride)
    return 0;
  for (int d = 0; d < o->dims; d++)
    if (o->a_step[d] != o->b_step[d])
      return 0;
  return 1;
}

static void describe (pagemul_run *run, const gla_array *A, const gla_array *B, const gla_array *C,
                      const gla_pagemul_options *o)
{
  const int trans_a = o->op_a != 'N';
  run->all = (gla_pagemul_chunk){.C = *C, .A = *A, .B = *B};
  run->job = (gla_pagemul_job){.head = {.type = C->type,
                                        .device_arrays = C->device != GLA_DEVICE_HOST,
                                        .monitor = {gla_run_poll, &run->call.run}},
                               .m = C->rows,
                               .n = C->columns,
                               .k = trans_a ? A->rows : A->columns,
                               .a_complex = gla_type_is_complex (A->type),
                               .b_complex = gla_type_is_complex (B->type),
                               .op_a = o->op_a,
                               .op_b = o->op_b,
                               .hermitian = is_hermitian (A, B, o),
                               .dims = o->dims,
                               .dim_size = o->dim_size,
                               .a_step = o->a_step,
                               .b_step = o->b_step};
}

// mirrored: C is known to be Hermitian, or symmetric if one operand is real.
static gla_status multiply (gla_context *ctx, const gla_array *A, const gla_array *B,
                            const gla_pagemul_results *results, const gla_pagemul_options *options,
                            int mirrored, gla_pagemul_report *report)
{
  gla_pagemul_results r;
  gla_pagemul_options o;
  int64_t numbers[3];

  gla_status status = gla_begin_call (ctx, results, &r, sizeof r, options, &o, sizeof o, report);
  if (status != GLA_OK)
    return status;
  if (A == NULL || B == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not be NULL", A == NULL ? "A" : "B");
  o.op_a = o.op_a == 0 ? 'N' : o.op_a;
  o.op_b = o.op_b == 0 ? 'N' : o.op_b;
  if (o.dims == 0) {
    const gla_page_grid plain = gla_plain_grid (A, B, r.C.pages, numbers);
    o.dims = plain.dims;
    o.dim_size = plain.dim_size;
    o.a_step = plain.a_step;
    o.b_step = plain.b_step;
  }
  status = check (ctx, A, B, &r.C, &o);
  if (status != GLA_OK)
    return status;

  pagemul_run run = {0};
  run.call.arrays = &run.all.C;
  gla_call_start (&run.call, &pagemul_operation, &run.job.head, ctx, r.C.pages);
  describe (&run, A, B, &r.C, &o);
  run.job.hermitian |= mirrored;
  if (!gla_array_empty (&r.C))
    status = gla_call_run (&run.call);
  const gla_pagemul_report own_report = {.base = gla_call_report (&run.call)};
  gla_give_struct (report, &own_report, sizeof own_report);
  return gla_end_call (ctx, status);
}

gla_status gla_pagemul (gla_context *ctx, const gla_array *A, const gla_array *B,
                        const gla_pagemul_results *results, const gla_pagemul_options *options,
                        gla_pagemul_report *report)
{
  return multiply (ctx, A, B, results, options, 0, report);
}

gla_status gla_pagemul_mirrored (gla_context *ctx, const gla_array *A, const gla_array *B,
                                 const gla_pagemul_results *results,
                                 const gla_pagemul_options *options)
{
  return multiply (ctx, A, B, results, options, 1, NULL);
}

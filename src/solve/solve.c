// solve.c: systems of equations with the pages of two arrays, and inverses of pages
// SPDX-License-Identifier: GPL-3.0-or-later
//
// This file checks the arguments, answers for pages without elements, shares the others among
// engines, and has the CPU do those that a GPU returns.

#include "arrays.h"
#include "batch/queue.h"
#include "batch/failures.h"
#include "batch/host_page.h"
#include "common/grid.h"
#include "common/status.h"
#include "page_grid.h"
#include "structs.h"
#include "solve/job.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

// Checks A and B, which is NULL if the inverse is wanted, against X.
static gla_status check_operands (gla_context *ctx, const gla_array *A, const gla_array *B,
                                  const gla_array *X, const gla_pagesolve_options *o)
{
  const gla_type type = B && gla_type_is_complex (B->type) ? B->type : A->type;
  if (gla_type_size (X->type) == 0 || X->type != type)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "X has type '%c', it must be '%c'", (char)X->type,
                     (char)type);
  gla_status status = gla_check_operand (ctx, "A", A, "X", X);
  if (status == GLA_OK && B)
    status = gla_check_operand (ctx, "B", B, "X", X);
  if (status == GLA_OK)
    status = gla_check_op (ctx, "A", o->op_a);
  if (status != GLA_OK)
    return status;
  if (o->side != GLA_SIDE_LEFT && o->side != GLA_SIDE_RIGHT)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "side = %d is not a gla_side", (int)o->side);
  if (A->rows != A->columns || A->rows > INT_MAX - 1)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A is %lldx%lldx%lld, its pages must be square",
                     (long long)A->rows, (long long)A->columns, (long long)A->pages);
  const int left = o->side == GLA_SIDE_LEFT;
  if (B && (left ? B->rows : B->columns) != A->rows)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "B has %lld %s, and A has %lld",
                     (long long)(left ? B->rows : B->columns), left ? "rows" : "columns",
                     (long long)A->rows);
  return GLA_OK;
}

static gla_status check_rcond (gla_context *ctx, const gla_array *rcond, const gla_array *A,
                               const gla_array *B, const gla_array *X)
{
  gla_status status =
      gla_check_array (ctx, "rcond", rcond, gla_type_real (X->type), 1, 1, X->pages);
  if (status == GLA_OK)
    status = gla_check_place (ctx, "rcond", rcond, "X", X);
  const gla_named_array arrays[] = {{"A", A}, {"B", B}, {"X", X}, {"rcond", rcond}};
  return status == GLA_OK ? gla_check_apart (ctx, arrays, 3, 4) : status;
}

static gla_status check (gla_context *ctx, const gla_array *A, const gla_array *B,
                         const gla_pagesolve_results *r, const gla_pagesolve_options *o)
{
  const gla_array *X = &r->X;
  const gla_array *like = B ? B : A;
  GLA_TRY (check_operands (ctx, A, B, X, o));
  GLA_TRY (gla_check_array (ctx, "X", X, X->type, like->rows, like->columns, X->pages));
  GLA_TRY (gla_check_rows (ctx, "X", X));
  const gla_page_grid grid = {o->dims, o->dim_size, o->a_step, o->b_step};
  gla_status status = gla_check_grid (ctx, A, B, "X", X, &grid);
  if (status != GLA_OK || r->rcond.data == NULL)
    return status;
  return check_rcond (ctx, &r->rcond, A, B, X);
}

//------------------------------------------------------------------------------
// chunks
//------------------------------------------------------------------------------

enum { ARRAYS = 2 };

typedef struct {
  gla_call call; // must stay first
  gla_pagesolve_job job;
  gla_pagesolve_chunk all;
  gla_failures failures;
  gla_handed_back handed_back;
} pagesolve_run;

static void slice (const gla_call *call, gla_range range, void *chunk, void *memory)
{
  const pagesolve_run *run = (const pagesolve_run *)call;
  gla_pagesolve_chunk *c = chunk;
  (void)memory;
  c->A = run->all.A;
  c->B = run->all.B;
  c->info = run->all.info + range.first;
  c->clean = &c->clean_word;
  c->clean_word = 0;
  c->first = range.first;
}

// The CPU does pages that a GPU has returned; those of device memory at the end of the call.
static gla_status look_for_failures (gla_call *call, gla_range range, const void *chunk)
{
  pagesolve_run *run = (pagesolve_run *)call;
  const gla_pagesolve_chunk *c = chunk;
  if (!gla_look_for_failures (call, &run->failures, c->info, range.count, *c->clean))
    return GLA_OK;
  return run->job.head.device_arrays
             ? GLA_OK
             : gla_do_handed_back (call, &run->handed_back, range, run->all.info);
}

static const gla_operation pagesolve_operation = {
    .row = GLA_BATCH_PAGESOLVE,
    .placing = {.unsupported = "systems of this order are not solved on a GPU",
                .supports = gla_batch_supports,
                .seconds = gla_batch_seconds},
    .arrays = ARRAYS,
    .chunk_bytes = sizeof (gla_pagesolve_chunk),
    .slice = slice,
    .after_finish = look_for_failures,
};

//------------------------------------------------------------------------------
// pages of device memory that a GPU has returned
//------------------------------------------------------------------------------

enum { A_OF_PAGES, B_OF_PAGES, X_OF_PAGES, RCOND_OF_PAGES, ARRAYS_OF_PAGES };

// Some of them, which are copied and solved together.
typedef struct {
  int64_t count, most;
  int64_t *p, *a, *b; // their numbers in the result, in A and in B
  int32_t *info;
  gla_array host[ARRAYS_OF_PAGES];
} returned_pages;

static int take_returned (const gla_array *const *device, int64_t most, returned_pages *r)
{
  *r = (returned_pages){.most = most};
  r->p = malloc (sizeof *r->p * 3 * (size_t)most);
  r->info = malloc (sizeof *r->info * (size_t)most);
  int there = r->p != NULL && r->info != NULL;
  for (int k = 0; k < ARRAYS_OF_PAGES; k++)
    there = gla_host_pages_take (device[k], most, &r->host[k]) && there;
  if (there) {
    r->a = r->p + most;
    r->b = r->a + most;
  }
  return there;
}

static void drop_returned (returned_pages *r)
{
  for (int k = 0; k < ARRAYS_OF_PAGES; k++)
    free (r->host[k].data);
  free (r->info);
  free (r->p);
}

// Solves from A and B to X, rcond and info of the host.
static gla_status solve_on_host (pagesolve_run *run, returned_pages *pages)
{
  gla_context *ctx = run->call.run.ctx;
  const gla_place place = ctx->place;
  gla_array *host = pages->host;
  for (int k = 0; k < ARRAYS_OF_PAGES; k++)
    host[k].pages = pages->count;
  const gla_pagesolve_results r = {
      .size = sizeof r, .X = host[X_OF_PAGES], .rcond = host[RCOND_OF_PAGES], .info = pages->info};
  const gla_pagesolve_options o = {.size = sizeof o, .op_a = run->job.op_a, .side = run->job.side};
  const gla_callbacks before = gla_silence (ctx);
  ctx->place = GLA_PLACE_CPU;
  const gla_status status = gla_pagesolve (
      ctx, &host[A_OF_PAGES], run->job.inverse ? NULL : &host[B_OF_PAGES], &r, &o, NULL);
  ctx->place = place;
  ctx->callbacks = before;
  return status;
}

static gla_status solve_copied (pagesolve_run *run, const gla_array *const *device,
                                returned_pages *pages)
{
  gla_context *ctx = run->call.run.ctx;
  const gla_array *host = pages->host;
  const int64_t count = pages->count;
  gla_status status =
      gla_host_pages_get (ctx, device[A_OF_PAGES], pages->a, count, &host[A_OF_PAGES]);
  if (status == GLA_OK && !run->job.inverse)
    status = gla_host_pages_get (ctx, device[B_OF_PAGES], pages->b, count, &host[B_OF_PAGES]);
  if (status == GLA_OK)
    status = solve_on_host (run, pages);
  if (status == GLA_OK)
    status = gla_host_pages_put (ctx, device[X_OF_PAGES], pages->p, count, &host[X_OF_PAGES]);
  if (status == GLA_OK && run->job.rcond)
    status =
        gla_host_pages_put (ctx, device[RCOND_OF_PAGES], pages->p, count, &host[RCOND_OF_PAGES]);
  if (status == GLA_OK)
    status = gla_wait (ctx, run->all.X.device);
  for (int64_t k = 0; k < count && status == GLA_OK; k++)
    run->all.info[pages->p[k]] = pages->info[k];
  return status;
}

static gla_status solve_all_copied (pagesolve_run *run, const gla_array *const *device,
                                    returned_pages *pages)
{
  const gla_pagesolve_job *job = &run->job;
  const gla_grid grid = {job->dims, job->dim_size, job->a_step, job->b_step};
  const int64_t all = run->call.run.pages;
  gla_status status = GLA_OK;
  for (int64_t p = 0; p < all && status == GLA_OK;) {
    pages->count = 0;
    for (; p < all && pages->count < pages->most; p++)
      if (run->all.info[p] < 0) {
        const int64_t k = pages->count++;
        pages->p[k] = p;
        gla_grid_pages (&grid, p, &pages->a[k], &pages->b[k]);
      }
    if (pages->count > 0)
      status =
          gla_run_poll (&run->call.run, 0) ? GLA_ERROR_STOPPED : solve_copied (run, device, pages);
  }
  return status;
}

static gla_status solve_returned (pagesolve_run *run)
{
  enum { BYTES = 16 << 20 }; // of the host
  const gla_array *const device[ARRAYS_OF_PAGES] = {&run->all.A, &run->all.B, &run->all.X,
                                                    &run->all.rcond};
  int64_t each = 1, returned = 0;
  for (int k = 0; k < ARRAYS_OF_PAGES; k++)
    each += device[k]->rows * device[k]->columns * (int64_t)sizeof (double[2]);
  for (int64_t p = 0; p < run->call.run.pages; p++)
    returned += run->all.info[p] < 0;
  if (returned == 0)
    return GLA_OK;
  const int64_t most = BYTES / each > 1 ? BYTES / each : 1;
  returned_pages pages;
  const gla_status status = take_returned (device, returned < most ? returned : most, &pages)
                                ? solve_all_copied (run, device, &pages)
                                : gla_fail (run->call.run.ctx, GLA_ERROR_OUT_OF_MEMORY,
                                            "no memory for pages on the host");
  drop_returned (&pages);
  return status;
}

//------------------------------------------------------------------------------
// gla_pagesolve
//------------------------------------------------------------------------------

static void describe (pagesolve_run *run, const gla_array *A, const gla_array *B,
                      const gla_pagesolve_results *r, const gla_pagesolve_options *o)
{
  const gla_array *X = &r->X;
  run->all.A = *A;
  run->all.B = B ? *B : (gla_array){.data = NULL};
  run->job = (gla_pagesolve_job){.head = {.type = X->type,
                                          .device_arrays = X->device != GLA_DEVICE_HOST,
                                          .monitor = {gla_run_poll, &run->call.run}},
                                 .n = A->rows,
                                 .rhs = o->side == GLA_SIDE_LEFT ? X->columns : X->rows,
                                 .a_complex = gla_type_is_complex (A->type),
                                 .b_complex = B && gla_type_is_complex (B->type),
                                 .inverse = B == NULL,
                                 .rcond = r->rcond.data != NULL,
                                 .op_a = o->op_a,
                                 .side = B ? o->side : GLA_SIDE_LEFT,
                                 .dims = o->dims,
                                 .dim_size = o->dim_size,
                                 .a_step = o->a_step,
                                 .b_step = o->b_step};
}

// Pages of 0 x 0 have no pivot, and the condition number 0.
static void answer_for_no_rows (const gla_array *rcond, int64_t pages)
{
  for (int64_t p = 0; rcond->data && p < pages; p++)
    gla_put_number (rcond, p * rcond->page_stride, INFINITY);
}

static gla_status work (pagesolve_run *run)
{
  const int64_t pages = run->call.run.pages;
  if (pages == 0)
    return GLA_OK;
  if (run->job.n == 0) {
    if (run->job.head.device_arrays)
      return gla_fail (run->call.run.ctx, GLA_ERROR_BAD_ARGUMENT,
                       "A is empty, it must not be in device memory");
    answer_for_no_rows (&run->all.rcond, pages);
    return GLA_OK;
  }
  const gla_status status = gla_call_run (&run->call);
  if (run->handed_back.done >= pages)
    run->call.device = GLA_DEVICE_HOST;
  return status == GLA_OK && run->failures.suspect && run->job.head.device_arrays
             ? solve_returned (run)
             : status;
}

static gla_pagesolve_report report_of (const pagesolve_run *run)
{
  gla_pagesolve_report report = {.base = gla_call_report (&run->call), .first_singular = -1};
  for (int64_t p = 0; run->failures.suspect && p < run->call.run.pages; p++) {
    const int32_t info = run->all.info[p];
    if (info > run->job.n && report.base.pages_failed++ == 0)
      report.base.first_failed = p;
    if (info >= 1 && info <= run->job.n && report.pages_singular++ == 0)
      report.first_singular = p;
  }
  return report;
}

gla_status gla_pagesolve (gla_context *ctx, const gla_array *A, const gla_array *B,
                          const gla_pagesolve_results *results,
                          const gla_pagesolve_options *options, gla_pagesolve_report *report)
{
  gla_pagesolve_results r;
  gla_pagesolve_options o;
  int64_t numbers[3];

  GLA_TRY (gla_begin_call (ctx, results, &r, sizeof r, options, &o, sizeof o, report));
  if (A == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A must not be NULL");
  o.op_a = o.op_a == 0 ? 'N' : o.op_a;
  if (o.dims == 0) {
    const gla_page_grid plain = gla_plain_grid (A, B, r.X.pages, numbers);
    o.dims = plain.dims;
    o.dim_size = plain.dim_size;
    o.a_step = plain.a_step;
    o.b_step = plain.b_step;
  } else if (B == NULL)
    o.b_step = o.a_step;
  GLA_TRY (check (ctx, A, B, &r, &o));

  gla_infos infos;
  GLA_TRY (gla_infos_take (ctx, r.info, r.X.pages, &infos));

  pagesolve_run run = {.all = {.X = r.X, .rcond = r.rcond, .info = infos.words}};
  run.call.arrays = run.all.arrays;
  gla_call_start (&run.call, &pagesolve_operation, &run.job.head, ctx, r.X.pages);
  describe (&run, A, B, &r, &o);
  gla_handed_back_start (&run.handed_back);
  gla_status status = work (&run);
  gla_handed_back_end (&run.handed_back);
  const gla_pagesolve_report own_report = report_of (&run);
  gla_give_struct (report, &own_report, sizeof own_report);
  gla_infos_free (&infos);
  return gla_end_call (ctx, status);
}

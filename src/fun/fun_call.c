// fun_call.c: functions of Hermitian pages as an operation on pages, on GPUs or the CPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays.h"
#include "common/status.h"
#include "fun_run.h"

//------------------------------------------------------------------------------
// chunks
//------------------------------------------------------------------------------

static void slice (const gla_call *call, gla_range range, void *chunk, void *memory)
{
  const gla_fun_run *run = (const gla_fun_run *)call;
  const gla_pagefun_chunk *all = &run->all;
  const int64_t scale = run->job.scale_each ? range.first : 0;
  gla_pagefun_chunk *c = chunk;
  c->info = all->info + range.first;
  c->skew = memory;
  c->clean = &c->clean_word;
  c->clean_word = 0;
  c->scale = all->scale;
  if (c->scale != NULL)
    c->scale += run->job.scale_complex ? 2 * scale : scale;
  c->occupied = all->occupied;
  if (c->occupied != NULL && run->job.occupied_each)
    c->occupied += range.first;
  c->V = gla_array_pages (&all->V, range.first, range.count);
  c->lambda = gla_array_pages (&all->lambda, range.first, range.count);
  c->values = gla_array_pages (&all->values, range.first, range.count);
}

// The first page that is not Hermitian ends the call.
static gla_status look_for_failures (gla_call *call, gla_range range, const void *chunk)
{
  gla_fun_run *run = (gla_fun_run *)call;
  const gla_pagefun_chunk *c = chunk;
  if (gla_look_for_failures (call, &run->failures, c->info, range.count, *c->clean))
    gla_note_not_hermitian (call, &run->failures, range, c->info, c->skew);
  return GLA_OK;
}

static const gla_operation pagefun_operation = {
    .row = GLA_BATCH_PAGEFUN,
    .placing = {.unsupported = "functions of pages of this order are not computed on a GPU, "
                               "nor above order 32 on one before compute capability 8.0",
                .supports = gla_batch_supports,
                .seconds = gla_batch_seconds},
    .arrays = 2,
    .chunk_bytes = sizeof (gla_pagefun_chunk),
    .page_bytes = sizeof (double),
    .slice = slice,
    .after_finish = look_for_failures,
};

//------------------------------------------------------------------------------
// the call
//------------------------------------------------------------------------------

void gla_fun_fill_job (gla_fun_run *run, gla_fun fun)
{
  const gla_pagefun_options *o = &run->o;
  const gla_array *A = &run->all.A, *F = &run->all.F;
  const int occupied = fun == GLA_FUN_OCCUPIED;
  run->job =
      (gla_pagefun_job){.head = {.type = A->type, .device_arrays = A->device != GLA_DEVICE_HOST},
                        .n = A->rows,
                        .fun = fun,
                        .triangle = o->triangle,
                        .wide = F->type != A->type,
                        .real_only = o->real_only || !gla_type_is_complex (F->type),
                        .raise = o->raise,
                        .power = o->power,
                        .floor = o->floor,
                        .tol = o->tol,
                        .scale_complex = o->scale != NULL && o->scale_complex,
                        .scale_each = o->scale != NULL && o->scale_count > 1,
                        .occupied_each = occupied && o->occupied_count > 1};
  run->all.scale = o->scale;
  run->all.occupied = occupied ? o->occupied : NULL;
}

// Eigenvalues are computed by the automatic method first.
static void use_method (gla_call *call, gla_retry_method method)
{
  ((gla_fun_run *)call)->job.method =
      method == GLA_RETRY_AUTO ? GLA_EIG_METHOD_AUTO : GLA_EIG_METHOD_JACOBI;
}

gla_status gla_fun_call (gla_fun_run *run, gla_context *ctx)
{
  gla_pagefun_job *job = &run->job;
  run->call.arrays = run->all.arrays;
  gla_call_start (&run->call, &pagefun_operation, &job->head, ctx, run->all.F.pages);
  job->head.monitor = (gla_monitor){gla_run_poll, &run->call.run};
  GLA_TRY (gla_call_run (&run->call));
  const gla_retry retry = {&job->head, run->all.info, job->n, use_method};
  if (run->failures.suspect && run->failures.bad_page < 0 && !job->solved)
    gla_retry_failed (&run->call, &retry);
  if (run->failures.bad_page >= 0)
    return gla_fail_not_hermitian (ctx, &run->failures);
  return run->call.run.stopped ? GLA_ERROR_STOPPED : GLA_OK;
}

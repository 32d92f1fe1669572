// fun_call.c: functions of Hermitian pages as an operation on pages, on GPUs or the CPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays.h"
#include "eig/eig_run.h"
#include "fun_run.h"
#include "backend.h"

#include <stdlib.h>

//------------------------------------------------------------------------------
// chunks of a GPU
//------------------------------------------------------------------------------

static void slice (const gla_call *call, gla_range range, void *chunk, void *memory)
{
  const gla_fun_run *run = (const gla_fun_run *)call;
  const int64_t scale = run->job.scale_each ? range.first : 0;
  gla_pagefun_chunk *c = chunk;
  c->info = run->info + range.first;
  c->skew = memory;
  c->clean = &c->clean_word;
  c->clean_word = 0;
  c->scale = run->o.scale;
  if (c->scale != NULL)
    c->scale += run->job.scale_complex ? 2 * scale : scale;
  c->occupied = run->all.occupied;
  if (c->occupied != NULL && run->job.occupied_each)
    c->occupied += range.first;
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

//------------------------------------------------------------------------------
// the CPU
//------------------------------------------------------------------------------

static gla_status do_group (gla_fun_run *run, gla_range range)
{
  gla_context *ctx = run->ctx;
  const gla_place place = ctx->place;
  ctx->place = GLA_PLACE_CPU;
  gla_array V;
  gla_status status = gla_fun_eigenvalues (run, range.first, range.count, &V);
  ctx->place = place;
  if (status == GLA_OK) {
    const gla_array lambda = gla_array_pages (&run->lambda, 0, range.count);
    status = gla_fun_products (run, range.first, range.count, &V, &lambda);
  }
  return status;
}

static gla_status take_group (gla_fun_run *run)
{
  const int64_t group = gla_fun_group (run);
  return run->values != NULL ? GLA_OK
                             : gla_fun_take_memory (run, gla_fun_in_place (run) ? 0 : group, group);
}

// What waits: all pages, or those that GPUs have left.
static gla_status on_cpu (gla_call *call)
{
  gla_fun_run *run = (gla_fun_run *)call;
  const int64_t group = gla_fun_group (run);
  gla_status status = take_group (run);
  while (status == GLA_OK) {
    const gla_range range = gla_run_take (&call->run, group);
    if (range.count == 0)
      break;
    run->failures.suspect = 1;
    status = do_group (run, range);
    gla_run_complete (&call->run, range);
  }
  return status;
}

// A GPU leaves pages whose eigenvalues have not converged. batcheig on the CPU tries two methods.
static gla_status retry_pages (gla_fun_run *run)
{
  const int64_t n = run->rule.n;
  gla_status status = GLA_OK;
  for (int64_t p = 0; p < run->A.pages && status == GLA_OK; p++)
    if (run->info[p] >= 1 && run->info[p] <= n) {
      status = take_group (run);
      if (status == GLA_OK)
        status = do_group (run, (gla_range){p, 1});
    }
  return status;
}

//------------------------------------------------------------------------------
// the place
//------------------------------------------------------------------------------

static gla_eig_job eig_job_of (const gla_pagefun_job *job)
{
  return (gla_eig_job){.head = job->head,
                       .n = job->n,
                       .columns = job->n,
                       .vectors = 1,
                       .triangle = job->triangle,
                       .tol = gla_type_eps (job->head.type),
                       .maxit = GLA_EIG_MAX_ITERATIONS};
}

// On the CPU mostly those of batcheig.
static double seconds (gla_engine *engine, const void *user, int64_t pages)
{
  const gla_fun_run *run = user;
  if (engine->device != GLA_DEVICE_HOST)
    return gla_batch_seconds (engine, user, pages);
  const gla_eig_job job = eig_job_of (&run->job);
  return 1.2 * engine->backend->batch[GLA_BATCH_EIG]->seconds (engine, &job.head, pages);
}

static const gla_operation pagefun_operation = {
    .row = GLA_BATCH_PAGEFUN,
    .placing = {.unsupported = "functions of pages of this order are not computed on a GPU, "
                               "nor above order 32 on one before compute capability 8.0",
                .supports = gla_batch_supports,
                .seconds = seconds},
    .arrays = 2,
    .chunk_bytes = sizeof (gla_pagefun_chunk),
    .page_bytes = sizeof (double),
    .slice = slice,
    .after_finish = look_for_failures,
    .on_cpu = on_cpu,
};

static void fill_job (gla_fun_run *run)
{
  const gla_pagefun_options *o = &run->o;
  gla_pagefun_job *job = &run->job;
  job->head = (gla_job){.type = run->A.type,
                        .device_arrays = run->A.device != GLA_DEVICE_HOST,
                        .monitor = {gla_run_poll, &run->call.run}};
  job->n = run->rule.n;
  job->fun = run->rule.fun;
  job->triangle = o->triangle;
  job->wide = run->F.type != run->A.type;
  job->real_only = run->rule.real_only;
  job->raise = o->raise;
  job->power = o->power;
  job->floor = o->floor;
  job->tol = o->tol;
  job->scale_complex = o->scale != NULL && o->scale_complex;
  job->scale_each = o->scale != NULL && o->scale_count > 1;
  job->occupied_each = job->fun == GLA_FUN_OCCUPIED && o->occupied_count > 1;
}

gla_status gla_fun_call (gla_fun_run *run)
{
  run->all.A = run->A;
  run->all.F = run->F;
  run->all.occupied = run->rule.fun == GLA_FUN_OCCUPIED ? run->o.occupied : NULL;
  run->call.arrays = run->all.arrays;
  gla_call_start (&run->call, &pagefun_operation, &run->job.head, run->ctx, run->A.pages);
  fill_job (run);
  gla_status status = gla_call_run (&run->call);
  if (status != GLA_OK)
    return status;
  if (run->failures.bad_page >= 0)
    return gla_fail_not_hermitian (run->ctx, &run->failures);
  if (run->call.device != GLA_DEVICE_HOST || run->report.base.chunk_pages == 0) {
    run->report.base.device = run->call.device;
    run->report.base.chunk_pages = run->call.chunk_pages;
  }
  if (run->failures.suspect && run->call.device != GLA_DEVICE_HOST && !run->job.head.device_arrays)
    status = retry_pages (run);
  return run->call.run.stopped ? GLA_ERROR_STOPPED : status;
}

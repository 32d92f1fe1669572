// pairs_call.c: gla_batcheig_pairs as an operation on pages: chunks on GPUs, groups on the CPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_call.h"

#include "arrays.h"
#include "batch/queue.h"
#include "batch/host_page.h"
#include "eig/eig_run.h"
#include "pairs_steps.h"
#include "backend.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  gla_call call; // must stay first
  gla_eigpairs_job job;
  gla_eigpairs_chunk all;
  gla_failures failures;
  gla_pairs_run *pairs;
  int has_memory; // nonzero: what groups need was taken
  double rcond;   // of one B for all pages, on the CPU
} pairs_call;

//------------------------------------------------------------------------------
// chunks of a GPU
//------------------------------------------------------------------------------

static void slice (const gla_call *call, gla_range range, void *chunk, void *memory)
{
  const pairs_call *run = (const pairs_call *)call;
  gla_eigpairs_chunk *c = chunk;
  if (run->job.a_shared)
    c->A = run->all.A;
  if (run->job.b_shared)
    c->B = run->all.B;
  c->info = run->pairs->info + range.first;
  c->count = run->pairs->count == NULL ? NULL : run->pairs->count + range.first;
  c->skew = memory;
  c->clean = &c->clean_word;
  c->clean_word = 0;
}

// The first page that is not Hermitian ends the call.
static gla_status look_for_failures (gla_call *call, gla_range range, const void *chunk)
{
  pairs_call *run = (pairs_call *)call;
  const gla_eigpairs_chunk *c = chunk;
  if (gla_look_for_failures (call, &run->failures, c->info, range.count, *c->clean))
    gla_note_not_hermitian (call, &run->failures, range, c->info, c->skew);
  return GLA_OK;
}

//------------------------------------------------------------------------------
// the CPU
//------------------------------------------------------------------------------

static gla_status rcond_of (pairs_call *run, gla_range range)
{
  gla_pairs_run *p = run->pairs;
  const gla_array part = gla_array_pages (&p->r.rcond, range.first, range.count);
  if (part.data == NULL)
    return GLA_OK;
  if (!gla_pairs_share_b (p)) {
    const gla_array B = gla_array_pages (&p->B, range.first, range.count);
    return gla_pencil_rcond (p->ctx, &B, p->o.triangle, &part);
  }
  for (int64_t k = 0; k < range.count; k++)
    gla_put_number (&part, k * part.page_stride, run->rcond);
  return GLA_OK;
}

// Takes memory for groups; factors one B for all pages.
static gla_status prepare_groups (pairs_call *run)
{
  gla_pairs_run *p = run->pairs;
  if (run->has_memory)
    return GLA_OK;
  run->has_memory = 1;
  p->group = gla_pairs_group (p);
  gla_status status = gla_pairs_take_memory (p);
  if (status != GLA_OK || !gla_pairs_share_b (p))
    return status;
  status = gla_pairs_factor_once (p);
  if (status != GLA_OK || p->r.rcond.data == NULL)
    return status;
  gla_array number = gla_take_pages (p->r.rcond.type, 1, 1, 1);
  if (number.data == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  status = gla_pencil_rcond (p->ctx, &p->B, p->o.triangle, &number);
  run->rcond = gla_get_number (&number, 0);
  free (number.data);
  return status;
}

static gla_status do_group (pairs_call *run, gla_range range)
{
  gla_pairs_run *p = run->pairs;
  const gla_place place = p->ctx->place;
  p->ctx->place = GLA_PLACE_CPU;
  gla_status status = prepare_groups (run);
  if (status == GLA_OK)
    status = gla_pairs_do_group (p, range.first, range.count);
  if (status == GLA_OK)
    status = rcond_of (run, range);
  p->ctx->place = place;
  return status;
}

// Does the waiting pages: all, or those that GPUs have left.
static gla_status on_cpu (gla_call *call)
{
  pairs_call *run = (pairs_call *)call;
  gla_status status = GLA_OK;
  run->failures.suspect = 1;
  while (status == GLA_OK) {
    status = prepare_groups (run);
    const gla_range range =
        status == GLA_OK ? gla_run_take (&call->run, run->pairs->group) : (gla_range){0, 0};
    if (range.count == 0)
      break;
    status = do_group (run, range);
    gla_run_complete (&call->run, range);
  }
  return status;
}

// Finishes what a GPU leaves: pages whose eigenvalues have not converged, which batcheig on the CPU
// tries by two methods, and the condition numbers of those whose B is not definite.
static gla_status finish_pages (pairs_call *run)
{
  gla_pairs_run *p = run->pairs;
  gla_status status = GLA_OK;
  for (int64_t k = 0; k < p->pages && status == GLA_OK; k++)
    if (p->info[k] >= 1 && p->info[k] <= p->n)
      status = do_group (run, (gla_range){k, 1});
    else if (p->info[k] > p->n + 1 && p->r.rcond.data != NULL) {
      status = prepare_groups (run);
      if (status == GLA_OK)
        status = rcond_of (run, (gla_range){k, 1});
    }
  return status;
}

//------------------------------------------------------------------------------
// the place
//------------------------------------------------------------------------------

// On the CPU the time is that of batcheig and the steps on pencils.
static double seconds (gla_engine *engine, const void *user, int64_t pages)
{
  const pairs_call *run = user;
  if (engine->device != GLA_DEVICE_HOST)
    return gla_batch_seconds (engine, user, pages);
  const gla_pencil_job steps = {.head = run->job.eig.head,
                                .n = run->job.eig.n,
                                .factor = 1,
                                .reduce = 1,
                                .back = run->job.eig.vectors,
                                .product = run->job.product,
                                .times = run->job.times,
                                .triangle = run->job.eig.triangle};
  return engine->backend->batch[GLA_BATCH_EIG]->seconds (engine, &run->job.eig.head, pages) +
         engine->backend->batch[GLA_BATCH_PENCIL]->seconds (engine, &steps.head, pages);
}

static const gla_operation pairs_operation = {
    .row = GLA_BATCH_EIGPAIRS,
    .placing = {.unsupported = "pairs of this order are not solved on a GPU, nor those above "
                               "order 32 or with products on one before compute capability 8.0",
                .supports = gla_batch_supports,
                .seconds = seconds},
    .arrays = 5,
    .chunk_bytes = sizeof (gla_eigpairs_chunk),
    .page_bytes = sizeof (double),
    .slice = slice,
    .after_finish = look_for_failures,
    .on_cpu = on_cpu,
};

static void fill_job (pairs_call *run)
{
  const gla_pairs_run *p = run->pairs;
  const gla_eig_pairs_options *o = &p->o;
  gla_eig_job *eig = &run->job.eig;
  eig->head = (gla_job){.type = p->A.type,
                        .device_arrays = p->A.device != GLA_DEVICE_HOST,
                        .monitor = {gla_run_poll, &run->call.run}};
  eig->n = p->n;
  eig->vectors = p->r.V.data != NULL && p->columns > 0;
  eig->method = o->method;
  eig->triangle = o->triangle;
  eig->tol = o->tol > 0 ? o->tol : gla_type_eps (p->A.type);
  eig->maxit = o->maxit > 0 ? o->maxit : GLA_EIG_MAX_ITERATIONS;
  eig->range = o->range;
  eig->il = o->il;
  eig->columns = p->columns;
  eig->vl = o->vl;
  eig->vu = o->vu;
  eig->phase = o->phase == GLA_EIG_PHASE_MAX;
  run->job.product = o->itype > 1;
  run->job.times = o->itype == 3;
  run->job.a_shared = p->A.pages == 1 && p->pages > 1;
  run->job.b_shared = gla_pairs_share_b (p);
}

//------------------------------------------------------------------------------
// the call
//------------------------------------------------------------------------------

static gla_status fail_not_hermitian (const pairs_call *run)
{
  const double difference = run->failures.bad_difference;
  const char name = difference < 0 ? 'B' : 'A';
  return gla_pairs_not_hermitian (run->pairs, name, run->failures.bad_page,
                                  difference < 0 ? -difference : difference);
}

static void count_failures (gla_pairs_run *p)
{
  gla_report *r = &p->report.base;
  r->pages_failed = 0;
  r->first_failed = -1;
  for (int64_t k = 0; k < p->pages; k++)
    if (p->info[k] != 0 && r->pages_failed++ == 0)
      r->first_failed = k;
}

static gla_status work (pairs_call *run)
{
  gla_pairs_run *p = run->pairs;
  gla_status status = gla_call_run (&run->call);
  const int on_gpu = run->call.device != GLA_DEVICE_HOST;
  if (status != GLA_OK)
    return status;
  if (run->failures.bad_page >= 0)
    return fail_not_hermitian (run);
  if (on_gpu) {
    p->report.base.device = run->call.device;
    p->report.base.chunk_pages = run->call.chunk_pages;
  }
  if (on_gpu && run->failures.suspect && !run->job.eig.head.device_arrays)
    status = finish_pages (run);
  if (status == GLA_OK && run->failures.suspect)
    count_failures (p);
  return run->call.run.stopped ? GLA_ERROR_STOPPED : status;
}

gla_status gla_pairs_call (gla_pairs_run *p)
{
  pairs_call run = {.pairs = p, .failures.bad_page = -1};
  memset (p->info, 0, (size_t)p->pages * sizeof *p->info);
  run.all.lambda = p->r.lambda;
  run.all.A = p->A;
  run.all.B = p->B;
  run.all.V = p->r.V;
  run.all.rcond = p->r.rcond;
  run.call.arrays = run.all.arrays;
  gla_call_start (&run.call, &pairs_operation, &run.job.eig.head, p->ctx, p->pages);
  fill_job (&run);
  const gla_status status = work (&run);
  gla_pairs_free_memory (p);
  return status;
}

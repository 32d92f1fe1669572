// gsvd.c: generalized singular value decomposition
// SPDX-License-Identifier: GPL-3.0-or-later
//
// This file checks the arguments, answers what needs no arithmetic, shares the pages among engines
// (batch/dispatch.c), and has the CPU do those that a GPU returns. The backends do the arithmetic.

#include "arrays.h"
#include "batch/queue.h"
#include "batch/failures.h"
#include "common/status.h"
#include "gsvd_serve.h"
#include "structs.h"
#include "gsvd/job.h"

#include <stdlib.h>

typedef struct {
  gla_call call; // must stay first
  gla_gsvd_job job;
  gla_gsvd_team team; // of the job, if GPUs work together
  gla_gsvd_chunk all; // the whole arrays
  gla_handed_back handed_back;
} gsvd_run;

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

enum { OUTPUTS = 5, ARRAYS = 7 };

typedef struct {
  const char *name;
  const gla_array *array; // NULL: not wanted
  gla_type type;
  int64_t rows;
  int64_t columns[2]; // what may be, full and economy
} expectation;

static gla_status check_output (gla_context *ctx, const expectation *e, const gla_array *A)
{
  const gla_array *a = e->array;
  const int which = a->columns == e->columns[1];
  gla_status status =
      gla_check_array (ctx, e->name, a, e->type, e->rows, e->columns[which], A->pages);
  if (status == GLA_OK && e->rows > 1 && a->columns > 1)
    status = gla_check_columns (ctx, e->name, a);
  return status == GLA_OK ? gla_check_place (ctx, e->name, a, "A", A) : status;
}

static gla_status check_inputs (gla_context *ctx, const gla_array *A, const gla_array *B)
{
  GLA_TRY (gla_check_input (ctx, "A", A));
  GLA_TRY (gla_check_input (ctx, "B", B));
  GLA_TRY (gla_check_array (ctx, "B", B, A->type, B->rows, A->columns, A->pages));
  return gla_check_place (ctx, "B", B, "A", A);
}

static gla_status check_options (gla_context *ctx, const gla_gsvd_options *o)
{
  const struct {
    const char *name;
    int value, most;
  } choices[] = {{"method", (int)o->method, GLA_GSVD_METHOD_TANGENT},
                 {"blocking", (int)o->blocking, GLA_GSVD_BLOCKING_FULL},
                 {"ordering", (int)o->ordering, GLA_GSVD_ORDERING_MM}};
  for (int k = 0; k < 3; k++)
    if (choices[k].value < 0 || choices[k].value > choices[k].most)
      return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s = %d must be 0 to %d", choices[k].name,
                       choices[k].value, choices[k].most);
  if (o->block < 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "block = %d must not be negative", o->block);
  return GLA_OK;
}

static const gla_array *wanted (const gla_array *a)
{
  return a->data != NULL ? a : NULL;
}

static int64_t least (int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static gla_status check (gla_context *ctx, const gla_array *A, const gla_array *B,
                         const gla_gsvd_results *r, const gla_gsvd_options *o)
{
  if (A == NULL || B == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not be NULL", A == NULL ? "A" : "B");
  GLA_TRY (check_inputs (ctx, A, B));
  GLA_TRY (check_options (ctx, o));

  const int64_t m = A->rows, n = B->rows, p = A->columns, q = least (m + n, p);
  const gla_type real = gla_type_real (A->type);
  const expectation outputs[OUTPUTS] = {{"alpha", wanted (&r->alpha), real, q, {1, 1}},
                                        {"beta", wanted (&r->beta), real, q, {1, 1}},
                                        {"U", wanted (&r->U), A->type, m, {m, least (m, q)}},
                                        {"V", wanted (&r->V), A->type, n, {n, least (n, q)}},
                                        {"X", wanted (&r->X), A->type, p, {q, q}}};
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
  const gla_gsvd_chunk *all = &((const gsvd_run *)call)->all;
  gla_gsvd_chunk *c = chunk;
  c->info = all->info + range.first;
  c->stats = all->stats == NULL ? NULL : all->stats + range.first;
}

// The CPU does irregular pages, which a GPU returns, unless they are in device memory.
static gla_status redo (gla_call *call, gla_range range, const void *chunk)
{
  (void)chunk;
  gsvd_run *run = (gsvd_run *)call;
  int32_t *info = run->all.info;
  if (!run->job.head.device_arrays)
    return gla_do_handed_back (call, &run->handed_back, range, info);
  for (int64_t page = range.first; page < range.first + range.count; page++)
    if (info[page] == GLA_INFO_IRREGULAR)
      info[page] = -1;
  return GLA_OK;
}

//------------------------------------------------------------------------------
// several GPUs for one pair
//------------------------------------------------------------------------------

// Opens as many GPUs as a team may have; returns the place of the first that opened.
static int open_team (gsvd_run *run, const int *devices, int count, gla_engine **leader,
                      gla_status *failure)
{
  gla_gsvd_team *team = &run->team;
  int first = -1;
  team->count = 0;
  for (int k = 0; k < count && team->count < GLA_TEAM_MOST; k++) {
    gla_engine *engine;
    const gla_status status = gla_context_gpu (run->call.run.ctx, devices[k], &engine);
    if (status != GLA_OK) {
      *failure = status;
      continue;
    }
    if (first < 0) {
      first = k;
      *leader = engine;
    }
    team->devices[team->count++] = devices[k];
  }
  return first;
}

// Chooses the power of two of them that is predicted to be the fastest, if that saves a tenth of
// the time of a GPU for each pair. For one large pair on GPUs that the caller lists: the largest
// that can share it.
enum { LISTED_COLUMNS = 2048 };
static int team (gla_call *call, const int *devices, int count, gla_status *failure)
{
  gsvd_run *run = (gsvd_run *)call;
  const int listed = call->run.ctx->place == GLA_PLACE_LIST && call->run.pages == 1 &&
                     run->job.p >= LISTED_COLUMNS;
  gla_engine *leader;
  const int first = open_team (run, devices, count, &leader, failure);
  if (first < 0 || run->team.count < 2)
    return -1;
  double best = 0.9 * gla_batch_seconds (leader, call, 1);
  int chosen = 0, opened = run->team.count;
  run->job.team = &run->team;
  for (int members = GLA_TEAM_MOST; members >= 2; members /= 2) {
    run->team.count = members;
    const double seconds =
        members <= opened ? gla_batch_seconds (leader, call, call->run.pages) : 1e9;
    if (seconds < best || (listed && chosen == 0 && seconds < 1e9)) {
      best = listed ? 0 : seconds;
      chosen = members;
    }
  }
  run->team.count = chosen;
  run->team.failed = devices[first];
  run->job.team = chosen > 0 ? &run->team : NULL;
  call->failed = chosen > 0 ? &run->team.failed : NULL;
  return chosen > 0 ? first : -1;
}

static const gla_operation gsvd_operation = {
    .row = GLA_BATCH_GSVD,
    .placing = {.unsupported = "pairs of this size or this option are not done on a GPU",
                .supports = gla_batch_supports,
                .seconds = gla_batch_seconds},
    .arrays = ARRAYS,
    .chunk_bytes = sizeof (gla_gsvd_chunk),
    .slice = slice,
    .after_finish = redo,
    .team = team,
};

//------------------------------------------------------------------------------
// gla_gsvd
//------------------------------------------------------------------------------

// Without columns, or without rows at all, U and V are identities and the rest is empty.
static void answer_empty (const gsvd_run *run)
{
  const gla_gsvd_chunk *all = &run->all;
  gla_put_identity (&all->U);
  gla_put_identity (&all->V);
  for (int64_t p = 0; p < run->call.run.pages; p++) {
    all->info[p] = 0;
    if (all->stats != NULL)
      all->stats[p] = (gla_gsvd_stats){.method = GLA_GSVD_METHOD_AUTO};
  }
}

static gla_gsvd_report report_of (const gsvd_run *run, gla_status status)
{
  gla_gsvd_report report = {.base = gla_call_report (&run->call)};
  for (int64_t p = run->call.run.pages - 1; p >= 0 && status == GLA_OK; p--)
    if (run->all.info[p] != 0) {
      report.base.pages_failed++;
      report.base.first_failed = p;
    }
  return report;
}

static void describe (gsvd_run *run, const gla_array *A, const gla_array *B,
                      const gla_gsvd_results *r, const gla_gsvd_options *o)
{
  gla_gsvd_job *job = &run->job;
  run->all = (gla_gsvd_chunk){.A = *A,
                              .B = *B,
                              .alpha = r->alpha,
                              .beta = r->beta,
                              .U = r->U,
                              .V = r->V,
                              .X = r->X,
                              .info = r->info,
                              .stats = r->stats};
  job->head = (gla_job){.type = A->type,
                        .device_arrays = A->device != GLA_DEVICE_HOST,
                        .monitor = {gla_run_poll, &run->call.run}};
  job->m = A->rows;
  job->n = B->rows;
  job->p = A->columns;
  job->u_columns = r->U.data != NULL ? r->U.columns : 0;
  job->v_columns = r->V.data != NULL ? r->V.columns : 0;
  job->x = r->X.data != NULL;
  job->options = *o;
  job->swept = gla_run_swept;
  job->ranks = A->pages == 1 ? run->call.run.ctx->gsvd_ranks : NULL;
}

static gla_status work (gsvd_run *run)
{
  const gla_gsvd_job *job = &run->job;
  if (job->p == 0 || job->m + job->n == 0) {
    if (job->head.device_arrays)
      return gla_fail (run->call.run.ctx, GLA_ERROR_BAD_ARGUMENT,
                       "A is empty, it must not be in device memory");
    answer_empty (run);
    return GLA_OK;
  }
  if (run->call.run.pages == 0)
    return GLA_OK;
  const gla_status status = gla_call_run (&run->call);
  if (run->handed_back.done >= run->call.run.pages)
    run->call.device = GLA_DEVICE_HOST;
  return status;
}

gla_status gla_gsvd (gla_context *ctx, const gla_array *A, const gla_array *B,
                     const gla_gsvd_results *results, const gla_gsvd_options *options,
                     gla_gsvd_report *report)
{
  gla_gsvd_results r;
  gla_gsvd_options o;

  GLA_TRY (gla_begin_call (ctx, results, &r, sizeof r, options, &o, sizeof o, report));
  GLA_TRY (check (ctx, A, B, &r, &o));

  int32_t *own_info = NULL;
  if (r.info == NULL && A->pages > 0) {
    own_info = malloc ((size_t)A->pages * sizeof *own_info);
    if (own_info == NULL)
      return gla_end_call (ctx, GLA_ERROR_OUT_OF_MEMORY);
  }

  gsvd_run run = {.job = {.m = 0}};
  run.call.arrays = run.all.arrays;
  gla_call_start (&run.call, &gsvd_operation, &run.job.head, ctx, A->pages);
  describe (&run, A, B, &r, &o);
  if (own_info != NULL)
    run.all.info = own_info;
  gla_handed_back_start (&run.handed_back);
  gla_status status = work (&run);
  gla_handed_back_end (&run.handed_back);
  const gla_gsvd_report own_report = report_of (&run, status);
  gla_give_struct (report, &own_report, sizeof own_report);
  free (own_info);
  return gla_end_call (ctx, status);
}

//------------------------------------------------------------------------------
// the sweeps of another rank's pair
//------------------------------------------------------------------------------

gla_status gla_gsvd_serve (gla_context *ctx, const gla_array *A, const gla_array *B,
                           const gla_gsvd_options *options)
{
  int32_t info = 0;
  const gla_gsvd_results none = {.info = &info};
  const gla_place place = ctx->place;
  gsvd_run run = {.job = {.m = 0}};
  ctx->place = GLA_PLACE_CPU;
  run.call.arrays = run.all.arrays;
  gla_call_start (&run.call, &gsvd_operation, &run.job.head, ctx, 1);
  describe (&run, A, B, &none, options);
  gla_handed_back_start (&run.handed_back);
  const gla_status status = gla_call_run (&run.call);
  gla_handed_back_end (&run.handed_back);
  ctx->place = place;
  return status;
}

// geev.c: eigenvalues and eigenvectors of many matrices of any kind
// SPDX-License-Identifier: GPL-3.0-or-later
//
// This file checks the arguments, answers what needs no arithmetic, and shares the pages among
// threads (batch/dispatch.c). Only the CPU has the operation.

#include "arrays.h"
#include "batch/queue.h"
#include "batch/failures.h"
#include "common/status.h"
#include "structs.h"
#include "geev/job.h"

typedef struct {
  gla_call call; // must stay first
  gla_geev_job job;
  gla_geev_chunk all; // the whole arrays
  gla_failures failures;
} geev_run;

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

static gla_type complex_type (gla_type type)
{
  return gla_type_real (type) == GLA_TYPE_S ? GLA_TYPE_C : GLA_TYPE_Z;
}

static gla_status check_result (gla_context *ctx, const char *name, const gla_array *a,
                                const gla_array *A, int64_t columns)
{
  gla_status status =
      gla_check_array (ctx, name, a, complex_type (A->type), A->rows, columns, A->pages);
  return status == GLA_OK ? gla_check_place (ctx, name, a, "A", A) : status;
}

static gla_status check_vectors (gla_context *ctx, const char *name, const gla_array *a,
                                 const gla_array *A)
{
  if (a->data == NULL)
    return GLA_OK;
  GLA_TRY (check_result (ctx, name, a, A, A->rows));
  return gla_check_columns (ctx, name, a);
}

static gla_status check (gla_context *ctx, const gla_array *A, const gla_pageeig_results *r)
{
  if (A == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A must not be NULL");
  gla_status status = gla_check_input (ctx, "A", A);
  if (status == GLA_OK && A->device != GLA_DEVICE_HOST)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A is in place %d, it must be on the host",
                     A->device);
  if (status == GLA_OK && A->rows != A->columns)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A is %lld x %lld, it must be square",
                     (long long)A->rows, (long long)A->columns);
  if (status == GLA_OK)
    status = check_result (ctx, "lambda", &r->lambda, A, 1);
  if (status == GLA_OK)
    status = check_vectors (ctx, "V", &r->V, A);
  if (status == GLA_OK)
    status = check_vectors (ctx, "W", &r->W, A);
  const gla_named_array arrays[] = {{"A", A}, {"lambda", &r->lambda}, {"V", &r->V}, {"W", &r->W}};
  return status == GLA_OK ? gla_check_apart (ctx, arrays, 1, 4) : status;
}

//------------------------------------------------------------------------------
// the operation
//------------------------------------------------------------------------------

static void slice (const gla_call *call, gla_range range, void *chunk, void *memory)
{
  (void)memory;
  ((gla_geev_chunk *)chunk)->info = ((const geev_run *)call)->all.info + range.first;
}

static gla_status look_for_failures (gla_call *call, gla_range range, const void *chunk)
{
  gla_look_for_failures (call, &((geev_run *)call)->failures, ((const gla_geev_chunk *)chunk)->info,
                         range.count, 0);
  return GLA_OK;
}

static const gla_operation geev_operation = {
    .row = GLA_BATCH_GEEV,
    .placing = {.unsupported = "pages that are not Hermitian have no eigenvalues on a GPU",
                .supports = gla_batch_supports,
                .seconds = gla_batch_seconds},
    .arrays = 4,
    .chunk_bytes = sizeof (gla_geev_chunk),
    .slice = slice,
    .after_finish = look_for_failures,
};

//------------------------------------------------------------------------------
// gla_pageeig
//------------------------------------------------------------------------------

static gla_status work (geev_run *run, const gla_pageeig_options *o)
{
  const gla_geev_chunk *all = &run->all;
  run->job =
      (gla_geev_job){.head = {.type = all->A.type, .monitor = {gla_run_poll, &run->call.run}},
                     .n = all->A.rows,
                     .right = all->V.data != NULL,
                     .left = all->W.data != NULL,
                     .balance = !o->not_balanced};
  return gla_array_empty (&all->A) ? GLA_OK : gla_call_run (&run->call);
}

gla_status gla_pageeig (gla_context *ctx, const gla_array *A, const gla_pageeig_results *results,
                        const gla_pageeig_options *options, gla_pageeig_report *report)
{
  gla_pageeig_results r;
  gla_pageeig_options o;

  GLA_TRY (gla_begin_call (ctx, results, &r, sizeof r, options, &o, sizeof o, report));
  GLA_TRY (check (ctx, A, &r));

  gla_infos infos;
  GLA_TRY (gla_infos_take (ctx, r.info, A->pages, &infos));

  geev_run run = {.all = {.A = *A, .lambda = r.lambda, .V = r.V, .W = r.W}};
  run.all.info = infos.words;
  run.call.arrays = run.all.arrays;
  gla_call_start (&run.call, &geev_operation, &run.job.head, ctx, A->pages);
  gla_status status = work (&run, &o);
  gla_pageeig_report own_report = {.base = gla_call_report (&run.call)};
  gla_count_failed (&run.failures, infos.words, infos.pages, &own_report.base);
  gla_give_struct (report, &own_report, sizeof own_report);
  gla_infos_free (&infos);
  return gla_end_call (ctx, status);
}

// lanczos_rows.c: a few eigenvalues of a sparse matrix whose rows are spread over ranks
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The method is that of gla_eigs, with the rows of the basis on the ranks that have those of A.
// Ranks exchange what a product needs and add up inner products; what follows from these is
// computed on each of them, or on rank 0 where LAPACK does it, so that all take the same steps.

#include "common/status.h"
#include "lanczos_rows.h"
#include "arrays.h"
#include "structs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

//------------------------------------------------------------------------------
// what the methods call
//------------------------------------------------------------------------------

static const void *extend (void *user, const void *X, int64_t columns)
{
  const gla_eigs_rows_call *call = user;
  return gla_sparse_rows_extend (call->S, X, call->S->rows, columns);
}

static int add (void *user, double *x, int64_t count)
{
  gla_eigs_rows_call *call = user;
  const int failed = gla_ranks_add (call->S->ranks, x, count);
  call->elsewhere |= failed;
  return failed;
}

// Adds up the failures: 1 for too little memory, after which all ranks try again with less, and
// 2 * GLA_MAX_RANKS for any other, after which all ranks stop, with it or with GLA_ERROR_STOPPED.
static gla_status agree (void *user, gla_status own)
{
  gla_eigs_rows_call *call = user;
  const double hard = 2.0 * GLA_MAX_RANKS;
  double failed = own == GLA_OK ? 0 : own == GLA_ERROR_OUT_OF_MEMORY ? 1 : hard;
  call->elsewhere = 0;
  const int over = add (call, &failed, 1);
  if (own != GLA_OK && (own != GLA_ERROR_OUT_OF_MEMORY || failed < hard))
    return own;
  call->elsewhere |= failed > 0;
  return over || failed >= hard ? GLA_ERROR_STOPPED : failed > 0 ? GLA_ERROR_OUT_OF_MEMORY : GLA_OK;
}

//------------------------------------------------------------------------------
// check and meet
//------------------------------------------------------------------------------

static int64_t mixed (int64_t sum, const void *from, size_t bytes)
{
  const unsigned char *at = from;
  uint64_t h = (uint64_t)sum;
  for (size_t i = 0; i < bytes; i++)
    h = (h ^ at[i]) * 0x100000001b3u; // Fowler, Noll, Vo
  return (int64_t)h;
}

// One number for all options, so that ranks find out whether theirs are the same.
static int64_t options_as_number (const gla_eigs_rows_call *call)
{
  const gla_eigs_run *run = &call->run;
  const gla_eigs_options *o = &run->o;
  const int64_t numbers[] = {
      o->method,     o->block, o->basis,   o->maxit,      (int64_t)o->seed,
      o->trust != 0, o->steps, run->which, o->v0 != NULL, gla_eigs_rows_wish (call)};
  return mixed (mixed (1469598103, numbers, sizeof numbers), &o->tol, sizeof o->tol);
}

static gla_status prepare (gla_eigs_rows_call *call, const gla_eigs_results *r)
{
  gla_eigs_run *run = &call->run;
  gla_ranks *ranks = call->S->ranks;
  gla_eigs_resolve (run);
  GLA_TRY (gla_eigs_check (run, r));
  call->common.slots = calloc ((size_t)ranks->transport.ranks, sizeof (double));
  const int block = run->o.block > 0 ? run->o.block : 1;
  if (call->common.slots != NULL && gla_sparse_rows_room (call->S, block) == GLA_OK)
    return GLA_OK;
  return gla_fail (run->ctx, GLA_ERROR_OUT_OF_MEMORY, "too little memory");
}

static gla_status meet (gla_eigs_rows_call *call, gla_status status, int64_t gpu_kind)
{
  const gla_eigs_run *run = &call->run;
  gla_rank_card card = {.call = GLA_CALL_EIGS, .status = status, .flags = gpu_kind};
  card.size[0] = call->S->ranks->link.asked;
  card.facts[GLA_FACT_COUNT] = run->k;
  card.facts[GLA_FACT_OPTIONS] = options_as_number (call);
  card.facts[GLA_FACT_OUTPUTS] = run->vectors | run->check << 1;
  return gla_ranks_meet (run->ctx, call->S->ranks, &card);
}

// The check is the same on all ranks, so an error names no rank.
static gla_status check_matrix (gla_eigs_rows_call *call)
{
  gla_eigs_run *run = &call->run;
  gla_sparse_scan (run->S);
  call->elsewhere = 1;
  if (isnan (gla_eigs_most (run, run->S->largest)))
    return gla_fail (run->ctx, GLA_ERROR_BAD_ARGUMENT, "A has NaN or Inf");
  if (!gla_sparse_rows_hermitian (call->S))
    return gla_fail (run->ctx, GLA_ERROR_NOT_HERMITIAN, "A is not Hermitian");
  call->elsewhere = 0;
  return GLA_OK;
}

//------------------------------------------------------------------------------
// gla_eigs_rows
//------------------------------------------------------------------------------

static gla_status work (gla_eigs_rows_call *call, const gla_eigs_results *results)
{
  gla_eigs_run *run = &call->run;
  gla_ranks *ranks = call->S->ranks;
  gla_status status = gla_eigs_rows_settle (call);
  const gla_callbacks before = gla_ranks_enter (ranks);
  const gla_place place = run->ctx->place;
  run->ctx->place = GLA_PLACE_CPU; // also for what rank 0 computes densely
  if (status == GLA_OK)
    status = check_matrix (call);
  const gla_status common = status;
  char why[sizeof run->ctx->message];
  memcpy (why, run->ctx->message, sizeof why);
  if (status == GLA_OK)
    status = gla_eigs_is_dense (run) ? gla_eigs_rows_dense (call, results)
                                     : gla_eigs_solve (run, results);
  status = gla_eigs_rows_leave (call, status);
  if (status != GLA_OK && !call->elsewhere)
    gla_ranks_note (ranks, status);
  const gla_status agreed = gla_ranks_agree (ranks);
  gla_ranks_leave (ranks, before);
  run->ctx->place = place;
  if (agreed != GLA_OK || common == GLA_OK)
    return agreed;
  return gla_fail (run->ctx, common, "%s", why);
}

gla_status gla_eigs_rows (gla_context *ctx, gla_sparse_rows *S, int64_t k, gla_eigs_which which,
                          const gla_eigs_results *results, const gla_eigs_options *options,
                          gla_eigs_report *report)
{
  gla_eigs_results r = {.size = 0};
  gla_eigs_options o = {.size = 0};
  int64_t gpu_kind = 0;
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  GLA_TRY (gla_sparse_rows_check (ctx, S));
  GLA_TRY (gla_ranks_check (ctx, S->ranks));
  gla_status status = gla_take_structs (ctx, results, &r, sizeof r, options, &o, sizeof o, report);

  const gla_operator matrix = {.size = sizeof matrix, .sparse = S->local};
  gla_eigs_rows_call call = {.S = S};
  call.common = (gla_eigs_ranks){.krylov = {.ranks = {.before = S->first[S->ranks->transport.rank],
                                                      .order = S->n,
                                                      .reach = S->reach,
                                                      .extend = extend,
                                                      .add = add,
                                                      .agree = agree,
                                                      .user = &call},
                                            .gives = S->give[S->ranks->transport.ranks],
                                            .takes = S->halo,
                                            .left = S->left,
                                            .given = S->given,
                                            .swap = gla_eigs_rows_swap,
                                            .give = S->give,
                                            .take = S->take,
                                            .count = gla_eigs_rows_count,
                                            .fail = gla_eigs_rows_fail},
                                 .rank = S->ranks->transport.rank,
                                 .ranks = S->ranks->transport.ranks,
                                 .gpu = GLA_DEVICE_HOST};
  call.run = (gla_eigs_run){.ctx = ctx,
                            .A = &matrix,
                            .S = S->local,
                            .type = S->type,
                            .n = S->n,
                            .k = k,
                            .rows = S->rows,
                            .which = which,
                            .o = o,
                            .parts = 1 + gla_type_is_complex (S->type),
                            .vectors = r.vectors.data != NULL,
                            .check = r.residuals != NULL,
                            .report.device = GLA_DEVICE_HOST,
                            .ranks = &call.common};
  if (status == GLA_OK)
    status = prepare (&call, &r);
  if (status == GLA_OK)
    status = gla_eigs_rows_choose (&call, &r, &gpu_kind);
  status = meet (&call, status, gpu_kind);
  if (status == GLA_OK)
    status = work (&call, &r);
  else // work ends the choice itself
    gla_choice_end (ctx, &call.choice);
  if (status == GLA_OK)
    gla_give_struct (report, &call.run.report, sizeof call.run.report);
  free (call.common.slots);
  return gla_end_call (ctx, status);
}

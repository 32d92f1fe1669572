// gsvd_columns.c: GSVD and eigenvalues of a pair of rank 0, whose results ranks get by columns
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rank 0 decomposes the pair as it would alone, and all ranks share the sweeps of one pair with
// many columns. Values go to all ranks along the tree; of U, V and X, or of Z, each rank gets its
// block of columns straight from rank 0.

#include "columns.h"
#include "arrays.h"
#include "batch/host_page.h"
#include "common/status.h"
#include "gsvd_share.h"
#include "rows.h"
#include "structs.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MATRICES = 3 };

// A result whose columns the ranks get.
typedef struct {
  const char *name;
  gla_array mine;  // this rank's columns, as the caller has them
  gla_array whole; // all columns; with data on rank 0 alone
} dealt;

// A call on one rank.
typedef struct {
  gla_ranks *ranks;
  gla_array A, B;
  int64_t m, n, q; // of the pair; rows of A and B, on all ranks after they have met
  int shared;
  gla_gsvd_share share;
  gla_array values[2]; // alpha and beta
  int matrices;
  dealt matrix[MOST_MATRICES];
  int32_t *info;
  gla_gsvd_stats *stats;  // NULL: not wanted
  gla_gevd_report report; // that of gla_gsvd is the beginning
} columns_call;

static int64_t least (int64_t x, int64_t y)
{
  return x < y ? x : y;
}

//------------------------------------------------------------------------------
// start
//------------------------------------------------------------------------------

static void add_matrix (columns_call *call, const char *name, const gla_array *mine)
{
  if (mine->data != NULL)
    call->matrix[call->matrices++] = (dealt){.name = name, .mine = *mine};
}

// Sizes of the whole results, which rank 0 knows before the ranks meet.
static void set_sizes (columns_call *call, int64_t m, int64_t n)
{
  const int64_t p = call->A.columns;
  call->m = m;
  call->n = n;
  call->q = least (m + n, p);
  for (int k = 0; k < call->matrices; k++) {
    dealt *d = &call->matrix[k];
    const int64_t rows = d->name[0] == 'U' ? m : d->name[0] == 'V' ? n : p;
    d->whole = gla_rows_shape (&call->A, rows, least (rows, call->q));
  }
}

static size_t codes_of (const columns_call *call)
{
  return (size_t)call->A.pages * sizeof *call->info;
}

static size_t counts_of (const columns_call *call)
{
  return call->stats != NULL ? (size_t)call->A.pages * sizeof *call->stats : 0;
}

// Reserves memory for the longest message. The other ranks have arrays of rank 0's sizes, or the
// call ends before messages are sent.
static gla_status reserve (columns_call *call)
{
  gla_ranks *ranks = call->ranks;
  const int count = ranks->transport.ranks;
  size_t most = codes_of (call) + counts_of (call) + sizeof call->report;
  for (int k = 0; k < 2; k++)
    most += (size_t)(call->A.pages * call->A.columns) * sizeof (double);
  if (call->shared && gla_gsvd_share_bytes (&call->A) > most)
    most = gla_gsvd_share_bytes (&call->A);
  for (int k = 0; k < call->matrices; k++) {
    const dealt *d = &call->matrix[k];
    gla_array block = d->mine;
    if (ranks->transport.rank == 0) {
      block = d->whole;
      block.columns = block.columns / count + 1;
    }
    if (gla_full_bytes (&block) > most)
      most = gla_full_bytes (&block);
  }
  return gla_ranks_reserve (ranks, most);
}

static gla_status allocate (gla_context *ctx, columns_call *call, const gla_gsvd_options *o,
                            int stats)
{
  const size_t pages = (size_t)call->A.pages;
  gla_status status = GLA_OK;
  call->info = calloc (pages + 1, sizeof *call->info);
  call->stats = stats ? calloc (pages + 1, sizeof *call->stats) : NULL;
  if (call->info == NULL || (stats && call->stats == NULL))
    status = GLA_ERROR_OUT_OF_MEMORY;
  call->shared = gla_gsvd_is_shared (call->ranks, &call->A, o);
  if (status == GLA_OK && call->shared)
    status = gla_gsvd_share_start (&call->share, call->ranks, o);
  set_sizes (call, call->A.rows, call->B.rows);
  if (status == GLA_OK)
    status = reserve (call);
  if (status == GLA_OK)
    status = gla_ranks_reserve_sums (call->ranks);
  return status == GLA_OK ? status : gla_fail (ctx, status, "too little memory");
}

static gla_status check_root (gla_context *ctx, const gla_ranks *ranks)
{
  for (int r = 1; r < ranks->transport.ranks; r++)
    if (ranks->cards[r].rows[0] != 0 || ranks->cards[r].rows[1] != 0)
      return gla_fail (ctx, GLA_ERROR_RANKS_DIFFER,
                       "rank %d: A has %lld rows and B has %lld, but all must be on rank 0", r,
                       (long long)ranks->cards[r].rows[0], (long long)ranks->cards[r].rows[1]);
  return GLA_OK;
}

static gla_status check_results (gla_context *ctx, const columns_call *call)
{
  const gla_transport *t = &call->ranks->transport;
  gla_array value = gla_rows_shape (&call->A, call->q, 1);
  value.type = gla_type_real (call->A.type);
  gla_status status = gla_rows_check_output (ctx, "alpha", &call->values[0], &value);
  if (status == GLA_OK)
    status = gla_rows_check_output (ctx, "beta", &call->values[1], &value);
  gla_named_array arrays[4 + MOST_MATRICES] = {
      {"A", &call->A}, {"B", &call->B}, {"alpha", &call->values[0]}, {"beta", &call->values[1]}};
  for (int k = 0; k < call->matrices && status == GLA_OK; k++) {
    const dealt *d = &call->matrix[k];
    const gla_array shape = gla_columns_part (&d->whole, t->rank, t->ranks);
    status = gla_rows_check_output (ctx, d->name, &d->mine, &shape);
    arrays[4 + k] = (gla_named_array){d->name, &d->mine};
  }
  return status == GLA_OK ? gla_check_apart (ctx, arrays, 2, 4 + call->matrices) : status;
}

// After the ranks have met: checks that all have memory for results of the right sizes. Nonzero, on
// all: some have not, and the call ends.
static int check_all (columns_call *call)
{
  gla_ranks *ranks = call->ranks;
  double none = 0;
  set_sizes (call, ranks->cards[0].rows[0], ranks->cards[0].rows[1]);
  gla_ranks_note (ranks, check_results (ranks->ctx, call));
  return gla_ranks_add (ranks, &none, 1);
}

//------------------------------------------------------------------------------
// the work
//------------------------------------------------------------------------------

// Rank 0's memory for whole results; alone it has all columns.
static void take_wholes (columns_call *call)
{
  gla_ranks *ranks = call->ranks;
  for (int k = 0; k < call->matrices; k++) {
    dealt *d = &call->matrix[k];
    d->whole = ranks->transport.ranks == 1
                   ? d->mine
                   : gla_take_pages (call->A.type, d->whole.rows, d->whole.columns, call->A.pages);
    if (d->whole.data == NULL)
      gla_ranks_note (ranks, gla_fail (ranks->ctx, GLA_ERROR_OUT_OF_MEMORY, "too little memory"));
  }
}

static const gla_array *whole_of (const columns_call *call, char name)
{
  static const gla_array none;
  for (int k = 0; k < call->matrices; k++)
    if (call->matrix[k].name[0] == name)
      return &call->matrix[k].whole;
  return &none;
}

static gla_status decompose (columns_call *call, const gla_gsvd_options *o)
{
  gla_context *ctx = call->ranks->ctx;
  call->report.base.size = sizeof call->report;
  if (call->ranks->call == GLA_CALL_GEVD_COLUMNS) {
    const gla_gevd_results r = {.size = sizeof r,
                                .alpha = call->values[0],
                                .beta = call->values[1],
                                .Z = *whole_of (call, 'Z'),
                                .info = call->info};
    return gla_gevd (ctx, &call->A, &call->B, &r, o, &call->report);
  }
  const gla_gsvd_results r = {.size = sizeof r,
                              .alpha = call->values[0],
                              .beta = call->values[1],
                              .U = *whole_of (call, 'U'),
                              .V = *whole_of (call, 'V'),
                              .X = *whole_of (call, 'X'),
                              .info = call->info,
                              .stats = call->stats};
  gla_gsvd_report report = {.base.size = sizeof report};
  const gla_status status = gla_gsvd (ctx, &call->A, &call->B, &r, o, &report);
  call->report.base = report.base;
  return status;
}

// Rank 0 decomposes the pair, and the others follow its commands meanwhile.
static void solve (columns_call *call, const gla_gsvd_options *o)
{
  gla_ranks *ranks = call->ranks;
  const gla_array A = gla_rows_shape (&call->A, call->m, call->A.columns),
                  B = gla_rows_shape (&call->A, call->n, call->A.columns);
  if (ranks->transport.rank > 0) {
    if (call->shared)
      gla_gsvd_share_serve (&call->share, &A, &B);
    return;
  }
  if (call->shared)
    gla_gsvd_share_lead (&call->share, &A);
  take_wholes (call);
  if (gla_ranks_well (ranks))
    gla_ranks_note (ranks, decompose (call, o));
  if (call->shared)
    gla_gsvd_share_dismiss (&call->share);
}

// Sends values, and the numbers of each page, from rank 0 to all.
static void spread (columns_call *call)
{
  const gla_array *values[2];
  int count = 0;
  for (int k = 0; k < 2; k++)
    if (call->values[k].data != NULL)
      values[count++] = &call->values[k];
  const gla_rows_bytes parts[] = {{call->info, codes_of (call)},
                                  {call->stats, counts_of (call)},
                                  {&call->report, sizeof call->report}};
  gla_rows_spread (call->ranks, values, count, parts, 3);
}

//------------------------------------------------------------------------------
// gla_gsvd_columns, gla_gevd_columns
//------------------------------------------------------------------------------

static gla_status work (columns_call *call, const gla_gsvd_options *o)
{
  gla_ranks *ranks = call->ranks;
  GLA_TRY (check_root (ranks->ctx, ranks));
  const gla_callbacks before = gla_silence (ranks->ctx);
  if (check_all (call) == 0) {
    solve (call, o);
    spread (call);
    for (int k = 0; k < call->matrices && ranks->transport.ranks > 1; k++)
      gla_columns_deal (ranks, &call->matrix[k].whole, &call->matrix[k].mine);
  }
  gla_status status = gla_ranks_agree (ranks);
  ranks->ctx->callbacks = before;
  return status;
}

// `status` and `card` are those of the caller, who has filled `call` with arrays; the other ranks
// get the error.
static gla_status run (gla_context *ctx, columns_call *call, gla_rank_card *card,
                       const gla_array *A, const gla_array *B, const gla_gsvd_options *o)
{
  gla_status status =
      card->status != GLA_OK ? (gla_status)card->status : gla_rows_check_pair (ctx, A, B, o);
  if (status == GLA_OK) {
    call->A = *A;
    call->B = *B;
    status = allocate (ctx, call, o, (card->facts[GLA_FACT_OUTPUTS] & 1) != 0);
  }
  card->status = status;
  status = status == GLA_OK ? gla_rows_meet_pair (ctx, call->ranks, card, A, B, o)
                            : gla_rows_meet (ctx, call->ranks, card, A, B);
  if (status == GLA_OK)
    status = work (call, o);
  for (int k = 0; k < call->matrices && call->ranks->transport.ranks > 1; k++)
    free (call->matrix[k].whole.data);
  if (call->shared)
    gla_gsvd_share_end (&call->share);
  return status;
}

gla_status gla_gsvd_columns (gla_context *ctx, gla_ranks *ranks, const gla_array *A,
                             const gla_array *B, const gla_gsvd_results *results,
                             const gla_gsvd_options *options, gla_gsvd_report *report)
{
  gla_gsvd_results r = {.size = 0};
  gla_gsvd_options o = {.size = 0};
  GLA_TRY (gla_ranks_begin (ctx, ranks));
  columns_call call = {.ranks = ranks};
  gla_rank_card card = {.call = GLA_CALL_GSVD_COLUMNS};
  card.status = gla_take_structs (ctx, results, &r, sizeof r, options, &o, sizeof o, report);
  call.values[0] = r.alpha;
  call.values[1] = r.beta;
  add_matrix (&call, "U", &r.U);
  add_matrix (&call, "V", &r.V);
  add_matrix (&call, "X", &r.X);
  card.facts[GLA_FACT_OUTPUTS] = (r.stats != NULL) | (r.alpha.data != NULL) << 1 |
                                 (r.beta.data != NULL) << 2 | (r.U.data != NULL) << 3 |
                                 (r.V.data != NULL) << 4 | (r.X.data != NULL) << 5;
  gla_status status = run (ctx, &call, &card, A, B, &o);
  if (status == GLA_OK) {
    const gla_gsvd_report own = {.base = call.report.base};
    gla_rows_give (r.info, call.info, codes_of (&call));
    gla_rows_give (r.stats, call.stats, counts_of (&call));
    gla_give_struct (report, &own, sizeof own);
  }
  free (call.info);
  free (call.stats);
  return gla_end_call (ctx, status);
}

gla_status gla_gevd_columns (gla_context *ctx, gla_ranks *ranks, const gla_array *A,
                             const gla_array *B, const gla_gevd_results *results,
                             const gla_gsvd_options *options, gla_gevd_report *report)
{
  gla_gevd_results r = {.size = 0};
  gla_gsvd_options o = {.size = 0};
  GLA_TRY (gla_ranks_begin (ctx, ranks));
  columns_call call = {.ranks = ranks};
  gla_rank_card card = {.call = GLA_CALL_GEVD_COLUMNS};
  card.status = gla_take_structs (ctx, results, &r, sizeof r, options, &o, sizeof o, report);
  call.values[0] = r.alpha;
  call.values[1] = r.beta;
  add_matrix (&call, "Z", &r.Z);
  card.facts[GLA_FACT_OUTPUTS] =
      (r.alpha.data != NULL) << 1 | (r.beta.data != NULL) << 2 | (r.Z.data != NULL) << 3;
  gla_status status = run (ctx, &call, &card, A, B, &o);
  if (status == GLA_OK) {
    gla_rows_give (r.info, call.info, codes_of (&call));
    gla_give_struct (report, &call.report, sizeof call.report);
  }
  free (call.info);
  free (call.stats);
  return gla_end_call (ctx, status);
}

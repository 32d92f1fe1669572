// gsvd_rows.c: GSVD and eigenvalues of a pair of matrices whose rows are spread over ranks
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A = QA*RA and B = QB*RB by rows; rank 0 decomposes the pair (RA, RB), which has the values and
// the X of (A, B), and U and V are QA and QB times the factors of the triangles. If rank 0 alone
// has all rows, and they are not much more than columns, it decomposes the pair directly. All ranks
// share the sweeps of one pair with many columns. Called through gpulinalg.h by oct/ranks.

#include "common/status.h"
#include "rows.h"
#include "arrays.h"
#include "batch/host_page.h"
#include "gsvd_share.h"
#include "structs.h"

#include <stdlib.h>
#include <string.h>

// A call on one rank. On rank 0 U and V are the factors of the triangles.
typedef struct {
  gla_rows a, b;
  int64_t q;
  int whole;  // rank 0 has all rows, and they are decomposed as they are
  int shared; // all ranks share the sweeps
  gla_gsvd_share share;
  gla_array U, V;             // on rank 0: the factors of the triangles
  const gla_array *spread[3]; // results that all ranks have
  int spread_count;
  int32_t *info;          // of all pages
  gla_gsvd_stats *stats;  // of all pages, or NULL
  gla_gevd_report report; // that of gla_gsvd is the beginning
} pair_call;

static int64_t least (int64_t x, int64_t y)
{
  return x < y ? x : y;
}

//------------------------------------------------------------------------------
// start
//------------------------------------------------------------------------------

// Reserves memory for the messages of A and B, and of results of p x p and 2*p and for each page.
static gla_status allocate (gla_context *ctx, pair_call *call, const gla_array *A,
                            const gla_gsvd_options *o, int stats)
{
  const size_t pages = (size_t)A->pages, codes = pages * sizeof *call->info,
               counts = stats ? pages * sizeof *call->stats : 0;
  call->info = calloc (codes + 1, 1);
  call->stats = stats ? calloc (counts + 1, 1) : NULL;
  gla_status status =
      call->info == NULL || (stats && call->stats == NULL) ? GLA_ERROR_OUT_OF_MEMORY : GLA_OK;
  call->shared = gla_gsvd_is_shared (call->a.ranks, A, o);
  if (status == GLA_OK && call->shared)
    status = gla_gsvd_share_start (&call->share, call->a.ranks, o);
  if (status == GLA_OK && call->shared)
    status = gla_ranks_reserve (call->a.ranks, gla_gsvd_share_bytes (A));
  if (status != GLA_OK)
    return gla_fail (ctx, GLA_ERROR_OUT_OF_MEMORY, "too little memory");
  return gla_rows_reserve (ctx, call->a.ranks, A, A, codes + counts + sizeof call->report);
}

static gla_status check_and_allocate (gla_context *ctx, pair_call *call, const gla_array *A,
                                      const gla_array *B, const gla_gsvd_options *o, int stats)
{
  GLA_TRY (gla_rows_check_pair (ctx, A, B, o));
  return allocate (ctx, call, A, o, stats);
}

// Whether rank 0 has all rows, and QR would not make them much fewer.
static int is_whole (const gla_rows *rows)
{
  return rows->total == rows->ranks->cards[0].rows[rows->which] &&
         rows->total <= rows->n + rows->n / 2;
}

// Sends the error to the others if card->status is not GLA_OK.
static gla_status start (gla_context *ctx, pair_call *call, gla_rank_card *card, const gla_array *A,
                         const gla_array *B, const gla_gsvd_options *o)
{
  if (card->status != GLA_OK)
    return gla_rows_meet (ctx, call->a.ranks, card, A, B);
  GLA_TRY (gla_rows_meet_pair (ctx, call->a.ranks, card, A, B, o));
  call->b.ranks = call->a.ranks;
  call->b.which = 1;
  call->a.A = *A;
  call->b.A = *B;
  gla_rows_start (&call->a);
  gla_rows_start (&call->b);
  call->q = least (call->a.total + call->b.total, A->columns);
  call->whole = is_whole (&call->a) && is_whole (&call->b);
  return GLA_OK;
}

//------------------------------------------------------------------------------
// the work
//------------------------------------------------------------------------------

// The results that all ranks have: both values and X or Z, as far as they are wanted. The sizes are
// what the others expect, also if an argument of this rank has wrong ones.
static void spread_shapes (pair_call *call, gla_array shapes[3])
{
  for (int k = 0; k < 3; k++)
    if (shapes[k].data != NULL) {
      shapes[k].rows = k < 2 ? call->q : call->a.n;
      shapes[k].columns = k < 2 ? 1 : call->q;
      shapes[k].pages = call->a.pages;
      call->spread[call->spread_count++] = &shapes[k];
    }
}

// Sends the results in `spread`, then the numbers of each page, from rank 0 to all.
static void spread (pair_call *call)
{
  const size_t pages = (size_t)call->a.pages;
  const gla_rows_bytes parts[] = {
      {call->info, pages * sizeof *call->info},
      {call->stats, call->stats != NULL ? pages * sizeof *call->stats : 0},
      {&call->report, sizeof call->report}};
  gla_rows_spread (call->a.ranks, call->spread, call->spread_count, parts, 3);
}

// What rank 0 decomposes.
static const gla_array *on_root (const pair_call *call, const gla_rows *rows)
{
  return call->whole ? &rows->A : &rows->R;
}

static void gather (pair_call *call)
{
  if (call->whole)
    return;
  gla_rows_up (&call->a);
  gla_rows_up (&call->b);
}

// Before rank 0 decomposes the pair: the other ranks wait for its commands, until it ends that.
static void lead_or_serve (pair_call *call)
{
  const gla_rows *a = &call->a, *b = &call->b;
  const gla_array A = gla_rows_shape (&a->A, call->whole ? a->total : a->k, a->n),
                  B = gla_rows_shape (&a->A, call->whole ? b->total : b->k, a->n);
  if (call->shared && a->ranks->transport.rank == 0)
    gla_gsvd_share_lead (&call->share, &A);
  else if (call->shared)
    gla_gsvd_share_serve (&call->share, &A, &B);
}

static void dismiss (pair_call *call)
{
  if (call->shared && call->a.ranks->transport.rank == 0)
    gla_gsvd_share_dismiss (&call->share);
}

// Lets rank 0 use all GPUs for a pair that it decomposes alone, as without ranks.
static void let_all_gpus (const pair_call *call)
{
  if (call->whole)
    call->a.ranks->ctx->rank_here = 0;
}

static void end_call (pair_call *call)
{
  gla_rows_end (&call->a);
  gla_rows_end (&call->b);
  if (call->shared)
    gla_gsvd_share_end (&call->share);
  free (call->U.data);
  free (call->V.data);
  free (call->info);
  free (call->stats);
}

//------------------------------------------------------------------------------
// gla_gsvd_rows
//------------------------------------------------------------------------------

static gla_status check_factors (gla_context *ctx, const pair_call *call, const gla_gsvd_results *r)
{
  const gla_array *A = &call->a.A, *B = &call->b.A;
  const int64_t u = least (call->a.total, call->q), v = least (call->b.total, call->q);
  gla_array value = gla_rows_shape (A, call->q, 1);
  value.type = gla_type_real (A->type);
  const gla_array U = gla_rows_shape (A, A->rows, u), V = gla_rows_shape (B, B->rows, v),
                  X = gla_rows_shape (A, A->columns, call->q);
  const gla_named_array arrays[] = {{"A", A},           {"B", B},     {"alpha", &r->alpha},
                                    {"beta", &r->beta}, {"U", &r->U}, {"V", &r->V},
                                    {"X", &r->X}};
  const gla_array *shapes[] = {&value, &value, &U, &V, &X};
  gla_status status = GLA_OK;
  for (int k = 0; k < 5 && status == GLA_OK; k++)
    status = gla_rows_check_output (ctx, arrays[2 + k].name, arrays[2 + k].array, shapes[k]);
  return status == GLA_OK ? gla_check_apart (ctx, arrays, 2, 7) : status;
}

// On rank 0.
static void decompose (pair_call *call, const gla_gsvd_results *r, const gla_gsvd_options *o)
{
  gla_ranks *ranks = call->a.ranks;
  gla_gsvd_results own = *r;
  gla_gsvd_report report = {.base.size = sizeof report};
  own.info = call->info;
  own.stats = call->stats;
  if (!call->whole)
    own.U.data = own.V.data = NULL;
  if (r->U.data != NULL && !call->whole)
    own.U = call->U = gla_take_pages (r->U.type, call->a.k, r->U.columns, r->U.pages);
  if (r->V.data != NULL && !call->whole)
    own.V = call->V = gla_take_pages (r->V.type, call->b.k, r->V.columns, r->V.pages);
  if ((r->U.data != NULL && own.U.data == NULL) || (r->V.data != NULL && own.V.data == NULL))
    gla_ranks_note (ranks, gla_fail (ranks->ctx, GLA_ERROR_OUT_OF_MEMORY, "too little memory"));
  if (!gla_ranks_well (ranks))
    return;
  gla_ranks_note (ranks, gla_gsvd (ranks->ctx, on_root (call, &call->a), on_root (call, &call->b),
                                   &own, o, &report));
  call->report.base = report.base;
}

static void gsvd_work (pair_call *call, const gla_gsvd_results *results, const gla_gsvd_options *o)
{
  gla_ranks *ranks = call->a.ranks;
  gla_gsvd_results r = *results;
  const gla_status status = check_factors (ranks->ctx, call, &r);
  gla_ranks_note (ranks, status);
  if (status != GLA_OK) { // what the others expect has the right sizes
    r.U.columns = least (call->a.total, call->q);
    r.V.columns = least (call->b.total, call->q);
  }
  gla_array shapes[3] = {r.alpha, r.beta, r.X};
  spread_shapes (call, shapes);
  gather (call);
  lead_or_serve (call);
  if (ranks->transport.rank == 0)
    decompose (call, &r, o);
  dismiss (call);
  spread (call);
  if (call->a.with_q && !call->whole)
    gla_rows_down (&call->a, &call->U, &r.U);
  if (call->b.with_q && !call->whole)
    gla_rows_down (&call->b, &call->V, &r.V);
}

gla_status gla_gsvd_rows (gla_context *ctx, gla_ranks *ranks, const gla_array *A,
                          const gla_array *B, const gla_gsvd_results *results,
                          const gla_gsvd_options *options, gla_gsvd_report *report)
{
  gla_gsvd_results r = {.size = 0};
  gla_gsvd_options o = {.size = 0};
  GLA_TRY (gla_ranks_begin (ctx, ranks));

  // check inputs, allocate, and meet; what is wrong is sent to the others
  pair_call call = {.a = {.ranks = ranks}};
  gla_rank_card card = {.call = GLA_CALL_GSVD};
  gla_status status = gla_take_structs (ctx, results, &r, sizeof r, options, &o, sizeof o, report);
  if (status == GLA_OK)
    status = check_and_allocate (ctx, &call, A, B, &o, r.stats != NULL);
  card.facts[GLA_FACT_OUTPUTS] = (r.alpha.data != NULL) | (r.beta.data != NULL) << 1 |
                                 (r.U.data != NULL) << 2 | (r.V.data != NULL) << 3 |
                                 (r.X.data != NULL) << 4 | (r.stats != NULL) << 5;
  card.status = status;
  call.a.with_q = r.U.data != NULL;
  call.b.with_q = r.V.data != NULL;
  status = start (ctx, &call, &card, A, B, &o);

  if (status == GLA_OK) {
    const gla_callbacks before = gla_ranks_enter (ranks);
    let_all_gpus (&call);
    gsvd_work (&call, &r, &o);
    status = gla_ranks_agree (ranks);
    gla_ranks_leave (ranks, before);
  }
  if (status == GLA_OK) {
    const gla_gsvd_report own = {.base = call.report.base};
    gla_rows_give (r.info, call.info, (size_t)A->pages * sizeof *r.info);
    gla_rows_give (r.stats, call.stats, (size_t)A->pages * sizeof *r.stats);
    gla_give_struct (report, &own, sizeof own);
  }
  end_call (&call);
  return gla_end_call (ctx, status);
}

//------------------------------------------------------------------------------
// gla_gevd_rows
//------------------------------------------------------------------------------

static gla_status check_vectors (gla_context *ctx, const pair_call *call, const gla_gevd_results *r)
{
  const gla_array *A = &call->a.A;
  gla_array value = gla_rows_shape (A, call->q, 1);
  value.type = gla_type_real (A->type);
  const gla_array Z = gla_rows_shape (A, A->columns, call->q);
  GLA_TRY (gla_rows_check_output (ctx, "alpha", &r->alpha, &value));
  GLA_TRY (gla_rows_check_output (ctx, "beta", &r->beta, &value));
  return gla_rows_check_output (ctx, "Z", &r->Z, &Z);
}

static void gevd_work (pair_call *call, const gla_gevd_results *r, const gla_gsvd_options *o)
{
  gla_ranks *ranks = call->a.ranks;
  gla_gevd_results own = *r;
  gla_array shapes[3] = {r->alpha, r->beta, r->Z};
  gla_ranks_note (ranks, check_vectors (ranks->ctx, call, r));
  spread_shapes (call, shapes);
  own.info = call->info;
  call->report.base.size = sizeof call->report;
  gather (call);
  lead_or_serve (call);
  if (ranks->transport.rank == 0 && gla_ranks_well (ranks))
    gla_ranks_note (ranks, gla_gevd (ranks->ctx, on_root (call, &call->a), on_root (call, &call->b),
                                     &own, o, &call->report));
  dismiss (call);
  spread (call);
}

gla_status gla_gevd_rows (gla_context *ctx, gla_ranks *ranks, const gla_array *A,
                          const gla_array *B, const gla_gevd_results *results,
                          const gla_gsvd_options *options, gla_gevd_report *report)
{
  gla_gevd_results r = {.size = 0};
  gla_gsvd_options o = {.size = 0};
  GLA_TRY (gla_ranks_begin (ctx, ranks));

  // check inputs, allocate, and meet; what is wrong is sent to the others
  pair_call call = {.a = {.ranks = ranks}};
  gla_rank_card card = {.call = GLA_CALL_GEVD};
  gla_status status = gla_take_structs (ctx, results, &r, sizeof r, options, &o, sizeof o, report);
  if (status == GLA_OK)
    status = check_and_allocate (ctx, &call, A, B, &o, 0);
  card.facts[GLA_FACT_OUTPUTS] =
      (r.alpha.data != NULL) | (r.beta.data != NULL) << 1 | (r.Z.data != NULL) << 2;
  card.status = status;
  status = start (ctx, &call, &card, A, B, &o);

  if (status == GLA_OK) {
    const gla_callbacks before = gla_ranks_enter (ranks);
    let_all_gpus (&call);
    gevd_work (&call, &r, &o);
    status = gla_ranks_agree (ranks);
    gla_ranks_leave (ranks, before);
  }
  if (status == GLA_OK) {
    gla_rows_give (r.info, call.info, (size_t)A->pages * sizeof *r.info);
    gla_give_struct (report, &call.report, sizeof call.report);
  }
  end_call (&call);
  return gla_end_call (ctx, status);
}

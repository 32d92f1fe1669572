// meet.c: the ranks compare what they are about to do
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Cards of 512 bytes go up the tree to rank 0, and all of them come down again; every rank compares
// them in the same way, so all end with the same error or none.

#include "common/status.h"
#include "group.h"
#include "structs.h"

#include <stdio.h>
#include <string.h>

_Static_assert(sizeof (gla_rank_card) == 512 && sizeof (gla_rank_failure) == 256, "sizes");

static const char *const fact_names[GLA_FACTS] = {"the type of A",
                                                  "the number of columns of A",
                                                  "the number of columns of B",
                                                  "the number of pages",
                                                  "the option \"block\"",
                                                  NULL,
                                                  NULL,
                                                  "the number of eigenvalues"};

static const char *fact_name (int64_t call, int fact)
{
  const int is_x = call == GLA_CALL_SPMV && fact == GLA_FACT_RIGHT_SIDES;
  return is_x ? "the number of columns of x" : fact_names[fact];
}

static const char *call_name (int64_t call)
{
  switch ((gla_rank_call)call) {
  case GLA_CALL_END:
    return "the end of its program";
  case GLA_CALL_ANNOUNCE:
    return "a call with \"mpi\"";
  case GLA_CALL_QR:
    return "a QR factorization";
  case GLA_CALL_LEAST_SQUARES:
    return "a least squares problem";
  case GLA_CALL_GSVD:
    return "a generalized SVD";
  case GLA_CALL_GEVD:
    return "the eigenvalues of a pair";
  case GLA_CALL_DEAL:
  case GLA_CALL_COLLECT:
    return "the transfer of a matrix of rank 0";
  case GLA_CALL_SPARSE:
    return "a sparse matrix by rows";
  case GLA_CALL_SPMV:
    return "a product with a sparse matrix";
  case GLA_CALL_EIGS:
    return "the eigenvalues of a sparse matrix";
  case GLA_CALL_ALL_TO_ALL:
    return "bytes from all ranks to all";
  case GLA_CALL_GSVD_COLUMNS:
    return "a generalized SVD by columns";
  case GLA_CALL_GEVD_COLUMNS:
    return "the eigenvalues of a pair by columns";
  }
  return "a call that is unknown here";
}

// Up the tree: the cards of the ranks below this one stand behind its own.
static int gather (gla_ranks *ranks)
{
  const int rank = ranks->transport.rank, count = ranks->transport.ranks;
  const size_t size = sizeof *ranks->cards;
  for (int level = 0; level < gla_tree_levels (rank, count); level++) {
    const int child = gla_tree_child (rank, count, level);
    if (gla_ranks_move (ranks, child, ranks->cards + child,
                        size * (size_t)gla_tree_size (child, count), 1))
      return 1;
  }
  return rank > 0 && gla_ranks_move (ranks, gla_tree_parent (rank), ranks->cards + rank,
                                     size * (size_t)gla_tree_size (rank, count), 0);
}

static int spread (gla_ranks *ranks)
{
  const int rank = ranks->transport.rank, count = ranks->transport.ranks;
  const size_t all = sizeof *ranks->cards * (size_t)count;
  if (rank > 0 && gla_ranks_move (ranks, gla_tree_parent (rank), ranks->cards, all, 1))
    return 1;
  for (int level = gla_tree_levels (rank, count) - 1; level >= 0; level--)
    if (gla_ranks_move (ranks, gla_tree_child (rank, count, level), ranks->cards, all, 0))
      return 1;
  return 0;
}

// In this order: versions, because cards of another version may mean something else; ranks that
// cannot take part; other calls; other arguments.
static gla_status compare (gla_context *ctx, const gla_ranks *ranks)
{
  const gla_rank_card *cards = ranks->cards;
  const int count = ranks->transport.ranks;
  for (int r = 1; r < count; r++)
    if (cards[r].version != cards[0].version)
      return gla_fail (ctx, GLA_ERROR_RANKS_DIFFER,
                       "rank %d has version %d of gpulinalg, rank 0 has %d", r,
                       (int)cards[r].version, (int)cards[0].version);
  for (int r = 0; r < count; r++)
    if (cards[r].status == GLA_ERROR_STOPPED && r != ranks->transport.rank)
      return gla_fail (ctx, GLA_ERROR_RANK_LOST, "rank %d was stopped", r);
    else if (cards[r].status != GLA_OK)
      return gla_fail (ctx, (gla_status)cards[r].status, "rank %d: %.*s", r,
                       (int)sizeof cards[r].text, cards[r].text);
  for (int r = 1; r < count; r++)
    if (cards[r].call != cards[0].call)
      return gla_fail (ctx, GLA_ERROR_RANKS_DIFFER, "rank %d has come to %s, rank 0 to %s", r,
                       call_name (cards[r].call), call_name (cards[0].call));
  for (int f = 0; f < GLA_FACTS; f++)
    for (int r = 1; r < count; r++) {
      const int64_t here = cards[r].facts[f], there = cards[0].facts[f];
      if (here != there && f == GLA_FACT_TYPE)
        return gla_fail (ctx, GLA_ERROR_RANKS_DIFFER,
                         "%s is not the same: %c on rank 0, %c on rank %d", fact_names[f],
                         (int)there, (int)here, r);
      if (here != there && fact_names[f] == NULL)
        return gla_fail (ctx, GLA_ERROR_RANKS_DIFFER, "rank %d has other %s than rank 0", r,
                         f == GLA_FACT_OPTIONS ? "options" : "outputs");
      if (here != there)
        return gla_fail (ctx, GLA_ERROR_RANKS_DIFFER,
                         "%s is not the same: %lld on rank 0, %lld on rank %d",
                         fact_name (cards[0].call, f), (long long)there, (long long)here, r);
    }
  return GLA_OK;
}

gla_status gla_ranks_meet (gla_context *ctx, gla_ranks *ranks, gla_rank_card *mine)
{
  GLA_TRY (gla_ranks_check (ctx, ranks));
  mine->version = ranks->version;
  if (mine->status != GLA_OK && mine->text[0] == '\0')
    snprintf (mine->text, sizeof mine->text, "%.*s", (int)sizeof mine->text - 1, ctx->message);
  ranks->cards[ranks->transport.rank] = *mine;
  ranks->ctx = ctx;
  ranks->call = (gla_rank_call)mine->call;
  ranks->failure = (gla_rank_failure){.status = GLA_OK};
  if (gather (ranks) || spread (ranks))
    return gla_fail (ctx, ranks->broken, "%s", ranks->why);
  gla_status status = compare (ctx, ranks);
  // A rank that has ended comes to no other call.
  for (int r = 0; r < ranks->transport.ranks; r++)
    if (ranks->cards[r].call == GLA_CALL_END && ranks->broken == GLA_OK) {
      ranks->broken = GLA_ERROR_RANK_LOST;
      ranks->others_ended = 1;
      snprintf (ranks->why, sizeof ranks->why, "rank %d has come to the end of its program", r);
    }
  return status;
}

// The card of a rank that does not take part in what the others have come to.
static gla_rank_card card_of (gla_rank_call call, gla_status status, const char *text)
{
  gla_rank_card card = {.call = call, .status = status};
  snprintf (card.text, sizeof card.text, "%s", text != NULL ? text : "");
  return card;
}

void gla_ranks_sum (const gla_ranks *ranks, int which, int64_t *before, int64_t *total)
{
  *before = *total = 0;
  for (int r = 0; r < ranks->transport.ranks; r++) {
    if (r == ranks->transport.rank)
      *before = *total;
    *total += ranks->cards[r].rows[which];
  }
}

gla_status gla_ranks_announce (gla_context *ctx, gla_ranks *ranks, gla_ranks_parts *parts)
{
  gla_ranks_parts all;
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  if (!gla_take_struct (ctx, "parts", parts, &all, sizeof all))
    return GLA_ERROR_BAD_ARGUMENT;
  gla_rank_card card = card_of (GLA_CALL_ANNOUNCE, GLA_OK, NULL);
  card.flags = all.flags;
  card.rows[0] = all.rows[0];
  card.rows[1] = all.rows[1];
  card.size[0] = all.columns;
  card.size[1] = all.pages;
  const gla_status status = gla_ranks_meet (ctx, ranks, &card);
  if (status != GLA_OK)
    return gla_end_call (ctx, status);
  for (int r = 0; r < ranks->transport.ranks; r++) {
    const gla_rank_card *c = &ranks->cards[r];
    all.flags |= c->flags;
    all.columns = c->size[0] > all.columns ? c->size[0] : all.columns;
    all.pages = c->size[1] > all.pages ? c->size[1] : all.pages;
  }
  for (int k = 0; k < 2; k++)
    gla_ranks_sum (ranks, k, &all.before[k], &all.total[k]);
  gla_give_struct (parts, &all, sizeof all);
  return GLA_OK;
}

gla_status gla_ranks_refuse (gla_context *ctx, gla_ranks *ranks, gla_status why, const char *text)
{
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  if (why == GLA_OK)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "why must not be GLA_OK");
  gla_rank_card card = card_of (GLA_CALL_ANNOUNCE, why, text);
  return gla_end_call (ctx, gla_ranks_meet (ctx, ranks, &card));
}

gla_status gla_ranks_finish (gla_context *ctx, gla_ranks *ranks)
{
  ctx->message[0] = '\0';
  gla_rank_card card = card_of (GLA_CALL_END, GLA_OK, NULL);
  return gla_end_call (ctx, gla_ranks_meet (ctx, ranks, &card));
}

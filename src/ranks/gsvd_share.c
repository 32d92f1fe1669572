// gsvd_share.c: ranks that share the sweeps of one pair
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gsvd_share.h"
#include "gsvd/gsvd_blocks.h"
#include "gsvd/gsvd_serve.h"

#include <stdlib.h>
#include <string.h>

// A command of rank 0 to the others; without columns it is the last one.
typedef struct {
  int64_t columns, rows_f, rows_g;
} sweeps_order;

int gla_gsvd_is_shared (const gla_ranks *ranks, const gla_array *A, const gla_gsvd_options *o)
{
  return ranks->transport.ranks > 1 && A->pages == 1 && gla_gsvd_width (A->columns, o->block) > 0;
}

// A block of two matrices with as many rows as columns.
static size_t block_bytes (const gla_array *A)
{
  return 2 * (size_t)A->columns * GLA_GSVD_BLOCK_MOST * gla_type_size (A->type);
}

size_t gla_gsvd_share_bytes (const gla_array *A)
{
  return 2 * block_bytes (A);
}

//------------------------------------------------------------------------------
// what the backend calls
//------------------------------------------------------------------------------

static int give_order (gla_gsvd_share *share, const sweeps_order *order)
{
  memcpy (gla_ranks_bytes (share->ranks), order, sizeof *order);
  return gla_ranks_spread (share->ranks, sizeof *order);
}

static int begin (void *user, int64_t columns, int64_t rows_f, int64_t rows_g)
{
  return give_order (user, &(sweeps_order){columns, rows_f, rows_g});
}

static int exchange (void *user, int to, size_t out_bytes, int from, size_t in_bytes)
{
  const gla_gsvd_share *share = user;
  return gla_ranks_exchange (share->ranks, to, share->hook.out, out_bytes, from, share->hook.in,
                             in_bytes);
}

static int add (void *user, double *x, int64_t count, int stopped)
{
  gla_gsvd_share *share = user;
  gla_ranks *ranks = share->ranks;
  share->joined = 1;
  if (stopped)
    gla_ranks_note (ranks, gla_fail (ranks->ctx, GLA_ERROR_STOPPED, "stopped"));
  return gla_ranks_add (ranks, x, count);
}

//------------------------------------------------------------------------------
// a call
//------------------------------------------------------------------------------

gla_status gla_gsvd_share_start (gla_gsvd_share *share, gla_ranks *ranks, const gla_gsvd_options *o)
{
  const size_t count = (size_t)ranks->transport.ranks * GLA_GSVD_FOUND;
  share->ranks = ranks;
  share->options = o;
  share->hook = (gla_gsvd_ranks){.rank = ranks->transport.rank,
                                 .ranks = ranks->transport.ranks,
                                 .begin = begin,
                                 .exchange = exchange,
                                 .add = add,
                                 .found = malloc (count * sizeof (double)),
                                 .user = share};
  return share->hook.found != NULL ? gla_ranks_reserve_sums (ranks) : GLA_ERROR_OUT_OF_MEMORY;
}

void gla_gsvd_share_end (gla_gsvd_share *share)
{
  free (share->hook.found);
}

// Messages with blocks use the memory of messages with heads, never at the same time.
void gla_gsvd_share_lead (gla_gsvd_share *share, const gla_array *A)
{
  share->hook.out = gla_ranks_bytes (share->ranks);
  share->hook.in = share->hook.out + block_bytes (A);
  share->ranks->ctx->gsvd_ranks = &share->hook;
}

void gla_gsvd_share_dismiss (gla_gsvd_share *share)
{
  share->ranks->ctx->gsvd_ranks = NULL;
  (void)give_order (share, &(sweeps_order){0, 0, 0});
}

// Follows one command of rank 0. A rank that cannot still takes part in the first sum, from which
// all learn of the failure.
static void obey (gla_gsvd_share *share, const gla_array *A, const gla_array *B)
{
  gla_ranks *ranks = share->ranks;
  double none = 0;
  share->joined = 0;
  if (gla_ranks_well (ranks)) {
    const gla_status status = gla_gsvd_serve (ranks->ctx, A, B, share->options);
    if (status == GLA_ERROR_OUT_OF_MEMORY)
      gla_fail (ranks->ctx, status, "too little memory");
    gla_ranks_note (ranks, status);
  }
  if (!share->joined)
    (void)gla_ranks_add (ranks, &none, 1);
}

void gla_gsvd_share_serve (gla_gsvd_share *share, const gla_array *A, const gla_array *B)
{
  gla_ranks *ranks = share->ranks;
  sweeps_order order;
  gla_gsvd_share_lead (share, A);
  while (gla_ranks_spread (ranks, sizeof order) == 0) {
    memcpy (&order, gla_ranks_bytes (ranks), sizeof order);
    if (order.columns == 0)
      break;
    share->hook.columns = order.columns;
    share->hook.rows_f = order.rows_f;
    share->hook.rows_g = order.rows_g;
    obey (share, A, B);
  }
  ranks->ctx->gsvd_ranks = NULL;
}

// rows_call.c: what all collective calls on rows do before and after their work
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/status.h"
#include "rows.h"
#include "arrays.h"

#include <string.h>

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

static gla_status on_host (gla_context *ctx, const char *name, const gla_array *a)
{
  if (a->device == GLA_DEVICE_HOST)
    return GLA_OK;
  return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s is in place %d, it must be on the host", name,
                   a->device);
}

gla_status gla_rows_check_inputs (gla_context *ctx, const gla_array *A, const gla_array *B)
{
  if (A == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "A must not be NULL");
  gla_status status = gla_check_input (ctx, "A", A);
  if (status == GLA_OK)
    status = on_host (ctx, "A", A);
  if (status == GLA_OK && B != NULL)
    status = gla_check_input (ctx, "B", B);
  return status == GLA_OK && B != NULL ? on_host (ctx, "B", B) : status;
}

gla_status gla_rows_check_rhs (gla_context *ctx, const gla_array *A, const gla_array *B)
{
  const gla_status status = gla_rows_check_inputs (ctx, A, B);
  if (status != GLA_OK || B == NULL)
    return status;
  return gla_check_array (ctx, "B", B, A->type, A->rows, B->columns, A->pages);
}

gla_status gla_rows_check_pair (gla_context *ctx, const gla_array *A, const gla_array *B,
                                const gla_gsvd_options *o)
{
  if (B == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "B must not be NULL");
  GLA_TRY (gla_rows_check_inputs (ctx, A, B));
  if (o->block < 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "block = %d must not be negative", o->block);
  return gla_check_array (ctx, "B", B, A->type, B->rows, A->columns, A->pages);
}

gla_status gla_rows_check_output (gla_context *ctx, const char *name, const gla_array *a,
                                  const gla_array *shape)
{
  if (a->data == NULL)
    return GLA_OK;
  gla_status status =
      gla_check_array (ctx, name, a, shape->type, shape->rows, shape->columns, shape->pages);
  if (status == GLA_OK && a->rows > 1 && a->columns > 1)
    status = gla_check_rows (ctx, name, a);
  return status == GLA_OK ? on_host (ctx, name, a) : status;
}

gla_array gla_rows_shape (const gla_array *A, int64_t rows, int64_t columns)
{
  return gla_array_packed (NULL, A->type, rows, columns, A->pages, GLA_DEVICE_HOST);
}

//------------------------------------------------------------------------------
// meeting
//------------------------------------------------------------------------------

gla_status gla_rows_meet (gla_context *ctx, gla_ranks *ranks, gla_rank_card *card,
                          const gla_array *A, const gla_array *B)
{
  if (card->status != GLA_OK)
    return gla_ranks_meet (ctx, ranks, card);
  card->rows[0] = A->rows;
  card->rows[1] = B != NULL ? B->rows : 0;
  card->facts[GLA_FACT_TYPE] = A->type;
  card->facts[GLA_FACT_COLUMNS] = A->columns;
  card->facts[GLA_FACT_PAGES] = A->pages;
  return gla_ranks_meet (ctx, ranks, card);
}

gla_status gla_rows_meet_pair (gla_context *ctx, gla_ranks *ranks, gla_rank_card *card,
                               const gla_array *A, const gla_array *B, const gla_gsvd_options *o)
{
  card->facts[GLA_FACT_RIGHT_SIDES] = B->columns;
  card->facts[GLA_FACT_BLOCK] = o->block;
  card->facts[GLA_FACT_OPTIONS] =
      (int)o->method + 10 * (int)o->blocking + 100 * (int)o->ordering + 1000 * (o->blank != 0);
  card->status = GLA_OK;
  return gla_rows_meet (ctx, ranks, card, A, B);
}

// Room for the messages of this matrix and `more` bytes of results.
gla_status gla_rows_reserve (gla_context *ctx, gla_ranks *ranks, const gla_array *A,
                             const gla_array *B, size_t more)
{
  const size_t bytes = gla_rows_message (A, B != NULL ? B->columns : 0);
  if (bytes > 0 && gla_ranks_reserve (ranks, bytes + more) == GLA_OK)
    return GLA_OK;
  return gla_fail (ctx, GLA_ERROR_OUT_OF_MEMORY, "too little memory for messages");
}

//------------------------------------------------------------------------------
// results
//------------------------------------------------------------------------------

int gla_rows_spread (gla_ranks *ranks, const gla_array *const *arrays, int count,
                     const gla_rows_bytes *parts, int part_count)
{
  size_t bytes = 0;
  for (int k = 0; k < count; k++)
    bytes += gla_full_bytes (arrays[k]);
  for (int k = 0; k < part_count; k++)
    bytes += parts[k].bytes;
  if (ranks->transport.rank == 0 && gla_ranks_well (ranks)) {
    char *at = gla_ranks_bytes (ranks);
    for (int k = 0; k < count; k++)
      at = gla_put_full (at, arrays[k]);
    for (int k = 0; k < part_count; at += parts[k++].bytes)
      if (parts[k].bytes > 0)
        memcpy (at, parts[k].data, parts[k].bytes);
  }
  if (gla_ranks_spread (ranks, bytes) || !gla_ranks_well (ranks))
    return 1;
  const char *from = gla_ranks_bytes (ranks);
  for (int k = 0; k < count; k++)
    from = gla_get_full (from, arrays[k]);
  for (int k = 0; k < part_count; from += parts[k++].bytes)
    if (parts[k].bytes > 0)
      memcpy (parts[k].data, from, parts[k].bytes);
  return 0;
}

void gla_rows_give (void *to, const void *from, size_t bytes)
{
  if (to != NULL && bytes > 0)
    memcpy (to, from, bytes);
}

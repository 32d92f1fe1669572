// all_to_all.c: every rank gives bytes to every rank
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/status.h"
#include "group.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20 }; // bytes of one message

static gla_status check (gla_context *ctx, gla_ranks *ranks, const void *data, const int64_t *bytes,
                         void *const *received, const int64_t *bytes_in)
{
  if (bytes == NULL || received == NULL || bytes_in == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not be NULL",
                     bytes == NULL      ? "bytes"
                     : received == NULL ? "received"
                                        : "bytes_in");
  for (int r = 0; r < ranks->transport.ranks; r++)
    if (bytes[r] < 0 || (bytes[r] > 0 && data == NULL))
      return bytes[r] < 0
                 ? gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "bytes[%d] must not be negative", r)
                 : gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "data must not be NULL");
  if (gla_ranks_reserve_sums (ranks) != GLA_OK || gla_ranks_reserve (ranks, 2 * PIECE) != GLA_OK)
    return gla_fail (ctx, GLA_ERROR_OUT_OF_MEMORY, "too little memory for messages");
  return GLA_OK;
}

// Sends to one rank and receives from another one through the memory of messages, because a receive
// into the caller's memory must not stay open when a rank gives up. Nonzero: the ranks are broken.
static int swap (gla_ranks *ranks, int to, const char *out, int64_t out_bytes, int from, char *in,
                 int64_t in_bytes)
{
  char *sent = gla_ranks_bytes (ranks), *got = sent + PIECE;
  for (int64_t at = 0; at < out_bytes || at < in_bytes; at += PIECE) {
    const int64_t left = out_bytes - at, coming = in_bytes - at;
    const size_t here = left <= 0      ? 0
                        : left < PIECE ? (size_t)left
                                       : PIECE,
                 there = coming <= 0      ? 0
                         : coming < PIECE ? (size_t)coming
                                          : PIECE;
    if (here > 0)
      memcpy (sent, out + at, here);
    if (gla_ranks_exchange (ranks, to, sent, here, from, got, there))
      return 1;
    if (there > 0)
      memcpy (in + at, got, there);
  }
  return 0;
}

// In round k every rank sends to the rank k places after it.
static void tell_counts (gla_ranks *ranks, const int64_t *bytes, int64_t *bytes_in)
{
  const int rank = ranks->transport.rank, count = ranks->transport.ranks;
  bytes_in[rank] = bytes[rank];
  for (int k = 1; k < count; k++) {
    const int to = (rank + k) % count, from = (rank + count - k) % count;
    if (swap (ranks, to, (const char *)&bytes[to], sizeof *bytes, from, (char *)&bytes_in[from],
              sizeof *bytes_in))
      return;
  }
}

static int64_t before (const int64_t *bytes, int rank)
{
  int64_t sum = 0;
  for (int r = 0; r < rank; r++)
    sum += bytes[r];
  return sum;
}

static void trade (gla_ranks *ranks, const char *data, const int64_t *bytes, char *received,
                   const int64_t *bytes_in)
{
  const int rank = ranks->transport.rank, count = ranks->transport.ranks;
  if (bytes[rank] > 0)
    memcpy (received + before (bytes_in, rank), data + before (bytes, rank), (size_t)bytes[rank]);
  for (int k = 1; k < count; k++) {
    const int to = (rank + k) % count, from = (rank + count - k) % count;
    if (swap (ranks, to, data + before (bytes, to), bytes[to], from,
              received + before (bytes_in, from), bytes_in[from]))
      return;
  }
}

gla_status gla_ranks_all_to_all (gla_context *ctx, gla_ranks *ranks, const void *data,
                                 const int64_t *bytes, void **received, int64_t *bytes_in)
{
  double none = 0;
  GLA_TRY (gla_ranks_begin (ctx, ranks));
  gla_rank_card card = {.call = GLA_CALL_ALL_TO_ALL};
  card.status = check (ctx, ranks, data, bytes, received, bytes_in);
  if (received != NULL)
    *received = NULL;
  gla_status status = gla_ranks_meet (ctx, ranks, &card);
  if (status != GLA_OK)
    return gla_end_call (ctx, status);
  tell_counts (ranks, bytes, bytes_in);
  if (ranks->broken == GLA_OK)
    *received = malloc ((size_t)before (bytes_in, ranks->transport.ranks) + 1);
  if (*received == NULL && ranks->broken == GLA_OK)
    gla_ranks_note (ranks, gla_fail (ctx, GLA_ERROR_OUT_OF_MEMORY, "too little memory"));
  if (gla_ranks_add (ranks, &none, 1) == 0)
    trade (ranks, data, bytes, *received, bytes_in);
  status = gla_ranks_agree (ranks);
  if (status != GLA_OK) {
    free (*received);
    *received = NULL;
  }
  return gla_end_call (ctx, status);
}

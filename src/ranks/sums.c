// sums.c: numbers added up over all ranks
// SPDX-License-Identifier: GPL-3.0-or-later

#include "group.h"

#include <stdint.h>
#include <string.h>

enum { PIECE = 8192 }; // numbers of one message

gla_status gla_ranks_reserve_sums (gla_ranks *ranks)
{
  return gla_ranks_reserve (ranks, (PIECE + 1) * sizeof (double));
}

// Up the tree: each rank adds the numbers of its children to its own.
static int add_up (gla_ranks *ranks, double *x, int64_t count)
{
  const int rank = ranks->transport.rank, size = ranks->transport.ranks;
  const size_t bytes = (size_t)count * sizeof *x;
  for (int level = 0; level < gla_tree_levels (rank, size); level++) {
    if (gla_ranks_receive (ranks, gla_tree_child (rank, size, level), bytes))
      return 1;
    const char *from = gla_ranks_bytes (ranks);
    for (int64_t i = 0; i < count; i++) {
      double other;
      memcpy (&other, from + (size_t)i * sizeof other, sizeof other);
      x[i] += other;
    }
  }
  memcpy (gla_ranks_bytes (ranks), x, bytes);
  return rank > 0 && gla_ranks_send (ranks, gla_tree_parent (rank), bytes);
}

// The last of `count` numbers is the number of ranks that have failed. A failure during a sum is
// reported with the next sum, so all ranks learn of it at the same place.
static int add_piece (gla_ranks *ranks, double *x, int64_t count)
{
  const size_t bytes = (size_t)count * sizeof *x;
  if (gla_stop_wanted (ranks->ctx))
    gla_ranks_note (ranks, gla_fail (ranks->ctx, GLA_ERROR_STOPPED, "stopped"));
  x[count - 1] = !gla_ranks_well (ranks);
  if (add_up (ranks, x, count) || gla_ranks_spread (ranks, bytes))
    return 1;
  memcpy (x, gla_ranks_bytes (ranks), bytes);
  return x[count - 1] != 0;
}

int gla_ranks_add (gla_ranks *ranks, double *x, int64_t count)
{
  double piece[PIECE + 1];
  int failed = 0;
  for (int64_t first = 0; first < count && ranks->broken == GLA_OK; first += PIECE) {
    const int64_t left = count - first, here = left < PIECE ? left : PIECE;
    memcpy (piece, x + first, (size_t)here * sizeof *x);
    failed |= add_piece (ranks, piece, here + 1);
    memcpy (x + first, piece, (size_t)here * sizeof *x);
  }
  return failed || ranks->broken != GLA_OK;
}

// columns.c: a matrix of rank 0 goes to all ranks by columns
// SPDX-License-Identifier: GPL-3.0-or-later

#include "columns.h"
#include "rows.h"

// The first column of a rank; that of rank `ranks` is behind the last one.
static int64_t first_column (int64_t columns, int rank, int ranks)
{
  return columns / ranks * rank + columns % ranks * rank / ranks;
}

gla_array gla_columns_part (const gla_array *whole, int rank, int ranks)
{
  const int64_t first = first_column (whole->columns, rank, ranks);
  gla_array part = *whole;
  part.columns = first_column (whole->columns, rank + 1, ranks) - first;
  if (whole->data != NULL)
    part.data =
        (char *)whole->data + (size_t)(first * whole->column_stride) * gla_type_size (whole->type);
  return part;
}

// Sends one message from rank 0 to each other rank, and copies on rank 0.
void gla_columns_deal (gla_ranks *ranks, const gla_array *whole, const gla_array *mine)
{
  const int rank = ranks->transport.rank, count = ranks->transport.ranks;
  char *memory = gla_ranks_bytes (ranks);
  if (rank > 0 && gla_ranks_receive (ranks, 0, gla_full_bytes (mine)) == 0 &&
      gla_ranks_well (ranks))
    (void)gla_get_full (memory, mine);
  for (int r = 0; rank == 0 && r < count; r++) {
    const gla_array part = gla_columns_part (whole, r, count);
    const int well = gla_ranks_well (ranks);
    if (well)
      (void)gla_put_full (memory, &part);
    if (r == 0 && well)
      (void)gla_get_full (memory, mine);
    else if (r > 0 && gla_ranks_send (ranks, r, gla_full_bytes (&part)))
      return;
  }
}

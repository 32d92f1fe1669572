// sparse_extend.c: vectors with what other ranks have of them
// SPDX-License-Identifier: GPL-3.0-or-later

#include "sparse_rows.h"

#include <stdlib.h>
#include <string.h>

static int64_t most_of (const int64_t *offsets, int count)
{
  int64_t most = 0;
  for (int r = 0; r < count; r++)
    most = offsets[r + 1] - offsets[r] > most ? offsets[r + 1] - offsets[r] : most;
  return most;
}

gla_status gla_sparse_rows_room (gla_sparse_rows *S, int64_t width)
{
  const size_t size = gla_type_size (S->type);
  const int count = S->ranks->transport.ranks;
  if (width <= S->width)
    return GLA_OK;
  if ((uint64_t)width > SIZE_MAX / 2 / size / (size_t)(S->n + 1))
    return GLA_ERROR_OUT_OF_MEMORY;
  const size_t one = (size_t)width * size;
  char *out = malloc ((size_t)most_of (S->give, count) * one + 1),
       *in = malloc ((size_t)most_of (S->take, count) * one + 1),
       *extended = malloc ((size_t)S->reach * one + 1);
  if (out == NULL || in == NULL || extended == NULL) {
    free (out);
    free (in);
    free (extended);
    return GLA_ERROR_OUT_OF_MEMORY;
  }
  gla_ranks_drop (S->ranks, S->out);
  gla_ranks_drop (S->ranks, S->in);
  free (S->extended);
  S->out = out;
  S->in = in;
  S->extended = extended;
  S->width = width;
  return GLA_OK;
}

// Rows rows[0..count-1] of X, column after column. The size is a constant in each copy.
static void pack (char *to, const char *X, size_t column, int64_t columns, const int64_t *rows,
                  int64_t count, size_t size)
{
  for (int64_t c = 0; c < columns; c++, X += column, to += (size_t)count * size)
    for (int64_t i = 0; i < count; i++) {
      const char *from = X + (size_t)rows[i] * size;
      if (size == 4)
        memcpy (to + 4 * i, from, 4);
      else if (size == 8)
        memcpy (to + 8 * i, from, 8);
      else
        memcpy (to + 16 * i, from, 16);
    }
}

// Where the vectors have the columns of other ranks: before the rows of this one, or behind them.
static int64_t place_of (const gla_sparse_rows *S, int64_t k)
{
  return k < S->left ? k : k + S->rows;
}

// Sends to one rank what it needs, and receives from another what is needed here.
static int swap (gla_sparse_rows *S, const char *X, size_t column, int64_t columns, int to,
                 int from)
{
  const size_t size = gla_type_size (S->type);
  const int64_t gives = S->give[to + 1] - S->give[to], takes = S->take[from + 1] - S->take[from];
  if (gives == 0 && takes == 0)
    return 0;
  pack (S->out, X, column, columns, S->given + S->give[to], gives, size);
  if (gla_ranks_exchange (S->ranks, to, S->out, (size_t)(gives * columns) * size, from, S->in,
                          (size_t)(takes * columns) * size))
    return 1;
  for (int64_t c = 0; c < columns && takes > 0; c++)
    memcpy (S->extended + (size_t)(c * S->reach + place_of (S, S->take[from])) * size,
            S->in + (size_t)(c * takes) * size, (size_t)takes * size);
  return 0;
}

const void *gla_sparse_rows_extend (gla_sparse_rows *S, const void *X, int64_t ld, int64_t columns)
{
  const size_t size = gla_type_size (S->type);
  const int rank = S->ranks->transport.rank, count = S->ranks->transport.ranks;
  for (int64_t c = 0; c < columns && S->rows > 0; c++)
    memcpy (S->extended + (size_t)(c * S->reach + S->left) * size,
            (const char *)X + (size_t)(c * ld) * size, (size_t)S->rows * size);
  for (int k = 1; k < count; k++)
    if (swap (S, X, (size_t)ld * size, columns, (rank + k) % count, (rank + count - k) % count))
      break; // the ranks are broken, which the next sum finds
  return S->extended;
}

//------------------------------------------------------------------------------
// vectors whose elements of a row are side by side
//------------------------------------------------------------------------------

gla_status gla_sparse_rows_swap_room (gla_sparse_rows *S, int64_t width)
{
  const size_t size = gla_type_size (S->type);
  const int64_t gives = S->give[S->ranks->transport.ranks];
  if (width <= S->swap_width)
    return GLA_OK;
  if ((uint64_t)width > SIZE_MAX / 2 / size / (size_t)(gives + S->halo + 1))
    return GLA_ERROR_OUT_OF_MEMORY;
  char *out = malloc ((size_t)(gives * width) * size + 1),
       *in = malloc ((size_t)(S->halo * width) * size + 1);
  if (out == NULL || in == NULL) {
    free (out);
    free (in);
    return GLA_ERROR_OUT_OF_MEMORY;
  }
  gla_ranks_drop (S->ranks, S->swap_out);
  gla_ranks_drop (S->ranks, S->swap_in);
  S->swap_out = out;
  S->swap_in = in;
  S->swap_width = width;
  return GLA_OK;
}

void gla_sparse_rows_swap (gla_sparse_rows *S, int64_t columns)
{
  const size_t row = (size_t)columns * gla_type_size (S->type);
  const int rank = S->ranks->transport.rank, count = S->ranks->transport.ranks;
  for (int k = 1; k < count; k++) {
    const int to = (rank + k) % count, from = (rank + count - k) % count;
    const int64_t gives = S->give[to + 1] - S->give[to], takes = S->take[from + 1] - S->take[from];
    if ((gives > 0 || takes > 0) &&
        gla_ranks_exchange (S->ranks, to, S->swap_out + (size_t)S->give[to] * row,
                            (size_t)gives * row, from, S->swap_in + (size_t)S->take[from] * row,
                            (size_t)takes * row))
      return; // the ranks are broken, which the next sum finds
  }
}

void gla_sparse_rows_count (gla_sparse_rows *S, int64_t columns)
{
  const size_t row = (size_t)columns * gla_type_size (S->type);
  for (int r = 0; r < S->ranks->transport.ranks; r++)
    gla_ranks_count (S->ranks, (size_t)(S->give[r + 1] - S->give[r]) * row,
                     (size_t)(S->take[r + 1] - S->take[r]) * row);
}

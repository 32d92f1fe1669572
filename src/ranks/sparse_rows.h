// sparse_rows.h: the inside of gla_sparse_rows
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The columns of this rank's rows that have entries, and those of its own rows, are numbered anew,
// in their order: the matrix `local` is rows x reach. A vector that it is multiplied by has the
// rows of this rank from `left` on, with those of lower ranks before and of higher ranks behind:
// the halo. What is sent in a product was listed when the matrix was created: for a mesh little,
// for a graph in which all is connected nearly all of the vector.

#ifndef GPULINALG_RANKS_SPARSE_ROWS_H
#define GPULINALG_RANKS_SPARSE_ROWS_H

#include "group.h"
#include "spmv/sparse.h"

struct gla_sparse_rows {
  gla_context *ctx;
  gla_ranks *ranks;
  gla_type type;
  int64_t n;      // the order
  int64_t rows;   // of this rank
  int64_t *first; // ranks+1: rank r has the rows first[r] .. first[r+1]-1

  gla_sparse *local;
  void *start, *index; // of it, where they are our own
  int64_t left, reach, halo;
  int64_t *columns;         // halo: the columns of other ranks, ascending
  int64_t *take;            // ranks+1: columns[take[r]] .. come from rank r
  int64_t *give;            // ranks+1: given[give[r]] .. go to rank r
  int64_t *given;           // rows, from 0 here
  int64_t *counts;          // ranks: rows that others want, then rows that this rank wants of them
  int hermitian;            // -1: not known yet
  int64_t width;            // vectors that there is room for
  char *out, *in;           // of a message
  char *extended;           // reach x width
  int64_t swap_width;       // vectors that there is room for in these:
  char *swap_out, *swap_in; // all rows that go to others, and come from them
};

// Room for products with so many vectors.
gla_status gla_sparse_rows_room (gla_sparse_rows *S, int64_t width);
// X (leading dimension ld) with the halo: reach x columns, valid until the next call. All ranks.
const void *gla_sparse_rows_extend (gla_sparse_rows *S, const void *X, int64_t ld, int64_t columns);
// Room for so many vectors whose elements of a row are side by side, and an exchange of them: rows
// given[0..] in swap_out to the ranks that need them, the halo to swap_in. All ranks.
gla_status gla_sparse_rows_swap_room (gla_sparse_rows *S, int64_t width);
void gla_sparse_rows_swap (gla_sparse_rows *S, int64_t columns);
// Counts the messages of such an exchange, which has gone another way.
void gla_sparse_rows_count (gla_sparse_rows *S, int64_t columns);
// The column of A that is column k of `local`.
int64_t gla_sparse_rows_column (const gla_sparse_rows *S, int64_t k);
// Whether A = A', exactly but for one case in 2^63. All ranks, after they have met; the same on
// all.
int gla_sparse_rows_hermitian (gla_sparse_rows *S);
// Whether this can be multiplied in this context.
gla_status gla_sparse_rows_check (gla_context *ctx, const gla_sparse_rows *S);

#endif

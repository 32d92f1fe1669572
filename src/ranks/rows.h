// rows.h: QR of a matrix whose rows are spread over ranks: the tree, the leaves, and collective
// calls
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_RANKS_ROWS_H
#define GPULINALG_RANKS_ROWS_H

#include "group.h"

//------------------------------------------------------------------------------
// QR of a matrix whose rows are spread over ranks, up and down the tree of ranks
//------------------------------------------------------------------------------

// The first n rows of the whole matrix, its top, go to rank 0 as they are; nearly always they are
// rows of rank 0. Each rank factors the rest of its rows, and triangles are stacked and factored up
// the tree. Rank 0 factors the top on the last triangle: a reflector takes its sign from a row of
// the top and its length from all rows, so R has the signs of a QR of the whole matrix.

enum { GLA_TREE_LEVELS = 17 }; // GLA_MAX_RANKS

// A factorisation of stacked triangles; Q.data is NULL where nothing was to be factored.
typedef struct {
  gla_array Q;          // (above + below) x k
  int64_t above, below; // rows of both triangles
} gla_rows_node;

// One matrix. What begins the struct is set by the caller, the rest by the functions below.
typedef struct {
  gla_ranks *ranks;
  int which;   // 0: A, 1: B, among the rows that the ranks have announced
  gla_array A; // the rows of this rank
  gla_array B; // right-hand sides, so many columns:
  int64_t rhs;
  int with_q;
  int block;       // option of gla_qr
  gla_report base; // of the factorisation of this rank's rows

  int64_t n, pages;
  int64_t total, k; // rows in all, and min (total, n)
  gla_array T, BT;  // rows of the top on the ranks from this one on, as far as they are here
  gla_array R, C;   // of the other rows of these ranks; on rank 0 at the end of all
  gla_array leaf;   // Q of this rank's rows, on the host or on the GPU of this rank
  gla_array last;   // that of the last factorisation, on rank 0
  gla_rows_node nodes[GLA_TREE_LEVELS];
} gla_rows;

// Bytes of the longest message of such a matrix; 0: too many.
size_t gla_rows_message (const gla_array *A, int64_t rhs);
// After the ranks have met.
void gla_rows_start (gla_rows *rows);
// Up: R (k x n) and C (k x rhs) on rank 0, unless a rank has failed.
void gla_rows_up (gla_rows *rows);
// Down: Q = (rows of the whole Q that belong to this rank) * G, for G of k x Q->columns on rank 0;
// without data it is the identity.
void gla_rows_down (gla_rows *rows, const gla_array *G, const gla_array *Q);
void gla_rows_end (gla_rows *rows);

// Columns of an array in a message; each returns the place behind it. Upper: the upper trapezoid
// alone, and zeros below it when it is read.
char *gla_put_full (char *to, const gla_array *a);
char *gla_put_upper (char *to, const gla_array *a);
const char *gla_get_full (const char *from, const gla_array *a);
const char *gla_get_upper (const char *from, const gla_array *a);
size_t gla_full_bytes (const gla_array *a);
size_t gla_upper_bytes (const gla_array *a);

// Rows first .. first+count-1 of an array.
gla_array gla_rows_part (const gla_array *a, int64_t first, int64_t count);

//------------------------------------------------------------------------------
// factorisations and products of one rank: of its rows, and of stacked triangles
//------------------------------------------------------------------------------

// All note what fails, and do nothing where a rank has failed.

// Memory on the host for r x c on all pages.
gla_array gla_rows_new (gla_rows *rows, int64_t r, int64_t c);
void gla_rows_drop (gla_array *a);
void gla_rows_copy (const gla_array *to, const gla_array *from);
// A copy with room for more rows below.
gla_array gla_rows_stack (gla_rows *rows, const gla_array *upper, int64_t below);

// Stacked triangles: rows->R and rows->C are replaced, and Q is taken where it is wanted.
void gla_rows_factor (gla_rows *rows, const gla_array *A, const gla_array *B, gla_array *Q);
void gla_rows_multiply (gla_rows *rows, const gla_array *A, const gla_array *B, const gla_array *C);

// The rows of this rank: rows->R, rows->C and, where it is wanted, rows->leaf. On a GPU the rows go
// there once, and Q stays there.
void gla_leaf_factor (gla_rows *rows, const gla_array *A, const gla_array *B);
// to = leaf*G on the host; G NULL: the identity.
void gla_leaf_multiply (gla_rows *rows, const gla_array *G, const gla_array *to);
void gla_leaf_end (gla_rows *rows);

//------------------------------------------------------------------------------
// what all collective calls on rows do before and after their work
//------------------------------------------------------------------------------

// Whether A, and B unless it is NULL, can be read and are on the host.
gla_status gla_rows_check_inputs (gla_context *ctx, const gla_array *A, const gla_array *B);
// The same for right-hand sides B of A.
gla_status gla_rows_check_rhs (gla_context *ctx, const gla_array *A, const gla_array *B);
// The same for a pair of gla_gsvd.
gla_status gla_rows_check_pair (gla_context *ctx, const gla_array *A, const gla_array *B,
                                const gla_gsvd_options *o);
// Whether a result without data, or of this type and shape, is on the host.
gla_status gla_rows_check_output (gla_context *ctx, const char *name, const gla_array *a,
                                  const gla_array *shape);
// The type and the pages of A with other rows and columns; no data.
gla_array gla_rows_shape (const gla_array *A, int64_t rows, int64_t columns);

// Room for the messages of A with right-hand sides B (NULL: none) and `more` bytes of results.
gla_status gla_rows_reserve (gla_context *ctx, gla_ranks *ranks, const gla_array *A,
                             const gla_array *B, size_t more);
// The ranks meet: with the sizes of A, and of B where its rows count, or where the status of the
// card is not GLA_OK, with the message of the context.
gla_status gla_rows_meet (gla_context *ctx, gla_ranks *ranks, gla_rank_card *card,
                          const gla_array *A, const gla_array *B);
// The same for a pair and its options, where nothing is wrong.
gla_status gla_rows_meet_pair (gla_context *ctx, gla_ranks *ranks, gla_rank_card *card,
                               const gla_array *A, const gla_array *B, const gla_gsvd_options *o);

// Memory that all ranks get as it is on rank 0.
typedef struct {
  void *data;
  size_t bytes;
} gla_rows_bytes;
// From rank 0 to all, in one message: arrays, whole, and behind them other memory. Nonzero: nothing
// has come, because a rank has failed.
int gla_rows_spread (gla_ranks *ranks, const gla_array *const *arrays, int count,
                     const gla_rows_bytes *parts, int part_count);
// To the caller, unless `to` is NULL: not wanted.
void gla_rows_give (void *to, const void *from, size_t bytes);

#endif

// rows.h: QR of a matrix whose rows are spread over ranks, up and down the tree of ranks
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The first n rows of the whole matrix, its top, go to rank 0 as they are; nearly always they are
// rows of rank 0. Each rank factors the rest of its rows, and triangles are stacked and factored up
// the tree. Rank 0 factors the top on the last triangle: a reflector takes its sign from a row of
// the top and its length from all rows, so R has the signs of a QR of the whole matrix.

#ifndef GPULINALG_RANKS_ROWS_H
#define GPULINALG_RANKS_ROWS_H

#include "group.h"

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

#endif

// leaf.h: factorisations and products of one rank: of its rows, and of stacked triangles
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All note what fails, and do nothing where a rank has failed.

#ifndef GPULINALG_RANKS_LEAF_H
#define GPULINALG_RANKS_LEAF_H

#include "rows.h"

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

#endif

// page_grid.h: operations on the pages of two arrays: which pages meet, and checks of both
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PAGE_GRID_H
#define GPULINALG_PAGE_GRID_H

#include "arrays.h"

// Page p of the result is at p, counted in `dims` numbers below dim_size[0], dim_size[1], .., the
// first of them the fastest; a_step and b_step are the distances of pages of A and B between
// neighbours in each.
typedef struct {
  int dims;
  const int64_t *dim_size, *a_step, *b_step;
} gla_page_grid;

// Page p of the result is made from page p of A and B, or from the only page of one of them. The
// grid refers to `numbers`. Without B it has the steps of A.
gla_page_grid gla_plain_grid (const gla_array *A, const gla_array *B, int64_t pages,
                              int64_t numbers[3]);

// Checks that the grid stays inside of A and B, NULL if there is none, and has the pages of the
// result.
gla_status gla_check_grid (gla_context *ctx, const gla_array *A, const gla_array *B,
                           const char *name, const gla_array *result, const gla_page_grid *grid);

// Checks type, sizes, strides and place of A or B, and that it is apart from the result.
gla_status gla_check_operand (gla_context *ctx, const char *name, const gla_array *a,
                              const char *result_name, const gla_array *result);
// Checks that it is 'N', 'T' or 'C'.
gla_status gla_check_op (gla_context *ctx, const char *name, char op);

#endif

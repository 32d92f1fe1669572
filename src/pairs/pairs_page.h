// pairs_page.h: work on single pages of any type on the host, for pairs_drop.c
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All pages are packed, except the one that is read.

#ifndef GPULINALG_PAIRS_PAGE_H
#define GPULINALG_PAIRS_PAGE_H

#include "context.h"

// Reads the page of A, or the triangle of it that is used and its mirror image, divided by
// 2^exponent to [1, 2), into page `page` of H. Returns info; with GLA_INFO_NOT_HERMITIAN, skew is
// the largest |A - A'|. A page that is not finite becomes 0.
int32_t gla_read_hermitian (const gla_array *A, int64_t page, gla_triangle triangle,
                            const gla_array *H, int *exponent, double *skew);

// Replaces rows and columns from r on by a diagonal matrix that is larger than all eigenvalues of
// the others, and by 0 where r is 0.
void gla_fill_diagonal (const gla_array *H, int64_t page, int64_t r);

// Reverses the order of the columns.
void gla_reverse_columns (const gla_array *T, int64_t page);

// Gives a column the phase of common/phase.h.
void gla_column_phase (const gla_array *X, int64_t page, int64_t j);

// Multiplies a column; with factor 0 or NaN whatever it holds.
void gla_scale_column (const gla_array *T, int64_t page, int64_t j, double factor);

#endif

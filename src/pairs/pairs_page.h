// pairs_page.h: work on single pages of any type on the host, for pairs_drop.c
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Packed pages, but for the one that is read.

#ifndef GPULINALG_PAIRS_PAGE_H
#define GPULINALG_PAIRS_PAGE_H

#include "context.h"

// The page of A, or the triangle of it that counts and its mirror image, over 2^exponent, in [1, 2)
// then, into page `page` of H. Returns info; where it is GLA_INFO_NOT_HERMITIAN, skew is the
// largest |A - A'|. A page that is not finite becomes 0.
int32_t gla_read_hermitian (const gla_array *A, int64_t page, gla_triangle triangle,
                            const gla_array *H, int *exponent, double *skew);

// Makes rows and columns from r on those of a diagonal matrix that is larger than all eigenvalues
// of the others. Those are made 0 where r is.
void gla_fill_diagonal (const gla_array *H, int64_t page, int64_t r);

// The last column becomes the first one.
void gla_reverse_columns (const gla_array *T, int64_t page);

// Gives a column the phase of common/phase.h.
void gla_column_phase (const gla_array *X, int64_t page, int64_t j);

// Multiplies a column; by 0 and NaN whatever it holds.
void gla_scale_column (const gla_array *T, int64_t page, int64_t j, double factor);

#endif

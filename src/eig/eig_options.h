// eig_options.h: options of batcheig with and without B: checks, and parts of the spectrum
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_EIG_OPTIONS_H
#define GPULINALG_EIG_OPTIONS_H

#include "context.h"

gla_status gla_check_triangle (gla_context *ctx, gla_triangle triangle);
// Checks method, triangle, phase, tol and maxit.
gla_status gla_check_eig_options (gla_context *ctx, const gla_eig_options *o);

// Checks the range for pages of order n, and returns the columns that V and lambda must have: with
// GLA_EIG_INTERVAL those that lambda has, which must be from 0 to n.
gla_status gla_check_range (gla_context *ctx, const gla_eig_options *o, int64_t n,
                            const gla_array *lambda, int64_t *columns);

// Copies the wanted part of all eigenvalues (n x 1, ascending) and eigenvectors (n x n; data NULL:
// none) of page `page`, on the host, to lambda and V, with NaN after it. Returns how many are in
// the range.
int64_t gla_take_part (const gla_eig_options *o, const gla_array *all_lambda,
                       const gla_array *all_V, const gla_array *lambda, const gla_array *V,
                       int64_t page);

// Returns the largest count; count may be NULL.
int64_t gla_largest_count (const int64_t *count, int64_t pages);

#endif

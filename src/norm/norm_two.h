// norm_two.h: 2-norms of many matrices, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_NORM_TWO_H
#define GPULINALG_NORM_TWO_H

#include "context.h"

// Finds the largest singular value of each page, for gla_pagenorm, which has checked the arguments.
// Both arrays are on the host, and pages have at least two rows and columns.
gla_status gla_pagenorm_two (gla_context *ctx, const gla_array *A, const gla_array *norms,
                             gla_report *report);

#endif

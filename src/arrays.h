// arrays.h: checks and slices of strided arrays, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_ARRAYS_H
#define GPULINALG_ARRAYS_H

#include "context.h"

// Whether the array has this type and size and its elements are apart; the message names it.
gla_status gla_check_array (gla_context *ctx, const char *name, const gla_array *a, gla_type type,
                            int64_t rows, int64_t columns, int64_t pages);
int gla_array_empty (const gla_array *a);
// Whether two arrays that are not empty share memory.
int gla_arrays_overlap (const gla_array *a, const gla_array *b);
// Pages first .. first+count-1; an array without data stays one.
gla_array gla_array_pages (const gla_array *a, int64_t first, int64_t count);

#endif

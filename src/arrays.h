// arrays.h: checks and slices of strided arrays, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_ARRAYS_H
#define GPULINALG_ARRAYS_H

#include "context.h"

// Whether the array has this type and size and its elements are apart; the message names it.
gla_status gla_check_array (gla_context *ctx, const char *name, const gla_array *a, gla_type type,
                            int64_t rows, int64_t columns, int64_t pages);
// The same for an array that a call reads: a valid type and sizes, row_stride 1.
gla_status gla_check_input (gla_context *ctx, const char *name, const gla_array *a);
// Whether row_stride is 1.
gla_status gla_check_rows (gla_context *ctx, const char *name, const gla_array *a);
// The same, and whether the BLAS or cuBLAS, which may write it, can count column_stride. The
// backends check the number of rows.
gla_status gla_check_columns (gla_context *ctx, const char *name, const gla_array *a);
// Whether the array is in the same place as another one.
gla_status gla_check_place (gla_context *ctx, const char *name, const gla_array *a,
                            const char *other_name, const gla_array *other);

// Without data, or NULL: there is none.
typedef struct {
  const char *name;
  const gla_array *array;
} gla_named_array;

// Whether each array after the first `inputs` is apart from all those before it.
gla_status gla_check_apart (gla_context *ctx, const gla_named_array *arrays, int inputs, int count);

int gla_array_empty (const gla_array *a);
// Whether two arrays that are not empty share memory.
int gla_arrays_overlap (const gla_array *a, const gla_array *b);
// Returns pages first .. first+count-1; an array without data stays one.
gla_array gla_array_pages (const gla_array *a, int64_t first, int64_t count);

static inline int gla_array_is_single (const gla_array *a)
{
  return a->type == GLA_TYPE_S || a->type == GLA_TYPE_C;
}

// Returns number `at` of an array on the host, of either precision; real and imaginary parts are
// counted separately.
static inline double gla_get_number (const gla_array *a, int64_t at)
{
  return gla_array_is_single (a) ? (double)((const float *)a->data)[at]
                                 : ((const double *)a->data)[at];
}
static inline void gla_put_number (const gla_array *a, int64_t at, double x)
{
  if (gla_array_is_single (a))
    ((float *)a->data)[at] = (float)x;
  else
    ((double *)a->data)[at] = x;
}

// Makes each page of an array on the host an identity, columns <= rows; nothing without data.
void gla_put_identity (const gla_array *a);

#endif

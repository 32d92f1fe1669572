// columns.h: columns of the pages of an array, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_COLUMNS_H
#define GPULINALG_CPU_COLUMNS_H

#include "common/types.h"
#include "gpulinalg.h"

#include <math.h>

static inline real *column_of (const gla_array *a, int64_t page, int64_t column)
{
  return (real *)a->data + (page * a->page_stride + column * a->column_stride) * GLA_PARTS;
}

// Fills a page with NaN; an array without data is left alone.
static inline void fill_nan (const gla_array *a, int64_t page)
{
  for (int64_t j = 0; a->data != NULL && j < a->columns; j++)
    for (int64_t i = 0; i < a->rows * GLA_PARTS; i++)
      column_of (a, page, j)[i] = (real)NAN;
}

#endif

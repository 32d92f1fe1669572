// page_arrays.h: arrays of pages with gaps, of any type, and their elements
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef PAGE_ARRAYS_H
#define PAGE_ARRAYS_H

#include "check.h"

// Filled with NaN.
static inline gla_array make (gla_type type, int64_t rows, int64_t columns, int64_t pages,
                              int64_t gap)
{
  gla_array a = gla_array_packed (NULL, type, rows, columns, pages, GLA_DEVICE_HOST);
  a.column_stride = rows + gap;
  a.page_stride = a.column_stride * columns + gap;
  const size_t bytes = (size_t)(a.page_stride * pages + 1) * gla_type_size (type);
  a.data = malloc (bytes);
  memset (a.data, 0xff, bytes); // NaN of both precisions
  return a;
}

static inline double complex get (const gla_array *a, int64_t i, int64_t j, int64_t p)
{
  const int64_t at = i + j * a->column_stride + p * a->page_stride;
  switch (a->type) {
  case GLA_TYPE_S:
    return ((float *)a->data)[at];
  case GLA_TYPE_D:
    return ((double *)a->data)[at];
  case GLA_TYPE_C:
    return ((float complex *)a->data)[at];
  default:
    return ((double complex *)a->data)[at];
  }
}

static inline void set (gla_array *a, int64_t i, int64_t j, int64_t p, double complex x)
{
  const int64_t at = i + j * a->column_stride + p * a->page_stride;
  if (a->type == GLA_TYPE_S)
    ((float *)a->data)[at] = (float)creal (x);
  else if (a->type == GLA_TYPE_D)
    ((double *)a->data)[at] = creal (x);
  else if (a->type == GLA_TYPE_C)
    ((float complex *)a->data)[at] = (float complex)x;
  else
    ((double complex *)a->data)[at] = x;
}

static inline void fill (gla_array *a, unsigned long long seed)
{
  for (int64_t p = 0; p < a->pages; p++)
    for (int64_t j = 0; j < a->columns; j++)
      for (int64_t i = 0; i < a->rows; i++) {
        const double re = check_random (&seed), im = check_random (&seed);
        set (a, i, j, p, re + im * I);
      }
}

// Whether the gaps between columns and pages, and what follows the last page, still hold what
// `make` has put there.
static inline int gaps_are_untouched (const gla_array *a)
{
  const size_t size = gla_type_size (a->type);
  const int64_t end = a->page_stride * a->pages;
  for (int64_t e = 0; e <= end; e++) {
    const int64_t at = e < end ? e % a->page_stride : a->page_stride;
    if (at < a->column_stride * a->columns && at % a->column_stride < a->rows)
      continue;
    const unsigned char *x = (unsigned char *)a->data + (size_t)e * size;
    for (size_t b = 0; b < size; b++)
      if (x[b] != 0xff)
        return 0;
  }
  return 1;
}

#endif

// page_bits.h: compares the bits of pages, and finds writes to the gaps between columns
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef PAGE_BITS_H
#define PAGE_BITS_H

#include "check.h"

#include <string.h>

enum { GAP_BYTE = 0x5a }; // arrays are filled with this before a call

// Whether page q of y has the bits of page p of x, in the rows and columns that both have.
static inline int same_page (const gla_array *x, int64_t p, const gla_array *y, int64_t q)
{
  const size_t el = gla_type_size (x->type);
  const int64_t rows = x->rows < y->rows ? x->rows : y->rows;
  for (int64_t j = 0; j < x->columns && j < y->columns; j++)
    if (memcmp ((char *)x->data + (size_t)(j * x->column_stride + p * x->page_stride) * el,
                (char *)y->data + (size_t)(j * y->column_stride + q * y->page_stride) * el,
                (size_t)rows * el) != 0)
      return 0;
  return 1;
}

// Whether the elements between columns and pages still are GAP_BYTE. An array without data has
// none.
static inline int gaps_untouched (const gla_array *a)
{
  const size_t el = a->data ? gla_type_size (a->type) : 0;
  for (int64_t at = 0; a->data && at < a->page_stride * a->pages; at++) {
    const int64_t in = at % a->page_stride;
    if (in / a->column_stride < a->columns && in % a->column_stride < a->rows)
      continue;
    for (size_t byte = 0; byte < el; byte++)
      if (((unsigned char *)a->data)[(size_t)at * el + byte] != GAP_BYTE)
        return 0;
  }
  return 1;
}

#endif

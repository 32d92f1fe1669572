// pack.c: matrices in messages, whole or their upper trapezoids
// SPDX-License-Identifier: GPL-3.0-or-later

#include "rows.h"

#include <string.h>

static char *column_of (const gla_array *a, int64_t page, int64_t j)
{
  return (char *)a->data +
         (size_t)(page * a->page_stride + j * a->column_stride) * gla_type_size (a->type);
}

static int64_t upper_rows (const gla_array *a, int64_t j)
{
  return j + 1 < a->rows ? j + 1 : a->rows;
}

char *gla_put_full (char *to, const gla_array *a)
{
  const size_t bytes = (size_t)a->rows * gla_type_size (a->type);
  for (int64_t p = 0; p < a->pages && bytes > 0; p++)
    for (int64_t j = 0; j < a->columns; j++, to += bytes)
      memcpy (to, column_of (a, p, j), bytes);
  return to;
}

const char *gla_get_full (const char *from, const gla_array *a)
{
  const size_t bytes = (size_t)a->rows * gla_type_size (a->type);
  for (int64_t p = 0; p < a->pages && bytes > 0; p++)
    for (int64_t j = 0; j < a->columns; j++, from += bytes)
      memcpy (column_of (a, p, j), from, bytes);
  return from;
}

char *gla_put_upper (char *to, const gla_array *a)
{
  const size_t size = gla_type_size (a->type);
  for (int64_t p = 0; p < a->pages && a->rows > 0; p++)
    for (int64_t j = 0; j < a->columns; j++) {
      const size_t bytes = (size_t)upper_rows (a, j) * size;
      memcpy (to, column_of (a, p, j), bytes);
      to += bytes;
    }
  return to;
}

const char *gla_get_upper (const char *from, const gla_array *a)
{
  const size_t size = gla_type_size (a->type);
  for (int64_t p = 0; p < a->pages && a->rows > 0; p++)
    for (int64_t j = 0; j < a->columns; j++) {
      const size_t bytes = (size_t)upper_rows (a, j) * size;
      char *column = column_of (a, p, j);
      memcpy (column, from, bytes);
      memset (column + bytes, 0, (size_t)a->rows * size - bytes);
      from += bytes;
    }
  return from;
}

size_t gla_full_bytes (const gla_array *a)
{
  return (size_t)(a->rows * a->columns * a->pages) * gla_type_size (a->type);
}

size_t gla_upper_bytes (const gla_array *a)
{
  const int64_t k = a->rows < a->columns ? a->rows : a->columns;
  const int64_t count = k * a->columns - k * (k - 1) / 2;
  return (size_t)(count * a->pages) * gla_type_size (a->type);
}

gla_array gla_rows_part (const gla_array *a, int64_t first, int64_t count)
{
  gla_array part = *a;
  part.data = a->data != NULL ? (char *)a->data + (size_t)first * gla_type_size (a->type) : NULL;
  part.rows = count;
  return part;
}

// array.c: element types; checks and slices of strided arrays
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays.h"
#include "common/blas.h"
#include "common/status.h"

#include <float.h>
#include <string.h>

size_t gla_type_size (gla_type type)
{
  switch (type) {
  case GLA_TYPE_S:
    return sizeof (float);
  case GLA_TYPE_D:
    return sizeof (double);
  case GLA_TYPE_C:
    return 2 * sizeof (float);
  case GLA_TYPE_Z:
    return 2 * sizeof (double);
  }
  return 0;
}

gla_type gla_type_real (gla_type type)
{
  return type == GLA_TYPE_S || type == GLA_TYPE_C ? GLA_TYPE_S : GLA_TYPE_D;
}

int gla_type_is_complex (gla_type type)
{
  return type == GLA_TYPE_C || type == GLA_TYPE_Z;
}

double gla_type_eps (gla_type type)
{
  return gla_type_real (type) == GLA_TYPE_S ? FLT_EPSILON : DBL_EPSILON;
}

gla_array gla_array_packed (void *data, gla_type type, int64_t rows, int64_t columns, int64_t pages,
                            int device)
{
  gla_array a = {.data = data,
                 .type = type,
                 .rows = rows,
                 .columns = columns,
                 .pages = pages,
                 .row_stride = 1,
                 .column_stride = rows,
                 .page_stride = rows * columns,
                 .device = device};
  return a;
}

//------------------------------------------------------------------------------
// checks
//------------------------------------------------------------------------------

int gla_array_empty (const gla_array *a)
{
  return a->rows == 0 || a->columns == 0 || a->pages == 0;
}

gla_status gla_check_array (gla_context *ctx, const char *name, const gla_array *a, gla_type type,
                            int64_t rows, int64_t columns, int64_t pages)
{
  if (a == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not be NULL", name);
  if (a->type != type)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s has type '%c', it must be '%c'", name,
                     (char)a->type, (char)type);
  if (a->rows != rows || a->columns != columns || a->pages != pages)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s is %lldx%lldx%lld, it must be %lldx%lldx%lld",
                     name, (long long)a->rows, (long long)a->columns, (long long)a->pages,
                     (long long)rows, (long long)columns, (long long)pages);
  if (rows < 0 || columns < 0 || pages < 0) // where the array itself tells what it must be
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s is %lldx%lldx%lld", name, (long long)rows,
                     (long long)columns, (long long)pages);
  int empty = gla_array_empty (a);
  if (!empty && a->data == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s has no data", name);
  if (!empty && (a->row_stride < 1 || (columns > 1 && a->column_stride < rows * a->row_stride) ||
                 (pages > 1 && a->page_stride < 1)))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s has overlapping strides (%lld, %lld, %lld)",
                     name, (long long)a->row_stride, (long long)a->column_stride,
                     (long long)a->page_stride);
  return GLA_OK;
}

// Returns the bytes from the first to the last element.
static size_t extent (const gla_array *a)
{
  int64_t last = (a->rows - 1) * a->row_stride + (a->columns - 1) * a->column_stride +
                 (a->pages - 1) * a->page_stride;
  return (size_t)(last + 1) * gla_type_size (a->type);
}

int gla_arrays_overlap (const gla_array *a, const gla_array *b)
{
  const char *x = a->data, *y = b->data;
  return x < y + extent (b) && y < x + extent (a);
}

gla_status gla_check_rows (gla_context *ctx, const char *name, const gla_array *a)
{
  if (a->row_stride == 1)
    return GLA_OK;
  return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s has row stride %lld, it must be 1", name,
                   (long long)a->row_stride);
}

gla_status gla_check_columns (gla_context *ctx, const char *name, const gla_array *a)
{
  const int wide = sizeof (gla_blas_int) > 4 && a->device == GLA_DEVICE_HOST;
  const int64_t most = wide ? INT64_MAX : INT32_MAX;
  if (a->columns > 1 && a->rows <= most && a->column_stride > most)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                     "%s has column stride %lld, it must be at most %lld", name,
                     (long long)a->column_stride, (long long)most);
  return gla_check_rows (ctx, name, a);
}

gla_status gla_check_input (gla_context *ctx, const char *name, const gla_array *a)
{
  if (gla_type_size (a->type) == 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s has type %d, it must be one of s d c z", name,
                     (int)a->type);
  if (a->rows < 0 || a->columns < 0 || a->pages < 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s is %lldx%lldx%lld", name, (long long)a->rows,
                     (long long)a->columns, (long long)a->pages);
  GLA_TRY (gla_check_rows (ctx, name, a));
  return gla_check_array (ctx, name, a, a->type, a->rows, a->columns, a->pages);
}

gla_status gla_check_place (gla_context *ctx, const char *name, const gla_array *a,
                            const char *other_name, const gla_array *other)
{
  if (a->device == other->device)
    return GLA_OK;
  return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s is in place %d, it must be where %s is, %d",
                   name, a->device, other_name, other->device);
}

static int has_elements (const gla_array *a)
{
  return a != NULL && a->data != NULL && !gla_array_empty (a);
}

gla_status gla_check_apart (gla_context *ctx, const gla_named_array *arrays, int inputs, int count)
{
  for (int x = inputs; x < count; x++)
    for (int y = 0; y < x; y++) {
      const gla_array *a = arrays[x].array, *b = arrays[y].array;
      if (has_elements (a) && has_elements (b) && gla_arrays_overlap (a, b))
        return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not overlap %s", arrays[x].name,
                         arrays[y].name);
    }
  return GLA_OK;
}

gla_array gla_array_pages (const gla_array *a, int64_t first, int64_t count)
{
  gla_array part = *a;
  if (a->data != NULL)
    part.data = (char *)a->data + (size_t)(first * a->page_stride) * gla_type_size (a->type);
  part.pages = count;
  return part;
}

void gla_put_identity (const gla_array *a)
{
  const size_t size = gla_type_size (a->type);
  for (int64_t p = 0; p < a->pages && a->data != NULL; p++)
    for (int64_t j = 0; j < a->columns; j++) {
      char *column = (char *)a->data + (size_t)(p * a->page_stride + j * a->column_stride) * size;
      memset (column, 0, (size_t)a->rows * size);
      if (gla_type_real (a->type) == GLA_TYPE_S)
        *(float *)(column + (size_t)j * size) = 1;
      else
        *(double *)(column + (size_t)j * size) = 1;
    }
}

// array.c: types and strided arrays
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpulinalg.h"

#include <float.h>

size_t gla_type_size (gla_type type)
{
  switch (type) {
  case GLA_S:
    return sizeof (float);
  case GLA_D:
    return sizeof (double);
  case GLA_C:
    return 2 * sizeof (float);
  case GLA_Z:
    return 2 * sizeof (double);
  }
  return 0;
}

gla_type gla_type_real (gla_type type)
{
  return type == GLA_S || type == GLA_C ? GLA_S : GLA_D;
}

int gla_type_is_complex (gla_type type)
{
  return type == GLA_C || type == GLA_Z;
}

double gla_type_eps (gla_type type)
{
  return gla_type_real (type) == GLA_S ? FLT_EPSILON : DBL_EPSILON;
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

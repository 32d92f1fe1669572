// host_page.c: a page of an array in device memory, copied to the host and back
// SPDX-License-Identifier: GPL-3.0-or-later

#include "host_page.h"

#include <stdlib.h>

int gla_host_page_take (const gla_array *device, gla_array *host)
{
  const size_t numbers = (size_t)(device->rows * device->columns);
  *host = gla_array_packed (NULL, device->type, device->rows, device->columns, device->pages,
                            GLA_DEVICE_HOST);
  host->page_stride = 0;
  if (device->data == NULL)
    return 1;
  host->data = malloc (numbers * gla_type_size (device->type) + 1);
  return host->data != NULL;
}

// A column at a time, or an element where these are not side by side.
static gla_status copy (gla_context *ctx, const gla_array *device, int64_t page,
                        const gla_array *host, int back)
{
  const int64_t size = (int64_t)gla_type_size (device->type), rows = device->rows;
  const int64_t count = device->row_stride == 1 ? rows : 1;
  gla_status status = GLA_OK;
  for (int64_t j = 0; j < device->columns; j++)
    for (int64_t i = 0; i < rows && status == GLA_OK; i += count) {
      const int64_t at =
          i * device->row_stride + j * device->column_stride + page * device->page_stride;
      char *there = (char *)device->data + at * size;
      char *here = (char *)host->data + (i + j * rows) * size;
      const size_t bytes = (size_t)(count * size);
      status = back ? gla_memory_put (ctx, device->device, there, here, bytes)
                    : gla_memory_get (ctx, device->device, here, there, bytes);
    }
  return status;
}

gla_status gla_host_page_get (gla_context *ctx, const gla_array *device, int64_t page,
                              const gla_array *host)
{
  return copy (ctx, device, page, host, 0);
}

gla_status gla_host_page_put (gla_context *ctx, const gla_array *device, int64_t page,
                              const gla_array *host)
{
  return copy (ctx, device, page, host, 1);
}

// host_page.c: pages on the host: copied from device memory and back, and work on them
// SPDX-License-Identifier: GPL-3.0-or-later

#include <stdlib.h>

#include "common/host_memory.h"
#include "host_page.h"

#include "backend.h"
#include "common/status.h"

//------------------------------------------------------------------------------
// pages of an array in device memory, copied to the host and back
//------------------------------------------------------------------------------

int gla_host_pages_take (const gla_array *device, int64_t count, gla_array *host)
{
  *host =
      gla_array_packed (NULL, device->type, device->rows, device->columns, count, GLA_DEVICE_HOST);
  if (device->data == NULL)
    return 1;
  const size_t numbers = (size_t)(device->rows * device->columns * count);
  host->data = malloc (numbers * gla_type_size (device->type) + 1);
  return host->data != NULL;
}

int gla_host_page_take (const gla_array *device, gla_array *host)
{
  const int there = gla_host_pages_take (device, 1, host);
  host->pages = device->pages;
  host->page_stride = 0;
  return there;
}

// Consecutive pages, from `page` on, and page `at` of the host.
typedef struct {
  int64_t page, at, count;
} neighbours;

// Copies as many numbers at a time as are contiguous: all, columns, or single ones.
static gla_status copy (gla_context *ctx, const gla_array *device, const neighbours *n,
                        const gla_array *host, int back)
{
  const int64_t size = (int64_t)gla_type_size (device->type), rows = device->rows;
  const int64_t all = rows * device->columns * n->count;
  const int packed = device->row_stride == 1 && device->column_stride == rows;
  const int64_t together = packed ? all : device->row_stride == 1 ? rows : 1;
  gla_status status = GLA_OK;
  for (int64_t k = 0; k < all && status == GLA_OK; k += together) {
    const int64_t i = k % rows, j = k / rows;
    const int64_t from =
        i * device->row_stride + j * device->column_stride + n->page * device->page_stride;
    char *there = (char *)device->data + from * size;
    char *here = (char *)host->data + (k + n->at * host->page_stride) * size;
    const size_t bytes = (size_t)(together * size);
    status = back ? gla_memory_put (ctx, device->device, there, here, bytes)
                  : gla_memory_get (ctx, device->device, here, there, bytes);
  }
  return status;
}

static gla_status copy_pages (gla_context *ctx, const gla_array *device, const int64_t *page,
                              int64_t count, const gla_array *host, int back)
{
  const int64_t each = device->rows * device->columns;
  const int packed = device->row_stride == 1 && device->column_stride == device->rows &&
                     device->page_stride == each;
  gla_status status = GLA_OK;
  for (int64_t k = 0; k < count && status == GLA_OK;) {
    neighbours n = {page[k], k, 1};
    while (packed && k + n.count < count && page[k + n.count] == page[k] + n.count)
      n.count++;
    status = copy (ctx, device, &n, host, back);
    k += n.count;
  }
  return status;
}

gla_status gla_host_pages_get (gla_context *ctx, const gla_array *device, const int64_t *page,
                               int64_t count, const gla_array *host)
{
  return copy_pages (ctx, device, page, count, host, 0);
}

gla_status gla_host_pages_put (gla_context *ctx, const gla_array *device, const int64_t *page,
                               int64_t count, const gla_array *host)
{
  return copy_pages (ctx, device, page, count, host, 1);
}

//------------------------------------------------------------------------------
// work on pages on the host after gla_qr or gla_gsvd
//------------------------------------------------------------------------------

typedef struct {
  gla_context *ctx;
  int reports;
  int64_t done, total;
} listener;

static int poll (void *user, int64_t pages)
{
  listener *l = user;
  l->done += pages;
  if (l->reports && pages > 0)
    gla_report_progress (l->ctx, l->done, l->total);
  return gla_stop_wanted (l->ctx);
}

gla_status gla_finish_pages (gla_context *ctx, gla_pages_job *job, gla_type type, int reports)
{
  gla_engine *cpu;
  listener l = {.ctx = ctx, .reports = reports, .total = job->X.pages};
  if (job->X.pages == 0)
    return GLA_OK;
  GLA_TRY (gla_context_cpu (ctx, &cpu));
  job->head.type = type;
  job->head.monitor = (gla_monitor){.poll = poll, .user = &l};
  return cpu->backend->finish_pages (cpu, job);
}

gla_array gla_take_pages (gla_type type, int64_t rows, int64_t columns, int64_t pages)
{
  const size_t size = gla_type_size (type);
  size_t count = size;
  const int too_many = __builtin_mul_overflow (count, (size_t)rows, &count) ||
                       __builtin_mul_overflow (count, (size_t)columns, &count) ||
                       __builtin_mul_overflow (count, (size_t)pages, &count);
  void *data = too_many ? NULL : malloc (count > 0 ? count : 1);
  if (data != NULL)
    gla_host_prefer_huge_pages (data, count);
  return gla_array_packed (data, type, rows, columns, pages, GLA_DEVICE_HOST);
}

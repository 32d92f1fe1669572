// finish_pages.c: work on pages on the host after gla_qr or gla_gsvd
// SPDX-License-Identifier: GPL-3.0-or-later

#include "finish_pages.h"

#include "common/host_memory.h"

#include <stdlib.h>

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
  const gla_status status = gla_context_cpu (ctx, &cpu);
  if (status != GLA_OK)
    return status;
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

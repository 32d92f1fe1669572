// finish_pages.c: pages that are finished on the host after a factorisation
// SPDX-License-Identifier: GPL-3.0-or-later

#include "finish_pages.h"

#include "host_memory.h"

#include <stdlib.h>

typedef struct {
  gla_context *ctx;
  int tells;
  int64_t done, total;
} listener;

static int poll (void *user, int64_t pages)
{
  listener *l = user;
  gla_context *ctx = l->ctx;
  l->done += pages;
  if (l->tells && pages > 0 && ctx->progress != NULL)
    ctx->progress (ctx->progress_user, l->done, l->total);
  return ctx->stop != NULL && ctx->stop (ctx->stop_user);
}

gla_status gla_finish_pages (gla_context *ctx, gla_pages_job *job, gla_type type, int tells)
{
  gla_engine *cpu;
  listener l = {.ctx = ctx, .tells = tells, .total = job->X.pages};
  if (job->X.pages == 0)
    return GLA_OK;
  const gla_status status = gla_context_cpu (ctx, &cpu);
  if (status != GLA_OK)
    return status;
  job->type = type;
  job->monitor = (gla_monitor){.poll = poll, .user = &l};
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
  return gla_array_packed (data, type, rows, columns, pages, GLA_HOST);
}

gla_quiet gla_quiet_begin (gla_context *ctx)
{
  const gla_quiet before = {ctx->progress, ctx->swept};
  ctx->progress = NULL;
  ctx->swept = NULL;
  return before;
}

void gla_quiet_end (gla_context *ctx, gla_quiet before)
{
  ctx->progress = before.progress;
  ctx->swept = before.swept;
}

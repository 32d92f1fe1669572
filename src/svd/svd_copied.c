// svd_copied.c: copies pages that a GPU does not decompose to the CPU and back
// SPDX-License-Identifier: GPL-3.0-or-later

#include "svd_run.h"

#include "backend.h"
#include "batch/host_page.h"

#include <stdlib.h>

// Arrays of a gla_svd_chunk, A first, and bytes of the host for the pages copied at a time.
enum { ARRAYS = 4, BYTES = 16 << 20 };

int gla_svd_is_copied (const gla_svd_run *run)
{
  const gla_svd_job *job = &run->job;
  gla_context *ctx = run->call.run.ctx;
  gla_engine *gpu;
  if (!job->head.device_arrays || ctx->place == GLA_PLACE_CPU)
    return 0;
  if (job->u_columns <= job->values && job->v_columns <= job->values)
    return 0;
  return gla_context_gpu (ctx, run->all.A.device, &gpu) == GLA_OK &&
         gpu->backend->batch[GLA_BATCH_SVD] != NULL &&
         !gpu->backend->batch[GLA_BATCH_SVD]->supports (&job->head);
}

// Decomposes A of the host into S, U, V and info.
static gla_status decompose (gla_svd_run *run, gla_array *host, int64_t count, int32_t *info,
                             const gla_svd_options *options)
{
  gla_context *ctx = run->call.run.ctx;
  const gla_place place = ctx->place;
  for (int k = 0; k < ARRAYS; k++)
    host[k].pages = count;
  const gla_svd_results r = {
      .size = sizeof r, .S = host[1], .U = host[2], .V = host[3], .info = info};
  const gla_callbacks before = gla_silence (ctx);
  ctx->place = GLA_PLACE_CPU;
  const gla_status status = gla_batchsvd (ctx, &host[0], &r, options, NULL);
  ctx->place = place;
  ctx->callbacks = before;
  return status;
}

// Does pages first .. first+count-1; `page` has room for their numbers.
static gla_status do_pages (gla_svd_run *run, gla_array *host, int64_t *page, gla_range range,
                            const gla_svd_options *options)
{
  gla_context *ctx = run->call.run.ctx;
  const gla_array *device = run->all.arrays;
  for (int64_t k = 0; k < range.count; k++)
    page[k] = range.first + k;
  gla_status status = gla_host_pages_get (ctx, &device[0], page, range.count, &host[0]);
  if (status == GLA_OK)
    status = decompose (run, host, range.count, run->all.info + range.first, options);
  for (int k = 1; k < ARRAYS && status == GLA_OK; k++)
    if (device[k].data != NULL)
      status = gla_host_pages_put (ctx, &device[k], page, range.count, &host[k]);
  return status == GLA_OK ? gla_wait (ctx, device[0].device) : status;
}

gla_status gla_svd_copied (gla_svd_run *run, const gla_svd_options *options)
{
  const gla_array *device = run->all.arrays;
  const int64_t pages = device[0].pages;
  int64_t each = 1;
  for (int k = 0; k < ARRAYS; k++)
    each += device[k].rows * device[k].columns * (int64_t)sizeof (double[2]);
  int64_t most = BYTES / each > 1 ? BYTES / each : 1;
  most = most < pages ? most : pages;
  gla_array host[ARRAYS];
  int64_t *page = malloc (sizeof *page * (size_t)most);
  int there = page != NULL;
  for (int k = 0; k < ARRAYS; k++)
    there = gla_host_pages_take (&device[k], most, &host[k]) && there;
  gla_status status = there ? GLA_OK
                            : gla_fail (run->call.run.ctx, GLA_ERROR_OUT_OF_MEMORY,
                                        "no memory for pages on the host");
  run->call.device = GLA_DEVICE_HOST;
  gla_range range = {0, 0};
  for (; range.first < pages && status == GLA_OK; range.first += range.count) {
    range.count = pages - range.first < most ? pages - range.first : most;
    status = do_pages (run, host, page, range, options);
    if (status == GLA_OK && gla_run_poll (&run->call.run, range.count))
      status = GLA_ERROR_STOPPED;
  }
  for (int k = 0; k < ARRAYS; k++)
    free (host[k].data);
  free (page);
  gla_look_for_failures (&run->call, &run->failures, run->all.info, pages, 0);
  return status;
}

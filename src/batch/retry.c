// retry.c: pages that did not converge, tried again by another method
// SPDX-License-Identifier: GPL-3.0-or-later

#include "retry.h"

#include <stdlib.h>

// A page that is tried again is already counted; only the wish to stop matters.
static int poll_stop (void *run, int64_t ignored)
{
  (void)ignored;
  return gla_run_poll (run, 0);
}

// Runs one page on an engine; returns whether it converged.
static int retry_page (gla_call *call, const gla_retry *retry, gla_engine *engine,
                       gla_retry_method method, int64_t page)
{
  gla_queue q = {.engine = engine, .call = call};
  retry->use (call, method);
  if (!gla_queue_row (&q)->supports (retry->head) || gla_queue_begin (&q, 1) != GLA_OK)
    return 0;
  call->run.in_flight = 1;
  retry->info[page] = 0;
  gla_status status = gla_queue_submit (&q, (gla_range){page, 1});
  if (status == GLA_OK)
    status = gla_queue_finish (&q);
  call->run.n_waiting = 0; // a page that was given back stays failed
  gla_queue_end (&q);
  return status == GLA_OK && retry->info[page] == 0;
}

// By either method.
static int retry_on_cpu (gla_call *call, const gla_retry *retry, int64_t page)
{
  gla_engine *cpu;
  return gla_context_cpu (call->run.ctx, &cpu) == GLA_OK &&
         (retry_page (call, retry, cpu, GLA_RETRY_OTHER, page) ||
          retry_page (call, retry, cpu, GLA_RETRY_AUTO, page));
}

//------------------------------------------------------------------------------
// a page of device memory on the CPU
//------------------------------------------------------------------------------

// The arrays of an operation whose pages are tried again, at most.
enum { ARRAYS_MOST = 4 };

// Copies a page from a GPU to a packed array of the host, or back.
static gla_status copy_page (gla_context *ctx, const gla_array *device, int64_t page,
                             const gla_array *host, int back)
{
  const size_t size = gla_type_size (device->type);
  const int64_t rows = device->rows, count = device->row_stride == 1 ? rows : 1;
  const size_t bytes = (size_t)count * size;
  gla_status status = GLA_OK;
  for (int64_t j = 0; j < device->columns; j++)
    for (int64_t i = 0; i < rows && status == GLA_OK; i += count) {
      char *there = (char *)device->data + (i * device->row_stride + j * device->column_stride +
                                            page * device->page_stride) *
                                               (int64_t)size;
      char *here = (char *)host->data + (i + j * rows) * (int64_t)size;
      status = back ? gla_memory_put (ctx, device->device, there, here, bytes)
                    : gla_memory_get (ctx, device->device, here, there, bytes);
    }
  return status;
}

// One page of each array in memory of the host, whatever its number: the stride of pages is 0.
static int take_page (const gla_call *call, gla_array *host)
{
  int well = 1;
  for (int k = 0; k < call->operation->arrays; k++) {
    const gla_array *a = &call->arrays[k];
    host[k] = gla_array_packed (NULL, a->type, a->rows, a->columns, a->pages, GLA_DEVICE_HOST);
    host[k].page_stride = 0;
    if (a->data != NULL) {
      host[k].data = malloc ((size_t)(a->rows * a->columns) * gla_type_size (a->type) + 1);
      well = well && host[k].data != NULL;
    }
  }
  return well;
}

// From the first array, the page itself, to the others, which are its results.
static int solve_page (gla_call *call, const gla_retry *retry, int64_t page, const gla_array *host)
{
  gla_context *ctx = call->run.ctx;
  const gla_array *device = call->arrays;
  gla_status status = copy_page (ctx, &device[0], page, &host[0], 0);
  int solved = 0;
  if (status == GLA_OK) {
    call->arrays = host;
    retry->head->device_arrays = 0;
    solved = retry_on_cpu (call, retry, page);
    retry->head->device_arrays = 1;
    call->arrays = device;
  }
  for (int k = 1; k < call->operation->arrays && solved && status == GLA_OK; k++)
    if (device[k].data != NULL)
      status = copy_page (ctx, &device[k], page, &host[k], 1);
  if (solved && status == GLA_OK)
    status = gla_wait (ctx, device->device);
  if (status == GLA_ERROR_STOPPED)
    call->run.stopped = 1;
  return solved && status == GLA_OK;
}

static int retry_device_page (gla_call *call, const gla_retry *retry, int64_t page)
{
  gla_array host[ARRAYS_MOST];
  const int solved = take_page (call, host) && solve_page (call, retry, page, host);
  for (int k = 0; k < call->operation->arrays; k++)
    free (host[k].data);
  return solved;
}

//------------------------------------------------------------------------------
// all pages
//------------------------------------------------------------------------------

void gla_retry_failed (gla_call *call, const gla_retry *retry)
{
  gla_context *ctx = call->run.ctx;
  const int device = call->device;
  retry->head->monitor.poll = poll_stop;
  for (int64_t page = 0; page < call->run.pages && !call->run.stopped; page++) {
    const int32_t first_info = retry->info[page];
    if (first_info < 1 || first_info > retry->most)
      continue;
    gla_engine *engine = NULL;
    int solved = 0;
    if (device != GLA_DEVICE_HOST && !ctx->lost[device] &&
        gla_context_gpu (ctx, device, &engine) == GLA_OK)
      solved = retry_page (call, retry, engine, GLA_RETRY_OTHER, page);
    if (!solved && retry->head->device_arrays)
      solved = retry_device_page (call, retry, page);
    else if (!solved)
      solved = retry_on_cpu (call, retry, page);
    if (!solved)
      retry->info[page] = first_info;
  }
}

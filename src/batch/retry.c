// retry.c: pages that did not converge, tried again by another method
// SPDX-License-Identifier: GPL-3.0-or-later

#include "retry.h"

#include "host_page.h"

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

// From the first array, the page itself, to the others, which are its results; these are copied
// back where the CPU has solved it.
static int solve_page (gla_call *call, const gla_retry *retry, int64_t page, const gla_array *host)
{
  gla_context *ctx = call->run.ctx;
  const gla_array *device = call->arrays;
  gla_status status = gla_host_pages_get (ctx, &device[0], &page, 1, &host[0]);
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
      status = gla_host_pages_put (ctx, &device[k], &page, 1, &host[k]);
  if (solved && status == GLA_OK)
    status = gla_wait (ctx, device->device);
  if (status == GLA_ERROR_STOPPED)
    call->run.stopped = 1;
  return solved && status == GLA_OK;
}

static int retry_device_page (gla_call *call, const gla_retry *retry, int64_t page)
{
  gla_array host[ARRAYS_MOST];
  int solved = 1;
  for (int k = 0; k < call->operation->arrays; k++)
    solved = gla_host_page_take (&call->arrays[k], &host[k]) && solved;
  solved = solved && solve_page (call, retry, page, host);
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

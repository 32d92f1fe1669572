// failures.c: pages that failed: their status words, and another attempt
// SPDX-License-Identifier: GPL-3.0-or-later

#include "backend.h"
#include <stdlib.h>
#include <string.h>

#include "common/host_memory.h"
#include "common/status.h"
#include "failures.h"
#include "host_page.h"

//------------------------------------------------------------------------------
// pages that failed, are not Hermitian, or are returned by a GPU
//------------------------------------------------------------------------------

//------------------------------------------------------------------------------
// status words
//------------------------------------------------------------------------------

static size_t bytes_of (const gla_infos *infos)
{
  return (size_t)infos->pages * sizeof *infos->words;
}

gla_status gla_infos_take (gla_context *ctx, int32_t *callers, int64_t pages, gla_infos *infos)
{
  *infos = (gla_infos){.words = callers, .pages = pages, .own = callers == NULL};
  if (infos->own)
    infos->words = gla_host_zeros (bytes_of (infos));
  else if (pages > 0)
    memset (callers, 0, bytes_of (infos));
  return infos->words != NULL ? GLA_OK
                              : gla_fail (ctx, GLA_ERROR_OUT_OF_MEMORY,
                                          "no memory for %lld status words", (long long)pages);
}

void gla_infos_free (const gla_infos *infos)
{
  if (infos->own)
    gla_host_free_zeros (infos->words, bytes_of (infos));
}

//------------------------------------------------------------------------------
// failed pages
//------------------------------------------------------------------------------

void gla_count_failed (const gla_failures *f, const int32_t *info, int64_t pages,
                       gla_report *report)
{
  for (int64_t p = 0; f->suspect && p < pages; p++)
    if (info[p] != 0 && report->pages_failed++ == 0)
      report->first_failed = p;
}

int gla_look_for_failures (gla_call *call, gla_failures *f, const int32_t *info, int64_t count,
                           int clean)
{
  int32_t any = 0; // no branch in the loop: there may be many pages, and mostly none failed
  for (int64_t p = 0; !clean && p < count; p++)
    any |= info[p];
  if (any == 0)
    return 0;
  pthread_mutex_lock (&call->run.lock);
  f->suspect = 1;
  pthread_mutex_unlock (&call->run.lock);
  return 1;
}

void gla_note_not_hermitian (gla_call *call, gla_failures *f, gla_range range, const int32_t *info,
                             const double *skew)
{
  int64_t p = 0;
  while (p < range.count && info[p] != GLA_INFO_NOT_HERMITIAN)
    p++;
  if (p == range.count)
    return;
  pthread_mutex_lock (&call->run.lock);
  if (f->bad_page < 0 || range.first + p < f->bad_page) {
    f->bad_page = range.first + p;
    f->bad_difference = skew[p];
  }
  pthread_mutex_unlock (&call->run.lock);
  gla_run_close (&call->run);
}

gla_status gla_fail_not_hermitian (gla_context *ctx, const gla_failures *f)
{
  return gla_fail (ctx, GLA_ERROR_NOT_HERMITIAN,
                   "page %lld is not Hermitian: the largest |A - A'| is %g", (long long)f->bad_page,
                   f->bad_difference);
}

//------------------------------------------------------------------------------
// pages that a GPU has returned
//------------------------------------------------------------------------------

void gla_handed_back_start (gla_handed_back *h)
{
  pthread_mutex_init (&h->lock, NULL);
  h->done = 0;
}

void gla_handed_back_end (gla_handed_back *h)
{
  pthread_mutex_destroy (&h->lock);
}

// Returns the next consecutive ones in the range, from `from` on; count 0: there are none.
static gla_range next_handed_back (const int32_t *info, gla_range range, int64_t from)
{
  const int64_t end = range.first + range.count;
  while (from < end && info[from] >= 0)
    from++;
  gla_range found = {from, 0};
  while (from + found.count < end && info[from + found.count] < 0)
    found.count++;
  return found;
}

static gla_status submit (gla_engine *cpu, const gla_call *call, gla_range range, void *chunk)
{
  const gla_batch_ops *row = cpu->backend->batch[call->operation->row];
  GLA_TRY (row->begin (cpu, call->job, range.count));
  gla_cut_chunk (call, range, chunk, NULL);
  gla_status status = row->submit (cpu, 0, chunk);
  if (status == GLA_OK)
    status = row->finish (cpu, 0);
  row->end (cpu);
  return status;
}

static gla_status on_cpu (const gla_call *call, gla_range range)
{
  gla_engine *cpu;
  GLA_TRY (gla_context_cpu (call->run.ctx, &cpu));
  void *chunk = malloc (call->operation->chunk_bytes);
  if (chunk == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  gla_status status = submit (cpu, call, range, chunk);
  free (chunk);
  return status;
}

gla_status gla_do_handed_back (gla_call *call, gla_handed_back *h, gla_range range,
                               const int32_t *info)
{
  gla_status status = GLA_OK;
  gla_range r = next_handed_back (info, range, range.first);
  for (; r.count > 0 && status == GLA_OK; r = next_handed_back (info, range, r.first + r.count)) {
    pthread_mutex_lock (&h->lock);
    status = on_cpu (call, r);
    h->done += status == GLA_OK ? r.count : 0;
    pthread_mutex_unlock (&h->lock);
  }
  return status;
}

//------------------------------------------------------------------------------
// pages that did not converge, tried again by another method
//------------------------------------------------------------------------------

// A page that is tried again is already counted; only a request to stop matters.
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

// Tries both methods.
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

// Copies the first array, the page itself; the others are its results and are copied back if the
// CPU has solved it.
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

// dispatch.c: shares the pages of a call among engines
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/status.h"
#include "queue.h"
#include "auto/place.h"
#include "common/system.h"
#include "threads/pool.h"
#include "threads/schedule.h"

//------------------------------------------------------------------------------
// several engines at once
//------------------------------------------------------------------------------

typedef struct {
  gla_queue *queue;
  int cpus; // this engine's share of the cores, for copies
  pthread_t thread;
  int started;
} queue_thread;

static void *thread_main (void *argument)
{
  queue_thread *t = argument;
  gla_run *run = &t->queue->call->run;
  gla_time_slice_shorten ();
  gla_pool_share (t->cpus);
  gla_queue_work (t->queue);
  gla_run_workers (run, -1);
  return NULL;
}

static void start_threads (gla_run *run, gla_queue *queues, int count, queue_thread *threads)
{
  const int cpus = gla_pool_threads () / count;
  for (int k = 0; k < count; k++) {
    queue_thread *t = &threads[k];
    *t = (queue_thread){.queue = &queues[k], .cpus = cpus > 1 ? cpus : 1};
    gla_run_workers (run, 1);
    t->started = gla_thread_start (&t->thread, 0, thread_main, t) == 0;
    if (!t->started)
      gla_run_workers (run, -1);
  }
}

// Each engine has a thread; the calling thread calls back until they are done, and then does the
// part of a thread that could not be started.
static void work_in_threads (gla_run *run, gla_queue *queues, int count)
{
  queue_thread threads[GLA_MAX_DEVICES];
  run->threaded = 1;
  start_threads (run, queues, count, threads);
  while (gla_run_workers (run, 0) > 0) {
    gla_nap (GLA_NAP_NANOSECONDS);
    gla_run_watch (run);
  }
  for (int k = 0; k < count; k++)
    if (threads[k].started)
      pthread_join (threads[k].thread, NULL);
  run->threaded = 0;
  for (int k = 0; k < count; k++)
    if (!threads[k].started)
      gla_queue_work (&queues[k]);
  gla_run_watch (run); // the last pages
}

// Keeps every engine busy until no page waits. *failure: why an engine was given up, if one was;
// pages that no engine could do still wait.
static gla_status run_queues (gla_run *run, gla_queue *queues, int count, gla_status *failure)
{
  if (count > 1)
    work_in_threads (run, queues, count);
  else if (count == 1)
    gla_queue_work (&queues[0]);
  for (int k = 0; k < count; k++)
    if (queues[k].failure != GLA_OK)
      *failure = queues[k].failure;
  return run->stopped ? GLA_ERROR_STOPPED : GLA_OK;
}

//------------------------------------------------------------------------------
// on the CPU, on GPUs
//------------------------------------------------------------------------------

static int64_t at_most (int64_t pages, int64_t most)
{
  return pages < most ? pages : most;
}

static gla_status run_on_cpu (void *user, gla_engine *cpu)
{
  gla_call *call = user;
  gla_queue q = {.engine = cpu, .call = call};
  gla_status failure = GLA_OK;
  if (call->operation->on_cpu != NULL)
    return call->operation->on_cpu (call);
  const int64_t pages = gla_queue_row (&q)->chunk_pages (cpu, call->job, call->run.pages);
  GLA_TRY (gla_queue_begin (&q, at_most (pages, GLA_MAX_CHUNK)));
  GLA_TRY (run_queues (&call->run, &q, 1, &failure));
  return failure;
}

// Opens one of `count` GPUs and takes its memory.
static gla_status open_queue (gla_queue *q, gla_call *call, int device, int count)
{
  const int64_t share = (call->run.pages + count - 1) / count;
  *q = (gla_queue){.call = call};
  GLA_TRY (gla_context_gpu (call->run.ctx, device, &q->engine));
  int64_t pages = gla_queue_row (q)->chunk_pages (q->engine, call->job, share);
  const int64_t chunks = (share + pages - 1) / pages; // of equal size, so that all end together
  if (count > 1)
    pages = (share + chunks - 1) / chunks;
  gla_status status = gla_queue_begin (q, at_most (pages, GLA_MAX_CHUNK));
  if (status == GLA_ERROR_DEVICE_FAILURE)
    gla_context_lose (call->run.ctx, device);
  return status;
}

static gla_status run_on_gpus (void *user, const int *devices, int count, gla_outcome *outcome)
{
  gla_call *call = user;
  gla_queue queues[GLA_MAX_DEVICES];
  int opened = 0, leader = -1;
  if (call->operation->team != NULL && call->run.pages < count)
    leader = call->operation->team (call, devices, count, &outcome->failure);
  if (leader >= 0) {
    devices += leader;
    count = 1;
  }
  for (int k = 0; k < count; k++) {
    const gla_status status = open_queue (&queues[opened], call, devices[k], count);
    if (status == GLA_OK)
      opened++;
    else
      outcome->failure = status;
  }
  if (opened > 0)
    outcome->device = queues[0].engine->device;
  // a caller that copies is one of the threads that others wait for
  const uint64_t slice = call->arrays[0].device == GLA_DEVICE_HOST ? gla_time_slice_shorten () : 0;
  const gla_status status = run_queues (&call->run, queues, opened, &outcome->failure);
  gla_time_slice_restore (slice);
  outcome->undone = call->run.n_waiting > 0 && !call->run.closed;
  return status;
}

//------------------------------------------------------------------------------
// the whole call
//------------------------------------------------------------------------------

void gla_call_start (gla_call *call, const gla_operation *operation, const gla_job *job,
                     gla_context *ctx, int64_t pages)
{
  call->operation = operation;
  call->job = job;
  call->device = GLA_DEVICE_HOST;
  call->chunk_pages = 0;
  call->failed = NULL;
  gla_run_start (&call->run, ctx, pages);
}

gla_status gla_call_run (gla_call *call)
{
  static const gla_placed_work work = {.on_gpus = run_on_gpus, .on_engine = run_on_cpu};
  const gla_placed placed = {.placing = &call->operation->placing,
                             .work = &work,
                             .call = call,
                             .pages = call->run.pages,
                             .data_device = call->arrays[0].device};
  return gla_place_call (call->run.ctx, &placed, &call->device);
}

gla_report gla_call_report (const gla_call *call)
{
  return (gla_report){.device = call->device, .chunk_pages = call->chunk_pages, .first_failed = -1};
}

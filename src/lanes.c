// lanes.c: chunks in flight on one engine or several, and what happens when one fails
// SPDX-License-Identifier: GPL-3.0-or-later

#include "lanes.h"
#include "pool.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

//------------------------------------------------------------------------------
// lanes: engines with their chunks in flight
//------------------------------------------------------------------------------

void gla_lane_end (gla_lane *l)
{
  l->operation->end (l);
  free (l->memory);
  l->memory = NULL;
}

gla_status gla_lane_begin (gla_lane *l, int64_t pages)
{
  for (; pages >= 1; pages /= 2) {
    gla_status status = l->operation->begin (l, pages);
    if (status == GLA_OK)
      l->chunk_pages = pages;
    if (status != GLA_OUT_OF_MEMORY)
      return status;
  }
  return GLA_OUT_OF_MEMORY;
}

gla_status gla_lane_submit (gla_lane *l, gla_range range)
{
  int slot = (l->head + l->count) % l->engine->backend->slots;
  l->flights[slot] = range;
  gla_status status = l->operation->submit (l, slot, range);
  if (status == GLA_OK)
    l->count++;
  else
    gla_run_give_back (l->run, range);
  return status;
}

gla_status gla_lane_finish (gla_lane *l)
{
  int slot = l->head;
  gla_range range = l->flights[slot];
  gla_status status = l->operation->finish (l, slot, range);
  l->head = (slot + 1) % l->engine->backend->slots;
  l->count--;
  if (status == GLA_OK)
    gla_run_complete (l->run, range);
  else
    gla_run_give_back (l->run, range);
  return status;
}

// Gives back all that the lane still has in flight, after a failure.
static void lane_abandon (gla_lane *l)
{
  for (; l->count > 0; l->count--) {
    gla_run_give_back (l->run, l->flights[l->head]);
    l->head = (l->head + 1) % l->engine->backend->slots;
  }
}

// What to do when an engine reports that memory is short or that it failed.
// Returns GLA_OK when the lane goes on, else why it does not.
static gla_status lane_recover (gla_lane *l, gla_status status)
{
  gla_context *ctx = l->run->ctx;
  if (status == GLA_OUT_OF_MEMORY) {
    while (l->count > 0 && status == GLA_OUT_OF_MEMORY) {
      gla_status finished = gla_lane_finish (l);
      if (finished != GLA_OK && finished != GLA_OUT_OF_MEMORY)
        status = finished;
    }
    if (status == GLA_OUT_OF_MEMORY) {
      int64_t fewer = l->chunk_pages / 2;
      gla_lane_end (l);
      l->head = 0;
      if (fewer >= 1)
        return gla_lane_begin (l, fewer);
      return GLA_OUT_OF_MEMORY;
    }
  }
  lane_abandon (l);
  gla_lane_end (l);
  if (status == GLA_DEVICE_FAILURE && l->engine->device != GLA_HOST) {
    pthread_mutex_lock (&l->run->lock);
    gla_context_lose (ctx, l->engine->device);
    pthread_mutex_unlock (&l->run->lock);
    l->engine = NULL;
  }
  return status;
}

//------------------------------------------------------------------------------
// run the pages on some engines
//------------------------------------------------------------------------------

// Fills the lane's slots and waits for its oldest chunk; its engine is NULL after a failure that it
// does not survive. GLA_STOPPED, or GLA_OK.
static gla_status lane_turn (gla_lane *l)
{
  gla_status step = GLA_OK;
  while (step == GLA_OK && l->count < l->engine->backend->slots) {
    gla_range range = gla_run_take (l->run, l->chunk_pages);
    if (range.count == 0)
      break;
    step = gla_lane_submit (l, range);
  }
  if (step == GLA_OK && l->count > 0)
    step = gla_lane_finish (l);
  if (step == GLA_STOPPED || (step == GLA_OK && gla_run_poll (l->run, 0)))
    return GLA_STOPPED;
  if (step != GLA_OK)
    step = lane_recover (l, step);
  if (step != GLA_OK && step != GLA_STOPPED) {
    l->trouble = step;
    l->engine = NULL;
  }
  return step == GLA_STOPPED ? GLA_STOPPED : GLA_OK;
}

// Works until nothing waits and nothing can come back from another lane.
static void lane_work (gla_lane *l)
{
  gla_status status = GLA_OK;
  while (l->engine != NULL && status == GLA_OK && (l->count > 0 || gla_run_open (l->run))) {
    status = lane_turn (l);
    if (l->count == 0 && l->run->threaded) {
      struct timespec nap = {0, 200000}; // another lane may fail and give its pages back
      nanosleep (&nap, NULL);
    }
  }
  if (status == GLA_STOPPED)
    lane_abandon (l);
  if (l->engine != NULL)
    gla_lane_end (l);
}

typedef struct {
  gla_lane *l;
  int cpus; // this lane's share of the cores, for copies
  pthread_t thread;
  int started;
} lane_thread;

static void *lane_main (void *argument)
{
  lane_thread *t = argument;
  gla_pool_share (t->cpus);
  lane_work (t->l);
  gla_run_workers (t->l->run, -1);
  return NULL;
}

// A thread for every lane; this one carries callbacks until they are done.
static void work_in_threads (gla_run *run, gla_lane *lanes, int n_lanes)
{
  lane_thread threads[GLA_MAX_DEVICES];
  int cpus = gla_pool_threads () / n_lanes;
  sigset_t all, before;
  run->threaded = 1;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before); // signals are for the caller's thread
  for (int k = 0; k < n_lanes; k++) {
    threads[k] = (lane_thread){.l = &lanes[k], .cpus = cpus > 1 ? cpus : 1};
    gla_run_workers (run, 1);
    threads[k].started = pthread_create (&threads[k].thread, NULL, lane_main, &threads[k]) == 0;
    if (!threads[k].started)
      gla_run_workers (run, -1);
  }
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  while (gla_run_workers (run, 0) > 0) {
    struct timespec nap = {0, 200000};
    nanosleep (&nap, NULL);
    gla_run_watch (run);
  }
  for (int k = 0; k < n_lanes; k++)
    if (threads[k].started)
      pthread_join (threads[k].thread, NULL);
  run->threaded = 0;
  for (int k = 0; k < n_lanes; k++)
    if (!threads[k].started) // what they leave is done here
      lane_work (&lanes[k]);
  gla_run_watch (run); // the last pages
}

// Keeps every lane busy until nothing waits. Lanes that fail leave; their reason goes to
// *trouble. Pages that no lane could do stay waiting.
static gla_status run_lanes (gla_run *run, gla_lane *lanes, int n_lanes, gla_status *trouble)
{
  if (n_lanes > 1)
    work_in_threads (run, lanes, n_lanes);
  else if (n_lanes == 1)
    lane_work (&lanes[0]);
  for (int k = 0; k < n_lanes; k++)
    if (lanes[k].trouble != GLA_OK)
      *trouble = lanes[k].trouble;
  return run->stopped ? GLA_STOPPED : GLA_OK;
}

static gla_status run_on_cpu (gla_run *run, const gla_operation *operation, void *call)
{
  gla_engine *cpu;
  gla_status trouble = GLA_OK, status = gla_context_cpu (run->ctx, &cpu);
  if (status != GLA_OK)
    return status;
  gla_lane l = {.engine = cpu, .run = run, .operation = operation, .call = call};
  int64_t pages = operation->chunk_pages (cpu, call, run->pages);
  status = gla_lane_begin (&l, pages < GLA_MAX_CHUNK ? pages : GLA_MAX_CHUNK);
  if (status == GLA_OK)
    status = run_lanes (run, &l, 1, &trouble);
  return status == GLA_OK ? trouble : status;
}

// The GPUs in `devices`; what they leave undone stays waiting. *trouble is GLA_OK or the reason.
static gla_status run_on_gpus (gla_run *run, const gla_operation *operation, void *call,
                               const int *devices, int count, int *first, gla_status *trouble)
{
  gla_lane lanes[GLA_MAX_DEVICES] = {0};
  int n_lanes = 0;
  for (int k = 0; k < count; k++) {
    gla_lane *l = &lanes[n_lanes];
    *l = (gla_lane){.run = run, .operation = operation, .call = call};
    gla_status status = gla_context_gpu (run->ctx, devices[k], &l->engine);
    if (status == GLA_OK) {
      int64_t share = (run->pages + count - 1) / count;
      int64_t pages = operation->chunk_pages (l->engine, call, share);
      int64_t chunks = (share + pages - 1) / pages; // of equal size, so that all end together
      if (count > 1)
        pages = (share + chunks - 1) / chunks;
      status = gla_lane_begin (l, pages < GLA_MAX_CHUNK ? pages : GLA_MAX_CHUNK);
      if (status == GLA_DEVICE_FAILURE)
        gla_context_lose (run->ctx, devices[k]);
    }
    if (status == GLA_OK)
      n_lanes++;
    else
      *trouble = status;
  }
  if (n_lanes > 0)
    *first = lanes[0].engine->device;
  return run_lanes (run, lanes, n_lanes, trouble);
}

//------------------------------------------------------------------------------
// the whole call
//------------------------------------------------------------------------------

// On the GPUs that were chosen, if any; what they leave undone the CPU does. *where becomes the one
// place that did all, or GLA_NOWHERE.
static gla_status run_chosen (gla_run *run, const gla_operation *operation, void *call,
                              const gla_choice *choice, int data_device, int *device, int *where)
{
  gla_context *ctx = run->ctx;
  gla_status status, trouble = GLA_OK;
  *where = GLA_NOWHERE;
  if (choice->count > 0) {
    status = run_on_gpus (run, operation, call, choice->devices, choice->count, device, &trouble);
    int undone = run->n_waiting > 0 && !run->closed;
    if (status != GLA_OK)
      return status;
    if (undone && data_device != GLA_HOST)
      return gla_fail (ctx, trouble, "device %d: %s", choice->devices[0],
                       gla_status_text (trouble));
    if (trouble == GLA_OUT_OF_MEMORY && undone)
      gla_warn (ctx, "device-memory", "the GPU has too little free memory; the CPU does the rest");
    else if (trouble != GLA_OK && trouble != GLA_OUT_OF_MEMORY)
      gla_warn (ctx, "device-failed", "a GPU failed (%s)%s", gla_status_text (trouble),
                undone ? "; the CPU does the rest" : "");
    if (!undone && trouble == GLA_OK && choice->count == 1)
      *where = *device;
  } else
    *where = GLA_HOST;
  status = GLA_OK;
  if (run->n_waiting > 0 && !run->closed)
    status = run_on_cpu (run, operation, call);
  if (status != GLA_OK || run->closed)
    *where = GLA_NOWHERE;
  return status;
}

gla_status gla_run_call (gla_run *run, const gla_operation *operation, void *call, int data_device,
                         int *device)
{
  gla_choice choice;
  int where;
  gla_status status =
      gla_choose (run->ctx, &operation->placing, call, run->pages, data_device, &choice);
  if (status != GLA_OK)
    return status;
  status = run_chosen (run, operation, call, &choice, data_device, device, &where);
  gla_choice_end (run->ctx, &choice, where);
  return status;
}

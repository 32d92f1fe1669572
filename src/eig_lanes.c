// eig_lanes.c: chunks in flight on one engine or several, and what happens when one fails
// SPDX-License-Identifier: GPL-3.0-or-later

#include "eig_lanes.h"

#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

//------------------------------------------------------------------------------
// lanes: engines with their chunks in flight
//------------------------------------------------------------------------------

static void *page_address (const gla_array *a, int64_t page)
{
  if (a->data == NULL)
    return NULL;
  return (char *)a->data + (size_t)(page * a->page_stride) * gla_type_size (a->type);
}

static gla_array page_range (const gla_array *a, gla_range range)
{
  gla_array part = *a;
  part.data = page_address (a, range.first);
  part.pages = range.count;
  return part;
}

void gla_eig_lane_end (gla_eig_lane *l)
{
  l->engine->backend->eig_end (l->engine);
  free (l->skew);
  l->skew = NULL;
}

gla_status gla_eig_lane_begin (gla_eig_lane *l, const gla_eig_job *job, int64_t pages)
{
  const gla_backend *backend = l->engine->backend;
  for (; pages >= 1; pages /= 2) {
    gla_status status = backend->eig_begin (l->engine, job, pages);
    if (status == GLA_OK) {
      l->skew = malloc ((size_t)pages * (size_t)backend->slots * sizeof *l->skew);
      if (l->skew != NULL) {
        l->chunk_pages = pages;
        return GLA_OK;
      }
      backend->eig_end (l->engine);
      status = GLA_OUT_OF_MEMORY;
    }
    if (status != GLA_OUT_OF_MEMORY)
      return status;
  }
  return GLA_OUT_OF_MEMORY;
}

gla_status gla_eig_lane_submit (gla_eig_lane *l, gla_eig_run *run, gla_range range)
{
  int slot = (l->head + l->count) % l->engine->backend->slots;
  gla_eig_flight *f = &l->flights[slot];
  f->range = range;
  f->chunk.A = page_range (&run->A, range);
  f->chunk.lambda = page_range (&run->lambda, range);
  f->chunk.V = page_range (&run->V, range);
  f->chunk.info = run->info + range.first;
  f->chunk.skew = l->skew + (int64_t)slot * l->chunk_pages;
  gla_status status = l->engine->backend->eig_submit (l->engine, slot, &f->chunk);
  if (status == GLA_OK)
    l->count++;
  else
    gla_run_give_back (&run->pages, range);
  pthread_mutex_lock (&run->pages.lock);
  if (range.count > run->report.chunk_pages)
    run->report.chunk_pages = range.count;
  pthread_mutex_unlock (&run->pages.lock);
  return status;
}

// Looks for pages with something to tell; of those that are not Hermitian it keeps the first one.
static void look_for_skew (gla_eig_run *run, const gla_eig_flight *f)
{
  int32_t any = 0; // without a branch in the loop: there may be a million pages and nothing to find
  for (int64_t p = 0; p < f->range.count; p++)
    any |= f->chunk.info[p];
  if (any == 0)
    return;
  pthread_mutex_lock (&run->pages.lock);
  run->suspect = 1;
  pthread_mutex_unlock (&run->pages.lock);
  for (int64_t p = 0; p < f->range.count; p++)
    if (f->chunk.info[p] == GLA_INFO_SKEW) {
      int64_t page = f->range.first + p;
      pthread_mutex_lock (&run->pages.lock);
      if (run->report.bad_page < 0 || page < run->report.bad_page) {
        run->report.bad_page = page;
        run->report.bad_difference = f->chunk.skew[p];
      }
      pthread_mutex_unlock (&run->pages.lock);
      return;
    }
}

gla_status gla_eig_lane_finish (gla_eig_lane *l, gla_eig_run *run)
{
  int slot = l->head;
  gla_eig_flight *f = &l->flights[slot];
  gla_status status = l->engine->backend->eig_finish (l->engine, slot);
  l->head = (slot + 1) % l->engine->backend->slots;
  l->count--;
  if (status == GLA_OK) {
    look_for_skew (run, f);
    gla_run_complete (&run->pages, f->range);
  } else {
    gla_run_give_back (&run->pages, f->range);
  }
  return status;
}

// Gives back all that the lane still has in flight, after a failure.
static void lane_abandon (gla_eig_lane *l, gla_eig_run *run)
{
  for (; l->count > 0; l->count--) {
    gla_run_give_back (&run->pages, l->flights[l->head].range);
    l->head = (l->head + 1) % l->engine->backend->slots;
  }
}

// What to do when an engine reports that memory is short or that it failed.
// Returns GLA_OK when the lane goes on, else why it does not.
static gla_status lane_recover (gla_eig_lane *l, gla_eig_run *run, gla_status status)
{
  gla_context *ctx = run->pages.ctx;
  if (status == GLA_OUT_OF_MEMORY) {
    while (l->count > 0 && status == GLA_OUT_OF_MEMORY) {
      gla_status finished = gla_eig_lane_finish (l, run);
      if (finished != GLA_OK && finished != GLA_OUT_OF_MEMORY)
        status = finished;
    }
    if (status == GLA_OUT_OF_MEMORY) {
      int64_t fewer = l->chunk_pages / 2;
      gla_eig_lane_end (l);
      l->head = 0;
      if (fewer >= 1)
        return gla_eig_lane_begin (l, &run->job, fewer);
      return GLA_OUT_OF_MEMORY;
    }
  }
  lane_abandon (l, run);
  gla_eig_lane_end (l);
  if (status == GLA_DEVICE_FAILURE && l->engine->device != GLA_HOST) {
    pthread_mutex_lock (&run->pages.lock);
    gla_context_lose (ctx, l->engine->device);
    pthread_mutex_unlock (&run->pages.lock);
    l->engine = NULL;
  }
  return status;
}

//------------------------------------------------------------------------------
// run the pages on some engines
//------------------------------------------------------------------------------

static int bad_page_found (gla_eig_run *run)
{
  pthread_mutex_lock (&run->pages.lock);
  int found = run->report.bad_page >= 0;
  pthread_mutex_unlock (&run->pages.lock);
  return found;
}

// Fills the lane's slots and waits for its oldest chunk; its engine is NULL after a failure that it
// does not survive. GLA_STOPPED, or GLA_OK.
static gla_status lane_turn (gla_eig_lane *l, gla_eig_run *run)
{
  gla_status step = GLA_OK;
  while (step == GLA_OK && l->count < l->engine->backend->slots && !bad_page_found (run)) {
    gla_range range = gla_run_take (&run->pages, l->chunk_pages);
    if (range.count == 0)
      break;
    step = gla_eig_lane_submit (l, run, range);
  }
  if (step == GLA_OK && l->count > 0)
    step = gla_eig_lane_finish (l, run);
  if (step == GLA_STOPPED || (step == GLA_OK && gla_run_poll (&run->pages, 0)))
    return GLA_STOPPED;
  if (step != GLA_OK)
    step = lane_recover (l, run, step);
  if (step != GLA_OK && step != GLA_STOPPED) {
    l->trouble = step;
    l->engine = NULL;
  }
  return step == GLA_STOPPED ? GLA_STOPPED : GLA_OK;
}

// Works until nothing waits and nothing can come back from another lane.
static void lane_work (gla_eig_lane *l, gla_eig_run *run)
{
  gla_status status = GLA_OK;
  while (l->engine != NULL && status == GLA_OK &&
         (l->count > 0 || (!bad_page_found (run) && gla_run_open (&run->pages)))) {
    status = lane_turn (l, run);
    if (l->count == 0 && run->pages.threaded) {
      struct timespec nap = {0, 200000}; // another lane may fail and give its pages back
      nanosleep (&nap, NULL);
    }
  }
  if (status == GLA_STOPPED)
    lane_abandon (l, run);
  if (l->engine != NULL)
    gla_eig_lane_end (l);
}

typedef struct {
  gla_eig_lane *l;
  gla_eig_run *run;
  int cpus; // this lane's share of the cores, for copies
  pthread_t thread;
  int started;
} lane_thread;

static void *lane_main (void *argument)
{
  lane_thread *t = argument;
  omp_set_num_threads (t->cpus);
  lane_work (t->l, t->run);
  gla_run_workers (&t->run->pages, -1);
  return NULL;
}

// A thread for every lane; this one carries callbacks until they are done.
static void work_in_threads (gla_eig_run *run, gla_eig_lane *lanes, int n_lanes)
{
  lane_thread threads[GLA_MAX_DEVICES];
  int cpus = omp_get_max_threads () / n_lanes;
  sigset_t all, before;
  run->pages.threaded = 1;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before); // signals are for the caller's thread
  for (int k = 0; k < n_lanes; k++) {
    threads[k] = (lane_thread){.l = &lanes[k], .run = run, .cpus = cpus > 1 ? cpus : 1};
    gla_run_workers (&run->pages, 1);
    threads[k].started = pthread_create (&threads[k].thread, NULL, lane_main, &threads[k]) == 0;
    if (!threads[k].started)
      gla_run_workers (&run->pages, -1);
  }
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  while (gla_run_workers (&run->pages, 0) > 0) {
    struct timespec nap = {0, 200000};
    nanosleep (&nap, NULL);
    gla_run_watch (&run->pages);
  }
  for (int k = 0; k < n_lanes; k++)
    if (threads[k].started)
      pthread_join (threads[k].thread, NULL);
  run->pages.threaded = 0;
  for (int k = 0; k < n_lanes; k++)
    if (!threads[k].started) // what they leave is done here
      lane_work (&lanes[k], run);
  gla_run_watch (&run->pages); // the last pages
}

// Keeps every lane busy until nothing waits. Lanes that fail leave; their reason goes to
// *trouble. Pages that no lane could do stay waiting.
gla_status gla_eig_run_lanes (gla_eig_run *run, gla_eig_lane *lanes, int n_lanes,
                              gla_status *trouble)
{
  if (n_lanes > 1)
    work_in_threads (run, lanes, n_lanes);
  else if (n_lanes == 1)
    lane_work (&lanes[0], run);
  for (int k = 0; k < n_lanes; k++)
    if (lanes[k].trouble != GLA_OK)
      *trouble = lanes[k].trouble;
  return run->pages.stopped ? GLA_STOPPED : GLA_OK;
}

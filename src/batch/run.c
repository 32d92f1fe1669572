// run.c: which pages of a call wait, are in progress, and are done
// SPDX-License-Identifier: GPL-3.0-or-later

#include "run.h"

void gla_run_start (gla_run *run, gla_context *ctx, int64_t pages)
{
  run->ctx = ctx;
  run->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  run->threaded = run->workers = 0;
  run->pages = pages;
  run->done = run->reported = run->in_flight = 0;
  run->sweeps = 0;
  run->stopped = run->closed = 0;
  run->waiting[0] = (gla_range){0, pages};
  run->n_waiting = pages > 0;
}

static gla_range take (gla_run *run, int64_t limit)
{
  gla_range taken = {0, 0};
  if (run->n_waiting == 0 || limit == 0)
    return taken;
  int lowest = 0;
  for (int k = 1; k < run->n_waiting; k++)
    if (run->waiting[k].first < run->waiting[lowest].first)
      lowest = k;
  gla_range *range = &run->waiting[lowest];
  taken.first = range->first;
  taken.count = range->count < limit ? range->count : limit;
  range->first += taken.count;
  range->count -= taken.count;
  if (range->count == 0)
    *range = run->waiting[--run->n_waiting];
  return taken;
}

gla_range gla_run_take (gla_run *run, int64_t limit)
{
  pthread_mutex_lock (&run->lock);
  gla_range taken = take (run, run->closed ? 0 : limit);
  run->in_flight += taken.count;
  pthread_mutex_unlock (&run->lock);
  return taken;
}

void gla_run_give_back (gla_run *run, gla_range range)
{
  pthread_mutex_lock (&run->lock);
  run->in_flight -= range.count;
  // It is joined with adjacent ranges, so that the list stays as short as the chunks in flight.
  for (int k = 0; k < run->n_waiting; k++) {
    gla_range *other = &run->waiting[k];
    if (other->first + other->count == range.first || range.first + range.count == other->first) {
      range.first = other->first < range.first ? other->first : range.first;
      range.count += other->count;
      *other = run->waiting[--run->n_waiting];
      k = -1;
    }
  }
  run->waiting[run->n_waiting++] = range;
  pthread_mutex_unlock (&run->lock);
}

void gla_run_complete (gla_run *run, gla_range range)
{
  pthread_mutex_lock (&run->lock);
  run->in_flight -= range.count;
  pthread_mutex_unlock (&run->lock);
}

int gla_run_open (gla_run *run)
{
  pthread_mutex_lock (&run->lock);
  int open = !run->stopped && !run->closed && (run->n_waiting > 0 || run->in_flight > 0);
  pthread_mutex_unlock (&run->lock);
  return open;
}

void gla_run_close (gla_run *run)
{
  pthread_mutex_lock (&run->lock);
  run->closed = 1;
  pthread_mutex_unlock (&run->lock);
}

int gla_run_workers (gla_run *run, int change)
{
  pthread_mutex_lock (&run->lock);
  int workers = run->workers += change;
  pthread_mutex_unlock (&run->lock);
  return workers;
}

// Returns nonzero if the work must already end.
static int report (gla_run *run)
{
  pthread_mutex_lock (&run->lock);
  const int64_t done = run->done;
  const int stopped = run->stopped, sweeps = run->sweeps;
  run->sweeps = 0;
  pthread_mutex_unlock (&run->lock);
  if (done > run->reported)
    gla_report_progress (run->ctx, done, run->pages);
  run->reported = done;
  if (sweeps > 0)
    gla_report_sweeps (run->ctx, done, run->pages, sweeps);
  return stopped;
}

void gla_run_watch (gla_run *run)
{
  if (report (run) || !gla_stop_wanted (run->ctx))
    return;
  pthread_mutex_lock (&run->lock);
  run->stopped = 1;
  pthread_mutex_unlock (&run->lock);
}

void gla_run_swept (void *user, int sweeps)
{
  gla_run *run = user;
  pthread_mutex_lock (&run->lock);
  run->sweeps = sweeps;
  int threaded = run->threaded;
  pthread_mutex_unlock (&run->lock);
  if (!threaded)
    report (run);
}

int gla_run_poll (void *user, int64_t pages)
{
  gla_run *run = user;
  pthread_mutex_lock (&run->lock);
  run->done += pages;
  int stopped = run->stopped, threaded = run->threaded;
  pthread_mutex_unlock (&run->lock);
  if (threaded)
    return stopped;
  gla_run_watch (run);
  return run->stopped;
}

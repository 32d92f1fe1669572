// run.h: which pages of a call wait, are in progress, and are done
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Operations that work page by page share this. A run knows which pages are still to be done;
// engines take chunks of them, and those that a failing engine held return to be done by another.

#ifndef GPULINALG_RUN_H
#define GPULINALG_RUN_H

#include "context.h"

#include <pthread.h>

typedef struct {
  int64_t first, count;
} gla_range;

// With several engines each has a thread. Only the thread of the caller calls back (Octave has
// one); data that the threads share is changed under the lock.
typedef struct {
  gla_context *ctx;
  pthread_mutex_t lock;
  int threaded; // whether the engines have threads of their own
  int workers;  // threads that have not ended
  int64_t pages, done, reported;
  int64_t in_flight; // pages that engines hold
  int sweeps;        // of the current pages, not yet reported; 0: nothing new
  int stopped;
  int closed; // no page is given out any more: the call is known to fail
  // Ranges that wait: the untouched rest, and what came back from engines that failed.
  gla_range waiting[8 * GLA_MAX_DEVICES * GLA_MAX_SLOTS];
  int n_waiting;
} gla_run;

void gla_run_start (gla_run *run, gla_context *ctx, int64_t pages);
// Takes at most `limit` pages, lowest first; count 0 if nothing waits.
gla_range gla_run_take (gla_run *run, int64_t limit);
void gla_run_give_back (gla_run *run, gla_range range);
void gla_run_complete (gla_run *run, gla_range range);
// Whether an engine may still get pages: some wait, or may come back from another one.
int gla_run_open (gla_run *run);
// Gives out no further pages; what is in flight is finished.
void gla_run_close (gla_run *run);
// Adds to the number of working threads and returns it.
int gla_run_workers (gla_run *run, int change);
// The monitor's function: counts pages and says whether to stop. In the caller's thread it also
// reports the progress and polls the user's stop.
int gla_run_poll (void *run, int64_t pages);
// Reports that the current pages have had so many sweeps: at once, or from a thread of an engine
// with the next gla_run_watch.
void gla_run_swept (void *run, int sweeps);
// Reports the progress and polls the user's stop, while engines work in their threads.
void gla_run_watch (gla_run *run);

#endif

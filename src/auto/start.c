// start.c: starts a GPU in the background
// SPDX-License-Identifier: GPL-3.0-or-later

#include "start.h"
#include "backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//------------------------------------------------------------------------------
// which GPUs there are
//------------------------------------------------------------------------------

// Whether this process, or in a child its parent, has called the driver, and whether this is a
// child. Each call asks several times, so this must not call the system.
static atomic_int driver_called, forked;

static void in_child (void)
{
  atomic_store (&forked, atomic_load (&driver_called));
}

// Runs when the library is loaded: a fork during the first call of the driver must not be missed.
static __attribute__ ((constructor)) void watch_forks (void)
{
  gla_at_fork (NULL, NULL, in_child);
}

int gla_forked (void)
{
  return atomic_load_explicit (&forked, memory_order_relaxed);
}

void gla_gpus_query (gla_gpus *gpus)
{
  const gla_backend_list all = gla_backends ();
  *gpus = (gla_gpus){.count = 0};
  if (all.gpu == NULL) {
    snprintf (gpus->why, sizeof gpus->why, "%s", all.about);
    return;
  }
  if (gla_forked ()) {
    snprintf (gpus->why, sizeof gpus->why, "this process was forked from one that uses the GPU");
    return;
  }
  atomic_store (&driver_called, 1);
  gpus->count = all.gpu->device_count (gpus->why, sizeof gpus->why);
  gpus->backend = gpus->count > 0 ? all.gpu : NULL;
}

//------------------------------------------------------------------------------
// threads that have not ended, for the end of the process
//------------------------------------------------------------------------------

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static gla_start *under_way;
static pthread_once_t registered = PTHREAD_ONCE_INIT;
static int64_t registrar;

static void join (gla_start *start)
{
  atomic_store (&start->cancelled, 1);
  if (!start->joined)
    pthread_join (start->thread, NULL);
  start->joined = 1;
}

// If a thread is inside of the driver while the process ends the driver, it hangs or crashes. So
// the process waits: the thread ends at its next step, which takes little time. Functions that were
// registered last are called first, and the driver registers its own when it is first called; so
// this is registered before and after that. While the driver is in its first call, the order is the
// driver's own: a process that knows that it is about to exit calls gla_release before.
static void wait_at_exit (void)
{
  if (gla_process () != registrar)
    return; // forked: there are no threads here
  pthread_mutex_lock (&lock);
  for (gla_start *start = under_way; start != NULL; start = start->next)
    join (start);
  pthread_mutex_unlock (&lock);
}

static void register_exit (void)
{
  registrar = gla_process ();
  (void)atexit (wait_at_exit);
}

static pthread_once_t registered_again = PTHREAD_ONCE_INIT;
static void register_exit_again (void)
{
  (void)atexit (wait_at_exit);
}

static void leave_list (gla_start *start)
{
  pthread_mutex_lock (&lock);
  gla_start **at = &under_way;
  while (*at != NULL && *at != start)
    at = &(*at)->next;
  if (*at != NULL)
    *at = start->next;
  pthread_mutex_unlock (&lock);
}

//------------------------------------------------------------------------------
// the thread
//------------------------------------------------------------------------------

static void *start_main (void *argument)
{
  gla_start *start = argument;
  gla_gpus_query (&start->gpus);
  pthread_once (&registered_again, register_exit_again);
  atomic_store (&start->stage, GLA_START_OPENING);
  start->status = GLA_ERROR_NO_DEVICE;
  if (start->device < start->gpus.count && !atomic_load (&start->cancelled))
    start->status = start->gpus.backend->open (start->device, &start->engine);
  if (start->status != GLA_OK)
    start->engine = NULL;
  atomic_store (&start->stage, GLA_START_DONE);
  return NULL;
}

gla_start *gla_start_begin (int device)
{
  gla_start *start = calloc (1, sizeof *start);
  if (start == NULL)
    return NULL;
  start->device = device;
  start->begun = gla_now ();
  start->process = gla_process ();
  atomic_store (&driver_called, 1); // no child takes the lock of the list
  pthread_once (&registered, register_exit);
  if (gla_thread_start (&start->thread, 0, start_main, start) != 0) {
    free (start);
    return NULL;
  }
  pthread_mutex_lock (&lock);
  start->next = under_way;
  under_way = start;
  pthread_mutex_unlock (&lock);
  return start;
}

gla_engine *gla_start_end (gla_start *start)
{
  if (start->process != gla_process ()) // forked: the thread is not here
    return NULL;
  leave_list (start);
  join (start);
  gla_engine *engine = start->engine;
  free (start);
  return engine;
}

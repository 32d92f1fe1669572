// crew.c: threads that share a piece of work, and the calling thread's duty to ask
// SPDX-License-Identifier: GPL-3.0-or-later

#include "crew.h"

#include <string.h>
#include <time.h>

static double now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void poll_monitor (gla_cpu_crew *crew)
{
  int64_t pages = atomic_exchange (&crew->done, 0);
  if (crew->monitor.poll && crew->monitor.poll (crew->monitor.user, pages))
    atomic_store (&crew->stop, 1);
}

void gla_cpu_crew_start (gla_cpu_crew *crew, const gla_monitor *monitor)
{
  memset (crew, 0, sizeof *crew);
  crew->monitor = *monitor;
  crew->last_poll = now ();
}

int gla_cpu_crew_stopped (gla_cpu_crew *crew, int thread)
{
  if (thread == 0) {
    double t = now ();
    if (t - crew->last_poll >= 0.02) {
      poll_monitor (crew);
      // asked after the call, which may take long itself
      crew->last_poll = now ();
    }
  }
  return atomic_load_explicit (&crew->stop, memory_order_relaxed);
}

static void watch (void *crew)
{
  gla_cpu_crew_stopped (crew, 0);
}

void gla_cpu_crew_for (gla_cpu_crew *crew, int64_t pieces, int threads, gla_pool_work work,
                       void *user)
{
  gla_pool_watched (pieces, threads, work, user, watch, crew);
}

gla_status gla_cpu_crew_end (gla_cpu_crew *crew)
{
  if (!atomic_load (&crew->stop))
    poll_monitor (crew);
  return atomic_load (&crew->stop) ? GLA_STOPPED : GLA_OK;
}

// parallel.c: a loop shared by threads, which the monitor can stop
// SPDX-License-Identifier: GPL-3.0-or-later

#include "parallel.h"

#include "common/limits.h"
#include "common/system.h"

#include <string.h>

static void poll_monitor (gla_cpu_parallel *region)
{
  int64_t pages = atomic_exchange (&region->done, 0);
  if (region->monitor.poll && region->monitor.poll (region->monitor.user, pages))
    atomic_store (&region->stop, 1);
}

void gla_cpu_parallel_start (gla_cpu_parallel *region, const gla_monitor *monitor)
{
  memset (region, 0, sizeof *region);
  region->monitor = *monitor;
  region->last_poll = gla_now ();
}

int gla_cpu_parallel_stopped (gla_cpu_parallel *region, int thread)
{
  if (thread == 0) {
    double t = gla_now ();
    if (t - region->last_poll >= GLA_POLL_SECONDS) {
      poll_monitor (region);
      // the call itself may take long
      region->last_poll = gla_now ();
    }
  }
  return atomic_load_explicit (&region->stop, memory_order_relaxed);
}

static void watch (void *region)
{
  gla_cpu_parallel_stopped (region, 0);
}

void gla_cpu_parallel_for (gla_cpu_parallel *region, int64_t pieces, int threads,
                           gla_pool_work work, void *user)
{
  gla_pool_watched (pieces, threads, work, user, watch, region);
}

gla_status gla_cpu_parallel_end (gla_cpu_parallel *region)
{
  if (!atomic_load (&region->stop))
    poll_monitor (region);
  return atomic_load (&region->stop) ? GLA_ERROR_STOPPED : GLA_OK;
}

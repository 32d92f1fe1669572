// crew.h: threads that share a piece of work, and the calling thread's duty to ask
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_CREW_H
#define GPULINALG_CPU_CREW_H

#include "../backend.h"
#include "../pool.h"

#include <stdatomic.h>

typedef struct gla_cpu_crew {
  gla_monitor monitor;
  double last_poll;     // of thread 0 only
  _Atomic int64_t done; // pages that are finished and not yet reported
  _Atomic int stop;
} gla_cpu_crew;

void gla_cpu_crew_start (gla_cpu_crew *crew, const gla_monitor *monitor);
// Nonzero when the work must end. Thread 0, which is the calling thread, polls the monitor here.
int gla_cpu_crew_stopped (gla_cpu_crew *crew, int thread);
// gla_pool_for, with the monitor polled while the caller waits. Pieces ask gla_cpu_crew_stopped
// with their slot.
void gla_cpu_crew_for (gla_cpu_crew *crew, int64_t pieces, int threads, gla_pool_work work,
                       void *user);
// Reports the last pages; GLA_STOPPED where the work was ended.
gla_status gla_cpu_crew_end (gla_cpu_crew *crew);

#endif

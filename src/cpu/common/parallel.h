// parallel.h: a loop shared by threads, which the monitor can stop
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_PARALLEL_H
#define GPULINALG_CPU_PARALLEL_H

#include "row.h"
#include "threads/pool.h"

#include <stdatomic.h>

// The state of such a loop.
typedef struct gla_cpu_parallel {
  gla_monitor monitor;
  double last_poll;     // of thread 0 only
  _Atomic int64_t done; // pages that are finished and not yet reported
  _Atomic int stop;
} gla_cpu_parallel;

void gla_cpu_parallel_start (gla_cpu_parallel *region, const gla_monitor *monitor);
// Nonzero when the work must end. Thread 0, which is the calling thread, polls the monitor here.
int gla_cpu_parallel_stopped (gla_cpu_parallel *region, int thread);
// Does gla_pool_for, and polls the monitor while the caller waits. Pieces call
// gla_cpu_parallel_stopped with their slot.
void gla_cpu_parallel_for (gla_cpu_parallel *region, int64_t pieces, int threads,
                           gla_pool_work work, void *user);
// Reports the last pages; returns GLA_ERROR_STOPPED if the work was stopped.
gla_status gla_cpu_parallel_end (gla_cpu_parallel *region);

#endif

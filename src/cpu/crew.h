// crew.h: threads that share the pages of a chunk, and the calling thread's duty to ask
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_CREW_H
#define GPULINALG_CPU_CREW_H

#include "../backend.h"

#include <stdatomic.h>

typedef struct gla_cpu_crew {
  gla_monitor monitor;
  double last_poll;     // of thread 0 only
  _Atomic int64_t next; // first unit that nobody has taken
  _Atomic int64_t done; // pages that are finished and not yet reported
  _Atomic int working;  // threads that may still finish pages
  _Atomic int stop;
} gla_cpu_crew;

void gla_cpu_crew_start (gla_cpu_crew *crew, const gla_monitor *monitor);
// Nonzero when the work must end. Thread 0, which is the calling thread, polls the monitor here.
int gla_cpu_crew_stopped (gla_cpu_crew *crew, int thread);
// This thread has run out of pages; thread 0 answers the monitor until the others have, too.
void gla_cpu_crew_leave (gla_cpu_crew *crew, int thread);
// Reports the last pages; GLA_STOPPED where the work was ended.
gla_status gla_cpu_crew_end (gla_cpu_crew *crew);

#endif

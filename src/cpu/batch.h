// batch.h: how threads of the CPU share the pages of a chunk
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_BATCH_H
#define GPULINALG_CPU_BATCH_H

#include "cpu/common/parallel.h"

typedef struct gla_cpu_engine gla_cpu_engine; // cpu/engine.h

// What one thread needs to work on a group of pages.
typedef struct {
  const gla_cpu_engine *engine;
  const void *job;   // that of the batch
  const void *chunk; // of the operation
  gla_cpu_parallel *region;
  int thread; // 0 is the calling thread, the only one that polls the monitor
  int team;   // threads that may work inside a page
  char *work; // workspace of this thread, aligned to 64
} gla_cpu_worker;

// Does pages first .. first+count-1 of the chunk.
typedef void (*gla_cpu_solve) (const gla_cpu_worker *worker, int64_t first, int count);

// Either many threads take groups of pages (team 1), or all threads do one page after the other
// together (threads 1).
typedef struct {
  const void *job; // begins with a gla_job, and is kept by the engine while chunks of it run
  gla_cpu_solve solve;
  int group;         // pages that a thread takes at a time
  int threads;       // that take groups
  int team;          // threads that each of them may start inside a page, itself included
  int blas;          // nonzero: pages call the BLAS, which must not start threads of its own
  size_t work_bytes; // workspace of each thread, a multiple of 64
} gla_cpu_batch;

#endif

// engine.h: the engine of the CPU backend
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_ENGINE_H
#define GPULINALG_CPU_ENGINE_H

#include "cpu/batch.h"

// Bytes for what a row keeps of its job.
enum { GLA_CPU_JOB_BYTES = 512 };

struct gla_cpu_engine {
  gla_engine base; // must stay first
  int isa;         // gla_cpu_isa_here
  int threads_max;

  // The current job, as its row stores it from `begin` on: the row's own struct, whose first member
  // is the job.
  _Alignas(16) char job[GLA_CPU_JOB_BYTES];
  gla_cpu_batch batch;
  char *work;       // of all threads, aligned to 64
  void *work_block; // what to free
  size_t work_capacity;

  void *parts;  // of the current job, if other rows do parts of it; NULL: none
  void *krylov; // a gla_cpu_krylov; NULL: no Krylov job is open
};

// Returns the place of a type in tables of kernels, s d c z.
int gla_cpu_type_index (gla_type type);
// Returns how many threads share pieces of work that take one thread so many seconds altogether.
// For less than 0.1 ms each it would not pay to wake threads, and on a machine with other work they
// may be late by some milliseconds.
int gla_cpu_threads_for (const gla_cpu_engine *e, int64_t pieces, double seconds);
// Makes e->work at least so large; GLA_ERROR_OUT_OF_MEMORY takes nothing.
gla_status gla_cpu_engine_take (gla_cpu_engine *e, size_t bytes);

// Returns the pages that a thread takes at a time, a multiple of `lanes`: some 20 us of work if a
// page takes `seconds`, so that taking them costs nothing.
int gla_cpu_group_of (double seconds, int lanes);
// The largest n of pages whose n*n numbers LAPACK can count.
int64_t gla_cpu_largest_order (void);
// For threads that take groups of pages and share none: fills the rest of e->batch, of which job,
// solve, group and blas are set, and takes the workspace, so many bytes for each thread. One thread
// would take so many seconds for all pages.
gla_status gla_cpu_batch_deal (gla_cpu_engine *e, int64_t pages, double seconds, size_t work_bytes);
// Does so many pages of a chunk as e->batch says, and reports them to the job's monitor.
gla_status gla_cpu_batch_run (gla_cpu_engine *e, const void *chunk, int64_t pages);
// Serves every row: a chunk has all pages and is done when it was submitted.
int64_t gla_cpu_batch_pages (gla_engine *engine, const gla_job *job, int64_t pages);
gla_status gla_cpu_batch_submit (gla_engine *engine, int slot, const void *chunk);
gla_status gla_cpu_batch_finish (gla_engine *engine, int slot);
void gla_cpu_batch_end (gla_engine *engine);

#endif

// solve.h: what the files of the page solves share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// solve_kernels.c holds the arithmetic and is compiled once per type and instruction set.

#ifndef GPULINALG_CPU_SOLVE_H
#define GPULINALG_CPU_SOLVE_H

#include "cpu/common/parallel.h"
#include "cpu/common/kernel_table.h"
#include "solve/job.h"

// Larger orders are done in blocks on all processors, by several threads if a page takes long.
enum { LU_ALONE_MAX = 256 };

// Some pages of a job, and the threads and memory for them.
typedef struct {
  const gla_pagesolve_job *job;
  const gla_pagesolve_chunk *chunk;
  gla_cpu_parallel *region;
  int thread; // 0 is the calling thread
  int team;   // threads that may work inside a page
  char *work; // aligned to 64
} gla_cpu_lu_task;

// The kernels of one type of A for one instruction set: X is complex where B is.
typedef struct {
  int lanes; // pages that are best solved at a time
  // Bytes of a thread that solves so many pages with one A at a time, with a team for each.
  size_t (*workspace) (const gla_pagesolve_job *job, int64_t pages, int team);
  void (*solve) (const gla_cpu_lu_task *task, int64_t first, int64_t count);
} gla_cpu_solve_kernel;

GLA_KERNEL_DECLARE (solve);

// Returns how many consecutive pages of the result have the same page of A and pages of B at equal
// distances; *b_step is that distance. Page p of the result is one of those from p/count*count on.
int64_t gla_cpu_lu_shared (const gla_pagesolve_job *job, int64_t *b_step);

// Serve the kernels: whether the work must end, and a loop shared by the team of a page. Members of
// the team have the threads task->thread + 0, 1, ..
int gla_cpu_lu_stopped (const gla_cpu_lu_task *task, int member);
void gla_cpu_lu_for (const gla_cpu_lu_task *task, int64_t pieces, gla_pool_work work, void *user);

#endif

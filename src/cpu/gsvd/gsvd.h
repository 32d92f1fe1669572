// gsvd.h: what the files of the generalized SVD on the CPU share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// gsvd_kernels.c holds the arithmetic, see ../common/kernel_table.h.

#ifndef GPULINALG_CPU_GSVD_H
#define GPULINALG_CPU_GSVD_H

#include "common/orderings.h"
#include "cpu/common/parallel.h"
#include "cpu/common/kernel_table.h"
#include "gsvd/job.h"

// How a job is done: this depends on its sizes, type and options alone, so that a page has the same
// bits in every batch and with every choice of results.
typedef struct {
  gla_gsvd_method method; // not AUTO
  int width;              // columns of a block; 0: the columns are paired one by one
  int in_threads;         // threads take pages; otherwise all threads share one page
} gla_cpu_gsvd_plan;

// What one thread needs to work on pages of a chunk.
typedef struct {
  const gla_gsvd_job *job;
  const gla_gsvd_chunk *chunk;
  const gla_cpu_gsvd_plan *plan;
  const gla_column_order *columns; // of all columns, or of those of two blocks
  const gla_column_order *blocks;  // where there are blocks
  gla_cpu_parallel *region;
  int thread; // 0 is the calling thread, the only one that polls the monitor
  int team;   // threads that may work inside of a page, this one included
  char *work; // workspace of this thread, aligned to 64
} gla_cpu_gsvd_task;

// Nonzero when the work must end. Called by the task's own thread only.
int gla_cpu_gsvd_stopped (const gla_cpu_gsvd_task *task);
// Reports the sweeps of the task's pair, unless several pairs are solved at a time.
void gla_cpu_gsvd_swept (const gla_cpu_gsvd_task *task, int sweeps);

// The kernels of one type for one instruction set.
typedef struct {
  int lanes; // numbers in a register
  size_t (*workspace) (const gla_gsvd_job *job, const gla_cpu_gsvd_plan *plan, int team);
  void (*solve) (gla_cpu_gsvd_task *task, int64_t page);
  // The same for the sweeps of a pair that another rank solves.
  size_t (*serve_workspace) (const gla_gsvd_job *job, const gla_cpu_gsvd_plan *plan, int team);
  void (*serve) (gla_cpu_gsvd_task *task);
} gla_cpu_gsvd_kernel;

GLA_KERNEL_DECLARE (gsvd);

gla_cpu_gsvd_plan gla_cpu_gsvd_plan_of (const gla_gsvd_job *job);

// Return, for the row, predicted seconds of all pages, and those of one thread.
double gla_cpu_gsvd_seconds (gla_engine *engine, const gla_job *job, int64_t pages);
double gla_cpu_gsvd_alone (const gla_gsvd_job *job, int64_t pages);

#endif

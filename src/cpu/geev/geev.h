// geev.h: what the files of the general eigenproblem on the CPU share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// geev_kernels.c holds the arithmetic, see ../common/kernel_table.h.

#ifndef GPULINALG_CPU_GEEV_H
#define GPULINALG_CPU_GEEV_H

#include "cpu/common/kernel_table.h"
#include "cpu/common/parallel.h"
#include "geev/job.h"

// Orders up to this have one page per lane, larger ones a page per thread, by LAPACK.
enum { GLA_CPU_GEEV_LANES_MAX = 48 };

// What one thread needs to work on pages of a chunk.
typedef struct {
  const gla_geev_job *job;
  const gla_geev_chunk *chunk;
  gla_cpu_parallel *region;
  int thread; // 0 is the calling thread, the only one that polls the monitor
  char *work; // workspace of this thread, aligned to 64
} gla_cpu_geev_task;

// Nonzero when the work must end.
int gla_cpu_geev_stopped (const gla_cpu_geev_task *task);

// The kernels of one type for one instruction set.
typedef struct {
  int lanes; // numbers in a register
  size_t (*workspace) (const gla_geev_job *job);
  void (*solve) (const gla_cpu_geev_task *task, int64_t first, int64_t count);
} gla_cpu_geev_kernel;

GLA_KERNEL_DECLARE (geev);

#endif

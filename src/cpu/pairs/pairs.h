// pairs.h: what the files of the steps on Hermitian pencils share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// pairs_kernels.c holds the arithmetic and is compiled once per type and instruction set.

#ifndef GPULINALG_CPU_PAIRS_H
#define GPULINALG_CPU_PAIRS_H

#include "cpu/common/parallel.h"
#include "cpu/common/kernel_table.h"
#include "pairs/job.h"

typedef struct {
  const gla_pencil_job *job;
  const gla_pencil_chunk *chunk;
  gla_cpu_parallel *region;
  int thread; // 0 is the calling thread
  char *work; // aligned to 64
} gla_cpu_pencil_task;

// The kernels of one type for one instruction set.
typedef struct {
  int lanes;     // numbers in a register: orders up to lanes_max have one page per lane,
  int lanes_max; // larger ones are done by the BLAS, a page after another
  size_t (*workspace) (const gla_pencil_job *job);
  void (*solve) (const gla_cpu_pencil_task *task, int64_t first, int64_t count);
} gla_cpu_pairs_kernel;

GLA_KERNEL_DECLARE (pairs);

// Nonzero when the work must end. Large pages poll between their pieces.
int gla_cpu_pencil_stopped (const gla_cpu_pencil_task *task);

#endif

// least_squares.h: what the files that finish pages on the CPU share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// least_squares_kernels.c holds the arithmetic, see ../common/kernel_table.h.

#ifndef GPULINALG_CPU_LEAST_SQUARES_H
#define GPULINALG_CPU_LEAST_SQUARES_H

#include "cpu/common/parallel.h"
#include "cpu/common/kernel_table.h"
#include "qr/job.h"

// The kernels of one type for one instruction set.
typedef struct {
  size_t (*workspace) (const gla_pages_job *job);
  // Pages first..end-1; work is aligned to 64.
  void (*pages) (const gla_pages_job *job, int64_t first, int64_t end, char *work);
} gla_cpu_least_squares_kernel;

GLA_KERNEL_DECLARE (least_squares);

#endif

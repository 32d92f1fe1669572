// qr.h: what the files of the QR factorisation on the CPU share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// qr_kernels.c holds the arithmetic, see ../common/kernel_table.h.

#ifndef GPULINALG_CPU_QR_H
#define GPULINALG_CPU_QR_H

#include "cpu/common/parallel.h"
#include "cpu/common/kernel_table.h"
#include "qr/job.h"

// How a job is done: this depends on its size and type, "block" and "pivot" alone, so that a page
// has the same bits in every batch and with every choice of results.
typedef enum {
  GLA_CPU_QR_LANES, // small pages: one per lane of a register
  GLA_CPU_QR_ROWS,  // pages that fit into a cache: one per thread, its rows in lanes
  GLA_CPU_QR_TALL,  // many more rows than columns: a tree of row blocks
  GLA_CPU_QR_BLOCKS // all others: block reflectors and the products of the BLAS
} gla_cpu_qr_path;

// What one thread needs to work on pages of a chunk.
typedef struct {
  const gla_qr_job *job;
  const gla_qr_chunk *chunk;
  gla_cpu_parallel *region;
  gla_cpu_qr_path path;
  int thread; // 0 is the calling thread, the only one that polls the monitor
  int team;   // threads that may work inside of a page, this one included
  char *work; // workspace of this thread, aligned to 64
} gla_cpu_qr_task;

// Nonzero when the work must end. `member` is a thread of the team, 0 the task's own.
int gla_cpu_qr_stopped (const gla_cpu_qr_task *task, int member);

// Shares pieces of a page among the threads of the team; the slot of a piece is its thread.
void gla_cpu_qr_for (const gla_cpu_qr_task *task, int64_t pieces, gla_pool_work work, void *user);

// The kernels of one type for one instruction set.
typedef struct {
  int lanes; // numbers in a register
  size_t (*workspace) (const gla_qr_job *job, gla_cpu_qr_path path, int team);
  // Pages first..first+count-1 of the chunk; count is at most `lanes` for LANES, and 1 for others.
  void (*solve) (gla_cpu_qr_task *task, int64_t first, int count);
} gla_cpu_qr_kernel;

GLA_KERNEL_DECLARE (qr);

gla_cpu_qr_path gla_cpu_qr_path_of (const gla_qr_job *job);
// Whether threads take pages; otherwise all threads share one page.
int gla_cpu_qr_in_threads (const gla_qr_job *job, gla_cpu_qr_path path);

// Return, for the row, the kernels of a job, predicted seconds of all pages, and those of one
// thread.
typedef struct gla_cpu_engine gla_cpu_engine;
const gla_cpu_qr_kernel *gla_cpu_qr_kernel_of (const gla_cpu_engine *e, const gla_qr_job *job);
double gla_cpu_qr_seconds (gla_engine *engine, const gla_job *job, int64_t pages);
double gla_cpu_qr_alone (const gla_cpu_engine *e, const gla_qr_job *job, int64_t pages);

#endif

// svd.h: what the files of the singular value decomposition on the CPU share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// svd_kernels.c holds the arithmetic, see ../common/kernel_table.h.

#ifndef GPULINALG_CPU_SVD_H
#define GPULINALG_CPU_SVD_H

#include "cpu/common/kernel_table.h"
#include "cpu/common/parallel.h"
#include "svd/job.h"

// How a job is done: this depends on its sizes, type and method alone, so that a page has the same
// bits in every batch.
typedef enum {
  GLA_CPU_SVD_LANES, // QR with column pivoting and one-sided Jacobi, one page per lane
  GLA_CPU_SVD_LONG,  // the same on R of a QR of each page, for pages that are long
  GLA_CPU_SVD_PAGE,  // bidiagonal reduction, divide and conquer: LAPACK, one page per thread
  GLA_CPU_SVD_JACOBI // QR with column pivoting and one-sided Jacobi, one page per thread
} gla_cpu_svd_path;

// What one thread needs to work on pages of a chunk.
typedef struct {
  const gla_svd_job *job;
  const gla_svd_chunk *chunk;
  gla_cpu_parallel *region;
  gla_cpu_svd_path path;
  int thread; // 0 is the calling thread, the only one that polls the monitor
  char *work; // workspace of this thread, aligned to 64
} gla_cpu_svd_task;

// Nonzero when the work must end.
int gla_cpu_svd_stopped (const gla_cpu_svd_task *task);

// The kernels of one type for one instruction set.
typedef struct {
  int lanes; // numbers in a register
  size_t (*workspace) (const gla_svd_job *job, gla_cpu_svd_path path);
  // Pages first..first+count-1 of the chunk; count is any for LANES and LONG, and 1 for the others.
  void (*solve) (gla_cpu_svd_task *task, int64_t first, int count);
} gla_cpu_svd_kernel;

GLA_KERNEL_DECLARE (svd);

gla_cpu_svd_path gla_cpu_svd_path_of (const gla_svd_job *job);
// The method by T'*T takes T by blocks of rows of so many bytes, and first a sample of whole blocks
// with so many rows for each column.
enum { GLA_TALL_BLOCK_BYTES = 24 * 1024, GLA_TALL_SAMPLE = 4 };

// Whether the pages of LANES or LONG are tried by T'*T first: a sample is at most a third of them,
// so that those for which that is not accurate take little longer.
int gla_cpu_svd_is_tall (const gla_svd_job *job);

// Whether the pages of LANES, m >= n, are tried by Cholesky factors first.
int gla_cpu_svd_is_cholesky (const gla_svd_job *job);

// Return, for the row, the kernels of a job, predicted seconds of all pages, those of one thread,
// and the pages that a thread takes at a time.
typedef struct gla_cpu_engine gla_cpu_engine;
const gla_cpu_svd_kernel *gla_cpu_svd_kernel_of (const gla_cpu_engine *e, const gla_svd_job *job);
double gla_cpu_svd_seconds (gla_engine *engine, const gla_job *job, int64_t pages);
double gla_cpu_svd_alone (const gla_cpu_engine *e, const gla_svd_job *job, int64_t pages);
int gla_cpu_svd_group (const gla_cpu_engine *e, const gla_svd_job *job, int64_t pages);

#endif

// eig.h: what the files of the eigenvalue solver on the CPU share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_EIG_H
#define GPULINALG_CPU_EIG_H

#include "cpu/common/parallel.h"
#include "cpu/common/kernel_table.h"
#include "eig/job.h"

//------------------------------------------------------------------------------
// threads at work on one chunk
//------------------------------------------------------------------------------

// What one thread needs to work on pages of a chunk.
typedef struct {
  const gla_eig_job *job;
  const gla_eig_chunk *chunk;
  gla_cpu_parallel *region;
  int thread; // 0 is the calling thread, the only one that polls the monitor
  void *work; // workspace of this thread
  int team;   // threads that may work inside of a page, this one included
} gla_cpu_eig_task;

// Nonzero when the work must end. Long pages ask between their pieces; thread 0 polls here.
int gla_cpu_eig_stopped (gla_cpu_eig_task *task);

// Pages up to this n are solved so soon that they do not poll.
enum { GLA_CPU_EIG_NO_POLL = 64 };

//------------------------------------------------------------------------------
// kernels
//------------------------------------------------------------------------------

// How a job is solved; job.method may be GLA_EIG_METHOD_AUTO before, and is not used afterwards.
typedef enum {
  GLA_CPU_EIG_LANES_JACOBI, // two-sided Jacobi, one page per lane
  GLA_CPU_EIG_LANES_QR,     // own reduction and back-transformation, one page per lane; own QL
  GLA_CPU_EIG_PAGE_QR,      // one page, blocked reduction and back-transformation, own QL
  GLA_CPU_EIG_PAGE_DC,      // the same with divide and conquer
  GLA_CPU_EIG_BLOCK_JACOBI  // one-sided block Jacobi
} gla_cpu_eig_path;

// The kernels of one type for one instruction set.
typedef struct {
  int lanes; // numbers in a register
  // Returns the bytes of workspace of one thread that gets so many pages at a time, with a team for
  // each; aligned to 64.
  size_t (*workspace) (const gla_eig_job *job, gla_cpu_eig_path path, int pages, int team);
  // Solves pages first..first+count-1 of the chunk; count is at most 2*lanes for LANES_QR, lanes
  // for LANES_JACOBI, and 1 for the others.
  void (*solve) (gla_cpu_eig_task *task, gla_cpu_eig_path path, int64_t first, int count);
} gla_cpu_eig_kernel;

GLA_KERNEL_DECLARE (eig);

gla_cpu_eig_path gla_cpu_eig_path_of (const gla_eig_job *job);
// Returns the pages that share a register; 1: each page alone.
int gla_cpu_eig_lanes (const gla_cpu_eig_kernel *kernel, gla_cpu_eig_path path);

// Return, for the row, the kernels of a job, predicted seconds of all pages, those of one thread
// (0.5 to 2 times), and the threads that share one page after the other; 1: each has its own page.
typedef struct gla_cpu_engine gla_cpu_engine;
const gla_cpu_eig_kernel *gla_cpu_eig_kernel_of (const gla_cpu_engine *e, const gla_eig_job *job);
double gla_cpu_eig_seconds (gla_engine *engine, const gla_job *job, int64_t pages);
double gla_cpu_eig_alone (const gla_cpu_engine *e, const gla_eig_job *job, int64_t pages);
int gla_cpu_eig_team (const gla_cpu_engine *e, const gla_eig_job *job, int64_t pages);

#endif

// cpu.h: what the files of the CPU backend share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How it is built. The arithmetic of batcheig, qr_block, gsvd_hz and spmv stands in eig_kernels.c,
// qr_kernels.c, gsvd_kernels.c and spmv_kernels.c. Each is compiled once per instruction set, with
// -DGLA_ISA=<set>: base everywhere, avx2 and avx512 on x86-64, where GLA_CPU_X86 is defined; an
// engine chooses by what the processor has. ../Makefile has the rules and the flags. Never
// -ffast-math: NaN and Inf are looked for, and the same page must give the same bits wherever it
// stands.

#ifndef GPULINALG_CPU_H
#define GPULINALG_CPU_H

#include "../blas_threads.h"
#include "crew.h"

//------------------------------------------------------------------------------
// threads at work on one chunk
//------------------------------------------------------------------------------

// What one thread needs to work on pages of a chunk.
typedef struct {
  const gla_eig_job *job;
  const gla_eig_chunk *chunk;
  gla_cpu_crew *crew;
  int thread; // 0 is the calling thread, the only one that polls the monitor
  void *work; // workspace of this thread
} gla_cpu_task;

// Nonzero when the work must end. Long pages ask between their pieces; thread 0 polls here.
int gla_cpu_task_stopped (gla_cpu_task *task);

//------------------------------------------------------------------------------
// kernels
//------------------------------------------------------------------------------

// How a job is solved; job.method may be GLA_METHOD_AUTO before and is not looked at after.
typedef enum {
  GLA_CPU_LANES_JACOBI, // two-sided Jacobi, one page per lane
  GLA_CPU_LANES_QR,     // own reduction and back-transformation, one page per lane; own QL
  GLA_CPU_PAGE_QR,      // LAPACK's reduction and back-transformation, own QL
  GLA_CPU_PAGE_DC,      // the same with LAPACK's divide and conquer
  GLA_CPU_BLOCK_JACOBI  // one-sided block Jacobi
} gla_cpu_eig_path;

// The kernels of one type for one instruction set.
typedef struct {
  int lanes; // numbers in a register
  // Bytes of workspace of one thread that gets so many pages at a time, aligned to 64.
  size_t (*workspace) (const gla_eig_job *job, gla_cpu_eig_path path, int pages);
  // Solves pages first..first+count-1 of the chunk; count is at most 2*lanes for LANES_QR, lanes
  // for LANES_JACOBI, and 1 for the others.
  void (*solve) (gla_cpu_task *task, gla_cpu_eig_path path, int64_t first, int count);
} gla_cpu_eig_kernel;

// In the order s d c z.
extern const gla_cpu_eig_kernel gla_cpu_eig_base[4];
extern const gla_cpu_eig_kernel gla_cpu_eig_avx2[4];
extern const gla_cpu_eig_kernel gla_cpu_eig_avx512[4];

#endif

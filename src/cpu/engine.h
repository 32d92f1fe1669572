// engine.h: the engine of the CPU backend
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_ENGINE_H
#define GPULINALG_CPU_ENGINE_H

#include "cpu.h"
#include "gsvd.h"
#include "krylov.h"
#include "qr.h"
#include "solve.h"
#include "spmv.h"

typedef struct {
  gla_engine base;                   // must stay first
  const gla_cpu_eig_kernel *kernels; // of this processor, in the order s d c z
  const gla_cpu_qr_kernel *qr_kernels;
  const gla_cpu_gsvd_kernel *gsvd_kernels;
  const gla_cpu_solve_kernel *solve_kernels;
  const gla_cpu_spmv_kernel *spmv_kernels;
  int threads_max;

  // the current job
  gla_eig_job job;
  gla_cpu_eig_path path;
  gla_qr_job qr_job;
  gla_cpu_qr_path qr_path;
  gla_gsvd_job gsvd_job;
  gla_cpu_gsvd_plan gsvd_plan;
  gla_cpu_gsvd_order gsvd_columns, gsvd_blocks; // in the workspace
  int threads;
  int team;          // threads that each of them may start inside of a page
  int group;         // pages that a thread takes at a time
  size_t work_bytes; // of each thread
  char *work;        // threads * work_bytes, aligned to 64
  void *work_block;  // what to free
  size_t work_capacity;

  gla_cpu_krylov *krylov; // NULL: no Krylov job is open
} gla_cpu_engine;

int gla_cpu_eig_supports (const gla_eig_job *job);
double gla_cpu_eig_seconds (gla_engine *engine, const gla_eig_job *job, int64_t pages);
int64_t gla_cpu_eig_chunk_pages (gla_engine *engine, const gla_eig_job *job, int64_t pages);
gla_status gla_cpu_eig_begin (gla_engine *engine, const gla_eig_job *job, int64_t pages);
gla_status gla_cpu_eig_submit (gla_engine *engine, int slot, const gla_eig_chunk *chunk);
gla_status gla_cpu_eig_finish (gla_engine *engine, int slot);
void gla_cpu_eig_end (gla_engine *engine);

int gla_cpu_qr_supports (const gla_qr_job *job);
double gla_cpu_qr_seconds (gla_engine *engine, const gla_qr_job *job, int64_t pages);
int64_t gla_cpu_qr_chunk_pages (gla_engine *engine, const gla_qr_job *job, int64_t pages);
gla_status gla_cpu_qr_begin (gla_engine *engine, const gla_qr_job *job, int64_t pages);
gla_status gla_cpu_qr_submit (gla_engine *engine, int slot, const gla_qr_chunk *chunk);
gla_status gla_cpu_qr_finish (gla_engine *engine, int slot);
void gla_cpu_qr_end (gla_engine *engine);

int gla_cpu_gsvd_supports (const gla_gsvd_job *job);
double gla_cpu_gsvd_seconds (gla_engine *engine, const gla_gsvd_job *job, int64_t pages);
int64_t gla_cpu_gsvd_chunk_pages (gla_engine *engine, const gla_gsvd_job *job, int64_t pages);
gla_status gla_cpu_gsvd_begin (gla_engine *engine, const gla_gsvd_job *job, int64_t pages);
gla_status gla_cpu_gsvd_submit (gla_engine *engine, int slot, const gla_gsvd_chunk *chunk);
gla_status gla_cpu_gsvd_finish (gla_engine *engine, int slot);
void gla_cpu_gsvd_end (gla_engine *engine);

gla_status gla_cpu_finish_pages (gla_engine *engine, const gla_pages_job *job);

// How many threads share pieces of work that take one thread so many seconds altogether. Threads
// that are given less than 0.1 ms would be woken for it, and on a machine that has other work they
// are waited for some milliseconds.
int gla_cpu_threads_for (const gla_cpu_engine *e, int64_t pieces, double seconds);
// What one thread takes for the pages of a job, 0.5 to 2 times.
double gla_cpu_eig_alone (const gla_cpu_engine *e, const gla_eig_job *job, int64_t pages);
double gla_cpu_qr_alone (const gla_cpu_engine *e, const gla_qr_job *job, int64_t pages);
double gla_cpu_gsvd_alone (const gla_gsvd_job *job, int64_t pages);

// Makes e->work at least so large; GLA_OUT_OF_MEMORY takes nothing.
gla_status gla_cpu_engine_take (gla_cpu_engine *e, size_t bytes);

// How a job is solved, and how many pages then stand side by side in a register (1: not at all).
gla_cpu_eig_path gla_cpu_eig_path_of (const gla_eig_job *job);
int gla_cpu_eig_lanes (const gla_cpu_engine *e, const gla_eig_job *job, gla_cpu_eig_path path);

#endif

// engine.h: the engine of the CPU backend
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_ENGINE_H
#define GPULINALG_CPU_ENGINE_H

#include "cpu/batch.h"
#include "cpu/eig/eig.h"
#include "cpu/geev/geev.h"
#include "cpu/gsvd/gsvd.h"
#include "cpu/lanczos/lanczos.h"
#include "cpu/solve/solve.h"
#include "cpu/pairs/pairs.h"
#include "cpu/product/product.h"
#include "cpu/qr/qr.h"
#include "cpu/qr/least_squares.h"
#include "cpu/svd/svd.h"
#include "cpu/common/sparse_product.h"

typedef struct {
  gla_engine base; // must stay first

  // of this processor, by gla_cpu_type_index
  const gla_cpu_eig_kernel *const *eig_kernels;
  const gla_cpu_qr_kernel *const *qr_kernels;
  const gla_cpu_gsvd_kernel *const *gsvd_kernels;
  const gla_cpu_least_squares_kernel *const *least_squares_kernels;
  const gla_cpu_spmv_kernel *const *spmv_kernels;
  const gla_cpu_product_kernel *const *product_kernels;
  const gla_cpu_solve_kernel *const *solve_kernels;
  const gla_cpu_pairs_kernel *const *pairs_kernels;
  const gla_cpu_svd_kernel *const *svd_kernels;
  const gla_cpu_geev_kernel *const *geev_kernels;
  int threads_max;

  // the current job
  gla_eig_job eig_job;
  gla_cpu_eig_path eig_path;
  gla_qr_job qr_job;
  gla_cpu_qr_path qr_path;
  gla_gsvd_job gsvd_job;
  gla_cpu_gsvd_plan gsvd_plan;
  gla_column_order gsvd_columns, gsvd_blocks; // in the workspace
  gla_pagenorm_job pagenorm_job;
  gla_pagemul_job pagemul_job;
  int pagemul_shared; // a page is shared by all threads
  gla_pagesolve_job pagesolve_job;
  gla_pencil_job pencil_job;
  gla_svd_job svd_job;
  gla_cpu_svd_path svd_path;
  gla_geev_job geev_job;
  gla_cpu_batch batch;
  char *work;       // of all threads, aligned to 64
  void *work_block; // what to free
  size_t work_capacity;

  gla_cpu_krylov *krylov; // NULL: no Krylov job is open
} gla_cpu_engine;

extern const gla_batch_ops gla_cpu_eig_ops, gla_cpu_qr_ops, gla_cpu_gsvd_ops, gla_cpu_pagenorm_ops,
    gla_cpu_pagemul_ops, gla_cpu_pagesolve_ops, gla_cpu_pencil_ops, gla_cpu_svd_ops,
    gla_cpu_geev_ops;
extern const gla_spmv_ops gla_cpu_spmv_ops;
extern const gla_krylov_ops gla_cpu_krylov_ops;
gla_status gla_cpu_finish_pages (gla_engine *engine, const gla_pages_job *job);

// Place of a type in tables of kernels, s d c z.
int gla_cpu_type_index (gla_type type);
// How many threads share pieces of work that take one thread so many seconds altogether. Threads
// that are given less than 0.1 ms would be woken for it, and on a machine that has other work they
// are waited for some milliseconds.
int gla_cpu_threads_for (const gla_cpu_engine *e, int64_t pieces, double seconds);
// Makes e->work at least so large; GLA_ERROR_OUT_OF_MEMORY takes nothing.
gla_status gla_cpu_engine_take (gla_cpu_engine *e, size_t bytes);

// Pages that a thread takes at a time, a multiple of `lanes`: some 20 us of work where a page takes
// `seconds`, so that taking them costs nothing.
int gla_cpu_group_of (double seconds, int lanes);
// The largest n of pages whose n*n numbers LAPACK can count.
int64_t gla_cpu_largest_order (void);
// Where threads take groups of pages and share none: fills the rest of e->batch, of which job,
// solve, group and blas are set, and takes the workspace, so many bytes for each thread. One thread
// would take so many seconds for all pages.
gla_status gla_cpu_batch_deal (gla_cpu_engine *e, int64_t pages, double seconds, size_t work_bytes);
// Works on so many pages of a chunk as e->batch says, and reports them to the job's monitor.
gla_status gla_cpu_batch_run (gla_cpu_engine *e, const void *chunk, int64_t pages);
// The same for every row: a chunk has all pages and is done when it was submitted.
int64_t gla_cpu_batch_pages (gla_engine *engine, const gla_job *job, int64_t pages);
gla_status gla_cpu_batch_submit (gla_engine *engine, int slot, const void *chunk);
gla_status gla_cpu_batch_finish (gla_engine *engine, int slot);
void gla_cpu_batch_end (gla_engine *engine);

// Predicted seconds of a job.
double gla_cpu_eig_seconds (gla_engine *engine, const gla_job *job, int64_t pages);
double gla_cpu_qr_seconds (gla_engine *engine, const gla_job *job, int64_t pages);
double gla_cpu_gsvd_seconds (gla_engine *engine, const gla_job *job, int64_t pages);
double gla_cpu_svd_seconds (gla_engine *engine, const gla_job *job, int64_t pages);
// What one thread takes for the pages of a job, 0.5 to 2 times.
double gla_cpu_eig_alone (const gla_cpu_engine *e, const gla_eig_job *job, int64_t pages);
double gla_cpu_qr_alone (const gla_cpu_engine *e, const gla_qr_job *job, int64_t pages);
double gla_cpu_gsvd_alone (const gla_gsvd_job *job, int64_t pages);
double gla_cpu_svd_alone (const gla_cpu_engine *e, const gla_svd_job *job, int64_t pages);
// Threads that work together on one page after the other; 1: each has a page of its own.
int gla_cpu_eig_team (const gla_cpu_engine *e, const gla_eig_job *job, int64_t pages);
// Pages of an SVD job that a thread takes at a time.
int gla_cpu_svd_group (const gla_cpu_engine *e, const gla_svd_job *job, int64_t pages);

#endif

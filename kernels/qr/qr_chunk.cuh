// qr_chunk.cuh: a chunk of pages of gla_qr on one GPU: its memory, and its kernels in order
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_QR_CHUNK_CUH
#define GPULINALG_QR_CHUNK_CUH

#include "engine/engine.cuh"
#include "engine/qr_pages_part.cuh"
#include "qr_cholesky.cuh"
#include "qr_small.cuh"

// Pages that reflectors make again together, where they need no cuBLAS.
enum { QR_REDONE_MOST = 64 };

template <class T> struct qr_chunk_memory {
  bool small;  // each page by one kernel, which needs no memory but the arrays
  bool direct; // by way of A'A; reflectors make again what fails
  bool bare;   // direct: inv (R) instead of Q, by qr_cholesky_bare
  qr_plan<T> plan;
  qr_cholesky<T> cholesky;
  int *redone;                     // pages that failed, as many as plan has
  page_matrix<T> again_Q, again_R; // their results
  page_matrix<T> A, Q, R, B, C, W; // A: the copy of a host array; Q .. W: where results go
  page_matrix<T> Y;                // of small pages

  // Host arrays are copied packed; for device arrays reflectors need a copy of A, small pages
  // nothing.
  qr_chunk_memory (const gla_qr_job &job, int64_t pages, carver &c, bool bare = false)
      : small (qr_small_serves (job)), direct (!small && qr_cholesky_serves (job)),
        bare (bare && direct), plan (job,
                                     small    ? 0
                                     : direct ? redone_of (job, pages)
                                              : pages,
                                     job.head.device_arrays ? (job.m + 15) / 16 * 16 : job.m, c),
        cholesky (job, direct ? pages : 0, c, bare)
  {
    plan.Y.data = c.take<T> (plan.pages * plan.Y.page);
    redone = c.take<int> (direct ? plan.pages : 0);
    again_Q = packed (c, plan.pages, job.m, job.q_columns, direct);
    again_R = packed (c, plan.pages, job.r_rows, job.n, direct);
    A = (small || direct) && !job.head.device_arrays ? packed (c, pages, job.m, job.n, true)
                                                     : plan.Y;
    Q = R = C = W = Y = {nullptr, 0, 0};
    B = packed (c, pages, job.m, job.rhs, !(small && job.head.device_arrays));
    if (job.head.device_arrays)
      return;
    Q = packed (c, pages, job.m, job.q_columns, true);
    R = packed (c, pages, job.r_rows, job.n, true);
    W = packed (c, pages, job.m, plan.k, job.wy);
    Y = packed (c, pages, job.m, plan.k, small && job.wy);
    C = packed (c, pages, job.c_rows, job.rhs, true);
  }
  static int64_t redone_of (const gla_qr_job &job, int64_t pages)
  {
    int64_t most = qr_needs_blas (job) ? 1 : (int64_t)QR_REDONE_MOST;
    return pages < most ? pages : most;
  }
  static page_matrix<T> packed (carver &c, int64_t pages, int64_t rows, int64_t columns,
                                bool wanted)
  {
    if (!wanted || rows == 0 || columns == 0)
      return {nullptr, 0, 0};
    return {c.take<T> (pages * rows * columns), rows, rows * columns};
  }
};

// Bytes of all arrays of a page.
double qr_page_bytes (const gla_qr_job *job);
// Seconds of kernels for `pages` pages.
double qr_kernel_seconds (const cuda_engine *e, const gla_qr_job *job, double pages);

// Starts the work from s.A to the results on the slot's stream; for pages computed from A'A the
// number of failed ones will be in the slot's counter.
template <class T>
gla_status qr_chunk_start (cuda_engine *e, int slot, const gla_qr_chunk *chunk,
                           const qr_chunk_memory<T> &s);
// Computes those again; returns when they are done.
template <class T>
gla_status qr_chunk_redo (cuda_engine *e, int slot, const gla_qr_chunk *chunk,
                          const qr_chunk_memory<T> &s);

#endif

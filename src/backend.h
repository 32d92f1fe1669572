// backend.h: what a backend must provide
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A backend is a table of functions. An engine is one device of a backend, opened: it owns streams,
// buffers and threads, and is used by one thread. What an algorithm shares between backends
// (checks, chunks, second chances, falling back) stands in src/<operation>.c; a backend only
// computes a chunk of pages. Backends know this file (and gpulinalg.h) and nothing above it.

#ifndef GPULINALG_BACKEND_H
#define GPULINALG_BACKEND_H

#include "gpulinalg.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gla_backend gla_backend;

// The first member of every engine.
typedef struct {
  const gla_backend *backend;
  int device; // GLA_HOST for the CPU
} gla_engine;

// Called by a backend between pieces of at most about 50 ms, from the calling thread only.
// pages: pages finished since the last call. Returns nonzero when the work must end; the backend
// then waits for what it has launched and returns GLA_STOPPED.
typedef struct {
  int (*poll) (void *user, int64_t pages);
  void *user;
} gla_monitor;

// One eigenvalue job: the same for all its chunks. tol and maxit are resolved (not 0); method may
// be GLA_METHOD_AUTO, which each backend resolves by n and type alone.
typedef struct {
  gla_type type;
  int64_t n;
  int vectors; // nonzero: V is wanted
  gla_eig_method method;
  gla_triangle triangle;
  double tol; // as in gla_eig_options
  int maxit;
  int device_arrays; // nonzero: A, lambda and V are on this engine's device
  gla_monitor monitor;
} gla_eig_job;

// Pages of the job. info and skew are host arrays of A.pages entries, valid after eig_finish.
// For a page that fails, the backend fills lambda and V with NaN and sets info as gpulinalg.h says;
// a page that did not converge keeps info in 1..n. A page that is not Hermitian within
// 10*n*eps*max|A| (GLA_FULL only) gets GLA_INFO_SKEW and max |A - A'| in skew[page].
typedef struct {
  gla_array A, lambda, V; // V.data is NULL when vectors are not wanted
  int32_t *info;
  double *skew;
} gla_eig_chunk;

enum { GLA_INFO_SKEW = -1 };

// One QR job: the same for all its chunks. m, n >= 1.
typedef struct {
  gla_type type;
  int64_t m, n;
  int64_t q_columns; // of Q: 0 (not wanted), min (m, n) or m
  int64_t r_rows;    // of R: 0, min (m, n) or m
  int64_t rhs;       // columns of B and C; 0: not wanted
  int64_t c_rows;    // of C: min (m, n) or m
  int wy;            // nonzero: W and Y are wanted
  int pivot;
  int block;         // 0: the backend chooses
  int device_arrays; // nonzero: all arrays are on this engine's device
  gla_monitor monitor;
} gla_qr_job;

// Pages of the job; those not wanted have NULL data. jpvt is on the host, valid after qr_finish.
typedef struct {
  gla_array A, B, Q, R, C, W, Y;
  int64_t *jpvt;
} gla_qr_chunk;

// One GSVD job: the same for all its chunks. p >= 1 and m+n >= 1; a backend need not serve m, n <
// p.
typedef struct {
  gla_type type;
  int64_t m, n, p;
  int64_t u_columns;        // of U: 0 (not wanted), min (m, q) or m; q = min (m+n, p)
  int64_t v_columns;        // of V: 0, min (n, q) or n
  int x;                    // nonzero: X is wanted
  gla_gsvd_options options; // each backend resolves AUTO and block 0 by the sizes and type alone
  int device_arrays;        // nonzero: all arrays are on this engine's device
  gla_monitor monitor;      // asked between sweeps at least
} gla_gsvd_job;

// Pages of the job; those not wanted have NULL data. info and stats are on the host, valid after
// gsvd_finish; stats may be NULL. A backend that serves only pairs with m, n >= p and B of full
// column rank gives GLA_INFO_IRREGULAR to others, whose results are then not written.
typedef struct {
  gla_array A, B, alpha, beta, U, V, X;
  int32_t *info;
  gla_gsvd_stats *stats;
} gla_gsvd_chunk;

enum { GLA_INFO_IRREGULAR = -2 };

struct gla_backend {
  const char *name;

  // Number of devices; the CPU has one. Where 0, why says in words what is missing.
  int (*device_count) (char *why, size_t why_size);
  gla_status (*device_query) (int device, gla_device_info *info);

  gla_status (*open) (int device, gla_engine **engine);
  void (*close) (gla_engine *engine);

  // Chunks that an engine keeps in flight at once.
  int slots;

  // Whether the method serves this job at all (size and type).
  int (*eig_supports) (const gla_eig_job *job);
  // Predicted seconds for the whole job, transfers included.
  double (*eig_seconds) (gla_engine *engine, const gla_eig_job *job, int64_t pages);
  // Pages that a chunk should have, at most `pages`.
  int64_t (*eig_chunk_pages) (gla_engine *engine, const gla_eig_job *job, int64_t pages);
  // Takes the memory for chunks of at most `pages` pages in every slot. GLA_OUT_OF_MEMORY takes
  // nothing. Called again with fewer pages, or for another job, it replaces what was taken.
  gla_status (*eig_begin) (gla_engine *engine, const gla_eig_job *job, int64_t pages);
  // Starts a chunk in a slot; may return before it is done. The chunk stays valid until eig_finish.
  gla_status (*eig_submit) (gla_engine *engine, int slot, const gla_eig_chunk *chunk);
  // Waits for the slot; the results are in place then. Polls the monitor while it waits.
  gla_status (*eig_finish) (gla_engine *engine, int slot);
  // Ends the job: waits for whatever is in flight, keeps buffers for the next call.
  void (*eig_end) (gla_engine *engine);

  // The same for gla_qr.
  int (*qr_supports) (const gla_qr_job *job);
  double (*qr_seconds) (gla_engine *engine, const gla_qr_job *job, int64_t pages);
  int64_t (*qr_chunk_pages) (gla_engine *engine, const gla_qr_job *job, int64_t pages);
  gla_status (*qr_begin) (gla_engine *engine, const gla_qr_job *job, int64_t pages);
  gla_status (*qr_submit) (gla_engine *engine, int slot, const gla_qr_chunk *chunk);
  gla_status (*qr_finish) (gla_engine *engine, int slot);
  void (*qr_end) (gla_engine *engine);

  // The same for gla_gsvd.
  int (*gsvd_supports) (const gla_gsvd_job *job);
  double (*gsvd_seconds) (gla_engine *engine, const gla_gsvd_job *job, int64_t pages);
  int64_t (*gsvd_chunk_pages) (gla_engine *engine, const gla_gsvd_job *job, int64_t pages);
  gla_status (*gsvd_begin) (gla_engine *engine, const gla_gsvd_job *job, int64_t pages);
  gla_status (*gsvd_submit) (gla_engine *engine, int slot, const gla_gsvd_chunk *chunk);
  gla_status (*gsvd_finish) (gla_engine *engine, int slot);
  void (*gsvd_end) (gla_engine *engine);
};

// The backends of this build, fastest first, NULL at the end (src/backends.c).
extern const gla_backend *const gla_backends[];
extern const gla_backend gla_backend_cpu;  // src/cpu/
extern const gla_backend gla_backend_cuda; // kernels/, only where it was built

#ifdef __cplusplus
}
#endif

#endif

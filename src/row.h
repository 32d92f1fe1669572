// row.h: what engines, jobs and rows of all operations have in common
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An engine is one device of a backend (backend.h), opened: it owns streams, buffers and threads,
// and is used by one thread. A job says what is to be done with arrays whose pages go to an engine
// in chunks: <topic>/job.h has the job and the chunk of each operation. A row is the functions by
// which a backend does the jobs of one operation.

#ifndef GPULINALG_ROW_H
#define GPULINALG_ROW_H

#include "gpulinalg.h"

typedef struct gla_backend gla_backend;

// The first member of every engine.
typedef struct {
  const gla_backend *backend;
  int device; // GLA_DEVICE_HOST for the CPU
} gla_engine;

// Called by a backend between pieces of at most about 50 ms, from the calling thread only.
// pages: pages finished since the last call. Returns nonzero when the work must end; the backend
// then waits for what it has launched and returns GLA_ERROR_STOPPED.
typedef struct {
  int (*poll) (void *user, int64_t pages);
  void *user;
} gla_monitor;

// The first member of the description of every job on pages: what all operations have in common.
typedef struct {
  gla_type type;     // of the matrices
  int device_arrays; // nonzero: all arrays are on this engine's device
  gla_monitor monitor;
} gla_job;

// Infos of pages that a backend gives and callers of the library never see.
enum { GLA_INFO_NOT_HERMITIAN = -1, GLA_INFO_IRREGULAR = -2, GLA_INFO_AGAIN = -3 };

enum { GLA_TEAM_MOST = 8 }; // devices of one backend that work together

// The rows of the backends' tables of operations on pages: (number, name). GLA_BATCH_EIG is the row
// of gla_eig_job and gla_eig_chunk. `both` is for rows that both backends have: gla_cpu_eig_ops in
// src/cpu/eig/ and cuda_eig_ops in kernels/eig/; `cpu` and `cuda` for those of one.
#define GLA_ROWS(both, cpu, cuda)                                                                  \
  both (EIG, eig) both (QR, qr) both (GSVD, gsvd) both (PAGENORM, pagenorm)                        \
      both (PAGEMUL, pagemul) both (PAGESOLVE, pagesolve) both (SVD, svd)                          \
          both (PAGEDIAG, pagediag) both (PAGEFUN, pagefun) cpu (PENCIL, pencil) cpu (GEEV, geev)  \
              cuda (EIGPAIRS, eigpairs)

#define GLA_ROW_NUMBER(number, name) GLA_BATCH_##number,
#define GLA_ROW_NONE(number, name)
typedef enum {
  GLA_ROWS (GLA_ROW_NUMBER, GLA_ROW_NUMBER, GLA_ROW_NUMBER) // from 0
  GLA_BATCH_OPS
} gla_batch_op;

// The row of one operation on pages.
typedef struct {
  // Whether the backend can do this job (sizes, type, options).
  int (*supports) (const gla_job *job);
  // Predicted seconds for the whole job, transfers included.
  double (*seconds) (gla_engine *engine, const gla_job *job, int64_t pages);
  // Pages that a chunk should have, at most `pages`.
  int64_t (*chunk_pages) (gla_engine *engine, const gla_job *job, int64_t pages);
  // Takes the memory for chunks of at most `pages` pages in every slot. GLA_ERROR_OUT_OF_MEMORY
  // takes nothing. Called again with fewer pages, or for another job, it replaces what was taken.
  gla_status (*begin) (gla_engine *engine, const gla_job *job, int64_t pages);
  // Starts a chunk in a slot; may return before it is done. The chunk stays valid until `finish`.
  gla_status (*submit) (gla_engine *engine, int slot, const void *chunk);
  // Waits for the slot; then the results are in place. Polls the monitor while it waits, and
  // reports the chunk's pages to it.
  gla_status (*finish) (gla_engine *engine, int slot);
  // Ends the job: waits for all chunks in flight, keeps buffers for the next call.
  void (*end) (gla_engine *engine);
} gla_batch_ops;

#endif

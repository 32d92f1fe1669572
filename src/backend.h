// backend.h: what a backend must provide
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A backend is a table of functions. Work that is common to all backends (checks, chunks, second
// attempts, the CPU instead of a GPU) is in src/; a backend only computes a chunk of pages. Its
// rows include row.h and the job.h of their topic; only users of the table include this file.

#ifndef GPULINALG_BACKEND_H
#define GPULINALG_BACKEND_H

#include "row.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a backend has in addition to operations on pages.
typedef struct gla_spmv_ops gla_spmv_ops;     // spmv/job.h
typedef struct gla_krylov_ops gla_krylov_ops; // lanczos/job.h
typedef struct gla_nd_ops gla_nd_ops;         // arrays/job.h
typedef struct gla_pages_job gla_pages_job;   // qr/job.h

struct gla_backend {
  const char *name;

  // Number of devices; the CPU has one. If it is 0, why says what is missing.
  int (*device_count) (char *why, size_t why_size);
  // memory_free is -1 if only an open engine could tell.
  gla_status (*device_query) (int device, gla_device_info *info);

  // Replaces an engine that is not open yet in the functions that predict seconds, and in no
  // others. It does not call the driver. NULL: the backend's engines open at once.
  gla_engine *(*model) (void);
  gla_status (*open) (int device, gla_engine **engine);
  void (*close) (gla_engine *engine);

  // Bytes of device memory that the engines of this process keep on this engine's device as work
  // space for later calls; and a function that frees that of this engine until at most so many are
  // left, where 0 also frees pinned memory. Not during a job. NULL: the engine keeps none.
  int64_t (*kept) (gla_engine *engine);
  void (*shrink) (gla_engine *engine, int64_t most);

  // Chunks that an engine keeps in flight at once.
  int slots;

  // NULL: the backend does not have the operation.
  const gla_batch_ops *batch[GLA_BATCH_OPS];
  const gla_spmv_ops *spmv;
  const gla_krylov_ops *krylov;
  const gla_nd_ops *nd;

  // Finishes all pages of the job. Only the CPU has it; NULL in the others.
  gla_status (*finish_pages) (gla_engine *engine, const gla_pages_job *job);
};

// The backends of this process.
typedef struct {
  const gla_backend *cpu;
  const gla_backend *gpu; // NULL: there is none
  const char *about;      // the file it is in, or why there is none
} gla_backend_list;
gla_backend_list gla_backends (void); // src/backends.c

extern const gla_backend gla_backend_cpu;  // src/cpu/
extern const gla_backend gla_backend_cuda; // kernels/, in the plugin

#ifdef __cplusplus
}
#endif

#endif

// job.h: products of a sparse matrix on one engine
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SPMV_JOB_H
#define GPULINALG_SPMV_JOB_H

#include "row.h"

// A sparse matrix as a backend sees it: gla_csr, checked. The arrays stay where they are until
// it is freed.
typedef struct {
  gla_csr csr;
  int64_t entries;
  int64_t longest; // entries of the longest row
  int pattern;     // nonzero: all values are equal to `value`, csr.values is not to be read
  double value[2]; // real and imaginary part
  gla_spmv_method method;
  int several; // nonzero: products will be with several vectors, so a plan for one need not be made
} gla_spmv_matrix;

// One product y = M*x (or conj (M)*x, or with `transposed` M.'*x, conj (M).'*x) of several vectors.
typedef struct {
  int conjugate;
  int transposed;    // only where the backend transposes
  gla_array x, y;    // n x b, row_stride 1
  int device_arrays; // nonzero: x and y are on this engine's device
  gla_monitor monitor;
} gla_spmv_job;

typedef struct gla_spmv_ops {
  // Whether the matrix can be multiplied here (integers, types).
  int (*supports) (const gla_spmv_matrix *M);
  // Predicts the seconds of a product with so many vectors on the host, with transfers, and with
  // the preparation if `prepared` is NULL.
  double (*seconds) (gla_engine *engine, const gla_spmv_matrix *M, const void *prepared,
                     int64_t columns);
  int transposes; // nonzero: gla_spmv_job.transposed is served
  // Called once per matrix: copies it if the engine needs that, and plans its products.
  gla_status (*prepare) (gla_engine *engine, const gla_spmv_matrix *M, const gla_monitor *monitor,
                         void **prepared);
  gla_status (*product) (gla_engine *engine, void *prepared, const gla_spmv_job *job);
  void (*free) (gla_engine *engine, void *prepared); // engine NULL: it has been closed
} gla_spmv_ops;

#endif

// lanczos.h: what the files of the Lanczos basis on the CPU share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The basis is column-major. All passes over it go by chunks of rows, with the kernels of
// ../spmv/spmv_recurrence.h or one-threaded products of the BLAS; the results of chunks are added
// in their order, so that the bits do not depend on the number of threads. If rows are spread over
// ranks, each rank has its own chunks, and then the sums of ranks are added; nothing else differs.

#ifndef GPULINALG_CPU_LANCZOS_H
#define GPULINALG_CPU_LANCZOS_H

#include "cpu/common/parallel.h"
#include "cpu/common/sparse_product.h"
#include "lanczos/job.h"

enum {
  GLA_KRYLOV_ROWS = 2048,
  GLA_KRYLOV_ROTATED_ROWS = 512,
  GLA_KRYLOV_WINDOW = 8,
  GLA_KRYLOV_BLOCK = 8,
  GLA_KRYLOV_GROUP = 8, // at most GLA_KRYLOV_BLOCK
  GLA_KRYLOV_SHARED = 1 << 23
};

typedef struct {
  gla_krylov_job job;
  const gla_cpu_sparse *sparse; // NULL: the job's function
  const gla_cpu_spmv_kernel *product;
  int threads;    // that have a workspace
  int team;       // that work now
  int64_t chunks; // of GLA_KRYLOV_ROWS rows
  gla_cpu_parallel region;

  void *V;       // n x (basis + block)
  void *rows;    // n x block: vectors to multiply, by rows
  void *W;       // n x block
  double *lost;  // basis + block numbers of the type, in double: what a vector loses
  double *weak;  // the same for a vector of the three-term recurrence
  void *turn;    // basis x basis: the rotation, in the type
  void *chunked; // what chunks give: (basis + block) x width each, width of a block or a group
  double *sums;  // (basis + block) x width, the sums of that, with imaginary parts
  void *factor;  // the same in the type
  void *rotated; // GLA_KRYLOV_ROTATED_ROWS x basis for each thread
  double norm;   // largest |A*v| so far
  double reach;  // largest sum of magnitudes of a column of the projected matrix so far
  uint64_t seed;
  int64_t grown; // where krylov_expand ended, with `link` = T(grown, grown-1); -1: nowhere
  double link;

  // plain: vectors of length n; `window` holds GLA_KRYLOV_WINDOW of them
  void *first, *before, *now, *window;
  int64_t steps;
  double last_beta;
} gla_cpu_krylov;

// The functions of one type; all but start return GLA_ERROR_STOPPED if the monitor stops them.
typedef struct {
  gla_status (*start) (gla_cpu_krylov *k, int64_t at, int64_t given);
  gla_status (*expand) (gla_cpu_krylov *k, int64_t from, int64_t to, double *T, int64_t ldt,
                        int64_t *replaced);
  gla_status (*rotate) (gla_cpu_krylov *k, int64_t count, const double *S, int64_t keep);
  gla_status (*check) (gla_cpu_krylov *k, int64_t count, const double *theta, double *residuals,
                       double *orthogonality);
  gla_status (*plain) (gla_cpu_krylov *k, int64_t steps, double *alpha, double *beta,
                       int64_t *done);
  gla_status (*combine) (gla_cpu_krylov *k, int64_t steps, const double *alpha, const double *beta,
                         const double *S, int64_t count);
} gla_cpu_krylov_functions;

extern const gla_cpu_krylov_functions gla_cpu_krylov_s, gla_cpu_krylov_d, gla_cpu_krylov_c,
    gla_cpu_krylov_z;

// Replaces sums over the chunks of this rank by sums over all ranks; the region stops if one of
// them has failed.
void gla_cpu_krylov_add (gla_cpu_krylov *k, double *sums, int64_t count);
// Shares pieces of a pass over so many columns of length n among threads.
void gla_cpu_krylov_for (gla_cpu_krylov *k, int64_t columns, int64_t pieces, gla_pool_work work,
                         void *user);

#endif

// krylov.h: what the files of the Lanczos basis on the CPU share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The basis is column-major. All passes over it go by chunks of rows, in each the kernels of
// krylov_rows_template.h or one-threaded products of the BLAS; what chunks give is added in their
// order, so that the bits do not depend on the number of threads.

#ifndef GPULINALG_CPU_KRYLOV_H
#define GPULINALG_CPU_KRYLOV_H

#include "crew.h"
#include "spmv.h"

enum {
  GLA_KRYLOV_ROWS = 2048,
  GLA_KRYLOV_TURN = 512,
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
  gla_cpu_crew crew;

  void *V;       // n x (basis + block)
  void *rows;    // n x block: vectors to multiply, by rows
  void *W;       // n x block
  void *chunked; // what chunks give: (basis + block) x width each, width of a block or a group
  double *sums;  // (basis + block) x width, the sums of that, with imaginary parts
  void *factor;  // the same in the type
  void *turn;    // GLA_KRYLOV_TURN x basis for each thread
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

// The functions of one type; all but start return GLA_STOPPED where the monitor wanted it.
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

// In the order s d c z.
extern const gla_cpu_krylov_functions gla_cpu_krylov_types[4];

// Hands out pieces of a pass that touches so many columns of length n.
void gla_cpu_krylov_for (gla_cpu_krylov *k, int64_t columns, int64_t pieces, gla_pool_work work,
                         void *user);

int gla_cpu_krylov_supports (const gla_krylov_job *job);
double gla_cpu_krylov_seconds (gla_engine *engine, const gla_krylov_job *job, int64_t products);
gla_status gla_cpu_krylov_begin (gla_engine *engine, const gla_krylov_job *job);
gla_status gla_cpu_krylov_put (gla_engine *engine, int64_t first, int64_t count, const void *from);
gla_status gla_cpu_krylov_get (gla_engine *engine, int64_t first, int64_t count, void *to);
gla_status gla_cpu_krylov_start (gla_engine *engine, int64_t at, int64_t given, uint64_t seed);
gla_status gla_cpu_krylov_expand (gla_engine *engine, int64_t from, int64_t to, double *T,
                                  int64_t ldt, int64_t *replaced);
gla_status gla_cpu_krylov_rotate (gla_engine *engine, int64_t count, const double *S, int64_t keep);
gla_status gla_cpu_krylov_check (gla_engine *engine, int64_t count, const double *theta,
                                 double *residuals, double *orthogonality);
gla_status gla_cpu_krylov_plain (gla_engine *engine, int64_t steps, double *alpha, double *beta,
                                 int64_t *done);
gla_status gla_cpu_krylov_combine (gla_engine *engine, int64_t steps, const double *alpha,
                                   const double *beta, const double *S, int64_t count);
void gla_cpu_krylov_end (gla_engine *engine);

#endif

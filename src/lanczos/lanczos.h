// lanczos.h: one call of gla_eigs, for src/ only
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_LANCZOS_H
#define GPULINALG_LANCZOS_H

#include "auto/place.h"
#include "lanczos_swap.h"
#include "spmv/sparse.h"
#include "lanczos/job.h"

// The local part of a matrix whose rows are spread over ranks: S is then rectangular.
typedef struct {
  gla_krylov_swap krylov;
  int rank, ranks;
  double *slots; // one for each rank
  int gpu;       // of this rank, where all ranks use one; GLA_DEVICE_HOST
  int rather;    // nonzero: if GPUs have too little memory the CPUs do it
} gla_eigs_ranks;

typedef struct {
  gla_context *ctx;
  const gla_operator *A;
  gla_sparse *S; // NULL with a function
  gla_type type;
  int64_t n, k;
  int64_t rows; // of vectors here: n, or the rows of this rank
  gla_eigs_which which;
  gla_eigs_options o; // no default is left in them
  int parts;          // numbers in an element: 1 or 2
  int vectors;        // nonzero: vectors are wanted
  int check;          // nonzero: residuals are wanted
  int rather_dense;   // nonzero: if products do not converge all eigenvalues are computed
  int64_t patience;   // restarts after which that is tried, unless all has converged; 0: maxit
  int opened;         // nonzero: an engine has had the memory for the basis
  int exponent;       // the engine's operator is 2^exponent times the one given
  gla_sparse *scaled; // a copy of S that is multiplied so, or NULL

  gla_engine *engine;
  gla_krylov_job job;
  int devices[GLA_TEAM_MOST];  // of the job's team
  uint64_t draws;              // seeds that have been used
  const gla_eigs_ranks *ranks; // NULL: all rows are here

  // of the engine's operator, in the order of the results
  double *theta, *residuals;
  char *converged;
  gla_eigs_report report;
} gla_eigs_run;

// Each leaves the k values in run->theta, NaN if there is none, with residuals and what has
// converged, and vectors (if wanted) in the first k columns of the engine's basis.
gla_status gla_eigs_restarted (gla_eigs_run *run);
gla_status gla_eigs_plain (gla_eigs_run *run);
// Finds all eigenvalues by gla_batcheig; the results, in the type, are written at once.
gla_status gla_eigs_dense (gla_eigs_run *run, const gla_eigs_results *results);

// Applies the operator to X of n x columns on the host, for a function, not scaled.
gla_status gla_eigs_apply (gla_eigs_run *run, const void *X, void *Y, int64_t columns);
// Does so for a Krylov job: `run` is the user pointer, and the result is scaled.
gla_status gla_eigs_apply_scaled (void *run, const void *X, void *Y, int64_t columns);
// Sets x *= 2^exponent.
void gla_eigs_scale (gla_type type, void *x, int64_t count, int exponent);
// Returns the exponent that brings numbers of this size to about 1, if their squares could overflow
// or underflow; else 0.
int gla_eigs_exponent (gla_type type, double largest);
// Sets run->exponent and, for a sparse matrix that needs it, run->scaled.
gla_status gla_eigs_scale_operator (gla_eigs_run *run);

// Whether all eigenvalues are computed: of small matrices, and if a basis is as large as n.
int gla_eigs_is_dense (const gla_eigs_run *run);
// Whether that may be done if products do not converge: for the cost of the remaining restarts of
// the default the matrix can be multiplied out and solved.
int gla_eigs_can_be_dense (const gla_eigs_run *run);
// Checks the options and the results, with run->rows for vectors.
gla_status gla_eigs_check (gla_eigs_run *run, const gla_eigs_results *r);
// Puts numbers into options that are 0.
void gla_eigs_resolve (gla_eigs_run *run);
// Fills the results and run->report.
gla_status gla_eigs_solve (gla_eigs_run *run, const gla_eigs_results *results);
// Chooses the CPU or a GPU for the call; each rank chooses for itself. It must be called before the
// matrix is scaled. The caller ends the choice by gla_choice_end.
gla_status gla_eigs_choose (gla_eigs_run *run, const gla_eigs_results *results, gla_choice *choice);
// Runs the method on the GPU if one is chosen; the CPU does what that cannot do.
gla_status gla_eigs_run_somewhere (gla_eigs_run *run, const gla_eigs_results *results);

// What place.h runs: the call on one engine, which leads others if the job has a team.
typedef struct {
  gla_eigs_run *run;
  const gla_eigs_results *results;
} gla_eigs_call;
gla_status gla_eigs_run_on (void *call, gla_engine *engine);
double gla_eigs_seconds (gla_engine *engine, const void *call, int64_t pages);
// Does the call on the first of these GPUs, or on several that share the rows (lanczos_team.c).
gla_status gla_eigs_on_gpus (void *call, const int *devices, int count, gla_outcome *outcome);

// Returns the largest magnitude among count elements; NaN if one is not finite.
double gla_eigs_largest (gla_type type, const void *x, int64_t count);

//------------------------------------------------------------------------------
// what ranks have in common (lanczos_common.c)
//------------------------------------------------------------------------------

// If all rows are here these change nothing. Else all ranks call them at the same places.

// Returns GLA_OK only if all ranks have it.
gla_status gla_eigs_agree (gla_eigs_run *run, gla_status own);
// Returns the largest of all ranks, NaN if one has it.
double gla_eigs_most (gla_eigs_run *run, double own);
// Results of LAPACK may differ between processors, so rank 0 computes them for all. Inputs and
// outputs are those of the functions in lanczos_projected.c.
gla_status gla_eigs_projected (gla_eigs_run *run, int64_t m, double *A, double *theta);
gla_status gla_eigs_tridiagonal (gla_eigs_run *run, int64_t m, const double *d, const double *e,
                                 double *theta);
gla_status gla_eigs_tridiagonal_vector (gla_eigs_run *run, int64_t m, const double *d,
                                        const double *e, double theta, double *s);

//------------------------------------------------------------------------------
// orders (lanczos_order.c)
//------------------------------------------------------------------------------

// order[0..count-1]: places in ascending theta, the most wanted first.
void gla_eigs_rank (gla_eigs_which which, const double *theta, int64_t count, int64_t *order);
// Returns how much x precedes y in being wanted, at the end of the spectrum where x is.
double gla_eigs_ahead (gla_eigs_which which, double x, double y);
// Puts the k best of gla_eigs_rank, listed in order[0..k-1], into the order of the results.
void gla_eigs_arrange (gla_eigs_which which, int inverse, const double *theta, int64_t k,
                       int64_t *order);

//------------------------------------------------------------------------------
// the projected matrix (lanczos_projected.c)
//------------------------------------------------------------------------------

// Finds eigenvalues (ascending) and vectors of the Hermitian m x m matrix in the upper triangle of
// A, which the vectors replace; parts 1 or 2. There is memory for another column after A: gemv of
// OpenBLAS reads, of complex vectors, the element after the last one, and vectors are rows of A.
gla_status gla_projected_eig (int64_t m, int parts, double *A, double *theta);
// Finds ascending eigenvalues of the tridiagonal matrix; d and e are kept.
gla_status gla_tridiagonal_values (int64_t m, const double *d, const double *e, double *theta);
// Finds its unit eigenvector for one eigenvalue, by inverse iteration.
gla_status gla_tridiagonal_vector (int64_t m, const double *d, const double *e, double theta,
                                   double *s);

#endif

// job.h: bases of Krylov subspaces on one engine, on several or shared by ranks
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_LANCZOS_JOB_H
#define GPULINALG_LANCZOS_JOB_H

#include "spmv/job.h"

// What a Krylov job needs whose rows are spread over ranks. All ranks call these functions equally
// often and in the same order.
typedef struct {
  int64_t before, order; // rows on the ranks before this one, and in all
  int64_t reach;         // rows of what `extend` gives, columns of the job's matrix
  // Returns the packed n x columns X with the rows of other ranks that the matrix needs: reach x
  // columns, valid until the next call.
  const void *(*extend) (void *user, const void *X, int64_t columns);
  // Replaces x[0..count-1] by their sums over all ranks. Nonzero, on all ranks: the work must end.
  int (*add) (void *user, double *x, int64_t count);
  // Returns GLA_OK only if all ranks call it with that.
  gla_status (*agree) (void *user, gla_status own);
  void *user;
} gla_krylov_ranks;

// Engines of one backend that share the rows of a Krylov job; the first of them leads, and is the
// one that the functions are called with. They may be on one device. The rows are cut into shares
// whatever the number of the engines, and each engine has one or several consecutive ones.
enum { GLA_TEAM_SHARES = 8 };
typedef struct {
  int count; // 1 to GLA_TEAM_MOST
  gla_engine *engines[GLA_TEAM_MOST];
  int failed; // which of them, if the backend returns GLA_ERROR_DEVICE_FAILURE
  // For each share: its first row; its rows from `prepare` of its engine, NULL if it has none; the
  // columns from .. to-1 in which these have entries. Not for `seconds`.
  int64_t start[GLA_TEAM_SHARES + 1];
  void *sparse[GLA_TEAM_SHARES];
  int64_t from[GLA_TEAM_SHARES], to[GLA_TEAM_SHARES];
} gla_krylov_team;

// Returns the first share of an engine; that of number `count` is GLA_TEAM_SHARES.
static inline int gla_team_share (const gla_krylov_team *team, int engine)
{
  return GLA_TEAM_SHARES * engine / team->count;
}

// One Krylov job. A backend keeps a basis of `basis + block` vectors of length n, in its own
// layout. All transfers between it and the host (projected matrices, coefficients) are double, or
// complex double for the types c and z, column-major. The operator is scaled so that squares of
// products neither overflow nor underflow.
typedef struct {
  gla_type type;
  int64_t n;     // of vectors; with `ranks` the rows of this one, also 0
  int64_t basis; // columns, a multiple of block; basis + block <= n, in all
  int block;     // 1 to 8
  int plain;     // nonzero: `expand` and `rotate` are not called, block is 1, and basis counts
                 // the vectors that `combine` forms
  const gla_spmv_matrix *matrix; // Hermitian; NULL: apply
  void *sparse;                  // `matrix` from `prepare` of this engine; not for `seconds`, and
                                 // not with a team
  int conjugate;                 // nonzero: conj (M) is the operator
  // Y = operator*X for packed n x columns arrays on the host, from the calling thread.
  gla_status (*apply) (void *user, const void *x, void *y, int64_t columns);
  void *user;
  // NULL: all rows are here. Else the start of a gla_krylov_swap (lanczos/lanczos_swap.h); `matrix`
  // has n rows and ranks->reach columns, and the monitor polls nothing: the work ends with sums.
  const gla_krylov_ranks *ranks;
  gla_monitor monitor;   // pages: always 0
  gla_krylov_team *team; // NULL: the engine works alone. Else matrix is not NULL, and plain is 0
} gla_krylov_job;

// For gla_eigs. b is the block, columns are counted from 0, and the first columns of blocks are
// multiples of b.
typedef struct gla_krylov_ops {
  int (*supports) (const gla_krylov_job *job);
  // Predicted seconds of so many products of the block with one restart for every basis.
  double (*seconds) (gla_engine *engine, const gla_krylov_job *job, int64_t products);
  // Takes the memory. GLA_ERROR_OUT_OF_MEMORY takes nothing; memory of an earlier job is replaced.
  gla_status (*begin) (gla_engine *engine, const gla_krylov_job *job);
  // Copies columns first..first+count-1 of the basis from the host or to it or the GPU (packed, ld
  // n).
  gla_status (*put) (gla_engine *engine, int64_t first, int64_t count, const void *from);
  gla_status (*get) (gla_engine *engine, int64_t first, int64_t count, void *to);
  // Columns at..at+b-1 become orthonormal and orthogonal to all before: the first `given` of them
  // from what `put` left there, the others (and what depends linearly) from
  // gla_krylov_random (seed, column*n + row), random.h.
  gla_status (*start) (gla_engine *engine, int64_t at, int64_t given, uint64_t seed);
  // Block Lanczos steps j = from, from+b, .. < to: columns 0..j+b-1 are orthonormal; W = A*V(j),
  // T(0:j+b-1, block j) = V'*W by two sweeps, W orthonormalised becomes columns j+b..j+2b-1, and
  // its triangle T(j+b:j+2b-1, block j): T is (to+b) x to, ldt >= to+b, and only the columns
  // from..to-1 are written, zero below that triangle. Directions of W that vanish against the
  // largest |A*v| seen since `begin` (times eps) are replaced by random ones (generator as
  // above with other seeds) with zeros on the diagonal of the triangle; *replaced counts them. One
  // round trip to the host where none vanish.
  gla_status (*expand) (gla_engine *engine, int64_t from, int64_t to, double *T, int64_t ldt,
                        int64_t *replaced);
  // V(:, 0:keep-1) = V(:, 0:count-1)*S for S of count x keep, and the block after column count-1
  // moves behind them, to keep..keep+b-1. count and keep are multiples of b, keep <= count.
  gla_status (*rotate) (gla_engine *engine, int64_t count, const double *S, int64_t keep);
  // residuals[j] = |A*v(j) - theta[j]*v(j)| of the first `count` columns, by products with A;
  // *orthogonality = largest |V'*V - I| of them. Columns of a basis are not changed.
  gla_status (*check) (gla_engine *engine, int64_t count, const double *theta, double *residuals,
                       double *orthogonality);
  // Three-term recurrence from column 0 (where `start` has put a unit vector, which the engine
  // keeps for `combine`), or from where the last call ended: at most `steps` more,
  // alpha[0..*done-1], beta[0..*done-1] with beta[j] the norm of the vector after step j. *done <
  // steps if a norm vanishes (it is then set to 0).
  gla_status (*plain) (gla_engine *engine, int64_t steps, double *alpha, double *beta,
                       int64_t *done);
  // Second pass: the same recurrence again from its first vector, with the alpha and beta it had;
  // columns 0..count-1 become V*S for real S of steps x count, with unit norms.
  gla_status (*combine) (gla_engine *engine, int64_t steps, const double *alpha, const double *beta,
                         const double *S, int64_t count);
  void (*end) (gla_engine *engine); // frees the basis
} gla_krylov_ops;

#endif

// sparse.h: the inside of gla_sparse, for src/ only
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SPARSE_H
#define GPULINALG_SPARSE_H

#include "context.h"
#include "lanczos/job.h"

// From so many entries on threads share the work of reading them.
enum { GLA_SPARSE_SHARED = 1 << 19 };

// The shares of GPUs that share the rows (sparse_shares.c).
typedef struct gla_sparse_shares gla_sparse_shares;

// One orientation of the matrix, by rows, with the data of engines.
typedef struct {
  gla_spmv_matrix M;
  void *memory[3]; // start, index, values where they are our own
  gla_engine *engines[1 + GLA_MAX_DEVICES];
  void *prepared[1 + GLA_MAX_DEVICES]; // the CPU at 0, GPU d at d+1
  gla_sparse_shares *shares;           // of the last GPUs that shared the rows, or NULL
} gla_face;

// With B = faces[0]: A = B, or A = B.' if the columns of A were given. faces[1] is B.', made when
// it is needed (start is NULL before).
struct gla_sparse {
  gla_context *ctx;
  gla_sparse_options options;
  int64_t rows, columns;
  gla_face faces[2];
  int scanned;
  double largest; // entry in magnitude (of real and imaginary parts); NaN where one is not finite
  int hermitian;  // -1: not known
  int64_t differs[2]; // an entry that differs from its mirror image, where it is not
};

// Checks sizes, index_bytes, and that start and index are there; the message calls the matrix
// `name`. Their contents are not checked, except the number of entries.
gla_status gla_check_csr (gla_context *ctx, const char *name, const gla_csr *c, int by_columns);
// Returns the first row that is not in order, or -1; *longest becomes the most entries of a row.
int64_t gla_csr_bad_row (const gla_csr *c, int64_t *longest);

// Finds `largest`, unless it is known.
void gla_sparse_scan (gla_sparse *S);

// Returns the orientation that gives op(A)*x, and how to use it; makes what is missing.
// `transposes`: the backend can multiply by its transpose.
typedef struct {
  gla_face *face;
  int conjugate, transposed;
} gla_sparse_use;
gla_status gla_sparse_find_use (gla_sparse *S, char op, int transposes, gla_sparse_use *use);

// Prepares the orientation on an engine.
gla_status gla_sparse_prepare (gla_sparse *S, gla_face *face, gla_engine *engine, void **prepared);
// Returns what the engine already has of it, or NULL.
void *gla_sparse_prepared (const gla_sparse *S, const gla_face *face, const gla_engine *engine);

// Frees what this engine of the device has prepared, also if it failed and was closed since. A
// forked process does not touch its parent's data on GPUs.
void gla_sparse_free (gla_context *ctx, int device, const gla_engine *engine, void *prepared);

// Opens as many of these GPUs as a team may have, into team->engines and `opened`. Those that
// cannot be opened are left out; *failure says why.
gla_status gla_sparse_open_team (gla_context *ctx, const int *devices, int count,
                                 gla_krylov_team *team, int *opened, gla_status *failure);
// Whether the engines of the team have their rows of the orientation.
int gla_sparse_is_shared (const gla_sparse *S, const gla_face *face, const gla_krylov_team *team);
// Cuts its rows for the engines of the team, which are those of these devices, and has each prepare
// its own at the same time, unless it has them. If one fails, team->failed says which.
gla_status gla_sparse_share (gla_sparse *S, gla_face *face, gla_krylov_team *team,
                             const int *devices);
// Frees what gla_sparse_share has prepared.
void gla_sparse_unshare (gla_sparse *S, gla_face *face);
// Frees what GPUs have of the matrix, whole or shared.
void gla_sparse_leave_gpus (gla_sparse *S);
// Whether this GPU has some rows.
int gla_sparse_has_shares (const gla_sparse *S, int device);

// Makes 2^exponent*A with indices of S, which must live longer.
gla_status gla_sparse_scaled (gla_sparse *S, int exponent, gla_sparse **scaled);

// Returns element k of start or index.
static inline int64_t gla_csr_at (const void *array, int bytes, int64_t k)
{
  return bytes == 4 ? ((const int32_t *)array)[k] : ((const int64_t *)array)[k];
}

#endif

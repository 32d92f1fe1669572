// job.h: the work of gla_gsvd on one engine, on a team of GPUs or shared by ranks
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_GSVD_JOB_H
#define GPULINALG_GSVD_JOB_H

#include "row.h"

// Devices of one backend that work together on a pair. A backend predicts 1e9 seconds for a team
// that cannot.
typedef struct {
  int count;                  // 2, 4 or 8
  int devices[GLA_TEAM_MOST]; // that of the engine first
  int failed;                 // the backend sets it where it returns GLA_ERROR_DEVICE_FAILURE
} gla_gsvd_team;

// What ranks need that share the sweeps of one pair on the CPU. Rank 0 has the pair, the others
// have a job without arrays. If one of these functions is not zero, on all ranks, the work must
// end.
typedef struct gla_gsvd_ranks {
  int rank, ranks;
  int64_t columns, rows_f, rows_g; // of the sweeps, but on rank 0
  // Rank 0 calls it when its sweeps begin, which tells the others. rows_g 0: they are on one
  // matrix.
  int (*begin) (void *user, int64_t columns, int64_t rows_f, int64_t rows_g);
  // Sends so many bytes of `out` to one rank and receives others from another one into `in`; these
  // have room for a block of the columns of both matrices.
  int (*exchange) (void *user, int to, size_t out_bytes, int from, size_t in_bytes);
  char *out, *in;
  // Replaces the numbers x by their sums over all ranks, the same on all.
  int (*add) (void *user, double *x, int64_t count, int stopped);
  double *found; // room for GLA_GSVD_FOUND numbers of each rank
  void *user;
} gla_gsvd_ranks;
enum { GLA_GSVD_FOUND = 4 };

// One GSVD job: the same for all its chunks. p >= 1 and m+n >= 1; a backend need not serve m, n <
// p.
typedef struct {
  gla_job head; // the monitor is polled between sweeps at least
  int64_t m, n, p;
  int64_t u_columns;        // of U: 0 (not wanted), min (m, q) or m; q = min (m+n, p)
  int64_t v_columns;        // of V: 0, min (n, q) or n
  int x;                    // nonzero: X is wanted
  gla_gsvd_options options; // each backend resolves AUTO and block 0 by the sizes and type alone
  // Called with head.monitor.user from the calling thread after every sweep of a chunk that is
  // iterated as one, or of a pair that has one thread, or all of them: with the number of sweeps.
  void (*swept) (void *user, int sweeps);
  gla_gsvd_team *team;         // NULL: the engine works alone
  const gla_gsvd_ranks *ranks; // for the CPU and one pair; NULL: it works alone
} gla_gsvd_job;

// Pages of the job; those not wanted have NULL data. info and stats are on the host, valid after
// `finish`; stats may be NULL. A backend that serves only pairs with m, n >= p and B of full column
// rank gives GLA_INFO_IRREGULAR to others, whose results are then not written; a GPU also to pairs
// of the host that did not converge.
typedef struct {
  union {
    gla_array arrays[7];
    struct {
      gla_array A, B, alpha, beta, U, V, X;
    };
  };
  int32_t *info;
  gla_gsvd_stats *stats;
} gla_gsvd_chunk;

#endif

// lanczos_swap.h: what a Krylov job of ranks needs if the engine keeps its vectors on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_LANCZOS_SWAP_H
#define GPULINALG_LANCZOS_SWAP_H

#include "row.h"
#include "lanczos/job.h"
#include "lanczos_link.h"

// gla_krylov_job.ranks points to this. An engine with vectors on the host calls `extend`; one with
// vectors on a GPU copies the rows that other ranks need to `out` and takes theirs from `in`.
typedef struct {
  gla_krylov_ranks ranks; // must stay first
  // Rows of this rank that others need, by ranks: rows given[0..gives-1], from 0. The matrix needs
  // `takes` rows of others: the first `left` belong before the rows of this rank.
  int64_t gives, takes, left;
  const int64_t *given;
  // gives x columns and takes x columns, the elements of a row contiguous. They stay as long as the
  // matrix: a receive may be in progress when ranks are lost.
  void *out, *in;
  // Sends `out` and fills `in`. The next sum reports failures.
  void (*swap) (void *user, int64_t columns);
  // This rank cannot continue. All learn of it with the next sum, which this rank must reach by the
  // same calls as the others.
  void (*fail) (void *user, gla_status status);
  // NULL: only through the host. Else rows may go from GPU to GPU, if the ranks find that possible:
  // to rank r those give[r] .. give[r+1]-1 of `given`, from it take[r] .. take[r+1]-1 of the
  // foreign ones.
  gla_rank_link *link;
  const int64_t *give, *take;
  // Counts the messages of `swap` that were sent in another way.
  void (*count) (void *user, int64_t columns);
} gla_krylov_swap;

static inline const gla_krylov_swap *gla_krylov_swap_of (const gla_krylov_job *job)
{
  return (const gla_krylov_swap *)job->ranks;
}

#endif

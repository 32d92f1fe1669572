// lanczos_link.h: the rows of vectors that ranks exchange between GPUs, without the host
// SPDX-License-Identifier: GPL-3.0-or-later
//
// src/ranks/ keeps it between calls, and a GPU backend makes and uses its contents
// (kernels/lanczos/rank_link.cu). All ranks make the same calls, and all have it or none.

#ifndef GPULINALG_LANCZOS_LINK_H
#define GPULINALG_LANCZOS_LINK_H

#include <stdint.h>

enum { GLA_LINK_SLOT = 5 }; // numbers of a rank in `slots`

typedef struct {
  int rank, ranks;
  int asked;       // GPULINALG_NCCL asks for it on this rank
  double patience; // seconds to wait for GPUs of other ranks, plus the time that the bytes take
  double *slots;   // GLA_LINK_SLOT of each rank; NULL if it is not asked for

  // Belongs to the backend: NULL if data go through the host.
  void *made;
  void (*close) (void *made);
  int refused;   // not 0: how it has failed on this rank; it is not tried again
  int late;      // the GPUs of others were late: most likely one of them has failed
  char text[96]; // the version of NCCL, or why data go through the host
} gla_rank_link;

// Rows that go between GPUs: give[r] .. give[r+1]-1 of `out` to rank r, and from it to rows take[r]
// .. take[r+1]-1 of `in`, where those of higher ranks are `gap` rows further on.
typedef struct {
  const int64_t *give, *take; // ranks+1
  const void *out;            // on the GPU, as `in`
  void *in;
  int64_t gap, row; // bytes of a row
} gla_link_rows;

#endif

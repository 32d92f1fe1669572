// lanczos_link.h: the rows of vectors that ranks exchange from GPU to GPU, past the host
// SPDX-License-Identifier: GPL-3.0-or-later
//
// src/ranks/ keeps it from call to call, and a GPU backend makes and uses what is in it
// (kernels/lanczos/rank_link.cu). All ranks come to the same calls, and all have it or none.

#ifndef GPULINALG_LANCZOS_LINK_H
#define GPULINALG_LANCZOS_LINK_H

#include <stdint.h>

enum { GLA_LINK_SLOT = 5 }; // numbers of a rank in `slots`

typedef struct {
  int rank, ranks;
  int asked;       // GPULINALG_NCCL asks for it on this rank
  double patience; // seconds to wait for GPUs of other ranks, beside the time that the bytes take
  double *slots;   // GLA_LINK_SLOT of each rank; NULL where it is not asked for

  // Of the backend: NULL where data go by way of the host.
  void *made;
  void (*close) (void *made);
  int refused;   // not 0: how it has failed on this rank; it is not tried again
  int late;      // the GPUs of others did not come in time: most likely one of them has failed
  char text[96]; // the version of NCCL, or why data go by way of the host
} gla_rank_link;

// Rows that go between GPUs: give[r] .. give[r+1]-1 of `out` to rank r, and from it to rows take[r]
// .. take[r+1]-1 of `in`, where those of higher ranks stand `gap` rows further on.
typedef struct {
  const int64_t *give, *take; // ranks+1
  const void *out;            // on the GPU, as `in`
  void *in;
  int64_t gap, row; // bytes of a row
} gla_link_rows;

#endif

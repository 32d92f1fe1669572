// eig_part.cuh: batcheig as a part of another operation's work on a chunk (eig/eig_engine.cu)
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The other operation has put a job of arrays on the device into e->eig_job. This part uses
// the beginning of the slot's arena, which the other operation reserves; what follows is the
// other's.

#ifndef GPULINALG_EIG_PART_CUH
#define GPULINALG_EIG_PART_CUH

#include "engine.cuh"

// Bytes of the arena that a chunk of so many pages needs.
size_t eig_part_bytes (const cuda_engine *e, const gla_eig_job *job, int64_t pages);

// The same as `submit` of the row, in an arena that is large enough. info and skew of the chunk are
// not used.
gla_status eig_part_submit (cuda_engine *e, int slot, const gla_eig_chunk *chunk);

// Where info and skew of such a chunk are on the device.
typedef struct {
  int32_t *info;
  double *skew;
} eig_part_words;
eig_part_words eig_part_words_of (cuda_engine *e, int slot, int64_t pages);

// Starts to find out whether any page has a nonzero info: where none has, e->counter[slot] is 0
// once the slot's work is done, and the host need not copy the info of all pages.
gla_status eig_look_for_info (cuda_engine *e, int slot, const int32_t *info, int64_t pages);

#endif

// eig_part.cuh: batcheig as a part of another operation's work on a chunk (eig/eig_engine.cu)
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The other operation has put a job of arrays on the device into the job that kept_eig_job returns.
// This part uses the beginning of the slot's arena, which the other operation reserves; the rest
// belongs to the other operation.

#ifndef GPULINALG_EIG_PART_CUH
#define GPULINALG_EIG_PART_CUH

#include "common/eig_range.cuh"
#include "engine.cuh"
#include "rows.h"
#include "eig/job.h"

inline gla_eig_job &kept_eig_job (const cuda_engine *e)
{
  return kept_job<gla_eig_job> (e, GLA_BATCH_EIG);
}

// Returns the bytes of the arena that a chunk of so many pages needs.
size_t eig_part_bytes (const cuda_engine *e, const gla_eig_job *job, int64_t pages);

// Returns the pages of a chunk: as many as the row takes for `job`, or as many as have an arena in
// the memory of the GPU. `arena (pages)` returns the bytes of an arena, with those of this part.
template <class A>
int64_t eig_part_chunk_pages (cuda_engine *e, const gla_eig_job *job, int64_t pages, A arena)
{
  const int64_t chunk = cuda_eig_ops.chunk_pages (&e->base, &job->head, pages);
  // the query takes longer than a small batch
  if (arena (chunk) <= e->slots[0].size)
    return chunk;
  const double by_memory = engine_pages_in_memory (e, (double)arena (64) / 64);
  return (double)chunk <= by_memory ? chunk : by_memory < 1 ? 1 : (int64_t)by_memory;
}

// il of a job with GLA_EIG_INTERVAL whose part stays at its places among all columns.
enum { EIG_PART_STAYS = -1 };

// Whether pages of such a job get only their own vectors. Their eigenvalues are then multiplied by
// 2^powers[page] before they are compared with the ends.
bool eig_part_has_spans (const gla_eig_job *job);

// Does what `submit` of the row does, in an arena that is large enough. info and skew of the chunk
// are not used.
gla_status eig_part_submit (cuda_engine *e, int slot, const gla_eig_chunk *chunk,
                            const int *powers = nullptr);

// The places of info and skew of such a chunk on the device, and of its spans, if it has some.
typedef struct {
  int32_t *info;
  double *skew;
  const eig_span *spans;
} eig_part_words;
eig_part_words eig_part_words_of (cuda_engine *e, int slot, int64_t pages);

// Starts to find out whether any page has a nonzero info: if none has, e->counter[slot] is 0 once
// the slot's work is done, and the host need not copy the info of all pages.
gla_status eig_look_for_info (cuda_engine *e, int slot, const int32_t *info, int64_t pages);

#endif

// eig_run.c: batcheig as an operation on pages: its chunks, and the checks of their results
// SPDX-License-Identifier: GPL-3.0-or-later

#include "eig_run.h"

static void slice (const gla_call *call, gla_range range, void *chunk, void *memory)
{
  gla_eig_chunk *c = chunk;
  const gla_eig_run *run = (const gla_eig_run *)call;
  c->info = run->all.info + range.first;
  const int counts = run->job.range != GLA_EIG_ALL && run->all.count != NULL;
  c->count = counts ? run->all.count + range.first : NULL;
  c->skew = memory;
  c->clean = &c->clean_word;
  c->clean_word = 0;
}

// The first page that is not Hermitian ends the call.
static gla_status look_for_failures (gla_call *call, gla_range range, const void *chunk)
{
  gla_eig_run *run = (gla_eig_run *)call;
  const gla_eig_chunk *c = chunk;
  if (gla_look_for_failures (call, &run->failures, c->info, range.count, *c->clean))
    gla_note_not_hermitian (call, &run->failures, range, c->info, c->skew);
  return GLA_OK;
}

const gla_operation gla_eig_operation = {
    .row = GLA_BATCH_EIG,
    .placing = {.unsupported = "n is too large for this method on a GPU",
                .supports = gla_batch_supports,
                .seconds = gla_batch_seconds},
    .arrays = 3,
    .chunk_bytes = sizeof (gla_eig_chunk),
    .page_bytes = sizeof (double),
    .slice = slice,
    .after_finish = look_for_failures,
};

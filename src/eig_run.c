// eig_run.c: batcheig as an operation on pages: its chunks, and what is done with their results
// SPDX-License-Identifier: GPL-3.0-or-later

#include "eig_run.h"

static void slice (const gla_call *call, gla_range range, void *chunk, void *memory)
{
  gla_eig_chunk *c = chunk;
  const gla_eig_run *run = (const gla_eig_run *)call;
  c->info = run->all.info + range.first;
  c->count = run->job.range != GLA_EIG_ALL ? run->all.count + range.first : NULL;
  c->skew = memory;
  c->clean = &c->clean_word;
  c->clean_word = 0;
}

static void keep_first_bad (gla_eig_run *run, int64_t page, double difference)
{
  pthread_mutex_lock (&run->call.run.lock);
  if (run->bad_page < 0 || page < run->bad_page) {
    run->bad_page = page;
    run->bad_difference = difference;
  }
  pthread_mutex_unlock (&run->call.run.lock);
  gla_run_close (&run->call.run);
}

// Looks for pages that failed. The first that is not Hermitian ends the call.
static gla_status look_for_failures (gla_call *call, gla_range range, const void *chunk)
{
  gla_eig_run *run = (gla_eig_run *)call;
  const gla_eig_chunk *c = chunk;
  int32_t any = 0; // no branch in the loop: there may be many pages, and mostly none failed
  if (*c->clean)
    return GLA_OK;
  for (int64_t p = 0; p < range.count; p++)
    any |= c->info[p];
  if (any == 0)
    return GLA_OK;
  pthread_mutex_lock (&call->run.lock);
  run->suspect = 1;
  pthread_mutex_unlock (&call->run.lock);
  for (int64_t p = 0; p < range.count; p++)
    if (c->info[p] == GLA_INFO_NOT_HERMITIAN) {
      keep_first_bad (run, range.first + p, c->skew[p]);
      break;
    }
  return GLA_OK;
}

const gla_operation gla_eig_operation = {
    .row = GLA_BATCH_EIG,
    .placing = {.name = "eig",
                .unsupported = "n is too large for this method on a GPU",
                .supports = gla_batch_supports,
                .seconds = gla_batch_seconds,
                .kinds = gla_eig_kinds},
    .arrays = 3,
    .chunk_bytes = sizeof (gla_eig_chunk),
    .page_bytes = sizeof (double),
    .slice = slice,
    .after_finish = look_for_failures,
};

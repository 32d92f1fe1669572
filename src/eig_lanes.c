// eig_lanes.c: chunks of a batcheig call
// SPDX-License-Identifier: GPL-3.0-or-later

#include "eig_lanes.h"
#include "arrays.h"

#include <stdlib.h>

// The memory of a lane: its chunks, and room for their skews behind them.
typedef struct {
  gla_eig_chunk chunks[GLA_MAX_SLOTS];
  double skew[];
} eig_flights;

static int supports (const gla_backend *backend, const void *call)
{
  return backend->eig_supports (&((const gla_eig_run *)call)->job);
}

static double seconds (gla_engine *engine, const void *call, int64_t pages)
{
  return engine->backend->eig_seconds (engine, &((const gla_eig_run *)call)->job, pages);
}

static int64_t chunk_pages (gla_engine *engine, const void *call, int64_t pages)
{
  return engine->backend->eig_chunk_pages (engine, &((const gla_eig_run *)call)->job, pages);
}

static gla_status begin (gla_lane *l, int64_t pages)
{
  const gla_eig_run *run = l->call;
  const gla_backend *backend = l->engine->backend;
  gla_status status = backend->eig_begin (l->engine, &run->job, pages);
  if (status != GLA_OK)
    return status;
  l->memory =
      malloc (sizeof (eig_flights) + (size_t)pages * (size_t)backend->slots * sizeof (double));
  if (l->memory != NULL)
    return GLA_OK;
  backend->eig_end (l->engine);
  return GLA_OUT_OF_MEMORY;
}

static gla_status submit (gla_lane *l, int slot, gla_range range)
{
  gla_eig_run *run = l->call;
  eig_flights *flights = l->memory;
  gla_eig_chunk *chunk = &flights->chunks[slot];
  chunk->A = gla_array_pages (&run->A, range.first, range.count);
  chunk->lambda = gla_array_pages (&run->lambda, range.first, range.count);
  chunk->V = gla_array_pages (&run->V, range.first, range.count);
  chunk->info = run->info + range.first;
  chunk->skew = flights->skew + (int64_t)slot * l->chunk_pages;
  pthread_mutex_lock (&run->pages.lock);
  if (range.count > run->report.chunk_pages)
    run->report.chunk_pages = range.count;
  pthread_mutex_unlock (&run->pages.lock);
  return l->engine->backend->eig_submit (l->engine, slot, chunk);
}

// Looks for pages with something to tell; of those that are not Hermitian it keeps the first one.
static void look_for_skew (gla_eig_run *run, const gla_eig_chunk *chunk, gla_range range)
{
  int32_t any = 0; // without a branch in the loop: there may be a million pages and nothing to find
  for (int64_t p = 0; p < range.count; p++)
    any |= chunk->info[p];
  if (any == 0)
    return;
  pthread_mutex_lock (&run->pages.lock);
  run->suspect = 1;
  pthread_mutex_unlock (&run->pages.lock);
  for (int64_t p = 0; p < range.count; p++)
    if (chunk->info[p] == GLA_INFO_SKEW) {
      int64_t page = range.first + p;
      pthread_mutex_lock (&run->pages.lock);
      if (run->report.bad_page < 0 || page < run->report.bad_page) {
        run->report.bad_page = page;
        run->report.bad_difference = chunk->skew[p];
      }
      pthread_mutex_unlock (&run->pages.lock);
      gla_run_close (&run->pages);
      return;
    }
}

static gla_status finish (gla_lane *l, int slot, gla_range range)
{
  eig_flights *flights = l->memory;
  gla_status status = l->engine->backend->eig_finish (l->engine, slot);
  if (status == GLA_OK)
    look_for_skew (l->call, &flights->chunks[slot], range);
  return status;
}

static void end (gla_lane *l)
{
  l->engine->backend->eig_end (l->engine);
}

const gla_operation gla_eig_operation = {
    .placing = {.name = "eig",
                .unsupported = "n is too large for this method on a GPU",
                .supports = supports,
                .seconds = seconds,
                .kinds = gla_eig_kinds},
    .chunk_pages = chunk_pages,
    .begin = begin,
    .submit = submit,
    .finish = finish,
    .end = end,
};

// run.c: the pages of one call, dealt out in chunks to engines
// SPDX-License-Identifier: GPL-3.0-or-later

#include "run.h"

void gla_run_start (gla_run *run, gla_context *ctx, int64_t pages)
{
  run->ctx = ctx;
  run->pages = pages;
  run->done = 0;
  run->stopped = 0;
  run->waiting[0] = (gla_range){0, pages};
  run->n_waiting = pages > 0;
}

gla_range gla_run_take (gla_run *run, int64_t limit)
{
  gla_range taken = {0, 0};
  if (run->n_waiting == 0)
    return taken;
  int lowest = 0;
  for (int k = 1; k < run->n_waiting; k++)
    if (run->waiting[k].first < run->waiting[lowest].first)
      lowest = k;
  gla_range *range = &run->waiting[lowest];
  taken.first = range->first;
  taken.count = range->count < limit ? range->count : limit;
  range->first += taken.count;
  range->count -= taken.count;
  if (range->count == 0)
    *range = run->waiting[--run->n_waiting];
  return taken;
}

void gla_run_give_back (gla_run *run, gla_range range)
{
  // Joined with its neighbours, so that the list stays as short as the chunks in flight.
  for (int k = 0; k < run->n_waiting; k++) {
    gla_range *other = &run->waiting[k];
    if (other->first + other->count == range.first || range.first + range.count == other->first) {
      range.first = other->first < range.first ? other->first : range.first;
      range.count += other->count;
      *other = run->waiting[--run->n_waiting];
      k = -1;
    }
  }
  run->waiting[run->n_waiting++] = range;
}

int gla_run_poll (void *user, int64_t pages)
{
  gla_run *run = user;
  gla_context *ctx = run->ctx;
  run->done += pages;
  if (pages > 0 && ctx->progress != NULL)
    ctx->progress (ctx->progress_user, run->done, run->pages);
  if (!run->stopped && ctx->stop != NULL && ctx->stop (ctx->stop_user))
    run->stopped = 1;
  return run->stopped;
}

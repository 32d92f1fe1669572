// run.h: the pages of one call, dealt out in chunks to engines
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Shared by the operations that work page by page. A run knows which pages are still to be done;
// engines take chunks of them, and what a failing engine held goes back to be done by another.

#ifndef GPULINALG_RUN_H
#define GPULINALG_RUN_H

#include "context.h"

enum { GLA_MAX_SLOTS = 4, GLA_MAX_CHUNK = 1 << 20 };

typedef struct {
  int64_t first, count;
} gla_range;

typedef struct {
  gla_context *ctx;
  int64_t pages, done;
  int stopped;
  // Ranges that wait: the untouched rest, and what came back from engines that failed.
  gla_range waiting[8 * GLA_MAX_DEVICES * GLA_MAX_SLOTS];
  int n_waiting;
} gla_run;

void gla_run_start (gla_run *run, gla_context *ctx, int64_t pages);
// Takes at most `limit` pages, lowest first; count 0 when nothing waits.
gla_range gla_run_take (gla_run *run, int64_t limit);
void gla_run_give_back (gla_run *run, gla_range range);
// The monitor's function: counts pages, tells the progress, asks whether to stop.
int gla_run_poll (void *run, int64_t pages);

#endif

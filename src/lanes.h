// lanes.h: engines that work on the pages of one call, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A lane is one engine's share of a run: a ring of chunks in flight. What a chunk is, and how it is
// started and waited for, an operation says in a table of functions.

#ifndef GPULINALG_LANES_H
#define GPULINALG_LANES_H

#include "choose.h"
#include "run.h"

typedef struct gla_lane gla_lane;

// `call` is the operation's own description of the call.
typedef struct {
  gla_placing placing;
  int64_t (*chunk_pages) (gla_engine *engine, const void *call, int64_t pages);
  // Memory for chunks of at most `pages` pages in every slot; may allocate l->memory, which is
  // freed with the lane. GLA_OUT_OF_MEMORY takes nothing.
  gla_status (*begin) (gla_lane *l, int64_t pages);
  gla_status (*submit) (gla_lane *l, int slot, gla_range range);
  // Waits for the chunk and looks at its results.
  gla_status (*finish) (gla_lane *l, int slot, gla_range range);
  void (*end) (gla_lane *l);
} gla_operation;

struct gla_lane {
  gla_engine *engine;
  gla_run *run;
  const gla_operation *operation;
  void *call;
  int64_t chunk_pages;
  void *memory; // the operation's
  int head, count;
  gla_range flights[GLA_MAX_SLOTS];
  gla_status trouble; // why the lane left
};

// One step of a lane alone, for operations that want a certain page on a certain engine.
gla_status gla_lane_begin (gla_lane *l, int64_t pages);
gla_status gla_lane_submit (gla_lane *l, gla_range range);
gla_status gla_lane_finish (gla_lane *l);
void gla_lane_end (gla_lane *l);

// Runs the whole call where the context wants it or, for "auto", where it is predicted to be
// faster; what GPUs leave undone the CPU does, with one warning. data_device is GLA_HOST or the
// GPU that holds the arrays. *device becomes the first GPU that worked. GLA_OK also where the run
// was closed.
gla_status gla_run_call (gla_run *run, const gla_operation *operation, void *call, int data_device,
                         int *device);

#endif

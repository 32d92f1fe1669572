// eig_lanes.h: engines that work on the pages of one batcheig call, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_EIG_LANES_H
#define GPULINALG_EIG_LANES_H

#include "run.h"

typedef struct {
  gla_run pages;
  gla_eig_job job;
  gla_array A, lambda, V;
  int32_t *info;
  int suspect; // whether a page has info != 0
  gla_eig_report report;
} gla_eig_run;

// A chunk that an engine works on.
typedef struct {
  gla_range range;
  gla_eig_chunk chunk;
} gla_eig_flight;

// One engine's share of the run: a ring of chunks in flight, oldest at `head`.
typedef struct {
  gla_engine *engine;
  int64_t chunk_pages;
  int head, count;
  gla_eig_flight flights[GLA_MAX_SLOTS];
  double *skew;       // slots x chunk_pages
  gla_status trouble; // why the lane left
} gla_eig_lane;

// Takes memory for chunks of at most `pages` pages; halves them as long as memory is short.
gla_status gla_eig_lane_begin (gla_eig_lane *l, const gla_eig_job *job, int64_t pages);
void gla_eig_lane_end (gla_eig_lane *l);
// Hands a range to the engine; one that it does not take waits again.
gla_status gla_eig_lane_submit (gla_eig_lane *l, gla_eig_run *run, gla_range range);
// Waits for the oldest chunk of the lane.
gla_status gla_eig_lane_finish (gla_eig_lane *l, gla_eig_run *run);

// Keeps every lane busy until nothing waits, several in threads of their own. Lanes that fail
// leave; their reason goes to *trouble. Pages that no lane could do stay waiting. GLA_STOPPED or
// GLA_OK.
gla_status gla_eig_run_lanes (gla_eig_run *run, gla_eig_lane *lanes, int n_lanes,
                              gla_status *trouble);

#endif

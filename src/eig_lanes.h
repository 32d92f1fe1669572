// eig_lanes.h: chunks of a batcheig call, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_EIG_LANES_H
#define GPULINALG_EIG_LANES_H

#include "lanes.h"

// What is described here belongs to a gla_run of the same call.
typedef struct {
  gla_run pages;
  gla_eig_job job;
  gla_array A, lambda, V;
  int32_t *info;
  int suspect; // whether a page has info != 0
  gla_eig_report report;
} gla_eig_run;

// Its `call` is a gla_eig_run.
extern const gla_operation gla_eig_operation;
int gla_eig_kinds (const void *call, gla_kind *kinds); // eig_costs.c

#endif

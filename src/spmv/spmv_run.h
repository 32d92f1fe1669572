// spmv_run.h: a product of gla_spmv, in the chosen place
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SPMV_RUN_H
#define GPULINALG_SPMV_RUN_H

#include "auto/place.h"
#include "sparse.h"

// Y = op(A)*X; x and y were checked, and are not empty.
typedef struct {
  gla_sparse *S;
  char op;
  int64_t columns;
  const gla_array *x, *y;
} gla_spmv_call;

// Serves gla_placed_work: on one engine, or on several GPUs that share the rows (spmv_team.c).
gla_status gla_spmv_on_engine (void *call, gla_engine *engine);
gla_status gla_spmv_on_gpus (void *call, const int *devices, int count, gla_outcome *outcome);

#endif

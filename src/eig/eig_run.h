// eig_run.h: a call of gla_batcheig, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_EIG_RUN_H
#define GPULINALG_EIG_RUN_H

#include "batch/failures.h"
#include "eig/job.h"

enum { GLA_EIG_MAX_ITERATIONS = 30 }; // {maxit}

typedef struct {
  gla_call call; // must stay first
  gla_eig_job job;
  gla_eig_chunk all; // the whole arrays
  gla_failures failures;
  gla_eig_method other; // for pages that did not converge
} gla_eig_run;

extern const gla_operation gla_eig_operation;

#endif

// svd_run.h: a call of gla_batchsvd, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_RUN_H
#define GPULINALG_SVD_RUN_H

#include "batch/failures.h"
#include "svd/job.h"

enum { GLA_SVD_MAX_SWEEPS = 60 }; // {maxit}

typedef struct {
  gla_call call; // must stay first
  gla_svd_job job;
  gla_svd_chunk all; // the whole arrays
  gla_failures failures;
  gla_svd_method other; // for pages that did not converge
} gla_svd_run;

// Whether all columns of a square U or V are wanted for pages in the memory of a GPU that cannot
// form them; and the decomposition of such pages on the CPU (svd_copied.c).
int gla_svd_is_copied (const gla_svd_run *run);
gla_status gla_svd_copied (gla_svd_run *run, const gla_svd_options *options);

#endif

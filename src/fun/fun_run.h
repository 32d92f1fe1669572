// fun_run.h: a call of gla_pagefun, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_FUN_RUN_H
#define GPULINALG_FUN_RUN_H

#include "batch/queue.h"
#include "batch/failures.h"
#include "fun/job.h"

typedef struct {
  gla_call call; // must stay first
  gla_pagefun_job job;
  gla_pagefun_chunk all; // the whole arrays
  gla_failures failures;
  gla_pagefun_options o; // tol is not 0
  gla_pagefun_report report;
} gla_fun_run;

// Sets the job without its monitor, and what all.A, all.F and the options give to the chunks.
void gla_fun_fill_job (gla_fun_run *run, gla_fun fun);
// Does the operation on pages. If job.solved, all has V and lambda, and the CPU does the rest.
gla_status gla_fun_call (gla_fun_run *run, gla_context *ctx);

#endif

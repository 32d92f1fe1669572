// qr_run.h: a call of gla_qr, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_QR_RUN_H
#define GPULINALG_QR_RUN_H

#include "batch/queue.h"
#include "qr/job.h"

typedef struct {
  gla_call call; // must stay first
  gla_qr_job job;
  gla_qr_chunk all; // the whole arrays
} gla_qr_run;

// Chooses the place of such a call by the place of the context, for checked arrays on the host: for
// callers that do not call gla_qr. They must call gla_choice_end.
gla_status gla_qr_choose (gla_context *ctx, const gla_array *A, const gla_array *B,
                          const gla_qr_results *results, int block, gla_choice *choice);

#endif

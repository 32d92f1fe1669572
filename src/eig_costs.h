// eig_costs.h: where batcheig is faster, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_EIG_COSTS_H
#define GPULINALG_EIG_COSTS_H

#include "context.h"

// Whether a GPU does the job, whose arrays are on the host, faster than the CPU. Opens the GPU
// where that may pay, and measures what is not yet known. GLA_STOPPED where the user wants to stop
// meanwhile, else GLA_OK.
gla_status gla_eig_gpu_is_faster (gla_context *ctx, int device, const gla_eig_job *job,
                                  int64_t pages, int *faster);

#endif

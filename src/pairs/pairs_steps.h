// pairs_steps.h: the steps of gla_batcheig_pairs on some pages, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PAIRS_STEPS_H
#define GPULINALG_PAIRS_STEPS_H

#include "context.h"
#include "pairs/job.h"

// Does the steps of the job, which has all but its head, on the CPU, whatever the context's place.
// No progress is reported.
gla_status gla_pencil_steps (gla_context *ctx, const gla_pencil_job *job,
                             const gla_pencil_chunk *pages);

// Finds reciprocal condition numbers of pages of B, of which one triangle may be read, on the CPU.
gla_status gla_pencil_rcond (gla_context *ctx, const gla_array *B, gla_triangle triangle,
                             const gla_array *rcond);

#endif

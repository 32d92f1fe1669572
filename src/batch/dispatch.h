// dispatch.h: a whole call of an operation on pages, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_DISPATCH_H
#define GPULINALG_DISPATCH_H

#include "queue.h"

// Prepares the part of a call that the driver needs, before the operation fills its own.
void gla_call_start (gla_call *call, const gla_operation *operation, const gla_job *job,
                     gla_context *ctx, int64_t pages);

// Does the whole call where the context wants it or, for "auto", where it is predicted to be
// faster. What GPUs cannot do the CPU does, with one warning. The arrays are on the host or on the
// GPU that arrays[0] names. GLA_OK also where the run was closed.
gla_status gla_call_run (gla_call *call);

// What the report of any such call begins with, without failed pages.
gla_report gla_call_report (const gla_call *call);

#endif

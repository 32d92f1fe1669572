// arrays_call.h: what all functions of arrays that stay on a GPU begin and end with
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_ARRAYS_CALL_H
#define GPULINALG_ARRAYS_CALL_H

#include "context.h"

// Opens the GPU; waits end by the context's stop callback.
gla_status gla_nd_begin (gla_context *ctx, int device, gla_engine **engine);
// A GPU that fails takes its arrays along.
gla_status gla_nd_end (gla_context *ctx, int device, gla_status status);

// GLA_ERROR_BAD_ARGUMENT: this argument is NULL.
gla_status gla_nd_missing (gla_context *ctx, const char *name);
// Whether elements may have this type.
int gla_nd_is_type (int type);

#endif

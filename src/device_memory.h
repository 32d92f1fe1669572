// device_memory.h: begin and end of calls that use memory of a GPU, for src/ only
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_DEVICE_MEMORY_H
#define GPULINALG_DEVICE_MEMORY_H

#include "context.h"

// Opens the GPU; the context's stop callback ends waits.
gla_status gla_nd_begin (gla_context *ctx, int device, gla_engine **engine);
// Ends a call; a GPU that fails loses its arrays.
gla_status gla_nd_end (gla_context *ctx, int device, gla_status status);

// Returns GLA_ERROR_BAD_ARGUMENT: this argument is NULL.
gla_status gla_nd_missing (gla_context *ctx, const char *name);
#endif

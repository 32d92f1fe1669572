// device_memory.h: what calls that work with memory of a GPU begin and end with, for src/ only
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_DEVICE_MEMORY_H
#define GPULINALG_DEVICE_MEMORY_H

#include "context.h"

// Opens the GPU; waits end by the context's stop callback.
gla_status gla_nd_begin (gla_context *ctx, int device, gla_engine **engine);
// A GPU that fails takes its arrays along.
gla_status gla_nd_end (gla_context *ctx, int device, gla_status status);

// GLA_ERROR_BAD_ARGUMENT: this argument is NULL.
gla_status gla_nd_missing (gla_context *ctx, const char *name);
#endif

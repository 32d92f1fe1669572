// nd.h: what the files of arrays that stay on a GPU share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_ND_H
#define GPULINALG_ND_H

#include "context.h"

// Opens the GPU; waits end by the context's stop callback.
gla_status gla_nd_begin (gla_context *ctx, int device, gla_engine **engine);
// Ends a call. A GPU that fails takes its arrays along.
gla_status gla_nd_end (gla_context *ctx, int device, gla_status status);

// The error of an argument that is NULL.
gla_status gla_nd_missing (gla_context *ctx, const char *name);

int gla_nd_is_type (int type);
gla_status gla_nd_check_array (gla_context *ctx, const char *name, const gla_nd *a);
// Whether the operand has the sizes of `to`; it may lack last dimensions.
gla_status gla_nd_check_sizes (gla_context *ctx, const char *name, const gla_nd *a,
                               const gla_nd *to);
int gla_nd_is_empty (const gla_nd *a);

int gla_nd_takes_two (int op);
// Whether the operation has operands of these types; y is not looked at where it takes one. The
// type of the result, or 0.
int gla_nd_type_of (int op, int x, int y);

#endif

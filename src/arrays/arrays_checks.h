// arrays_checks.h: checks of arrays and operations on single elements
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_ARRAYS_CHECKS_H
#define GPULINALG_ARRAYS_CHECKS_H

#include "arrays_types.h"
#include "device_memory.h"

gla_status gla_nd_check_array (gla_context *ctx, const char *name, const gla_nd *a);
// Whether the operand has the sizes of `to`; it may lack last dimensions.
gla_status gla_nd_check_sizes (gla_context *ctx, const char *name, const gla_nd *a,
                               const gla_nd *to);
int gla_nd_is_empty (const gla_nd *a);

// Returns the type of the result, or 0 if the operation has no operands of these types; ignores y
// if it takes one.
int gla_nd_type_of (int op, int x, int y);

#endif

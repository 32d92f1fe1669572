// arrays_types.h: types of elements of gla_nd, and operands of gla_nd_op
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_ARRAYS_TYPES_H
#define GPULINALG_ARRAYS_TYPES_H

#include "gpulinalg.h"

static inline int gla_nd_is_complex (int type)
{
  return type == GLA_TYPE_C || type == GLA_TYPE_Z;
}

static inline int gla_nd_is_single (int type)
{
  return type == GLA_TYPE_S || type == GLA_TYPE_C;
}

// Returns the bytes of an element; 0 for an unknown type.
static inline size_t gla_nd_bytes (int type)
{
  return type == GLA_LOGICAL ? 1 : gla_type_size ((gla_type)type);
}

// Whether elements may have this type.
static inline int gla_nd_is_type (int type)
{
  return gla_nd_bytes (type) > 0;
}

// Whether the operation has a second operand.
static inline int gla_nd_takes_two (int op)
{
  return (op >= GLA_ND_ADD && op <= GLA_ND_MIN) || (op >= GLA_ND_EQ && op <= GLA_ND_OR) ||
         (op >= GLA_ND_POW && op <= GLA_ND_HYPOT) || op == GLA_ND_SELECT;
}

#endif

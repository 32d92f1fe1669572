// arrays_elements.c: operations on single elements of arrays that stay on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_checks.h"
#include "arrays/job.h"
#include "backend.h"
#include "common/status.h"

//------------------------------------------------------------------------------
// checks
//------------------------------------------------------------------------------

gla_status gla_nd_check_array (gla_context *ctx, const char *name, const gla_nd *a)
{
  if (a == NULL)
    return gla_nd_missing (ctx, name);
  if (!gla_nd_is_type (a->type))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s has type %d, it must be one of s d c z b",
                     name, a->type);
  if (a->dims < 0 || a->dims > GLA_ND_DIMS)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s has %d dimensions, at most %d are allowed",
                     name, a->dims, GLA_ND_DIMS);
  for (int d = 0; d < a->dims && a->data != NULL; d++)
    if (a->size[d] < 0)
      return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s has size %lld in dimension %d", name,
                       (long long)a->size[d], d + 1);
  return GLA_OK;
}

gla_status gla_nd_check_sizes (gla_context *ctx, const char *name, const gla_nd *a,
                               const gla_nd *to)
{
  gla_status status = gla_nd_check_array (ctx, name, a);
  if (status != GLA_OK || a->data == NULL)
    return status;
  for (int d = 0; d < a->dims; d++)
    if (d >= to->dims || a->size[d] != to->size[d])
      return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s does not have the sizes of the result",
                       name);
  return GLA_OK;
}

int gla_nd_is_empty (const gla_nd *a)
{
  for (int d = 0; d < a->dims; d++)
    if (a->size[d] == 0)
      return 1;
  return 0;
}

static int is_real_only (int op)
{
  return (op >= GLA_ND_MOD && op <= GLA_ND_HYPOT) || (op >= GLA_ND_CBRT && op < GLA_ND_OPS);
}

int gla_nd_type_of (int op, int x, int y)
{
  const int two = gla_nd_takes_two (op);
  const int complex = gla_nd_is_complex (x) || (two && gla_nd_is_complex (y));
  const int single = gla_nd_is_single (x) || (two && gla_nd_is_single (y));
  if (is_real_only (op) && complex)
    return 0;
  if (op >= GLA_ND_EQ && op <= GLA_ND_ISFINITE)
    return GLA_LOGICAL;
  if (op == GLA_ND_SELECT && x == GLA_LOGICAL && y == GLA_LOGICAL)
    return GLA_LOGICAL;
  if (complex && !(op >= GLA_ND_REAL && op <= GLA_ND_ARG))
    return single ? GLA_TYPE_C : GLA_TYPE_Z;
  return single ? GLA_TYPE_S : GLA_TYPE_D;
}

// A number does not make the operation single.
static int type_as_operand (const gla_nd *a)
{
  return a->data != NULL || !gla_nd_is_single (a->type) ? a->type
         : gla_nd_is_complex (a->type)                  ? GLA_TYPE_Z
                                                        : GLA_TYPE_D;
}

static gla_status check_operation (gla_context *ctx, gla_nd_op op, const gla_nd *to,
                                   const gla_nd *x, const gla_nd *y)
{
  if ((int)op < 0 || op >= GLA_ND_OPS)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "op = %d is not a gla_nd_op", (int)op);
  gla_status status = gla_nd_check_array (ctx, "to", to);
  if (status == GLA_OK)
    status = gla_nd_check_sizes (ctx, "x", x, to);
  if (status == GLA_OK && gla_nd_takes_two (op))
    status = gla_nd_check_sizes (ctx, "y", y, to);
  if (status != GLA_OK)
    return status;
  if (to->data == NULL && !gla_nd_is_empty (to))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "to has no data");
  const int type = gla_nd_type_of (op, type_as_operand (x),
                                   gla_nd_takes_two (op) ? type_as_operand (y) : GLA_TYPE_D);
  if (type == 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "this operation needs real elements");
  if (op >= GLA_ND_POW && op <= GLA_ND_ATANH && !is_real_only (op) && !gla_nd_is_complex (type) &&
      to->type == (type == GLA_TYPE_S ? GLA_TYPE_C : GLA_TYPE_Z))
    return GLA_OK; // elements outside of the domain have complex values
  if (op != GLA_ND_COPY && to->type != type)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "to has type '%c', it must be '%c'", to->type,
                     type);
  return GLA_OK;
}

//------------------------------------------------------------------------------
// the operation
//------------------------------------------------------------------------------

gla_status gla_elementwise (gla_context *ctx, int device, gla_nd_op op, const gla_nd *to,
                            const gla_nd *x, const gla_nd *y, int *outside)
{
  gla_engine *engine;
  GLA_TRY (gla_nd_begin (ctx, device, &engine));
  GLA_TRY (check_operation (ctx, op, to, x, y));
  if (outside != NULL)
    *outside = 0;
  if (gla_nd_is_empty (to))
    return GLA_OK;
  const gla_nd *second = gla_nd_takes_two (op) ? y : NULL;
  return gla_nd_end (ctx, device,
                     engine->backend->nd->elementwise (engine, op, to, x, second, outside));
}

// arrays_join.c: copies of several arrays that stay on a GPU at once, and triangles
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_checks.h"
#include "arrays/job.h"
#include "backend.h"
#include "common/status.h"

// Whether elements of one type are copied to the other without an unexpected loss.
static int widens (int from, int to)
{
  return (from == GLA_LOGICAL || to != GLA_LOGICAL) &&
         (!gla_nd_is_complex (from) || gla_nd_is_complex (to));
}

static gla_status check_copy (gla_context *ctx, const gla_nd *to, const gla_nd *from, int type,
                              int k)
{
  GLA_TRY (gla_nd_check_array (ctx, "to", to));
  GLA_TRY (gla_nd_check_sizes (ctx, "from", from, to));
  if (to->data == NULL && !gla_nd_is_empty (to))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "to[%d] has no data", k);
  if (to->type != type)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "to[%d] has type '%c', to[0] '%c'", k, to->type,
                     type);
  if (!widens (from->type, type))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                     "from[%d] has type '%c', which does not become '%c'", k, from->type, type);
  return GLA_OK;
}

gla_status gla_join (gla_context *ctx, int device, const gla_nd *to, const gla_nd *from, int count)
{
  gla_engine *engine;
  gla_status status = gla_nd_begin (ctx, device, &engine);
  if (status != GLA_OK)
    return status;
  if (count > 0 && (to == NULL || from == NULL))
    return gla_nd_missing (ctx, to == NULL ? "to" : "from");
  for (int k = 0; k < count && status == GLA_OK; k++)
    status = check_copy (ctx, to + k, from + k, to->type, k);
  if (status != GLA_OK || count <= 0)
    return status;
  return gla_nd_end (ctx, device, engine->backend->nd->join (engine, to, from, count));
}

// Returns a diagonal of the matrix, or the first one beyond it: sums with rows and columns do not
// overflow.
static int64_t within (const gla_nd *to, int64_t diagonal)
{
  const int64_t far = to->size[0] + to->size[1];
  return diagonal < -far ? -far : diagonal > far ? far : diagonal;
}

gla_status gla_take_triangle (gla_context *ctx, int device, const gla_nd *to, const gla_nd *x,
                              int64_t first, int64_t last)
{
  enum { ROWS_COLUMNS_PAGES = 3 };
  const int64_t most_rows = ((int64_t)1 << 31) - 1;
  gla_engine *engine;
  GLA_TRY (gla_nd_begin (ctx, device, &engine));
  GLA_TRY (gla_nd_check_array (ctx, "to", to));
  GLA_TRY (gla_nd_check_sizes (ctx, "x", x, to));
  if (to->dims < 2 || to->dims > ROWS_COLUMNS_PAGES || x->dims != to->dims)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                     "to has %d dimensions and x %d, both must have 2 or 3", to->dims, x->dims);
  if (x->type != to->type)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "x has type '%c', it must be '%c'", x->type,
                     to->type);
  if (gla_nd_is_empty (to))
    return GLA_OK;
  if (to->size[0] > most_rows)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "to has %lld rows, it must have at most %lld",
                     (long long)to->size[0], (long long)most_rows);
  if (to->data == NULL || x->data == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s has no data", to->data == NULL ? "to" : "x");
  return gla_nd_end (
      ctx, device,
      engine->backend->nd->triangle (engine, to, x, within (to, first), within (to, last)));
}

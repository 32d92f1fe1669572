// arrays_subscripts.c: subscripts of arrays that stay on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_checks.h"
#include "arrays/job.h"
#include "backend.h"
#include "common/status.h"

// Checks ranges; lists are on the GPU. *count becomes the number of elements.
static gla_status check_subscripts (gla_context *ctx, const gla_nd *x, const gla_subscripts *s,
                                    int64_t *count)
{
  *count = 1;
  for (int d = 0; d < x->dims; d++) {
    const int64_t last = s[d].first + (s[d].count - 1) * s[d].step;
    *count *= s[d].count;
    if (s[d].count < 0 ||
        (s[d].list == NULL && s[d].count > 0 &&
         (s[d].first < 0 || s[d].first >= x->size[d] || last < 0 || last >= x->size[d])))
      return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                       "subscripts %lld to %lld of dimension %d are not within 0 to %lld",
                       (long long)s[d].first, (long long)last, d + 1, (long long)x->size[d] - 1);
  }
  return GLA_OK;
}

// Returns the elements without gaps, in the order of the subscripts.
static gla_nd packed (void *data, const gla_nd *x, const gla_subscripts *s)
{
  gla_nd a = {.data = data, .type = x->type, .dims = x->dims};
  int64_t step = 1;
  for (int d = 0; d < x->dims; d++) {
    a.size[d] = s[d].count;
    a.step[d] = step;
    step *= s[d].count;
  }
  return a;
}

static gla_status run_subscripts (gla_context *ctx, int device, const gla_nd *x,
                                  const gla_subscripts *s, const gla_nd *elements, int store)
{
  gla_engine *engine;
  int64_t count;
  GLA_TRY (gla_nd_begin (ctx, device, &engine));
  GLA_TRY (gla_nd_check_array (ctx, "x", x));
  if (x->dims < 1 || s == NULL)
    return gla_nd_missing (ctx, "s");
  gla_status status = check_subscripts (ctx, x, s, &count);
  if (status != GLA_OK || count == 0)
    return status;
  if (x->data == NULL)
    return gla_nd_missing (ctx, "x->data");
  return gla_nd_end (ctx, device, engine->backend->nd->subscript (engine, x, s, elements, store));
}

gla_status gla_take (gla_context *ctx, int device, const gla_nd *x, const gla_subscripts *s,
                     void *to)
{
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  if (x == NULL || s == NULL)
    return gla_nd_missing (ctx, x == NULL ? "x" : "s");
  GLA_TRY (gla_nd_check_array (ctx, "x", x));
  const gla_nd elements = packed (to, x, s);
  if (to == NULL && !gla_nd_is_empty (&elements))
    return gla_nd_missing (ctx, "to");
  return run_subscripts (ctx, device, x, s, &elements, 0);
}

gla_status gla_put (gla_context *ctx, int device, const gla_nd *x, const gla_subscripts *s,
                    const gla_nd *from)
{
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  if (x == NULL || s == NULL || from == NULL)
    return gla_nd_missing (ctx, x == NULL ? "x" : s == NULL ? "s" : "from");
  GLA_TRY (gla_nd_check_array (ctx, "x", x));
  GLA_TRY (gla_nd_check_array (ctx, "from", from));
  if (from->data != NULL && from->type != x->type)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "from has type '%c', it must be '%c'", from->type,
                     x->type);
  return run_subscripts (ctx, device, x, s, from, 1);
}

gla_status gla_find (gla_context *ctx, int device, const void *mask, int64_t n, int64_t *list,
                     int64_t *count)
{
  gla_engine *engine;
  GLA_TRY (gla_nd_begin (ctx, device, &engine));
  if (count == NULL || (mask == NULL && n > 0))
    return gla_nd_missing (ctx, count == NULL ? "count" : "mask");
  *count = 0;
  return n > 0 ? gla_nd_end (ctx, device, engine->backend->nd->find (engine, mask, n, list, count))
               : GLA_OK;
}

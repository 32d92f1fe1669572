// nd.c: arrays that stay on a GPU: memory, single elements, subscripts
// SPDX-License-Identifier: GPL-3.0-or-later

#include "nd_call.h"
#include "structs.h"

//------------------------------------------------------------------------------
// memory
//------------------------------------------------------------------------------

gla_status gla_memory_take (gla_context *ctx, int device, size_t bytes, void **memory)
{
  gla_engine *engine;
  gla_status status = gla_nd_begin (ctx, device, &engine);
  if (memory != NULL)
    *memory = NULL;
  if (status != GLA_OK)
    return status;
  if (memory == NULL)
    return gla_nd_missing (ctx, "memory");
  status = engine->backend->nd->take (engine, bytes, memory);
  if (status == GLA_ERROR_OUT_OF_MEMORY) {
    gla_memory_info held;
    engine->backend->nd->query (engine, &held);
    return gla_fail (ctx, status,
                     "device %d has no room for %.1f MB more; arrays there have %.1f MB", device,
                     (double)bytes / 1e6, (double)held.live / 1e6);
  }
  return gla_nd_end (ctx, device, status);
}

void gla_memory_give (gla_context *ctx, int device, void *memory)
{
  if (ctx == NULL || memory == NULL || device < 0 || device >= ctx->n_gpus || gla_forked ())
    return;
  gla_engine *engine = ctx->gpus[device];
  if (engine != NULL)
    engine->backend->nd->give (engine, memory);
}

gla_status gla_memory_query (gla_context *ctx, int device, gla_memory_info *info)
{
  gla_engine *engine;
  gla_memory_info own = {.size = sizeof own};
  const gla_status status = gla_nd_begin (ctx, device, &engine);
  if (status != GLA_OK)
    return status;
  if (info == NULL)
    return gla_nd_missing (ctx, "info");
  if (!gla_check_report (ctx, "info", info))
    return GLA_ERROR_BAD_ARGUMENT;
  engine->backend->nd->query (engine, &own);
  gla_give_struct (info, &own, sizeof own);
  return GLA_OK;
}

gla_status gla_memory_put (gla_context *ctx, int device, void *to, const void *from, size_t bytes)
{
  gla_engine *engine;
  const gla_status status = gla_nd_begin (ctx, device, &engine);
  if (status != GLA_OK || bytes == 0)
    return status;
  if (to == NULL || from == NULL)
    return gla_nd_missing (ctx, to == NULL ? "to" : "from");
  return gla_nd_end (ctx, device, engine->backend->nd->put (engine, to, from, bytes));
}

gla_status gla_memory_get (gla_context *ctx, int device, void *to, const void *from, size_t bytes)
{
  gla_engine *engine;
  const gla_status status = gla_nd_begin (ctx, device, &engine);
  if (status != GLA_OK || bytes == 0)
    return status;
  if (to == NULL || from == NULL)
    return gla_nd_missing (ctx, to == NULL ? "to" : "from");
  return gla_nd_end (ctx, device, engine->backend->nd->get (engine, to, from, bytes));
}

gla_status gla_wait (gla_context *ctx, int device)
{
  gla_engine *engine;
  const gla_status status = gla_nd_begin (ctx, device, &engine);
  return status == GLA_OK ? gla_nd_end (ctx, device, engine->backend->nd->wait (engine)) : status;
}

//------------------------------------------------------------------------------
// checks
//------------------------------------------------------------------------------

static int is_complex (int type)
{
  return type == GLA_TYPE_C || type == GLA_TYPE_Z;
}

static gla_status check_array (gla_context *ctx, const char *name, const gla_nd *a)
{
  if (a == NULL)
    return gla_nd_missing (ctx, name);
  if (!gla_nd_is_type (a->type))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s has type %d, it must be one of s d c z b",
                     name, a->type);
  if (a->data != NULL && (a->dims < 0 || a->dims > GLA_ND_DIMS))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s has %d dimensions, at most %d are allowed",
                     name, a->dims, GLA_ND_DIMS);
  for (int d = 0; d < a->dims && a->data != NULL; d++)
    if (a->size[d] < 0)
      return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s has size %lld in dimension %d", name,
                       (long long)a->size[d], d + 1);
  return GLA_OK;
}

// Whether the operand has the sizes of `to`; it may lack last dimensions.
static gla_status check_sizes (gla_context *ctx, const char *name, const gla_nd *a,
                               const gla_nd *to)
{
  gla_status status = check_array (ctx, name, a);
  if (status != GLA_OK || a->data == NULL)
    return status;
  for (int d = 0; d < a->dims; d++)
    if (d >= to->dims || a->size[d] != to->size[d])
      return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s does not have the sizes of the result",
                       name);
  return GLA_OK;
}

static int is_empty (const gla_nd *a)
{
  for (int d = 0; d < a->dims; d++)
    if (a->size[d] == 0)
      return 1;
  return 0;
}

static int takes_two (gla_nd_op op)
{
  return (op >= GLA_ND_ADD && op <= GLA_ND_MIN) || (op >= GLA_ND_EQ && op <= GLA_ND_OR) ||
         (op >= GLA_ND_POW && op <= GLA_ND_HYPOT);
}

// The type of the result of an operation.
static int type_of_result (gla_nd_op op, const gla_nd *x, const gla_nd *y)
{
  const gla_nd *const all[] = {x, y};
  int single = 0, complex = 0;
  for (int k = 0; k < 2; k++)
    if (all[k] != NULL) {
      complex |= is_complex (all[k]->type);
      single |= all[k]->data != NULL && (all[k]->type == GLA_TYPE_S || all[k]->type == GLA_TYPE_C);
    }
  if (op >= GLA_ND_EQ && op <= GLA_ND_ISFINITE)
    return GLA_LOGICAL;
  if (complex && !(op >= GLA_ND_REAL && op <= GLA_ND_ARG))
    return single ? GLA_TYPE_C : GLA_TYPE_Z;
  return single ? GLA_TYPE_S : GLA_TYPE_D;
}

static int is_real_only (gla_nd_op op)
{
  return (op >= GLA_ND_MOD && op <= GLA_ND_HYPOT) || op >= GLA_ND_CBRT;
}

static gla_status check_operation (gla_context *ctx, gla_nd_op op, const gla_nd *to,
                                   const gla_nd *x, const gla_nd *y)
{
  if ((int)op < 0 || op >= GLA_ND_OPS)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "op = %d is not a gla_nd_op", (int)op);
  gla_status status = check_array (ctx, "to", to);
  if (status == GLA_OK)
    status = check_sizes (ctx, "x", x, to);
  if (status == GLA_OK && takes_two (op))
    status = check_sizes (ctx, "y", y, to);
  if (status != GLA_OK)
    return status;
  if (to->data == NULL && !is_empty (to))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "to has no data");
  if (is_real_only (op) && (is_complex (x->type) || (takes_two (op) && is_complex (y->type))))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "this operation needs real elements");
  const int type = type_of_result (op, x, takes_two (op) ? y : NULL);
  if (op >= GLA_ND_POW && op <= GLA_ND_ATANH && !is_real_only (op) && !is_complex (type) &&
      to->type == (type == GLA_TYPE_S ? GLA_TYPE_C : GLA_TYPE_Z))
    return GLA_OK; // elements outside of the domain have complex values
  if (op != GLA_ND_COPY && to->type != type)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "to has type '%c', it must be '%c'", to->type,
                     type);
  return GLA_OK;
}

//------------------------------------------------------------------------------
// operations
//------------------------------------------------------------------------------

gla_status gla_elementwise (gla_context *ctx, int device, gla_nd_op op, const gla_nd *to,
                            const gla_nd *x, const gla_nd *y, int *outside)
{
  gla_engine *engine;
  gla_status status = gla_nd_begin (ctx, device, &engine);
  if (status == GLA_OK)
    status = check_operation (ctx, op, to, x, y);
  if (status != GLA_OK)
    return status;
  if (outside != NULL)
    *outside = 0;
  if (is_empty (to))
    return GLA_OK;
  const gla_nd *second = takes_two (op) ? y : NULL;
  return gla_nd_end (ctx, device,
                     engine->backend->nd->elementwise (engine, op, to, x, second, outside));
}

//------------------------------------------------------------------------------
// subscripts
//------------------------------------------------------------------------------

// Ranges are checked; lists are on the GPU. *count becomes the number of elements.
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

// The elements without gaps, in the order of the subscripts.
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
  gla_status status = gla_nd_begin (ctx, device, &engine);
  if (status == GLA_OK)
    status = check_array (ctx, "x", x);
  if (status != GLA_OK)
    return status;
  if (x->dims < 1 || s == NULL)
    return gla_nd_missing (ctx, "s");
  status = check_subscripts (ctx, x, s, &count);
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
  gla_status status = check_array (ctx, "x", x);
  if (status != GLA_OK)
    return status;
  const gla_nd elements = packed (to, x, s);
  if (to == NULL && !is_empty (&elements))
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
  gla_status status = check_array (ctx, "x", x);
  if (status == GLA_OK)
    status = check_array (ctx, "from", from);
  if (status != GLA_OK)
    return status;
  if (from->data != NULL && from->type != x->type)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "from has type '%c', it must be '%c'", from->type,
                     x->type);
  return run_subscripts (ctx, device, x, s, from, 1);
}

gla_status gla_find (gla_context *ctx, int device, const void *mask, int64_t n, int64_t *list,
                     int64_t *count)
{
  gla_engine *engine;
  const gla_status status = gla_nd_begin (ctx, device, &engine);
  if (status != GLA_OK)
    return status;
  if (count == NULL || (mask == NULL && n > 0))
    return gla_nd_missing (ctx, count == NULL ? "count" : "mask");
  *count = 0;
  return n > 0 ? gla_nd_end (ctx, device, engine->backend->nd->find (engine, mask, n, list, count))
               : GLA_OK;
}

// device_memory.c: memory of a GPU that the caller holds, and the begin of calls that use it
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/status.h"
#include "device_memory.h"
#include "arrays/job.h"
#include "backend.h"
#include "structs.h"

//------------------------------------------------------------------------------
// the call
//------------------------------------------------------------------------------

gla_status gla_nd_begin (gla_context *ctx, int device, gla_engine **engine)
{
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  GLA_TRY (gla_context_gpu (ctx, device, engine));
  const gla_monitor monitor = {gla_poll_stop, ctx};
  (*engine)->backend->nd->watch (*engine, &monitor);
  return GLA_OK;
}

gla_status gla_nd_end (gla_context *ctx, int device, gla_status status)
{
  if (status == GLA_ERROR_DEVICE_FAILURE) {
    gla_context_lose (ctx, device);
    (void)gla_fail (ctx, status, "device %d failed; the arrays on it are lost", device);
  }
  return gla_end_call (ctx, status);
}

gla_status gla_nd_missing (gla_context *ctx, const char *name)
{
  return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not be NULL", name);
}

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
  GLA_TRY (gla_nd_begin (ctx, device, &engine));
  if (info == NULL)
    return gla_nd_missing (ctx, "info");
  if (!gla_check_report (ctx, "info", info))
    return GLA_ERROR_BAD_ARGUMENT;
  engine->backend->nd->query (engine, &own);
  gla_give_struct (info, &own, sizeof own);
  return GLA_OK;
}

// Opens the GPU for a copy; *engine is NULL if there is nothing to copy.
static gla_status begin_copy (gla_context *ctx, int device, const void *to, const void *from,
                              size_t bytes, gla_engine **engine)
{
  GLA_TRY (gla_nd_begin (ctx, device, engine));
  if (bytes > 0 && (to == NULL || from == NULL))
    return gla_nd_missing (ctx, to == NULL ? "to" : "from");
  if (bytes == 0)
    *engine = NULL;
  return GLA_OK;
}

gla_status gla_memory_put (gla_context *ctx, int device, void *to, const void *from, size_t bytes)
{
  gla_engine *engine;
  const gla_status status = begin_copy (ctx, device, to, from, bytes, &engine);
  return status == GLA_OK && engine != NULL
             ? gla_nd_end (ctx, device, engine->backend->nd->put (engine, to, from, bytes))
             : status;
}

gla_status gla_memory_get (gla_context *ctx, int device, void *to, const void *from, size_t bytes)
{
  gla_engine *engine;
  const gla_status status = begin_copy (ctx, device, to, from, bytes, &engine);
  return status == GLA_OK && engine != NULL
             ? gla_nd_end (ctx, device, engine->backend->nd->get (engine, to, from, bytes))
             : status;
}

gla_status gla_wait (gla_context *ctx, int device)
{
  gla_engine *engine;
  GLA_TRY (gla_nd_begin (ctx, device, &engine));
  return gla_nd_end (ctx, device, engine->backend->nd->wait (engine));
}

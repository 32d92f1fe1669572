// arrays_call.c: what all functions of arrays that stay on a GPU begin and end with
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_call.h"
#include "arrays/job.h"
#include "backend.h"

gla_status gla_nd_begin (gla_context *ctx, int device, gla_engine **engine)
{
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  const gla_status status = gla_context_gpu (ctx, device, engine);
  if (status != GLA_OK)
    return status;
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

int gla_nd_is_type (int type)
{
  return type == GLA_LOGICAL || gla_type_size ((gla_type)type) > 0;
}

// place.c: runs a call in the chosen place, for all operations
// SPDX-License-Identifier: GPL-3.0-or-later

#include "place.h"

gla_status gla_place_note (gla_context *ctx, gla_status status, int device, gla_outcome *outcome)
{
  if (status == GLA_OK) {
    outcome->device = device;
    return GLA_OK;
  }
  if (status != GLA_ERROR_OUT_OF_MEMORY && status != GLA_ERROR_DEVICE_FAILURE)
    return status;
  if (status == GLA_ERROR_DEVICE_FAILURE)
    gla_context_lose (ctx, device);
  outcome->failure = status;
  outcome->undone = 1;
  return GLA_OK;
}

static gla_status on_first_gpu (gla_context *ctx, const gla_placed *p, int device,
                                gla_outcome *outcome)
{
  gla_engine *gpu;
  gla_status status = gla_context_gpu (ctx, device, &gpu);
  if (status == GLA_OK)
    status = p->work->on_engine (p->call, gpu);
  return gla_place_note (ctx, status, device, outcome);
}

static void warn (gla_context *ctx, const gla_outcome *outcome)
{
  const char *rest = outcome->undone ? "; the CPU does the rest" : "";
  if (outcome->failure != GLA_ERROR_OUT_OF_MEMORY)
    gla_warn (ctx, "device-failed", "a GPU failed (%s)%s", gla_status_text (outcome->failure),
              rest);
  else if (outcome->undone)
    gla_warn (ctx, "device-memory", "the GPU has too little free memory%s", rest);
}

// Whether a GPU that cannot do a call is an error of all ranks. Too little memory is none if the
// CPU was as good a place.
static int ends_ranks (const gla_context *ctx, const gla_outcome *outcome)
{
  return ctx->rank_here > 0 &&
         (outcome->failure != GLA_ERROR_OUT_OF_MEMORY || ctx->place != GLA_PLACE_AUTO);
}

static gla_status on_gpus (gla_context *ctx, const gla_placed *p, const gla_choice *choice,
                           gla_outcome *outcome)
{
  const gla_status status =
      p->work->on_gpus != NULL ? p->work->on_gpus (p->call, choice->devices, choice->count, outcome)
                               : on_first_gpu (ctx, p, choice->devices[0], outcome);
  if (status != GLA_OK || outcome->failure == GLA_OK)
    return status;
  if (outcome->undone && (p->data_device != GLA_DEVICE_HOST || ends_ranks (ctx, outcome)))
    return gla_fail (ctx, outcome->failure, "device %d: %s", choice->devices[0],
                     gla_status_text (outcome->failure));
  warn (ctx, outcome);
  return GLA_OK;
}

static gla_status on_cpu (gla_context *ctx, const gla_placed *p)
{
  gla_engine *cpu;
  ctx->message[0] = '\0'; // the reason why a GPU could not be opened is no longer needed
  const gla_status status = gla_context_cpu (ctx, &cpu);
  return status == GLA_OK ? p->work->on_engine (p->call, cpu) : status;
}

gla_status gla_place_call (gla_context *ctx, const gla_placed *p, int *device)
{
  gla_choice choice;
  gla_outcome outcome = {.device = GLA_DEVICE_HOST};
  gla_status status = gla_choose (ctx, p->placing, p->call, p->pages, p->data_device, &choice);
  if (status != GLA_OK)
    return status;
  if (choice.count > 0)
    status = on_gpus (ctx, p, &choice, &outcome);
  *device = outcome.device;
  if (status == GLA_OK && (choice.count == 0 || outcome.undone))
    status = on_cpu (ctx, p);
  gla_choice_end (ctx, &choice);
  return status;
}

// choose.c: chooses where a call runs, by formulas of the backends
// SPDX-License-Identifier: GPL-3.0-or-later

#include "choose.h"
#include "backend.h"

#include <math.h>

// No call on a GPU is much shorter, so shorter calls stay on the CPU.
static const double shortest_gpu_call = 0.1e-3;
// Seconds to start a device, and the additional time of the first call on it.
static const double usual_start = 0.3, usual_load = 10e-3;

//------------------------------------------------------------------------------
// start
//------------------------------------------------------------------------------

// Waits for the start, for at most so many seconds.
static gla_status wait_for_start (gla_context *ctx, double most)
{
  const double begun = gla_now ();
  double last_poll = begun, now = begun;
  while (ctx->start != NULL && now - begun < most) {
    if (now - last_poll > GLA_START_POLL_SECONDS) {
      last_poll = now;
      if (gla_stop_wanted (ctx))
        return GLA_ERROR_STOPPED;
    }
    gla_nap (GLA_NAP_NANOSECONDS);
    gla_context_look (ctx);
    now = gla_now ();
  }
  return GLA_OK;
}

// The GPU is not open. It is started in the background as soon as it would have saved as much time
// as its start takes: so at most twice the time of the better choice is ever spent (the ski rental
// problem). The call waits for it if start and call together are shorter than the call on the CPU.
// *open: whether it is open now.
static gla_status start_or_wait (gla_context *ctx, int device, double saved, gla_choice *c,
                                 int *open)
{
  gla_status status = GLA_OK;
  *open = 0;
  if (saved <= 0 || ctx->starts_fail)
    return GLA_OK;
  if (ctx->start == NULL && ctx->missed_seconds + saved > usual_start)
    ctx->start = gla_start_begin (device);
  c->missed_gpu = ctx->start == NULL;
  if (ctx->start == NULL)
    return GLA_OK;
  const double passed = gla_now () - ctx->start->begun;
  const double left = fmax (usual_start - passed, 0.25 * passed); // if late, it may be later still
  if (left + usual_load < saved)
    status = wait_for_start (ctx, saved);
  *open = ctx->gpus[device] != NULL;
  return status;
}

//------------------------------------------------------------------------------
// choose
//------------------------------------------------------------------------------

// The GPU of a rank depends on how many there are, and asking for them takes a part of a start.
// That is worth it as soon as calls on the CPU have taken as long.
static void count_for_rank (gla_context *ctx, double on_cpu)
{
  if (ctx->rank_here <= 1 || ctx->counted)
    return;
  ctx->missed_seconds += on_cpu;
  if (ctx->missed_seconds > usual_start)
    gla_context_count (ctx);
}

// Whether there may be a GPU; then the first that is not lost.
static int first_gpu (gla_context *ctx, int *device)
{
  int devices[GLA_MAX_DEVICES];
  if (gla_context_devices (ctx, devices) == 0)
    return 0;
  *device = devices[0];
  return 1;
}

// Returns the GPU's engine, or its model while it is not open; NULL: there is none. One that works
// for another context of this process opens at once: all contexts choose alike.
static gla_engine *gpu_or_model (gla_context *ctx, int device, int *open)
{
  gla_engine *engine = ctx->gpus[device];
  *open = engine != NULL;
  if (*open)
    return engine;
  if (ctx->start == NULL && (ctx->gpu_backend->model == NULL || gla_gpu_is_open (device))) {
    *open = gla_context_gpu (ctx, device, &engine) == GLA_OK;
    return engine;
  }
  return ctx->gpu_backend->model != NULL ? ctx->gpu_backend->model () : NULL;
}

static gla_status choose_auto (gla_context *ctx, const void *call, gla_choice *c)
{
  const gla_placing *placing = c->placing;
  gla_engine *engine;
  int device, open;
  c->begun = gla_now ();
  if (!first_gpu (ctx, &device) || gla_context_cpu (ctx, &engine) != GLA_OK)
    return GLA_OK;
  const double on_cpu = placing->seconds (engine, call, c->pages);
  if (on_cpu < shortest_gpu_call)
    return GLA_OK;
  gla_context_look (ctx);
  count_for_rank (ctx, on_cpu);
  if (ctx->rank_here > 1 && !ctx->counted)
    return GLA_OK;
  if (!first_gpu (ctx, &device) || !placing->supports (ctx->gpu_backend, call))
    return GLA_OK;
  engine = gpu_or_model (ctx, device, &open);
  if (engine == NULL)
    return GLA_OK;
  c->on_gpu = placing->seconds (engine, call, c->pages);
  if (!open) {
    gla_status status = start_or_wait (ctx, device, on_cpu - c->on_gpu, c, &open);
    if (status != GLA_OK)
      return status;
  }
  // the GPU may be another than the model
  if (!open || !placing->supports (ctx->gpu_backend, call) ||
      placing->seconds (ctx->gpus[device], call, c->pages) >= on_cpu)
    return GLA_OK;
  c->devices[0] = device;
  c->count = 1;
  return GLA_OK;
}

gla_status gla_choose (gla_context *ctx, const gla_placing *placing, const void *call,
                       int64_t pages, int data_device, gla_choice *c)
{
  gla_engine *gpu;
  *c = (gla_choice){.placing = placing, .pages = pages};
  if (data_device != GLA_DEVICE_HOST) {
    c->devices[0] = data_device;
    c->count = 1;
    gla_status status = gla_context_gpu (ctx, data_device, &gpu);
    if (status == GLA_OK && !placing->supports (gpu->backend, call))
      return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s", placing->unsupported);
    return status;
  }
  if (ctx->place == GLA_PLACE_AUTO)
    return choose_auto (ctx, call, c);
  if (ctx->place == GLA_PLACE_CPU)
    return GLA_OK;
  c->count = gla_context_devices (ctx, c->devices);
  if (gla_context_forked (ctx))
    return gla_context_gpu (ctx, 0, &gpu); // says why not
  if (c->count == 0)
    return gla_context_all_lost (ctx);
  (void)gla_context_gpu (ctx, c->devices[0], &gpu); // only an open GPU shows what it supports
  ctx->message[0] = '\0';
  if (!placing->supports (ctx->gpu_backend, call))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s", placing->unsupported);
  return GLA_OK;
}

void gla_choice_end (gla_context *ctx, const gla_choice *c)
{
  if (c->count > 0)
    gla_context_settle (ctx);
  if (c->missed_gpu)
    ctx->missed_seconds += fmax (0, gla_now () - c->begun - c->on_gpu);
}

// context.c: callbacks, places and engines of a context
// SPDX-License-Identifier: GPL-3.0-or-later

#include "context.h"
#include "costs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef GLA_VERSION
#define GLA_VERSION "unknown"
#endif

//------------------------------------------------------------------------------
// create and destroy
//------------------------------------------------------------------------------

gla_status gla_context_create (gla_context **ctx_out)
{
  if (ctx_out == NULL)
    return GLA_BAD_ARGUMENT;
  *ctx_out = NULL;
  gla_context *ctx = calloc (1, sizeof *ctx);
  if (ctx == NULL)
    return GLA_OUT_OF_MEMORY;
  // The last backend of the list is the one that always works; an other one may have GPUs.
  int last = 0;
  while (gla_backends[last + 1] != NULL)
    last++;
  ctx->cpu_backend = gla_backends[last];
  ctx->gpu_backend = last > 0 ? gla_backends[0] : NULL;
  *ctx_out = ctx;
  return GLA_OK;
}

int gla_context_forked (gla_context *ctx)
{
  if (!gla_forked ())
    return 0;
  memset (ctx->gpus, 0, sizeof ctx->gpus);
  ctx->n_gpus = 0;
  ctx->counted = 1;
  snprintf (ctx->note, sizeof ctx->note, "%s only (this process was forked)",
            ctx->cpu_backend->name);
  return 1;
}

static gla_status fail_forked (gla_context *ctx)
{
  return gla_fail (ctx, GLA_FORKED,
                   "this process was forked from one that uses the GPU, which does not survive "
                   "that; use the CPU here, or start a new process, which can use it");
}

void gla_context_destroy (gla_context *ctx)
{
  if (ctx == NULL)
    return;
  gla_context_forked (ctx);
  gla_costs_save (ctx);
  if (ctx->start != NULL && ctx->start->process == getpid ()) {
    gla_engine *engine = gla_start_end (ctx->start);
    if (engine != NULL)
      engine->backend->close (engine);
  }
  for (int d = 0; d < ctx->n_gpus; d++)
    if (ctx->gpus[d] != NULL)
      ctx->gpu_backend->close (ctx->gpus[d]);
  if (ctx->cpu != NULL)
    ctx->cpu_backend->close (ctx->cpu);
  gla_costs_free (ctx->costs);
  free (ctx);
}

//------------------------------------------------------------------------------
// callbacks
//------------------------------------------------------------------------------

void gla_set_stop (gla_context *ctx, int (*stop) (void *), void *user)
{
  ctx->stop = stop;
  ctx->stop_user = user;
}

void gla_set_progress (gla_context *ctx, void (*progress) (void *, int64_t, int64_t), void *user)
{
  ctx->progress = progress;
  ctx->progress_user = user;
}

void gla_set_sweeps (gla_context *ctx, void (*swept) (void *, int64_t, int64_t, int), void *user)
{
  ctx->swept = swept;
  ctx->swept_user = user;
}

void gla_set_warning (gla_context *ctx, void (*warning) (void *, const char *, const char *),
                      void *user)
{
  ctx->warning = warning;
  ctx->warning_user = user;
}

//------------------------------------------------------------------------------
// messages
//------------------------------------------------------------------------------

gla_status gla_fail (gla_context *ctx, gla_status status, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  vsnprintf (ctx->message, sizeof ctx->message, format, args);
  va_end (args);
  return status;
}

void gla_warn (gla_context *ctx, const char *id, const char *format, ...)
{
  if (ctx->warning == NULL)
    return;
  char text[512];
  va_list args;
  va_start (args, format);
  vsnprintf (text, sizeof text, format, args);
  va_end (args);
  ctx->warning (ctx->warning_user, id, text);
}

const char *gla_message (const gla_context *ctx)
{
  return ctx->message;
}

const char *gla_backend_note (gla_context *ctx)
{
  gla_context_count (ctx);
  return ctx->note;
}

const char *gla_version (void)
{
  return GLA_VERSION;
}

const char *gla_status_text (gla_status status)
{
  switch (status) {
  case GLA_OK:
    return "ok";
  case GLA_BAD_ARGUMENT:
    return "bad argument";
  case GLA_NOT_HERMITIAN:
    return "a page is not Hermitian";
  case GLA_OUT_OF_MEMORY:
    return "out of memory";
  case GLA_NO_DEVICE:
    return "no such GPU";
  case GLA_DEVICE_FAILURE:
    return "the GPU failed";
  case GLA_STOPPED:
    return "stopped";
  case GLA_FORKED:
    return "no GPU in a forked process";
  }
  return "unknown status";
}

//------------------------------------------------------------------------------
// places and engines
//------------------------------------------------------------------------------

// Copies what is known about the GPUs into the context.
static void take_census (gla_context *ctx, const gla_census *census)
{
  ctx->counted = 1;
  ctx->gpu_backend = census->backend;
  ctx->n_gpus = census->count < GLA_MAX_DEVICES ? census->count : GLA_MAX_DEVICES;
  if (ctx->gpu_backend != NULL)
    snprintf (ctx->note, sizeof ctx->note, "%s with %d device%s, and %s", ctx->gpu_backend->name,
              ctx->n_gpus, ctx->n_gpus == 1 ? "" : "s", ctx->cpu_backend->name);
  else
    snprintf (ctx->note, sizeof ctx->note, "%s only (%s)", ctx->cpu_backend->name, census->why);
}

static void nap (void)
{
  const struct timespec short_time = {0, 200000};
  nanosleep (&short_time, NULL);
}

void gla_context_count (gla_context *ctx)
{
  gla_census census;
  if (gla_context_forked (ctx))
    return;
  while (!ctx->counted && ctx->start != NULL) {
    gla_context_look (ctx); // a thread is asking already
    if (!ctx->counted)
      nap ();
  }
  if (ctx->counted)
    return;
  gla_census_take (&census);
  take_census (ctx, &census);
}

// The engine is open from here on.
static void take_engine (gla_context *ctx, int device, gla_engine *engine)
{
  gla_device_info about = {0};
  ctx->gpus[device] = engine;
  if (ctx->gpu_backend->device_query (device, &about) == GLA_OK)
    ctx->memory[device] = about.memory_total;
}

double gla_context_look (gla_context *ctx)
{
  gla_start *start = ctx->start;
  if (start == NULL || gla_forked ())
    return 0;
  const int stage = atomic_load (&start->stage);
  if (stage >= GLA_START_OPENING && !ctx->counted)
    take_census (ctx, &start->census);
  if (stage < GLA_START_DONE)
    return 0;
  const double seconds = start->engine != NULL ? start->seconds : 0;
  if (start->engine != NULL)
    take_engine (ctx, start->device, start->engine);
  else
    ctx->starts_fail = 1;
  ctx->start = NULL;
  (void)gla_start_end (start);
  return seconds;
}

int gla_device_count (gla_context *ctx)
{
  gla_context_count (ctx);
  return ctx->n_gpus;
}

gla_status gla_device_query (gla_context *ctx, int device, gla_device_info *info)
{
  if (info == NULL)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "info must not be NULL");
  memset (info, 0, sizeof *info);
  if (device == GLA_HOST)
    return ctx->cpu_backend->device_query (device, info);
  gla_context_count (ctx);
  if (device < 0 || device >= ctx->n_gpus)
    return gla_fail (ctx, GLA_NO_DEVICE, "device %d does not exist: %s", device, ctx->note);
  return ctx->gpu_backend->device_query (device, info);
}

static gla_status check_list (gla_context *ctx, const int *devices, int count)
{
  if (devices == NULL || count < 1 || count > GLA_MAX_DEVICES)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "devices must list 1 to %d numbers, not %d",
                     GLA_MAX_DEVICES, devices == NULL ? 0 : count);
  for (int k = 0; k < count; k++) {
    if (devices[k] < 0 || devices[k] >= ctx->n_gpus)
      return gla_fail (ctx, GLA_NO_DEVICE, "device %d does not exist: the GPUs are 0 to %d",
                       devices[k], ctx->n_gpus - 1);
    for (int j = 0; j < k; j++)
      if (devices[j] == devices[k])
        return gla_fail (ctx, GLA_BAD_ARGUMENT, "device %d is listed twice", devices[k]);
  }
  return GLA_OK;
}

gla_status gla_set_place (gla_context *ctx, gla_place place, const int *devices, int count)
{
  if (place != GLA_AUTO && place != GLA_CPU && place != GLA_GPU && place != GLA_LIST)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "place = %d is not a gla_place", (int)place);
  if (place == GLA_GPU || place == GLA_LIST) {
    gla_context_count (ctx);
    if (gla_forked ())
      return fail_forked (ctx);
  }
  if ((place == GLA_GPU || place == GLA_LIST) && ctx->n_gpus == 0)
    return gla_fail (ctx, GLA_NO_DEVICE, "there is no GPU: %s", ctx->note);
  if (place == GLA_LIST) {
    gla_status status = check_list (ctx, devices, count);
    if (status != GLA_OK)
      return status;
    memcpy (ctx->devices, devices, (size_t)count * sizeof *devices);
    ctx->n_devices = count;
  }
  ctx->place = place;
  ctx->message[0] = '\0';
  return GLA_OK;
}

int gla_context_devices (const gla_context *ctx, int *devices)
{
  int count = 0;
  if (ctx->place == GLA_CPU || gla_forked ())
    return 0;
  const int all = ctx->place == GLA_LIST ? ctx->n_devices : ctx->counted ? ctx->n_gpus : 1;
  for (int k = 0; k < all && ctx->gpu_backend != NULL; k++) {
    const int device = ctx->place == GLA_LIST ? ctx->devices[k] : k;
    if (!ctx->lost[device])
      devices[count++] = device;
  }
  return count;
}

gla_status gla_context_cpu (gla_context *ctx, gla_engine **engine)
{
  gla_status status = GLA_OK;
  if (ctx->cpu == NULL)
    status = ctx->cpu_backend->open (GLA_HOST, &ctx->cpu);
  *engine = ctx->cpu;
  char why[128];
  if (status == GLA_BAD_ARGUMENT && ctx->cpu_backend->device_count (why, sizeof why) == 0)
    return gla_fail (ctx, status, "the CPU backend cannot start: %s", why);
  if (status != GLA_OK)
    return gla_fail (ctx, status, "the CPU backend cannot start: %s", gla_status_text (status));
  return GLA_OK;
}

// Opens it in this thread.
static gla_status open_here (gla_context *ctx, int device)
{
  gla_engine *engine = NULL;
  gla_status status = ctx->gpu_backend->open (device, &engine);
  if (status == GLA_OK)
    take_engine (ctx, device, engine);
  return status;
}

gla_status gla_context_gpu (gla_context *ctx, int device, gla_engine **engine)
{
  gla_status status = GLA_OK;
  *engine = NULL;
  if (gla_forked ())
    return fail_forked (ctx);
  gla_context_count (ctx);
  if (device < 0 || device >= ctx->n_gpus)
    return gla_fail (ctx, GLA_NO_DEVICE, "device %d does not exist: %s", device, ctx->note);
  while (ctx->start != NULL && ctx->start->device == device) {
    gla_context_look (ctx);
    if (ctx->start != NULL)
      nap ();
  }
  if (ctx->lost[device])
    return gla_fail (ctx, GLA_NO_DEVICE, "device %d failed earlier and is not used again", device);
  if (ctx->gpus[device] == NULL)
    status = open_here (ctx, device);
  if (status != GLA_OK)
    return gla_fail (ctx, status, "device %d cannot be opened: %s", device,
                     gla_status_text (status));
  *engine = ctx->gpus[device];
  return GLA_OK;
}

void gla_context_lose (gla_context *ctx, int device)
{
  if (ctx->gpus[device] != NULL)
    ctx->gpu_backend->close (ctx->gpus[device]);
  ctx->gpus[device] = NULL;
  ctx->lost[device] = 1;
}

//------------------------------------------------------------------------------
// device memory
//------------------------------------------------------------------------------

// A call may take all there is; between calls others need room, too.
static const int64_t part_kept = 8;

void gla_context_settle (gla_context *ctx)
{
  gla_context_forked (ctx);
  for (int d = 0; d < ctx->n_gpus; d++) {
    gla_engine *gpu = ctx->gpus[d];
    const int64_t most = ctx->memory[d] / part_kept;
    if (gpu != NULL && gpu->backend->kept != NULL && gpu->backend->kept (gpu) > most)
      gpu->backend->shrink (gpu, most);
  }
}

gla_status gla_release (gla_context *ctx, int device)
{
  if (ctx == NULL)
    return GLA_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  gla_context_forked (ctx);
  if (device != GLA_ALL_GPUS) {
    gla_context_count (ctx);
    if (device < 0 || device >= ctx->n_gpus)
      return gla_fail (ctx, GLA_NO_DEVICE, "device %d does not exist: %s", device, ctx->note);
  }
  for (int d = 0; d < ctx->n_gpus; d++) {
    gla_engine *gpu = ctx->gpus[d];
    if (gpu != NULL && gpu->backend->shrink != NULL && (device == d || device == GLA_ALL_GPUS))
      gpu->backend->shrink (gpu, 0);
  }
  return GLA_OK;
}

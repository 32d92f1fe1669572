// context.c: places and engines of a context
// SPDX-License-Identifier: GPL-3.0-or-later

#include "context.h"
#include "structs.h"
#include "backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//------------------------------------------------------------------------------
// create and destroy
//------------------------------------------------------------------------------

gla_status gla_context_create (gla_context **ctx_out)
{
  if (ctx_out == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  *ctx_out = NULL;
  gla_context *ctx = calloc (1, sizeof *ctx);
  if (ctx == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  ctx->cpu_backend = gla_backends ().cpu;
  ctx->gpu_backend = gla_backends ().gpu;
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
  return gla_fail (ctx, GLA_ERROR_FORKED,
                   "this process was forked from one that uses the GPU, which does not survive "
                   "that; use the CPU here, or start a new process, which can use it");
}

// How many contexts of this process have each GPU open.
static atomic_int open_engines[GLA_MAX_DEVICES];

int gla_gpu_is_open (int device)
{
  return atomic_load (&open_engines[device]) > 0;
}

static void close_gpu (gla_context *ctx, int device)
{
  if (ctx->gpus[device] == NULL)
    return;
  ctx->gpu_backend->close (ctx->gpus[device]);
  ctx->gpus[device] = NULL;
  atomic_fetch_sub (&open_engines[device], 1);
}

void gla_context_destroy (gla_context *ctx)
{
  if (ctx == NULL)
    return;
  gla_context_forked (ctx);
  if (ctx->start != NULL && ctx->start->process == gla_process ()) {
    gla_engine *engine = gla_start_end (ctx->start);
    if (engine != NULL)
      engine->backend->close (engine);
  }
  for (int d = 0; d < ctx->n_gpus; d++)
    close_gpu (ctx, d);
  if (ctx->cpu != NULL)
    ctx->cpu_backend->close (ctx->cpu);
  free (ctx);
}

//------------------------------------------------------------------------------
// places and engines
//------------------------------------------------------------------------------

// Copies what is known about the GPUs into the context.
static void take_gpus (gla_context *ctx, const gla_gpus *gpus)
{
  ctx->counted = 1;
  ctx->gpu_backend = gpus->backend;
  ctx->n_gpus = gpus->count < GLA_MAX_DEVICES ? gpus->count : GLA_MAX_DEVICES;
  if (ctx->gpu_backend != NULL)
    snprintf (ctx->note, sizeof ctx->note, "%s with %d device%s, and %s", ctx->gpu_backend->name,
              ctx->n_gpus, ctx->n_gpus == 1 ? "" : "s", ctx->cpu_backend->name);
  else
    snprintf (ctx->note, sizeof ctx->note, "%s only (%s)", ctx->cpu_backend->name, gpus->why);
}

void gla_context_count (gla_context *ctx)
{
  gla_gpus gpus;
  if (gla_context_forked (ctx))
    return;
  while (!ctx->counted && ctx->start != NULL) {
    gla_context_look (ctx); // a thread is asking already
    if (!ctx->counted)
      gla_nap (GLA_NAP_NANOSECONDS);
  }
  if (ctx->counted)
    return;
  gla_gpus_query (&gpus);
  take_gpus (ctx, &gpus);
}

// Records that the engine is open.
static void take_engine (gla_context *ctx, int device, gla_engine *engine)
{
  gla_device_info about = {0};
  ctx->gpus[device] = engine;
  atomic_fetch_add (&open_engines[device], 1);
  if (ctx->gpu_backend->device_query (device, &about) == GLA_OK)
    ctx->memory[device] = about.memory_total;
}

void gla_context_look (gla_context *ctx)
{
  gla_start *start = ctx->start;
  if (start == NULL || gla_forked ())
    return;
  const int stage = atomic_load (&start->stage);
  if (stage >= GLA_START_OPENING && !ctx->counted)
    take_gpus (ctx, &start->gpus);
  if (stage < GLA_START_DONE)
    return;
  if (start->engine != NULL)
    take_engine (ctx, start->device, start->engine);
  else
    ctx->starts_fail = 1;
  ctx->start = NULL;
  (void)gla_start_end (start);
}

const char *gla_backend_note (gla_context *ctx)
{
  if (ctx == NULL)
    return "";
  gla_context_count (ctx);
  return ctx->note;
}

int gla_gpu_plugin (const char **about)
{
  const gla_backend_list all = gla_backends ();
  if (about != NULL)
    *about = all.about;
  return all.gpu != NULL;
}

int gla_device_count (gla_context *ctx)
{
  if (ctx == NULL)
    return 0;
  gla_context_count (ctx);
  return ctx->n_gpus;
}

gla_status gla_device_query (gla_context *ctx, int device, gla_device_info *info)
{
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  if (info == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "info must not be NULL");
  if (!gla_check_report (ctx, "info", info))
    return GLA_ERROR_BAD_ARGUMENT;
  const gla_backend *backend = ctx->cpu_backend;
  if (device != GLA_DEVICE_HOST) {
    gla_context_count (ctx);
    if (device < 0 || device >= ctx->n_gpus)
      return gla_fail (ctx, GLA_ERROR_NO_DEVICE, "device %d does not exist: %s", device, ctx->note);
    backend = ctx->gpu_backend;
  }
  gla_device_info own = {0};
  const gla_status status = backend->device_query (device, &own);
  if (status != GLA_OK)
    return gla_fail (ctx, status, "device %d: %s", device, gla_status_text (status));
  gla_give_struct (info, &own, sizeof own);
  return GLA_OK;
}

static gla_status check_list (gla_context *ctx, const int *devices, int count)
{
  if (devices == NULL || count < 1 || count > GLA_MAX_DEVICES)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "devices must list 1 to %d numbers, not %d",
                     GLA_MAX_DEVICES, devices == NULL ? 0 : count);
  for (int k = 0; k < count; k++) {
    if (devices[k] < 0 || devices[k] >= ctx->n_gpus)
      return gla_fail (ctx, GLA_ERROR_NO_DEVICE, "device %d does not exist: the GPUs are 0 to %d",
                       devices[k], ctx->n_gpus - 1);
    for (int j = 0; j < k; j++)
      if (devices[j] == devices[k])
        return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "device %d is listed twice", devices[k]);
  }
  return GLA_OK;
}

gla_status gla_set_place (gla_context *ctx, gla_place place, const int *devices, int count)
{
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  if (place != GLA_PLACE_AUTO && place != GLA_PLACE_CPU && place != GLA_PLACE_GPU &&
      place != GLA_PLACE_LIST)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "place = %d is not a gla_place", (int)place);
  if (place == GLA_PLACE_GPU || place == GLA_PLACE_LIST) {
    gla_context_count (ctx);
    if (gla_forked ())
      return fail_forked (ctx);
  }
  if ((place == GLA_PLACE_GPU || place == GLA_PLACE_LIST) && ctx->n_gpus == 0)
    return gla_fail (ctx, GLA_ERROR_NO_DEVICE, "there is no GPU: %s", ctx->note);
  if (place == GLA_PLACE_LIST) {
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

// Counts the GPUs that the place names, as far as they are known, lost or not.
static int count_named (const gla_context *ctx)
{
  return ctx->place == GLA_PLACE_LIST ? ctx->n_devices : ctx->counted ? ctx->n_gpus : 1;
}

// Returns the k-th of them.
static int named_device (const gla_context *ctx, int k)
{
  return ctx->place == GLA_PLACE_LIST ? ctx->devices[k] : k;
}

static int first_named (const gla_context *ctx)
{
  const int all = count_named (ctx);
  return ctx->rank_here > 0 && all > 0 ? (ctx->rank_here - 1) % all : 0;
}

int gla_context_devices (const gla_context *ctx, int *devices)
{
  int count = 0;
  if (ctx->place == GLA_PLACE_CPU || gla_forked ())
    return 0;
  const int all = count_named (ctx), first = first_named (ctx);
  const int end = ctx->rank_here > 0 && all > 0 ? first + 1 : all;
  for (int k = first; k < end && ctx->gpu_backend != NULL; k++)
    if (!ctx->lost[named_device (ctx, k)])
      devices[count++] = named_device (ctx, k);
  return count;
}

gla_status gla_context_all_lost (gla_context *ctx)
{
  return gla_fail (ctx, GLA_ERROR_NO_DEVICE, "device %d failed earlier and is not used again",
                   named_device (ctx, first_named (ctx)));
}

gla_status gla_context_cpu (gla_context *ctx, gla_engine **engine)
{
  gla_status status = GLA_OK;
  if (ctx->cpu == NULL)
    status = ctx->cpu_backend->open (GLA_DEVICE_HOST, &ctx->cpu);
  *engine = ctx->cpu;
  char why[192];
  if (status == GLA_ERROR_BAD_ARGUMENT && ctx->cpu_backend->device_count (why, sizeof why) == 0)
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
    return gla_fail (ctx, GLA_ERROR_NO_DEVICE, "device %d does not exist: %s", device, ctx->note);
  while (ctx->start != NULL && ctx->start->device == device) {
    gla_context_look (ctx);
    if (ctx->start != NULL)
      gla_nap (GLA_NAP_NANOSECONDS);
  }
  if (ctx->lost[device])
    return gla_fail (ctx, GLA_ERROR_NO_DEVICE, "device %d failed earlier and is not used again",
                     device);
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
  close_gpu (ctx, device);
  ctx->lost[device] = 1;
}

//------------------------------------------------------------------------------
// device memory
//------------------------------------------------------------------------------

// A call may take all memory; between calls others need some, too.
void gla_context_settle (gla_context *ctx)
{
  gla_context_forked (ctx);
  for (int d = 0; d < ctx->n_gpus; d++) {
    gla_engine *gpu = ctx->gpus[d];
    const int64_t most = ctx->memory[d] / GLA_KEPT_PART;
    if (gpu != NULL && gpu->backend->kept != NULL && gpu->backend->kept (gpu) > most)
      gpu->backend->shrink (gpu, most);
  }
}

gla_status gla_release (gla_context *ctx, int device)
{
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  gla_context_forked (ctx);
  while (ctx->start != NULL && ctx->start->process == gla_process ()) {
    gla_context_look (ctx);
    if (ctx->start != NULL)
      gla_nap (GLA_NAP_NANOSECONDS);
  }
  if (device != GLA_DEVICE_ALL_GPUS) {
    gla_context_count (ctx);
    if (device < 0 || device >= ctx->n_gpus)
      return gla_fail (ctx, GLA_ERROR_NO_DEVICE, "device %d does not exist: %s", device, ctx->note);
  }
  for (int d = 0; d < ctx->n_gpus; d++) {
    gla_engine *gpu = ctx->gpus[d];
    if (gpu != NULL && gpu->backend->shrink != NULL &&
        (device == d || device == GLA_DEVICE_ALL_GPUS))
      gpu->backend->shrink (gpu, 0);
  }
  return GLA_OK;
}

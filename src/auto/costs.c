// costs.c: measures the times of calls on this machine
// SPDX-License-Identifier: GPL-3.0-or-later

#include "costs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The file is written when it does not know of calls of so many seconds: writing takes 1 ms.
static const double worth_writing = 0.5;
//------------------------------------------------------------------------------
// the table of a context
//------------------------------------------------------------------------------

static gla_costs *create (gla_context *ctx)
{
  gla_costs *costs = calloc (1, sizeof *costs);
  gla_device_info cpu = {0};
  if (costs == NULL)
    return NULL;
  ctx->cpu_backend->device_query (GLA_DEVICE_HOST, &cpu);
  costs->threads = cpu.multiprocessors;
  snprintf (costs->machine, sizeof costs->machine, "gpulinalg %s; %s; %d threads", gla_version (),
            cpu.name, cpu.multiprocessors);
  return costs;
}

gla_costs *gla_costs_open (gla_context *ctx)
{
  if (ctx->costs == NULL && (ctx->costs = create (ctx)) == NULL)
    return NULL;
  gla_costs *costs = ctx->costs;
  char path[sizeof costs->path];
  gla_costs_locate (costs, path, sizeof path);
  int moved = strcmp (path, costs->path) != 0;
  if (moved || (costs->in_file && access (path, F_OK) != 0)) {
    gla_costs_forget (costs);
    memcpy (costs->path, path, sizeof path);
    gla_costs_read (costs);
  }
  return costs;
}

//------------------------------------------------------------------------------
// places
//------------------------------------------------------------------------------

// The name of an open GPU in one word.
static const char *name_of (gla_context *ctx, int device)
{
  char *place = ctx->costs->places[device];
  if (place[0] != '\0')
    return place;
  gla_device_info gpu = {0};
  if (ctx->gpu_backend->device_query (device, &gpu) != GLA_OK || gpu.name[0] == '\0')
    snprintf (gpu.name, sizeof gpu.name, "%s", ctx->gpu_backend->name);
  snprintf (place, sizeof ctx->costs->places[0], "%.60s,%d.%d", gpu.name, gpu.major, gpu.minor);
  for (char *p = place; *p != '\0'; p++)
    if (*p <= ' ')
      *p = '_';
  return place;
}

// "cpu", or the GPU's name; NULL where that is not known.
static const char *place_of (gla_context *ctx, int device)
{
  char key[32];
  if (device == GLA_DEVICE_HOST)
    return "cpu";
  if (ctx->gpus[device] != NULL)
    return name_of (ctx, device);
  snprintf (key, sizeof key, "device%d", device);
  const gla_cost *start = gla_costs_look_up (ctx->costs, "start", key, NULL);
  return start != NULL ? start->place : NULL;
}

//------------------------------------------------------------------------------
// find and note
//------------------------------------------------------------------------------

const gla_cost *gla_costs_find (gla_context *ctx, const char *operation, const char *key,
                                int device)
{
  const char *place = ctx->costs != NULL ? place_of (ctx, device) : NULL;
  return place != NULL ? gla_costs_look_up (ctx->costs, operation, key, place) : NULL;
}

const gla_cost *gla_costs_find_anywhere (gla_context *ctx, const char *operation, const char *key)
{
  return ctx->costs != NULL ? gla_costs_look_up (ctx->costs, operation, key, NULL) : NULL;
}

gla_cost *gla_costs_entry (gla_context *ctx, const char *operation, const char *key, int device)
{
  const char *place = ctx->costs != NULL ? place_of (ctx, device) : NULL;
  gla_cost cost = {0};
  if (place == NULL)
    return NULL;
  snprintf (cost.operation, sizeof cost.operation, "%s", operation);
  snprintf (cost.key, sizeof cost.key, "%s", key);
  snprintf (cost.place, sizeof cost.place, "%s", place);
  if (gla_costs_add (ctx->costs, &cost) != GLA_OK)
    return NULL;
  return gla_costs_look_up (ctx->costs, cost.operation, cost.key, cost.place);
}

static int64_t whole (double x)
{
  return (int64_t)fmin (fmax (x, 1), 0x1p49);
}

void gla_costs_set (gla_context *ctx, const char *operation, const char *key, int device,
                    double seconds)
{
  gla_cost *cost = gla_costs_entry (ctx, operation, key, device);
  if (cost == NULL)
    return;
  cost->n_points = 1;
  cost->points[0] = (gla_cost_point){1, whole (seconds * 1e9)};
}

void gla_costs_mix (gla_context *ctx, const char *operation, const char *key, int device,
                    double seconds)
{
  const gla_cost *cost = gla_costs_entry (ctx, operation, key, device);
  if (cost != NULL && cost->n_points > 0)
    seconds = (seconds + 1e-9 * (double)cost->points[0].value) / 2;
  gla_costs_set (ctx, operation, key, device, seconds);
}

// The power of 4 that is nearest, in the logarithm.
static int64_t rounded (int64_t count)
{
  int64_t power = 1;
  while (power < count / 2 && power < (int64_t)1 << 60)
    power *= 4;
  return power;
}

void gla_costs_note (gla_context *ctx, const char *operation, const char *key, int device,
                     int64_t count, double ratio, double seconds)
{
  gla_cost *cost = gla_costs_entry (ctx, operation, key, device);
  int made;
  if (cost == NULL)
    return;
  gla_cost_point *p = gla_cost_point_for (cost, rounded (count), &made);
  if (!made) {
    const double before = 1e-6 * (double)p->value;
    ratio = before * pow (ratio / before, ratio < before ? 0.5 : 0.25);
  }
  p->value = whole (1e6 * ratio);
  ctx->costs->unwritten += seconds;
  if (ctx->costs->unwritten > worth_writing)
    gla_costs_keep (ctx);
}

double gla_costs_of_others (gla_context *ctx, const char *operation, int device)
{
  const char *place = ctx->costs != NULL ? place_of (ctx, device) : NULL;
  return place != NULL ? gla_costs_mean_ratio (ctx->costs, operation, place) : 1;
}

void gla_costs_keep (gla_context *ctx)
{
  if (ctx->costs == NULL || ctx->n_gpus == 0)
    return;
  gla_costs_write (ctx->costs);
}

void gla_costs_save (gla_context *ctx)
{
  if (ctx != NULL && ctx->costs != NULL && ctx->costs->unwritten > 0 && !gla_forked ())
    gla_costs_keep (ctx);
}

//------------------------------------------------------------------------------
// what the user may know
//------------------------------------------------------------------------------

const char *gla_costs_path (gla_context *ctx)
{
  const gla_costs *costs = ctx != NULL ? gla_costs_open (ctx) : NULL;
  return costs == NULL ? "" : costs->path;
}

int gla_costs_measured (gla_context *ctx)
{
  if (ctx == NULL)
    return 0;
  const gla_costs *costs = gla_costs_open (ctx);
  int measured = 0;
  gla_context_count (ctx);
  for (int k = 0; costs != NULL && ctx->n_gpus > 0 && k < costs->n_known; k++)
    measured += costs->known[k].n_points > 0;
  return measured;
}

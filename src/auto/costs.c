// costs.c: remembers what calls take on this machine
// SPDX-License-Identifier: GPL-3.0-or-later

#include "costs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The file is written when it does not know of calls of so many seconds: writing takes 1 ms.
static const double worth_writing = 0.5;
// Kinds of calls are few. Somebody who makes very many of them need not have all remembered.
enum { MOST_KNOWN = 2000 };

//------------------------------------------------------------------------------
// the table
//------------------------------------------------------------------------------

static void forget (gla_costs *costs)
{
  free (costs->known);
  costs->known = NULL;
  costs->n_known = costs->capacity = 0;
  costs->in_file = 0;
}

static gla_cost *find (const gla_costs *costs, const char *operation, const char *key,
                       const char *place)
{
  for (int k = 0; k < costs->n_known; k++) {
    gla_cost *c = &costs->known[k];
    if (strcmp (c->key, key) == 0 && strcmp (c->operation, operation) == 0 &&
        (place == NULL || strcmp (c->place, place) == 0))
      return c;
  }
  return NULL;
}

// The point of this count, made where there is room for it; the nearest otherwise.
static gla_cost_point *point_of (gla_cost *cost, int64_t count, int *made)
{
  int at = 0;
  while (at < cost->n_points && cost->points[at].count < count)
    at++;
  *made = 0;
  if (at < cost->n_points && cost->points[at].count == count)
    return &cost->points[at];
  if (cost->n_points == GLA_COST_POINTS)
    return &cost->points[at < GLA_COST_POINTS ? at : GLA_COST_POINTS - 1];
  memmove (&cost->points[at + 1], &cost->points[at],
           (size_t)(cost->n_points - at) * sizeof *cost->points);
  cost->n_points++;
  cost->points[at].count = count;
  *made = 1;
  return &cost->points[at];
}

gla_status gla_costs_add (gla_costs *costs, const gla_cost *cost)
{
  gla_cost *known = find (costs, cost->operation, cost->key, cost->place);
  for (int k = 0; known != NULL && k < cost->n_points; k++) {
    int made;
    gla_cost_point *p = point_of (known, cost->points[k].count, &made);
    if (made)
      p->value = cost->points[k].value;
  }
  if (known != NULL)
    return GLA_OK;
  if (costs->n_known == MOST_KNOWN)
    return GLA_OUT_OF_MEMORY;
  if (costs->n_known == costs->capacity) {
    int more = costs->capacity + 64;
    known = realloc (costs->known, (size_t)more * sizeof *known);
    if (known == NULL)
      return GLA_OUT_OF_MEMORY;
    costs->known = known;
    costs->capacity = more;
  }
  costs->known[costs->n_known++] = *cost;
  return GLA_OK;
}

static gla_costs *create (gla_context *ctx)
{
  gla_costs *costs = calloc (1, sizeof *costs);
  gla_device_info cpu = {0};
  if (costs == NULL)
    return NULL;
  ctx->cpu_backend->device_query (GLA_HOST, &cpu);
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
    forget (costs);
    memcpy (costs->path, path, sizeof path);
    gla_costs_read (costs);
  }
  return costs;
}

void gla_costs_free (gla_costs *costs)
{
  if (costs == NULL)
    return;
  forget (costs);
  free (costs);
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
  if (device == GLA_HOST)
    return "cpu";
  if (ctx->gpus[device] != NULL)
    return name_of (ctx, device);
  snprintf (key, sizeof key, "device%d", device);
  const gla_cost *start = find (ctx->costs, "start", key, NULL);
  return start != NULL ? start->place : NULL;
}

//------------------------------------------------------------------------------
// find and note
//------------------------------------------------------------------------------

const gla_cost *gla_costs_find (gla_context *ctx, const char *operation, const char *key,
                                int device)
{
  const char *place = ctx->costs != NULL ? place_of (ctx, device) : NULL;
  return place != NULL ? find (ctx->costs, operation, key, place) : NULL;
}

const gla_cost *gla_costs_find_anywhere (gla_context *ctx, const char *operation, const char *key)
{
  return ctx->costs != NULL ? find (ctx->costs, operation, key, NULL) : NULL;
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
  return find (ctx->costs, cost.operation, cost.key, cost.place);
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
  gla_cost_point *p = point_of (cost, rounded (count), &made);
  if (!made) {
    const double before = 1e-6 * (double)p->value;
    ratio = before * pow (ratio / before, ratio < before ? 0.5 : 0.25);
  }
  p->value = whole (1e6 * ratio);
  ctx->costs->unwritten += seconds;
  if (ctx->costs->unwritten > worth_writing)
    gla_costs_keep (ctx);
}

void gla_costs_keep (gla_context *ctx)
{
  if (ctx->costs == NULL || ctx->n_gpus == 0)
    return;
  gla_costs_read (ctx->costs); // what other processes have noted meanwhile
  gla_costs_write (ctx->costs);
  ctx->costs->unwritten = 0;
}

void gla_costs_save (gla_context *ctx)
{
  if (ctx->costs != NULL && ctx->costs->unwritten > 0 && !gla_forked ())
    gla_costs_keep (ctx);
}

//------------------------------------------------------------------------------
// use
//------------------------------------------------------------------------------

static double ratio_at (const gla_cost_point *p)
{
  return 1e-6 * (double)p->value;
}

// How many times 4 leads from one count to the other.
static double distance (int64_t from, int64_t to)
{
  return fabs (log ((double)to / (double)from)) / log (4.0);
}

double gla_cost_ratio (const gla_cost *cost, int64_t count)
{
  const gla_cost_point *p = cost->points, *last = &cost->points[cost->n_points - 1];
  if (count <= p->count || count >= last->count) {
    const gla_cost_point *end = count <= p->count ? p : last;
    return pow (ratio_at (end), 1 / fmax (1, distance (end->count, count)));
  }
  while (p[1].count < count)
    p++;
  const double weight = distance (p[0].count, count) / distance (p[0].count, p[1].count);
  return pow (ratio_at (&p[0]), 1 - weight) * pow (ratio_at (&p[1]), weight);
}

int gla_cost_is_near (const gla_cost *cost, int64_t count)
{
  for (int k = 0; k < cost->n_points; k++)
    if (distance (cost->points[k].count, count) <= 1)
      return 1;
  return 0;
}

double gla_costs_of_others (gla_context *ctx, const char *operation, int device)
{
  const char *place = ctx->costs != NULL ? place_of (ctx, device) : NULL;
  double sum = 0;
  int points = 0;
  for (int k = 0; place != NULL && k < ctx->costs->n_known; k++) {
    const gla_cost *c = &ctx->costs->known[k];
    if (strcmp (c->operation, operation) != 0 || strcmp (c->place, place) != 0)
      continue;
    for (int j = 0; j < c->n_points; j++)
      sum += log (ratio_at (&c->points[j]));
    points += c->n_points;
  }
  return points > 0 ? exp (sum / points) : 1;
}

//------------------------------------------------------------------------------
// what the user may know
//------------------------------------------------------------------------------

const char *gla_costs_path (gla_context *ctx)
{
  const gla_costs *costs = gla_costs_open (ctx);
  return costs == NULL ? "" : costs->path;
}

int gla_costs_measured (gla_context *ctx)
{
  const gla_costs *costs = gla_costs_open (ctx);
  int measured = 0;
  gla_context_count (ctx);
  for (int k = 0; costs != NULL && ctx->n_gpus > 0 && k < costs->n_known; k++)
    measured += costs->known[k].n_points > 0;
  return measured;
}

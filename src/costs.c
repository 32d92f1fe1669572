// costs.c: measures what calls take on this machine, and remembers it
// SPDX-License-Identifier: GPL-3.0-or-later

#include "costs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
        strcmp (c->place, place) == 0)
      return c;
  }
  return NULL;
}

gla_status gla_costs_add (gla_costs *costs, const gla_cost *cost)
{
  gla_cost *known = find (costs, cost->operation, cost->key, cost->place);
  if (known != NULL) {
    if (known->rough && !cost->rough)
      *known = *cost;
    return GLA_OK;
  }
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

// "cpu", or the GPU's name in one word.
static const char *place_of (gla_context *ctx, int device)
{
  if (device == GLA_HOST)
    return "cpu";
  char *place = ctx->costs->places[device];
  if (place[0] == '\0') {
    gla_device_info gpu = {0};
    if (ctx->gpu_backend->device_query (device, &gpu) != GLA_OK || gpu.name[0] == '\0')
      snprintf (gpu.name, sizeof gpu.name, "%s", ctx->gpu_backend->name);
    snprintf (place, sizeof ctx->costs->places[0], "%.60s,%d.%d", gpu.name, gpu.major, gpu.minor);
    for (char *p = place; *p != '\0'; p++)
      if (*p <= ' ')
        *p = '_';
  }
  return place;
}

const gla_cost *gla_costs_find (gla_context *ctx, const char *operation, const char *key,
                                int device)
{
  gla_costs *costs = gla_costs_open (ctx);
  return costs == NULL ? NULL : find (costs, operation, key, place_of (ctx, device));
}

void gla_costs_keep (gla_context *ctx)
{
  if (ctx->costs == NULL)
    return;
  gla_costs_read (ctx->costs); // what other processes have measured meanwhile
  gla_costs_write (ctx->costs);
}

//------------------------------------------------------------------------------
// measure
//------------------------------------------------------------------------------

static double now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void note_warning (void *warned, const char *id, const char *text)
{
  (void)id, (void)text;
  *(int *)warned = 1;
}

// One call. What ended with a warning was not done where it should be.
static gla_status call_once (gla_context *ctx, const gla_cost_probe *probe, int64_t count,
                             double *seconds)
{
  *seconds = 0;
  if (ctx->stop != NULL && ctx->stop (ctx->stop_user))
    return GLA_STOPPED;
  *(int *)ctx->warning_user = 0;
  double start = now ();
  gla_status status = probe->call (probe->user, count);
  *seconds = now () - start;
  return status == GLA_OK && *(int *)ctx->warning_user ? GLA_DEVICE_FAILURE : status;
}

// The shortest of a few calls. Never of one alone: it may have had to take memory, or to wait for
// another process.
static gla_status time_count (gla_context *ctx, const gla_cost_probe *probe, int64_t count,
                              double *shortest)
{
  gla_status status = probe->prepare (probe->user, count);
  if (status == GLA_OK)
    status = call_once (ctx, probe, count, shortest);
  int more = *shortest > 30e-3 ? 1 : *shortest > 1e-3 ? 2 : 3;
  for (int k = 0; k < more && status == GLA_OK; k++) {
    double seconds;
    status = call_once (ctx, probe, count, &seconds);
    *shortest = fmin (*shortest, seconds);
  }
  return status;
}

// Four times the count takes at most four times as long, and what threads need to meet. More says
// that another process was in the way, or that memory is slower from here on.
static int jumped (double before, double seconds)
{
  return seconds > 5 * before + 1e-3;
}

// The same, again where it jumped: that is no accident if three times are alike, and if half of the
// count takes much less than the count. *odd: it jumped by accident.
static gla_status time_quietly (gla_context *ctx, const gla_cost_probe *probe, int64_t count,
                                double before, double *seconds, int *odd)
{
  const double alike = 1.15, less = 0.75;
  double longest;
  gla_status status = time_count (ctx, probe, count, seconds);
  longest = *seconds;
  for (int k = 0; k < 2 && status == GLA_OK && jumped (before, *seconds); k++) {
    double again = 0;
    status = time_count (ctx, probe, count, &again);
    longest = fmax (longest, again);
    *seconds = fmin (*seconds, again);
  }
  *odd = jumped (before, *seconds);
  if (*odd && status == GLA_OK && longest <= alike * *seconds) {
    double half = 0;
    status = time_count (ctx, probe, count / 2, &half);
    *odd = half > less * *seconds;
  }
  return status;
}

// Takes away what cannot be: a last point that is odd, and more pages in less time.
static void smooth (gla_cost *cost, int last_is_odd)
{
  if (cost->n_points > 1 && last_is_odd)
    cost->n_points--;
  for (int k = cost->n_points - 2; k >= 0; k--) {
    gla_cost_point *p = &cost->points[k];
    if (p->nanoseconds > p[1].nanoseconds) {
      cost->rough |= p->nanoseconds > 2 * p[1].nanoseconds;
      p->nanoseconds = p[1].nanoseconds;
    }
  }
}

// Counts 1, 4, 16, ... until a call takes its time and one sees how that grows: a call with a long
// fixed part says nothing yet about larger counts.
static gla_status climb (gla_context *ctx, const gla_cost_probe *probe, gla_cost *cost)
{
  const double start = now ();
  double seconds = 0, before = INFINITY;
  int odd = 0;
  gla_status status = probe->prepare (probe->user, 1);
  if (status == GLA_OK) // the first call of all starts threads and loads code
    status = call_once (ctx, probe, 1, &seconds);
  for (int64_t count = 1; status == GLA_OK && count <= probe->most; count *= 4) {
    status = time_quietly (ctx, probe, count, before, &seconds, &odd);
    if (status == GLA_OK)
      cost->points[cost->n_points++] = (gla_cost_point){count, (int64_t)(seconds * 1e9) + 1};
    cost->rough |= odd;
    if (seconds > 100e-3 ||
        (seconds > 6e-3 && seconds > 1.8 * before && !jumped (before, seconds)) ||
        now () - start > 0.25 || cost->n_points == GLA_COST_POINTS)
      break;
    before = seconds;
  }
  smooth (cost, odd);
  return status;
}

gla_status gla_costs_measure (gla_context *ctx, const gla_cost_probe *probe)
{
  gla_costs *costs = gla_costs_open (ctx);
  if (costs == NULL)
    return GLA_OK;
  gla_cost cost = {0};
  snprintf (cost.operation, sizeof cost.operation, "%s", probe->operation);
  snprintf (cost.key, sizeof cost.key, "%s", probe->key);
  snprintf (cost.place, sizeof cost.place, "%s", place_of (ctx, probe->device));
  gla_costs_read (costs); // another process may have measured it meanwhile
  if (find (costs, cost.operation, cost.key, cost.place) != NULL)
    return GLA_OK;

  int warned = 0;
  const gla_context before = *ctx;
  ctx->progress = NULL;
  ctx->warning = note_warning;
  ctx->warning_user = &warned;
  gla_status status = climb (ctx, probe, &cost);
  ctx->progress = before.progress;
  ctx->warning = before.warning;
  ctx->warning_user = before.warning_user;
  ctx->place = before.place;
  ctx->n_devices = before.n_devices;
  memcpy (ctx->devices, before.devices, sizeof ctx->devices);
  memcpy (ctx->message, before.message, sizeof ctx->message);

  if (status == GLA_STOPPED)
    return status;
  if (status != GLA_OK && status != GLA_OUT_OF_MEMORY)
    cost.n_points = 0;
  (void)gla_costs_add (costs, &cost); // without memory it is measured again another time
  return GLA_OK;
}

//------------------------------------------------------------------------------
// use
//------------------------------------------------------------------------------

typedef struct {
  double (*formula) (void *user, int64_t count);
  void *user;
} predictor;

static double ratio_at (const gla_cost_point *p, const predictor *by)
{
  return 1e-9 * (double)p->nanoseconds / fmax (by->formula (by->user, p->count), 1e-9);
}

// Beyond the last point the time grows by what the formula grows, times the ratio of the last
// steps of both.
static double ratio_beyond (const gla_cost *cost, const predictor *by, int64_t count)
{
  const gla_cost_point *last = &cost->points[cost->n_points - 1];
  const double ratio = ratio_at (last, by);
  if (cost->n_points < 2 || count <= last->count)
    return ratio;
  const double f_last = by->formula (by->user, last->count);
  const double f_step = f_last - by->formula (by->user, last[-1].count);
  const double step = 1e-9 * (double)(last->nanoseconds - last[-1].nanoseconds);
  double slope = f_step > 0 ? step / f_step : ratio;
  slope = fmin (fmax (slope, 0.5 * ratio), 1.5 * ratio); // a difference of measured times is rough
  const double f = by->formula (by->user, count);
  return f > 0 ? (ratio * f_last + slope * (f - f_last)) / f : ratio;
}

double gla_cost_over_formula (const gla_cost *cost, double (*formula) (void *, int64_t), void *user,
                              int64_t count)
{
  const predictor by = {formula, user};
  if (cost == NULL || cost->n_points == 0)
    return 1;
  const gla_cost_point *last = &cost->points[cost->n_points - 1], *p = cost->points;
  if (count >= last->count)
    return ratio_beyond (cost, &by, count);
  if (count <= p->count)
    return ratio_at (p, &by);
  while (p[1].count < count)
    p++;
  double weight =
      log ((double)count / (double)p[0].count) / log ((double)p[1].count / (double)p[0].count);
  return pow (ratio_at (&p[0], &by), 1 - weight) * pow (ratio_at (&p[1], &by), weight);
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
  for (int k = 0; costs != NULL && k < costs->n_known; k++)
    measured += costs->known[k].n_points > 0;
  return measured;
}

// choose.c: where a call runs, by formulas of the backends that measured times correct
// SPDX-License-Identifier: GPL-3.0-or-later

#include "choose.h"
#include "costs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

// No call on a GPU is much shorter, so shorter calls stay on the CPU.
static const double shortest_gpu_call = 0.1e-3;
// Seconds to start a device, and for the first call of a kind on it, until they were measured.
static const double usual_start = 0.3, usual_load = 10e-3;
// The factor by which a prediction may be wrong where no call like this one was timed.
static const double doubt = 3;
// A place that was not tried is tried when it may save so many times what the trial costs.
static const double caution = 3;
// The first call of a kind counts only where it is longer: a short one measures threads that start
// and code that is loaded.
static const double first_on_cpu = 50e-3, first_on_gpu = 0.3;

//------------------------------------------------------------------------------
// predict
//------------------------------------------------------------------------------

// What is expected of a call on the CPU or the GPU.
typedef struct {
  int device;
  double formula, seconds; // predicted: by the formula alone, and corrected
  double load;             // additional time of the first call of its kind; mostly 0
  double best;             // the least it may take, if the prediction is wrong
  int known;               // whether calls like this one were timed here
} estimate;

static gla_kind nearest_kind (const gla_placing *placing, const void *call)
{
  gla_kind kinds[GLA_KINDS] = {{"all", 1}};
  const int count = placing->kinds != NULL ? placing->kinds (call, kinds) : 1;
  int nearest = 0;
  for (int k = 1; k < count; k++)
    if (kinds[k].weight > kinds[nearest].weight)
      nearest = k;
  return kinds[nearest];
}

// The factor that corrects the formula: the mean, in the logarithm, of what calls of these kinds
// took over their prediction, or else of all calls of the operation.
static double correction (gla_context *ctx, const gla_placing *placing, const void *call,
                          int64_t pages, estimate *p)
{
  gla_kind kinds[GLA_KINDS];
  const int count = placing->kinds (call, kinds);
  double sum = 0, weights = 0, near = 0;
  for (int k = 0; k < count; k++) {
    const gla_cost *cost = gla_costs_find (ctx, placing->name, kinds[k].key, p->device);
    if (cost == NULL || cost->n_points == 0)
      continue;
    sum += kinds[k].weight * log (gla_cost_ratio (cost, pages));
    weights += kinds[k].weight;
    if (gla_cost_is_near (cost, pages))
      near += kinds[k].weight;
  }
  p->known = near >= 0.5;
  p->best = p->known ? 1 : 1 / doubt;
  return weights > 0 ? exp (sum / weights) : gla_costs_of_others (ctx, placing->name, p->device);
}

static estimate look_at (gla_context *ctx, const gla_placing *placing, gla_engine *engine,
                         int device, const void *call, int64_t pages)
{
  estimate p = {.device = device, .known = 1, .best = 1};
  p.formula = p.seconds = placing->seconds (engine, call, pages);
  if (placing->kinds != NULL)
    p.seconds *= correction (ctx, placing, call, pages, &p);
  p.best *= p.seconds;
  return p;
}

// The additional time of the first call of its kind on this GPU.
static double load_of (gla_context *ctx, const gla_placing *placing, const void *call, int device)
{
  const gla_kind kind = nearest_kind (placing, call);
  const gla_cost *cost = gla_costs_find (ctx, placing->name, kind.key, device);
  if (cost != NULL && cost->seen)
    return 0;
  cost = gla_costs_find (ctx, "load", placing->name, device);
  return cost != NULL && cost->n_points > 0 ? 1e-9 * (double)cost->points[0].value : usual_load;
}

//------------------------------------------------------------------------------
// start
//------------------------------------------------------------------------------

static void device_key (char *key, int device)
{
  snprintf (key, 32, "device%d", device);
}

static double start_seconds (gla_context *ctx, int device)
{
  char key[32];
  device_key (key, device);
  const gla_cost *cost = gla_costs_find_anywhere (ctx, "start", key);
  return cost != NULL && cost->n_points > 0 ? 1e-9 * (double)cost->points[0].value : usual_start;
}

// Takes over a GPU whose start has ended, and notes the time of the start.
static void look (gla_context *ctx)
{
  const int device = ctx->start != NULL ? ctx->start->device : 0;
  const double seconds = gla_context_look (ctx);
  char key[32];
  device_key (key, device);
  if (seconds > 0) {
    gla_costs_set (ctx, "start", key, device, seconds);
    gla_costs_keep (ctx);
  }
}

// Waits for the start, for at most so many seconds.
static gla_status wait_for_start (gla_context *ctx, double most)
{
  const double begun = gla_now ();
  double last_poll = begun, now = begun;
  while (ctx->start != NULL && now - begun < most) {
    const struct timespec nap = {0, GLA_NAP_NANOSECONDS};
    if (now - last_poll > GLA_START_POLL_SECONDS) {
      last_poll = now;
      if (gla_stop_wanted (ctx))
        return GLA_ERROR_STOPPED;
    }
    nanosleep (&nap, NULL);
    look (ctx);
    now = gla_now ();
  }
  return GLA_OK;
}

// The GPU is not open. It is started in the background as soon as it would have saved as much time
// as its start takes: so at most twice the time of the better choice is ever spent (the ski rental
// problem). It is waited for where start and call together are shorter than the call on the CPU.
// *open: whether it is open now.
static gla_status start_or_wait (gla_context *ctx, const estimate *cpu, const estimate *gpu,
                                 gla_choice *c, int *open)
{
  const double saved = cpu->seconds - gpu->seconds, start = start_seconds (ctx, gpu->device);
  double left = start;
  gla_status status = GLA_OK;
  *open = 0;
  if (saved <= 0 || ctx->starts_fail)
    return GLA_OK;
  if (ctx->start == NULL && ctx->missed_seconds + saved > start)
    ctx->start = gla_start_begin (gpu->device);
  c->missed_gpu = ctx->start == NULL;
  if (ctx->start == NULL)
    return GLA_OK;
  const double passed = gla_now () - ctx->start->begun;
  left = fmax (start - passed, 0.25 * passed); // one that is late may be later still
  if (left + gpu->load < saved)
    status = wait_for_start (ctx, saved);
  *open = ctx->gpus[gpu->device] != NULL;
  return status;
}

//------------------------------------------------------------------------------
// choose
//------------------------------------------------------------------------------

// The faster of two by prediction; but the other one when what it may have saved, in this call and
// those before, outweighs what trying it, or loading its code, costs.
static const estimate *better (gla_context *ctx, const gla_placing *placing, const void *call,
                               const estimate *cpu, const estimate *gpu)
{
  const double on_gpu = gpu->seconds + gpu->load;
  const estimate *first = on_gpu < cpu->seconds ? gpu : cpu, *other = first == gpu ? cpu : gpu;
  const double here = first->seconds + first->load, there = other->seconds + other->load;
  const double gain = here - other->best;
  if (gain <= 0)
    return first;
  const gla_kind kind = nearest_kind (placing, call);
  gla_cost *cost = gla_costs_entry (ctx, placing->name, kind.key, other->device);
  if (cost == NULL)
    return first;
  cost->possible_gain += gain;
  if (cost->possible_gain < (other->known ? 1 : caution) * (there - here))
    return first;
  cost->possible_gain = 0;
  return other;
}

// Which GPU is that of a rank depends on how many there are, and to ask for them takes a part of a
// start. Worth it as soon as calls on the CPU have taken as long.
static void count_for_rank (gla_context *ctx, double on_cpu)
{
  if (ctx->rank_here <= 1 || ctx->counted)
    return;
  ctx->missed_seconds += on_cpu;
  if (ctx->missed_seconds > usual_start)
    gla_context_count (ctx);
}

static int64_t switches (void)
{
  struct rusage usage;
  return getrusage (RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

static void begin (gla_choice *c, const void *call, const estimate *p)
{
  c->worth_noting = c->placing->kinds != NULL || p->device != GLA_DEVICE_HOST;
  c->place = p->device;
  c->cold = p->load > 0;
  c->formula = p->formula;
  c->expected = p->seconds;
  c->kind = nearest_kind (c->placing, call);
  if (p->device != GLA_DEVICE_HOST) {
    c->devices[0] = p->device;
    c->count = 1;
  }
  c->switches = switches ();
  c->begun = gla_now ();
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

static gla_status choose_auto (gla_context *ctx, const void *call, gla_choice *c)
{
  const gla_placing *placing = c->placing;
  gla_engine *engine;
  int device, open;
  if (!first_gpu (ctx, &device) || gla_context_cpu (ctx, &engine) != GLA_OK)
    return GLA_OK;
  const double formula = placing->seconds (engine, call, c->pages);
  if (formula < shortest_gpu_call / 4) // small calls need not read the file
    return GLA_OK;
  look (ctx);
  count_for_rank (ctx, formula);
  if (ctx->rank_here > 1 && !ctx->counted)
    return GLA_OK;
  if (!first_gpu (ctx, &device) || !placing->supports (ctx->gpu_backend, call))
    return GLA_OK;
  gla_costs_open (ctx);
  const estimate cpu = look_at (ctx, placing, engine, GLA_DEVICE_HOST, call, c->pages);
  if (cpu.seconds < shortest_gpu_call) {
    begin (c, call, &cpu);
    return GLA_OK;
  }
  engine = ctx->gpus[device];
  open = engine != NULL;
  if (!open && ctx->gpu_backend->model == NULL)
    open = gla_context_gpu (ctx, device, &engine) == GLA_OK;
  else if (!open)
    engine = ctx->gpu_backend->model ();
  estimate gpu = {0};
  if (engine != NULL) {
    gpu = look_at (ctx, placing, engine, device, call, c->pages);
    gpu.load = load_of (ctx, placing, call, device);
    c->on_gpu = gpu.seconds;
  }
  if (engine != NULL && !open) {
    gla_status status = start_or_wait (ctx, &cpu, &gpu, c, &open);
    if (status != GLA_OK)
      return status;
    // the GPU may be another than the model, and its code is not there yet
    open = open && placing->supports (ctx->gpu_backend, call);
    if (open)
      gpu = look_at (ctx, placing, ctx->gpus[device], device, call, c->pages);
    gpu.load = open ? load_of (ctx, placing, call, device) : 0;
  }
  begin (c, call, open ? better (ctx, placing, call, &cpu, &gpu) : &cpu);
  return GLA_OK;
}

// The user chose the place. The time of the call is noted where "auto" may choose it later.
static void choose_given (gla_context *ctx, const void *call, gla_choice *c)
{
  const gla_placing *placing = c->placing;
  const int device = c->count == 1 ? c->devices[0] : GLA_DEVICE_HOST;
  gla_engine *engine = NULL;
  if (placing->kinds == NULL || ctx->gpu_backend == NULL || c->count > 1)
    return;
  if (device == GLA_DEVICE_HOST)
    (void)gla_context_cpu (ctx, &engine);
  else
    (void)gla_context_gpu (ctx, device, &engine);
  ctx->message[0] = '\0'; // what fails here fails again where it matters
  if (engine == NULL || placing->seconds (engine, call, c->pages) < shortest_gpu_call / 4)
    return;
  gla_costs_open (ctx);
  estimate p = look_at (ctx, placing, engine, device, call, c->pages);
  p.load = device == GLA_DEVICE_HOST ? 0 : load_of (ctx, placing, call, device);
  begin (c, call, &p);
}

gla_status gla_choose (gla_context *ctx, const gla_placing *placing, const void *call,
                       int64_t pages, int data_device, gla_choice *c)
{
  gla_engine *gpu;
  *c = (gla_choice){.placing = placing, .pages = pages, .place = GLA_NOWHERE};
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
  if (ctx->place != GLA_PLACE_CPU) {
    c->count = gla_context_devices (ctx, c->devices);
    if (gla_context_forked (ctx))
      return gla_context_gpu (ctx, 0, &gpu); // says why not
    if (c->count == 0)
      return gla_context_all_lost (ctx);
    (void)gla_context_gpu (ctx, c->devices[0], &gpu); // what it supports shows when it is open
    ctx->message[0] = '\0';
    if (!placing->supports (ctx->gpu_backend, call))
      return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s", placing->unsupported);
  }
  choose_given (ctx, call, c);
  return GLA_OK;
}

//------------------------------------------------------------------------------
// when it has ended
//------------------------------------------------------------------------------

// Whether other processes took cores from the call, which makes it longer than it is. Even a quiet
// machine interrupts some.
static int disturbed (const gla_context *ctx, const gla_choice *c, double seconds)
{
  const int threads = ctx->costs != NULL ? ctx->costs->threads : 1;
  return (double)(switches () - c->switches) > 3 + 60 * seconds * threads;
}

// Notes the time of a call.
static void note (gla_context *ctx, const gla_choice *c, double seconds)
{
  gla_cost *cost = gla_costs_entry (ctx, c->placing->name, c->kind.key, c->place);
  if (cost == NULL)
    return;
  const int first = !cost->seen;
  cost->seen = 1;
  if (c->cold)
    gla_costs_mix (ctx, "load", c->placing->name, c->place, fmax (seconds - c->expected, 1e-6));
  const double long_enough = c->place == GLA_DEVICE_HOST ? first_on_cpu : first_on_gpu;
  if (c->placing->kinds != NULL && (!first || seconds > long_enough))
    gla_costs_note (ctx, c->placing->name, c->kind.key, c->place, c->pages, seconds / c->formula,
                    seconds);
}

void gla_choice_end (gla_context *ctx, const gla_choice *c, int device)
{
  const double seconds = gla_now () - c->begun;
  if (c->count > 0)
    gla_context_settle (ctx);
  if (c->place == GLA_NOWHERE || device != c->place)
    return;
  if (c->missed_gpu)
    ctx->missed_seconds += fmax (0, seconds - c->on_gpu);
  // a thread that starts a GPU beside it makes a call longer
  if (c->worth_noting && ctx->start == NULL && c->formula > 0 && !disturbed (ctx, c, seconds))
    note (ctx, c, seconds);
}

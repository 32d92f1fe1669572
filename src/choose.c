// choose.c: whether a GPU is faster: formulas of the backends, corrected by measured calls
// SPDX-License-Identifier: GPL-3.0-or-later

#include "choose.h"
#include "costs.h"

#include <math.h>
#include <stdlib.h>

// No call on a GPU is much shorter, so what the CPU does in this time is left to it.
static const double shortest_gpu_call = 0.1e-3;
// Opening a GPU takes 0.3 s: one call has to be as long as this, or several together.
static const double worth_opening = 10e-3;
// Samples of which a single page takes longer are not measured: the formula alone must do.
static const double longest_page = 50e-3;
// The pages of a measured call take at most so many bytes.
static const int64_t largest_batch = (int64_t)64 << 20;

//------------------------------------------------------------------------------
// predict
//------------------------------------------------------------------------------

typedef struct {
  const gla_sampling *sampling;
  gla_engine *engine;
  const void *call;
  const gla_sample *sample;
} place;

static double formula (void *at, int64_t pages)
{
  const place *p = at;
  return p->sampling->seconds (p->engine, p->call, p->sample, pages);
}

// What the formula of this engine is to be multiplied by: the samples' mean, in the logarithm.
static double correction (gla_context *ctx, gla_engine *engine, const gla_sampling *sampling,
                          const void *call, int64_t pages)
{
  gla_sample samples[GLA_SAMPLES];
  const int n_samples = sampling->list (call, samples);
  double sum = 0, weights = 0;
  for (int k = 0; k < n_samples; k++) {
    place at = {sampling, engine, call, &samples[k]};
    const gla_cost *cost = gla_costs_find (ctx, sampling->name, samples[k].key, engine->device);
    if (cost == NULL || cost->n_points == 0)
      continue;
    sum += samples[k].weight * log (gla_cost_over_formula (cost, formula, &at, pages));
    weights += samples[k].weight;
  }
  return weights > 0 ? exp (sum / weights) : 1;
}

// Seconds for the call on this engine, by all that is known.
static double seconds (gla_context *ctx, gla_engine *engine, const gla_operation *operation,
                       const void *call, int64_t pages)
{
  double predicted = operation->seconds (engine, call, pages);
  if (operation->sampling != NULL)
    predicted *= correction (ctx, engine, operation->sampling, call, pages);
  return predicted;
}

//------------------------------------------------------------------------------
// measure
//------------------------------------------------------------------------------

typedef struct {
  gla_sample_run run;
  place at;
} probe_state;

static gla_status prepare (void *state, int64_t pages)
{
  probe_state *s = state;
  if (pages <= s->run.pages)
    return GLA_OK;
  free (s->run.memory);
  s->run.memory = NULL;
  s->run.pages = 0;
  gla_status status = s->at.sampling->prepare (&s->run, pages);
  if (status == GLA_OK)
    s->run.pages = pages;
  return status;
}

static gla_status make (void *state, int64_t pages)
{
  probe_state *s = state;
  const int device = s->at.engine->device;
  gla_status status =
      gla_set_place (s->run.ctx, device == GLA_HOST ? GLA_CPU : GLA_LIST, &device, 1);
  return status == GLA_OK ? s->at.sampling->make (&s->run, pages) : status;
}

// Measures the sample at this place, unless that is known already or would take too long.
static gla_status measure (gla_context *ctx, const place *at, int *measured)
{
  const gla_sampling *sampling = at->sampling;
  const gla_sample *sample = at->sample;
  const int64_t page = sampling->page_bytes (at->call, sample);
  probe_state state = {.run = {.ctx = ctx, .call = at->call, .sample = sample}, .at = *at};
  if (gla_costs_find (ctx, sampling->name, sample->key, at->engine->device) != NULL ||
      formula (&state.at, 1) > longest_page)
    return GLA_OK;
  gla_cost_probe probe = {.operation = sampling->name,
                          .key = sample->key,
                          .device = at->engine->device,
                          .most = page < largest_batch ? largest_batch / page : 1,
                          .prepare = prepare,
                          .call = make,
                          .user = &state};
  *measured = 1;
  gla_status status = gla_costs_measure (ctx, &probe);
  free (state.run.memory);
  return status;
}

static gla_status measure_missing (gla_context *ctx, int device, const gla_sampling *sampling,
                                   const void *call)
{
  gla_sample samples[GLA_SAMPLES];
  const int n_samples = sampling->list (call, samples);
  int measured = 0;
  gla_status status = GLA_OK;
  for (int k = 0; k < 2 * n_samples && status == GLA_OK; k++) {
    place at = {sampling, NULL, call, &samples[k / 2]};
    // each time anew: a GPU may be lost while it is measured
    status = k % 2 ? gla_context_gpu (ctx, device, &at.engine) : gla_context_cpu (ctx, &at.engine);
    if (status == GLA_OK)
      status = measure (ctx, &at, &measured);
  }
  if (measured)
    gla_costs_keep (ctx);
  return status;
}

//------------------------------------------------------------------------------
// choose
//------------------------------------------------------------------------------

gla_status gla_gpu_is_faster (gla_context *ctx, int device, const gla_operation *operation,
                              const void *call, int64_t pages, int *faster)
{
  gla_engine *cpu, *gpu;
  *faster = 0;
  if (gla_context_cpu (ctx, &cpu) != GLA_OK)
    return GLA_OK;
  double on_cpu = operation->seconds (cpu, call, pages);
  if (on_cpu < shortest_gpu_call / 4) // spares small calls the look at the file
    return GLA_OK;
  on_cpu = seconds (ctx, cpu, operation, call, pages);
  if (on_cpu < shortest_gpu_call)
    return GLA_OK;
  if (ctx->gpus[device] == NULL) {
    ctx->spared += on_cpu;
    if (ctx->spared < worth_opening || gla_context_gpu (ctx, device, &gpu) != GLA_OK)
      return GLA_OK;
  }
  if (operation->sampling != NULL &&
      measure_missing (ctx, device, operation->sampling, call) == GLA_STOPPED)
    return GLA_STOPPED;
  if (gla_context_cpu (ctx, &cpu) == GLA_OK && gla_context_gpu (ctx, device, &gpu) == GLA_OK)
    *faster =
        seconds (ctx, gpu, operation, call, pages) < seconds (ctx, cpu, operation, call, pages);
  return GLA_OK;
}

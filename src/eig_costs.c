// eig_costs.c: where batcheig is faster: formulas of the backends, corrected by measured calls
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A backend predicts the time of a job by a formula that was fitted to some machine. It knows where
// methods change and how time grows with n and the number of pages; how fast this machine is, is
// measured: at a few n, calls with 1, 4, 16, ... pages. The ratio of measured to predicted time is
// interpolated between these n and numbers of pages.

#include "eig_costs.h"
#include "costs.h"
#include "host_memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// No call on a GPU is much shorter, so what the CPU does in this time is left to it.
static const double shortest_gpu_call = 0.4e-3;
// Opening a GPU takes 0.3 s: one call has to be as long as this, or several together.
static const double worth_opening = 10e-3;
// Sizes of which a single page takes longer are not measured: the formula alone must do.
static const double longest_page = 50e-3;
// Pages of a measured call take at most so many bytes.
static const int64_t largest_batch = (int64_t)64 << 20;

//------------------------------------------------------------------------------
// formulas, and what was measured over them
//------------------------------------------------------------------------------

typedef struct {
  gla_engine *engine;
  gla_eig_job job;
} place;

static double formula (void *at, int64_t pages)
{
  const place *p = at;
  return p->engine->backend->eig_seconds (p->engine, &p->job, pages);
}

// The measured sizes; n[0] <= n <= n[1] where that is possible. Returns how many differ, 1 or 2.
static int neighbours (int64_t n, int64_t *sizes)
{
  static const int64_t grid[] = {2, 4, 8, 16, 32, 64, 128, 256};
  const int last = (int)(sizeof grid / sizeof *grid) - 1;
  int k = 0;
  while (k < last && grid[k] < n)
    k++;
  sizes[1] = grid[k];
  sizes[0] = grid[k] <= n || k == 0 ? grid[k] : grid[k - 1];
  return sizes[0] == sizes[1] ? 1 : 2;
}

// A page size of the grid instead of the job's, and the options as they are unless given.
static gla_eig_job measured_job (const gla_eig_job *job, int64_t n)
{
  gla_eig_job other = *job;
  other.n = n;
  other.triangle = GLA_FULL;
  other.tol = gla_type_eps (job->type);
  other.maxit = 30;
  return other;
}

static void name_job (const gla_eig_job *job, char *key, size_t size)
{
  const char *method = job->method == GLA_METHOD_QR       ? "qr"
                       : job->method == GLA_METHOD_JACOBI ? "jacobi"
                                                          : "auto";
  snprintf (key, size, "%c,%lld,%s,%s", (char)job->type, (long long)job->n,
            job->vectors ? "vectors" : "values", method);
}

static const gla_cost *find (gla_context *ctx, const place *at)
{
  char key[32];
  name_job (&at->job, key, sizeof key);
  return gla_costs_find (ctx, "eig", key, at->engine->device);
}

// Seconds for the job at this place, by all that is known.
static double seconds (gla_context *ctx, gla_engine *engine, const gla_eig_job *job, int64_t pages)
{
  int64_t sizes[2];
  const int n_sizes = neighbours (job->n, sizes);
  double ratio[2];
  int known[2] = {0, 0};
  for (int k = 0; k < n_sizes; k++) {
    place at = {engine, measured_job (job, sizes[k])};
    const gla_cost *cost = find (ctx, &at);
    known[k] = cost != NULL && cost->n_points > 0;
    ratio[k] = gla_cost_over_formula (cost, formula, &at, pages);
  }
  double correction = known[0] ? ratio[0] : known[1] ? ratio[1] : 1;
  if (known[0] && known[1]) {
    double weight =
        log ((double)job->n / (double)sizes[0]) / log ((double)sizes[1] / (double)sizes[0]);
    correction = pow (ratio[0], 1 - weight) * pow (ratio[1], weight);
  }
  return correction * engine->backend->eig_seconds (engine, job, pages);
}

//------------------------------------------------------------------------------
// calls to be measured
//------------------------------------------------------------------------------

typedef struct {
  gla_context *ctx;
  place at;
  void *pages; // of which `filled` are filled, `own` with numbers of their own
  int64_t filled, own;
  int32_t *info;
} probe_state;

static int64_t page_bytes (const gla_eig_job *job)
{
  return job->n * job->n * (int64_t)gla_type_size (job->type);
}

// Random numbers in (-1, 1), Hermitian.
static void fill_page (const gla_eig_job *job, void *page, uint64_t seed)
{
  const int64_t n = job->n;
  const int complex = gla_type_is_complex (job->type), parts = 1 + complex;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++)
      for (int part = 0; part < parts; part++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double x = part == 1 && i == j ? 0 : (double)(seed >> 11) * 0x1p-52 - 1;
        int64_t lower = (j * n + i) * parts + part, upper = (i * n + j) * parts + part;
        double mirrored = part == 1 ? -x : x;
        if (gla_type_real (job->type) == GLA_D) {
          ((double *)page)[upper] = mirrored;
          ((double *)page)[lower] = x;
        } else {
          ((float *)page)[upper] = (float)mirrored;
          ((float *)page)[lower] = (float)x;
        }
      }
}

static gla_status prepare (void *state, int64_t count)
{
  probe_state *s = state;
  const int64_t bytes = page_bytes (&s->at.job);
  if (count <= s->filled)
    return GLA_OK;
  free (s->pages);
  free (s->info);
  s->filled = 0;
  s->pages = malloc ((size_t)(count * bytes));
  s->info = malloc ((size_t)count * sizeof *s->info);
  if (s->pages == NULL || s->info == NULL)
    return GLA_OUT_OF_MEMORY;
  char *pages = s->pages;
  s->own = s->at.job.n <= 32 ? 32 : 4;
  for (int64_t p = 0; p < count && p < s->own; p++)
    fill_page (&s->at.job, pages + p * bytes, (uint64_t)p + 1);
#pragma omp parallel for schedule(static)
  for (int64_t p = s->own; p < count; p++)
    memcpy (pages + p * bytes, pages + p % s->own * bytes, (size_t)bytes);
  s->filled = count;
  return GLA_OK;
}

// As from Octave: results go to memory that the call is the first to touch.
static gla_status call (void *state, int64_t count)
{
  probe_state *s = state;
  const gla_eig_job *job = &s->at.job;
  const int64_t n = job->n;
  const int device = s->at.engine->device;
  const size_t bytes = job->vectors ? (size_t)(count * page_bytes (job)) : 0;
  const gla_type real = gla_type_real (job->type);
  char *lambda = malloc ((size_t)(count * n) * gla_type_size (real));
  char *V = job->vectors ? malloc (bytes) : NULL;
  gla_status status = GLA_OUT_OF_MEMORY;
  if (lambda != NULL && (V != NULL || !job->vectors)) {
    gla_host_prefer_huge_pages (V, bytes);
    gla_array a = gla_array_packed (s->pages, job->type, n, n, count, GLA_HOST);
    gla_array l = gla_array_packed (lambda, real, n, 1, count, GLA_HOST);
    gla_array v = gla_array_packed (V, job->type, n, n, count, GLA_HOST);
    gla_eig_options options = {job->method, GLA_FULL, 0, 0};
    status = gla_set_place (s->ctx, device == GLA_HOST ? GLA_CPU : GLA_LIST, &device, 1);
    if (status == GLA_OK)
      status = gla_batcheig (s->ctx, &a, &l, job->vectors ? &v : NULL, s->info, &options, NULL);
  }
  free (V);
  free (lambda);
  return status;
}

// Measures the job at this place, unless that is known already or would take too long.
static gla_status measure (gla_context *ctx, const place *at, int *measured)
{
  probe_state s = {.ctx = ctx, .at = *at};
  if (find (ctx, at) != NULL || formula (&s.at, 1) > longest_page)
    return GLA_OK;
  char key[32];
  name_job (&at->job, key, sizeof key);
  gla_cost_probe probe = {.operation = "eig",
                          .key = key,
                          .device = at->engine->device,
                          .most = largest_batch / page_bytes (&at->job),
                          .prepare = prepare,
                          .call = call,
                          .user = &s};
  *measured = 1;
  gla_status status = gla_costs_measure (ctx, &probe);
  free (s.pages);
  free (s.info);
  return status;
}

static gla_status measure_missing (gla_context *ctx, int device, const gla_eig_job *job)
{
  int64_t sizes[2];
  const int n_sizes = neighbours (job->n, sizes);
  int measured = 0;
  gla_status status = GLA_OK;
  for (int k = 0; k < 2 * n_sizes && status == GLA_OK; k++) {
    place at = {NULL, measured_job (job, sizes[k / 2])};
    // each time anew: an engine may be lost while it is measured
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

gla_status gla_eig_gpu_is_faster (gla_context *ctx, int device, const gla_eig_job *job,
                                  int64_t pages, int *faster)
{
  gla_engine *cpu, *gpu;
  *faster = 0;
  if (gla_context_cpu (ctx, &cpu) != GLA_OK)
    return GLA_OK;
  double on_cpu = cpu->backend->eig_seconds (cpu, job, pages);
  if (on_cpu < shortest_gpu_call / 4) // spares small calls the look at the file
    return GLA_OK;
  on_cpu = seconds (ctx, cpu, job, pages);
  if (on_cpu < shortest_gpu_call)
    return GLA_OK;
  if (ctx->gpus[device] == NULL) {
    ctx->spared += on_cpu;
    if (ctx->spared < worth_opening || gla_context_gpu (ctx, device, &gpu) != GLA_OK)
      return GLA_OK;
  }
  if (measure_missing (ctx, device, job) == GLA_STOPPED)
    return GLA_STOPPED;
  if (gla_context_cpu (ctx, &cpu) == GLA_OK && gla_context_gpu (ctx, device, &gpu) == GLA_OK)
    *faster = seconds (ctx, gpu, job, pages) < seconds (ctx, cpu, job, pages);
  return GLA_OK;
}

// tests/c/auto_calls.h: calls of the library on backends that stand in for the real ones
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef AUTO_CALLS_H
#define AUTO_CALLS_H

#include "check.h"
#include "stand_ins.h"

enum { N = 4, MOST = 100000 };

static double complex A[N * N * MOST], V[N * N * MOST];
static double lambda[N * MOST];
static int32_t info[MOST];
static int warnings, stops, stop_at;

static void on_warning (void *user, const char *id, const char *text)
{
  (void)user, (void)id, (void)text;
  warnings++;
}
static int on_stop (void *user)
{
  (void)user;
  return ++stops == stop_at;
}

static gla_context *new_context (void)
{
  gla_context *ctx = NULL;
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  gla_set_warning (ctx, on_warning, NULL);
  gla_set_stop (ctx, on_stop, NULL);
  warnings = stops = stop_at = 0;
  finished = fail = 0;
  let_go = 0;
  return ctx;
}

// The device that a call ran on, GLA_HOST or 0; -2 where it did not end well.
static int solve (gla_context *ctx, int64_t n, int64_t pages)
{
  gla_array a = gla_array_packed (A, GLA_Z, n, n, pages, GLA_HOST);
  gla_array v = gla_array_packed (V, GLA_Z, n, n, pages, GLA_HOST);
  gla_array l = gla_array_packed (lambda, GLA_D, n, 1, pages, GLA_HOST);
  gla_eig_options options = {.triangle = GLA_LOWER}; // any numbers will do
  gla_eig_report report = {0};
  see_start_end (ctx);
  gla_status status = gla_batcheig (ctx, &a, &l, &v, info, &options, &report);
  return status == GLA_OK ? report.device : -2;
}

// Seconds of the clock that a call takes.
static double time_of (gla_context *ctx, int64_t pages)
{
  const int64_t before = atomic_load (&ticks);
  CHECK (solve (ctx, N, pages) != -2, "%s", gla_message (ctx));
  return 1e-9 * (double)(atomic_load (&ticks) - before);
}

// What it would take on the CPU, and on a GPU that is open.
static double on_cpu (int64_t pages)
{
  return (double)pages * cpu_page;
}
static double on_gpu (int64_t pages)
{
  return gpu_call + (double)pages * gpu_page;
}

// A machine where a call of 1000 pages takes 10 ms on the CPU and 1 ms on the GPU.
static void usual_machine (void)
{
  cpu_page = 10e-6;
  gpu_call = 0.5e-3;
  gpu_page = 0.5e-6;
  cpu_formula = gpu_formula = 1;
  start_seconds = 0.2;
  load_seconds = 0;
  open_fails = 0;
  stall = 0;
}

// The GPU is open, because somebody asked for it.
__attribute__ ((unused)) static gla_context *open_context (void)
{
  gla_context *ctx = new_context ();
  CHECK (gla_set_place (ctx, GLA_GPU, NULL, 0) == GLA_OK, "%s", gla_message (ctx));
  CHECK (solve (ctx, N, 1) == 0 && solve (ctx, N, 1) == 0, "on the GPU");
  gla_set_place (ctx, GLA_AUTO, NULL, 0);
  finished = 0;
  return ctx;
}

#endif

// auto_calls.h: calls of the library on mock backends
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef AUTO_CALLS_H
#define AUTO_CALLS_H

#include "frame/calls.h"
#include "frame/check.h"
#include "frame/mock_backends.h"

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
  start_may_end = 0;
  return ctx;
}

// Makes a call and returns the device that it ran on, GLA_DEVICE_HOST or 0; -2 if it failed.
static int solve (gla_context *ctx, int64_t n, int64_t pages)
{
  gla_array a = gla_array_packed (A, GLA_TYPE_Z, n, n, pages, GLA_DEVICE_HOST);
  gla_array v = gla_array_packed (V, GLA_TYPE_Z, n, n, pages, GLA_DEVICE_HOST);
  gla_array l = gla_array_packed (lambda, GLA_TYPE_D, n, 1, pages, GLA_DEVICE_HOST);
  gla_eig_options options =
      eig_options (GLA_EIG_METHOD_AUTO, GLA_TRIANGLE_LOWER); // any numbers will do
  gla_eig_report report = {.base.size = sizeof report};
  await_start_end (ctx);
  gla_status status = call_batcheig (ctx, &a, &l, &v, info, &options, &report);
  return status == GLA_OK ? report.base.device : -2;
}

// Seconds of a call by the mock clock.
static double time_of (gla_context *ctx, int64_t pages)
{
  const int64_t before = atomic_load (&ticks);
  CHECK (solve (ctx, N, pages) != -2, "%s", gla_message (ctx));
  return 1e-9 * (double)(atomic_load (&ticks) - before);
}

// Seconds of a call on the CPU, and on a GPU that is open.
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

// A context whose GPU is open after a call with GLA_PLACE_GPU.
__attribute__ ((unused)) static gla_context *open_context (void)
{
  gla_context *ctx = new_context ();
  CHECK (gla_set_place (ctx, GLA_PLACE_GPU, NULL, 0) == GLA_OK, "%s", gla_message (ctx));
  CHECK (solve (ctx, N, 1) == 0 && solve (ctx, N, 1) == 0, "on the GPU");
  gla_set_place (ctx, GLA_PLACE_AUTO, NULL, 0);
  finished = 0;
  return ctx;
}

#endif

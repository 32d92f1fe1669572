// auto_calls.h: calls of the library on backends that compute nothing and take a given time
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Time is that of a mock clock, so results do not depend on the load of the machine. Tests call
// use_mocks () first.

#ifndef AUTO_CALLS_H
#define AUTO_CALLS_H

#include "backend.h"
#include "context.h"
#include "eig/job.h"
#include "frame/calls.h"
#include "frame/check.h"
#include "product/job.h"
#include "qr/job.h"
#include "solve/job.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

//------------------------------------------------------------------------------
// backends
//------------------------------------------------------------------------------

// The seconds that work takes, and the factor by which the backends' formulas overestimate it.
static double cpu_page = 10e-6, gpu_call = 6e-3, gpu_page = 50e-9;
static double cpu_formula = 1, gpu_formula = 1;
static double start_seconds = 0.2, load_seconds; // to open a GPU; extra time of its first call
static int open_fails;                           // nonzero: opening a GPU fails

static _Atomic int64_t ticks = 1;    // of the mock clock, nanoseconds
static _Atomic int opened, finished; // open GPUs, and chunks that they have finished
static _Atomic int counted;          // calls of count
static int fail;                     // number of the chunk that fails; 0: none
static double stall;                 // extra seconds of a chunk on the CPU
static _Atomic int64_t kept, pinned; // bytes that the GPU keeps
static int64_t memory_total = (int64_t)8 << 30;
static int64_t page_bytes = 1000; // device memory that a page takes

// These replace the system's functions in the whole program: the clock advances by work, and by 100
// ns for each look at it.
int64_t gla_now_ns (void)
{
  return atomic_fetch_add (&ticks, 100);
}
void gla_yield_once (void)
{
  sched_yield ();
}
// The thread that starts a GPU is held until the mock clock reaches the end of the start, because
// the system may run that thread much later.
static _Atomic int held = 1, start_may_end;
static int max_waits = 20000;
static _Thread_local gla_context *current;
static void update_start_may_end (void)
{
  const gla_start *start = current != NULL ? current->start : NULL;
  const double now = 1e-9 * (double)atomic_load (&ticks);
  if (start != NULL && start->process == gla_process ())
    atomic_store (&start_may_end, now >= start->begun + start_seconds);
}
void gla_nap (int64_t ns)
{
  update_start_may_end ();
  if (!atomic_load (
          &start_may_end)) // if it may end, the caller waits for the system, which is free
    atomic_fetch_add (&ticks, ns);
  usleep (20);
}
// Before a call: waits until a start that is over by the mock clock has ended.
static void await_start_end (gla_context *ctx)
{
  current = ctx;
  update_start_may_end ();
  while (!gla_forked () && ctx->start != NULL && atomic_load (&start_may_end) &&
         atomic_load (&ctx->start->stage) != GLA_START_DONE)
    usleep (20);
}
static void pass (double seconds)
{
  atomic_fetch_add (&ticks, (int64_t)(seconds * 1e9));
}

typedef struct {
  gla_engine base;
  gla_monitor monitor;
  int64_t pages; // of the chunk at work
  int loaded;
} engine;

static pthread_t main_thread;
static _Atomic (engine *) newest; // a forked process must not close it

// Like the driver: what its first call registers for the end of the process leaves it unusable.
static _Atomic int driver_ended;
static void end_driver (void)
{
  atomic_store (&driver_ended, 1);
}
static int device_count (char *why, size_t size)
{
  (void)why, (void)size;
  if (counted++ == 0)
    atexit (end_driver);
  return 1;
}
static gla_status device_query (int device, gla_device_info *about)
{
  snprintf (about->name, sizeof about->name, "Stand in %d", device);
  about->major = about->multiprocessors = 9;
  about->memory_total = memory_total;
  about->memory_kept = device == GLA_DEVICE_HOST ? 0 : atomic_load (&kept);
  about->host_kept = device == GLA_DEVICE_HOST ? 0 : atomic_load (&pinned);
  about->started = atomic_load (&opened) > 0;
  about->memory_free = about->started ? about->memory_total - about->memory_kept : -1;
  return GLA_OK;
}
static engine model;
static gla_engine *model_engine (void)
{
  return &model.base;
}
// A thread that starts a GPU during other work is held until it may end, at most 2 s.
static gla_status open_engine (int device, gla_engine **e)
{
  if (device != GLA_DEVICE_HOST && !pthread_equal (pthread_self (), main_thread)) {
    for (int k = 0; k < max_waits && atomic_load (&held) && !atomic_load (&start_may_end); k++)
      usleep (100);
  } else if (device != GLA_DEVICE_HOST)
    pass (start_seconds);
  if (device != GLA_DEVICE_HOST && atomic_load (&driver_ended))
    abort ();
  if (device != GLA_DEVICE_HOST && open_fails)
    return GLA_ERROR_DEVICE_FAILURE;
  engine *mine = calloc (1, sizeof *mine);
  mine->base =
      (gla_engine){device == GLA_DEVICE_HOST ? gla_backends ().cpu : gla_backends ().gpu, device};
  *e = &mine->base;
  if (device != GLA_DEVICE_HOST) {
    newest = mine;
    opened++;
    pinned += 64;
  }
  return GLA_OK;
}
static void close_engine (gla_engine *e)
{
  if (e->device != GLA_DEVICE_HOST && --opened == 0)
    kept = pinned = 0;
  free (e);
}
static int64_t kept_by (gla_engine *e)
{
  (void)e;
  return atomic_load (&kept);
}
static void shrink (gla_engine *e, int64_t most)
{
  (void)e;
  if (kept > most)
    kept = most;
  if (most == 0)
    pinned = 0;
}
static int supports (const gla_job *job)
{
  return ((const gla_eig_job *)job)->n <= 1000;
}
static int qr_supports (const gla_job *job)
{
  return ((const gla_qr_job *)job)->n <= 5000;
}
static double predict (gla_engine *e, const gla_job *job, int64_t pages)
{
  (void)job;
  return e->device == GLA_DEVICE_HOST ? cpu_formula * (double)pages * cpu_page
                                      : gpu_formula * (gpu_call + (double)pages * gpu_page);
}
static int64_t chunk_pages (gla_engine *e, const gla_job *job, int64_t pages)
{
  (void)e, (void)job;
  return pages;
}
static gla_status begin (gla_engine *e, const gla_job *job, int64_t pages)
{
  (void)pages;
  ((engine *)e)->monitor = job->monitor;
  return GLA_OK;
}
// A chunk of eigenvalue problems.
static gla_status submit (gla_engine *e, int slot, const void *pages)
{
  (void)slot;
  const gla_eig_chunk *chunk = pages;
  memset (chunk->info, 0, (size_t)chunk->A.pages * sizeof *chunk->info);
  ((engine *)e)->pages = chunk->A.pages;
  return GLA_OK;
}
static gla_status qr_submit (gla_engine *e, int slot, const void *pages)
{
  (void)slot;
  ((engine *)e)->pages = ((const gla_qr_chunk *)pages)->A.pages;
  return GLA_OK;
}
static int any_supports (const gla_job *job)
{
  (void)job;
  return 1;
}
static gla_status product_submit (gla_engine *e, int slot, const void *pages)
{
  (void)slot;
  ((engine *)e)->pages = ((const gla_pagemul_chunk *)pages)->C.pages;
  return GLA_OK;
}
static gla_status pagesolve_submit (gla_engine *e, int slot, const void *pages)
{
  (void)slot;
  const gla_pagesolve_chunk *chunk = pages;
  memset (chunk->info, 0, (size_t)chunk->X.pages * sizeof *chunk->info);
  ((engine *)e)->pages = chunk->X.pages;
  return GLA_OK;
}
// Advances the clock by the time of the chunk, or fails.
static gla_status finish (gla_engine *engine_at_work, int slot)
{
  (void)slot;
  engine *e = (engine *)engine_at_work;
  if (e->base.device != GLA_DEVICE_HOST && ++finished == fail)
    return GLA_ERROR_DEVICE_FAILURE;
  if (e->base.device == GLA_DEVICE_HOST)
    pass ((double)e->pages * cpu_page + stall);
  else
    pass (gpu_call + (double)e->pages * gpu_page + (e->loaded ? 0 : load_seconds));
  if (e->base.device != GLA_DEVICE_HOST && kept < e->pages * page_bytes)
    kept = e->pages * page_bytes;
  e->loaded = 1;
  return e->monitor.poll (e->monitor.user, e->pages) ? GLA_ERROR_STOPPED : GLA_OK;
}
static void end (gla_engine *e)
{
  (void)e;
}

static const gla_batch_ops eig_ops = {supports, predict, chunk_pages, begin, submit, finish, end};
static const gla_batch_ops qr_ops = {qr_supports, predict, chunk_pages, begin,
                                     qr_submit,   finish,  end};
static const gla_batch_ops product_ops = {any_supports,   predict, chunk_pages, begin,
                                          product_submit, finish,  end};
static const gla_batch_ops pagesolve_ops = {any_supports,     predict, chunk_pages, begin,
                                            pagesolve_submit, finish,  end};
static const gla_backend gpu_backend = {
    .name = "stand-in",
    .device_count = device_count,
    .device_query = device_query,
    .model = model_engine,
    .open = open_engine,
    .close = close_engine,
    .kept = kept_by,
    .shrink = shrink,
    .slots = 1,
    .batch = {[GLA_BATCH_EIG] = &eig_ops,
              [GLA_BATCH_QR] = &qr_ops,
              [GLA_BATCH_PAGEMUL] = &product_ops,
              [GLA_BATCH_PAGESOLVE] = &pagesolve_ops},
};
static gla_backend cpu_backend; // the same
gla_backend_list gla_backends (void)
{
  return (gla_backend_list){&cpu_backend, &gpu_backend, "mocks"};
}

static void use_mocks (void)
{
  cpu_backend = gpu_backend;
  cpu_backend.name = "cpu";
  cpu_backend.kept = NULL;
  cpu_backend.shrink = NULL;
  main_thread = pthread_self ();
  model.base = (gla_engine){&gpu_backend, 0};
}

//------------------------------------------------------------------------------
// calls
//------------------------------------------------------------------------------

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

// tests/c/stand_ins.h: backends that compute nothing and take a known time for it
// SPDX-License-Identifier: GPL-3.0-or-later
//
// On a clock of its own, so that a busy machine changes nothing. use_stand_ins () comes first.

#ifndef STAND_INS_H
#define STAND_INS_H

#include "context.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

// What work takes, and how many times too long the backends' formulas say it takes.
static double cpu_page = 10e-6, gpu_call = 6e-3, gpu_page = 50e-9;
static double cpu_formula = 1, gpu_formula = 1;
static double start_seconds = 0.2, load_seconds; // to open a GPU; its first call
static int open_fails;                           // nonzero: it cannot be opened

static _Atomic int64_t ticks = 1;    // of the clock: nanoseconds
static _Atomic int opened, finished; // GPUs that are open, and chunks that they did
static _Atomic int counted;          // how often somebody asked for GPUs
static int fail;                     // the how many-th of these fails; 0: none
static double stall;                 // what the CPU takes longer
static _Atomic int64_t interrupted;  // times that other processes had a core
static int interrupting;             // times in each call
static _Atomic int64_t kept, pinned; // bytes that the GPU keeps
static int64_t memory_total = (int64_t)8 << 30;
static int64_t page_bytes = 1000; // device memory that a page takes

// Stand in for the system's in the library and in everything else: only work takes time, and the
// call itself.
int clock_gettime (clockid_t id, struct timespec *t)
{
  (void)id;
  const int64_t now = atomic_fetch_add (&ticks, 100);
  *t = (struct timespec){(time_t)(now / 1000000000), (long)(now % 1000000000)};
  return 0;
}
// A start that its context's thread waits for ends when this clock says so: the thread that makes
// it may come to run much later.
static _Atomic int held = 1, let_go;
static int most_naps = 20000;
static _Thread_local gla_context *current;
static void let_start_end (void)
{
  const gla_start *start = current != NULL ? current->start : NULL;
  const double now = 1e-9 * (double)atomic_load (&ticks);
  if (start != NULL && start->process == getpid ())
    atomic_store (&let_go, now >= start->begun + start_seconds);
}
int nanosleep (const struct timespec *wanted, struct timespec *left)
{
  (void)left;
  let_start_end ();
  if (!atomic_load (&let_go)) // otherwise the thread is only slow to run
    atomic_fetch_add (&ticks, (int64_t)wanted->tv_sec * 1000000000 + wanted->tv_nsec);
  usleep (20);
  return 0;
}
// Before a call: a start that is over by this clock has ended.
static void see_start_end (gla_context *ctx)
{
  current = ctx;
  let_start_end ();
  while (!gla_forked () && ctx->start != NULL && atomic_load (&let_go) &&
         atomic_load (&ctx->start->stage) != GLA_START_DONE)
    usleep (20);
}
int getrusage (__rusage_who_t who, struct rusage *usage)
{
  (void)who;
  memset (usage, 0, sizeof *usage);
  usage->ru_nivcsw = atomic_load (&interrupted);
  return 0;
}
static void pass (double seconds)
{
  atomic_fetch_add (&ticks, (int64_t)(seconds * 1e9));
}

typedef struct {
  gla_engine base;
  gla_eig_job job;
  const gla_eig_chunk *chunk;
  gla_qr_job qr_job;
  const gla_qr_chunk *qr_chunk;
  int loaded;
} engine;

static pthread_t main_thread;
static _Atomic (engine *) newest; // a process that was forked does not close it

static int device_count (char *why, size_t size)
{
  (void)why, (void)size;
  counted++;
  return 1;
}
static gla_status device_query (int device, gla_device_info *about)
{
  snprintf (about->name, sizeof about->name, "Stand in %d", device);
  about->major = about->multiprocessors = 9;
  about->memory_total = memory_total;
  about->memory_kept = device == GLA_HOST ? 0 : atomic_load (&kept);
  about->host_kept = device == GLA_HOST ? 0 : atomic_load (&pinned);
  about->started = atomic_load (&opened) > 0;
  about->memory_free = about->started ? about->memory_total - about->memory_kept : -1;
  return GLA_OK;
}
extern const gla_backend *const gla_backends[];
static engine model;
static gla_engine *model_engine (void)
{
  return &model.base;
}
// A thread beside the work is held until it may end, for 2 s where nobody says so.
static gla_status open_engine (int device, gla_engine **e)
{
  if (device != GLA_HOST && !pthread_equal (pthread_self (), main_thread)) {
    for (int k = 0; k < most_naps && atomic_load (&held) && !atomic_load (&let_go); k++)
      usleep (100);
  } else if (device != GLA_HOST)
    pass (start_seconds);
  if (device != GLA_HOST && open_fails)
    return GLA_DEVICE_FAILURE;
  engine *mine = calloc (1, sizeof *mine);
  mine->base = (gla_engine){gla_backends[device == GLA_HOST], device};
  *e = &mine->base;
  if (device != GLA_HOST) {
    newest = mine;
    opened++;
    pinned += 64;
  }
  return GLA_OK;
}
static void close_engine (gla_engine *e)
{
  if (e->device != GLA_HOST && --opened == 0)
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
static int supports (const gla_eig_job *job)
{
  return job->n <= 1000;
}
static double predict (gla_engine *e, const gla_eig_job *job, int64_t pages)
{
  (void)job;
  return e->device == GLA_HOST ? cpu_formula * (double)pages * cpu_page
                               : gpu_formula * (gpu_call + (double)pages * gpu_page);
}
static int64_t chunk_pages (gla_engine *e, const gla_eig_job *job, int64_t pages)
{
  (void)e, (void)job;
  return pages;
}
static gla_status begin (gla_engine *e, const gla_eig_job *job, int64_t pages)
{
  (void)pages;
  ((engine *)e)->job = *job;
  return GLA_OK;
}
static gla_status submit (gla_engine *e, int slot, const gla_eig_chunk *chunk)
{
  (void)slot;
  ((engine *)e)->chunk = chunk;
  return GLA_OK;
}
// Takes the time of so many pages, or fails.
static gla_status work (engine *e, const gla_monitor *monitor, int64_t pages)
{
  if (e->base.device != GLA_HOST && ++finished == fail)
    return GLA_DEVICE_FAILURE;
  interrupted += interrupting;
  if (e->base.device == GLA_HOST)
    pass ((double)pages * cpu_page + stall);
  else
    pass (gpu_call + (double)pages * gpu_page + (e->loaded ? 0 : load_seconds));
  if (e->base.device != GLA_HOST && kept < pages * page_bytes)
    kept = pages * page_bytes;
  e->loaded = 1;
  return monitor->poll (monitor->user, pages) ? GLA_STOPPED : GLA_OK;
}
static gla_status finish (gla_engine *e, int slot)
{
  (void)slot;
  engine *mine = (engine *)e;
  memset (mine->chunk->info, 0, (size_t)mine->chunk->A.pages * sizeof *mine->chunk->info);
  return work (mine, &mine->job.monitor, mine->chunk->A.pages);
}
static void end (gla_engine *e)
{
  (void)e;
}

// The same of QR.
static int qr_supports (const gla_qr_job *job)
{
  return job->n <= 5000;
}
static double qr_predict (gla_engine *e, const gla_qr_job *job, int64_t pages)
{
  (void)job;
  return predict (e, NULL, pages);
}
static int64_t qr_chunk_pages (gla_engine *e, const gla_qr_job *job, int64_t pages)
{
  (void)e, (void)job;
  return pages;
}
static gla_status qr_begin (gla_engine *e, const gla_qr_job *job, int64_t pages)
{
  (void)pages;
  ((engine *)e)->qr_job = *job;
  return GLA_OK;
}
static gla_status qr_submit (gla_engine *e, int slot, const gla_qr_chunk *chunk)
{
  (void)slot;
  ((engine *)e)->qr_chunk = chunk;
  return GLA_OK;
}
static gla_status qr_finish (gla_engine *e, int slot)
{
  (void)slot;
  engine *mine = (engine *)e;
  return work (mine, &mine->qr_job.monitor, mine->qr_chunk->A.pages);
}

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
    .eig_supports = supports,
    .eig_seconds = predict,
    .eig_chunk_pages = chunk_pages,
    .eig_begin = begin,
    .eig_submit = submit,
    .eig_finish = finish,
    .eig_end = end,
    .qr_supports = qr_supports,
    .qr_seconds = qr_predict,
    .qr_chunk_pages = qr_chunk_pages,
    .qr_begin = qr_begin,
    .qr_submit = qr_submit,
    .qr_finish = qr_finish,
    .qr_end = end,
};
static gla_backend cpu_backend; // the same
const gla_backend *const gla_backends[] = {&gpu_backend, &cpu_backend, NULL};

static void use_stand_ins (void)
{
  cpu_backend = gpu_backend;
  cpu_backend.name = "cpu";
  cpu_backend.kept = NULL;
  cpu_backend.shrink = NULL;
  main_thread = pthread_self ();
  model.base = (gla_engine){&gpu_backend, 0};
}

#endif

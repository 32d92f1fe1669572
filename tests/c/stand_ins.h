// tests/c/stand_ins.h: backends that compute nothing and take a known time for it
// SPDX-License-Identifier: GPL-3.0-or-later
//
// On a clock of its own, so that a busy machine changes nothing. use_stand_ins () comes first.

#ifndef STAND_INS_H
#define STAND_INS_H

#include "backend.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The CPU takes 10 us for a page, the GPU 6 ms for a call.
static const double cpu_page = 10e-6, gpu_call = 6e-3, gpu_page = 50e-9;

static _Atomic int64_t ticks = 1; // of the clock: nanoseconds
static int opened, finished;      // GPUs that are open, and chunks that they did
static int fail;                  // the how many-th of these fails; 0: none
static double stall;              // what the CPU takes longer for 16 to 63 pages

// Stands in for the system's in the library and in everything else: only work takes time, and the
// call itself.
int clock_gettime (clockid_t id, struct timespec *t)
{
  (void)id;
  const int64_t now = atomic_fetch_add (&ticks, 100);
  *t = (struct timespec){(time_t)(now / 1000000000), (long)(now % 1000000000)};
  return 0;
}

typedef struct {
  gla_engine base;
  gla_eig_job job;
  const gla_eig_chunk *chunk;
  gla_qr_job qr_job;
  const gla_qr_chunk *qr_chunk;
} engine;

static int device_count (char *why, size_t size)
{
  (void)why, (void)size;
  return 1;
}
static gla_status device_query (int device, gla_device_info *about)
{
  snprintf (about->name, sizeof about->name, "Stand in %d", device);
  about->major = about->multiprocessors = 9;
  return GLA_OK;
}
static gla_status open_engine (int device, gla_engine **e)
{
  engine *mine = calloc (1, sizeof *mine);
  mine->base = (gla_engine){gla_backends[device == GLA_HOST], device};
  *e = &mine->base;
  opened += device != GLA_HOST;
  return GLA_OK;
}
static void close_engine (gla_engine *e)
{
  opened -= e->device != GLA_HOST;
  free (e);
}
static int supports (const gla_eig_job *job)
{
  return job->n <= 1000;
}
// The GPU's is far too good, so that only a measurement sends work to the CPU.
static double predict (gla_engine *e, const gla_eig_job *job, int64_t pages)
{
  (void)job;
  return e->device == GLA_HOST ? (double)pages * cpu_page : 1e-6 + 1e-12 * (double)pages;
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
static gla_status work (const gla_engine *e, const gla_monitor *monitor, int64_t pages)
{
  if (e->device != GLA_HOST && ++finished == fail)
    return GLA_DEVICE_FAILURE;
  double seconds =
      e->device == GLA_HOST ? (double)pages * cpu_page : gpu_call + (double)pages * gpu_page;
  if (e->device == GLA_HOST && pages >= 16 && pages < 64)
    seconds += stall;
  atomic_fetch_add (&ticks, (int64_t)(seconds * 1e9));
  return monitor->poll (monitor->user, pages) ? GLA_STOPPED : GLA_OK;
}
static gla_status finish (gla_engine *e, int slot)
{
  (void)slot;
  const engine *mine = (engine *)e;
  memset (mine->chunk->info, 0, (size_t)mine->chunk->A.pages * sizeof *mine->chunk->info);
  return work (e, &mine->job.monitor, mine->chunk->A.pages);
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
  const engine *mine = (engine *)e;
  return work (e, &mine->qr_job.monitor, mine->qr_chunk->A.pages);
}

static const gla_backend gpu_backend = {
    .name = "stand-in",
    .device_count = device_count,
    .device_query = device_query,
    .open = open_engine,
    .close = close_engine,
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
}

#endif

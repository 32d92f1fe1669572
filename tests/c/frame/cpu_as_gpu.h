// cpu_as_gpu.h: the CPU backend under another name, as a GPU of one operation, or as several
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef CPU_AS_GPU_H
#define CPU_AS_GPU_H

#include "arrays/job.h"
#include "backend.h"

#include <string.h>

enum { CHUNK = 4 }; // pages

static gla_batch_ops gpu_ops;
static gla_backend gpu_backend;
gla_backend_list gla_backends (void)
{
  return (gla_backend_list){&gla_backend_cpu, &gpu_backend, "a stand-in"};
}

static inline int device_count (char *why, size_t size)
{
  if (size > 0)
    why[0] = '\0';
  return 1;
}

static inline gla_status open_gpu (int device, gla_engine **engine)
{
  const gla_status status = gla_backend_cpu.open (device, engine);
  if (status == GLA_OK)
    (*engine)->backend = &gpu_backend;
  return status;
}

static inline int64_t chunk_pages (gla_engine *engine, const gla_job *job, int64_t pages)
{
  (void)engine, (void)job;
  return pages < CHUNK ? pages : CHUNK;
}

// The GPU submits and finishes chunks of the operation by these functions.
static inline void make_gpu (gla_batch_op row,
                             gla_status (*submit) (gla_engine *, int, const void *),
                             gla_status (*finish) (gla_engine *, int))
{
  gpu_ops = *gla_backend_cpu.batch[row];
  gpu_ops.chunk_pages = chunk_pages;
  gpu_ops.submit = submit;
  gpu_ops.finish = finish;
  gpu_backend = gla_backend_cpu;
  gpu_backend.name = "stand-in";
  gpu_backend.device_count = device_count;
  gpu_backend.open = open_gpu;
  gpu_backend.batch[row] = &gpu_ops;
}

//------------------------------------------------------------------------------
// memory of the host as that of the GPU
//------------------------------------------------------------------------------

static gla_status of_copies; // what copies end with; they copy if it is GLA_OK
static int64_t copies;

static inline gla_status copy_bytes (gla_engine *engine, void *to, const void *from, size_t bytes)
{
  (void)engine;
  copies++;
  if (of_copies == GLA_OK)
    memcpy (to, from, bytes);
  return of_copies;
}

static inline void watch_nothing (gla_engine *engine, const gla_monitor *monitor)
{
  (void)engine, (void)monitor;
}

static inline gla_status wait_for_nothing (gla_engine *engine)
{
  (void)engine;
  return GLA_OK;
}

static inline int supports_all (const gla_job *job)
{
  (void)job;
  return 1;
}

// The GPU also does jobs with arrays in its memory. After make_gpu.
static inline void make_gpu_memory (void)
{
  static const gla_nd_ops nd = {
      .put = copy_bytes, .get = copy_bytes, .watch = watch_nothing, .wait = wait_for_nothing};
  gpu_backend.nd = &nd;
  gpu_ops.supports = supports_all;
}

//------------------------------------------------------------------------------
// several GPUs
//------------------------------------------------------------------------------

static int gpus_there, open_fails; // how many, and the one that does not open; -1: all do

static inline int count_gpus (char *why, size_t size)
{
  if (size > 0)
    why[0] = '\0';
  return gpus_there;
}

static inline gla_status open_numbered (int device, gla_engine **engine)
{
  if (device == open_fails)
    return GLA_ERROR_DEVICE_FAILURE;
  const gla_status status = open_gpu (device, engine);
  if (status == GLA_OK)
    (*engine)->device = device;
  return status;
}

// After make_gpu.
static inline void make_gpus (int count)
{
  gpus_there = count;
  gpu_backend.device_count = count_gpus;
  gpu_backend.open = open_numbered;
}

#endif

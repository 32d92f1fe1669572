// cpu_as_gpu_memory.h: memory of the host as that of the GPU of cpu_as_gpu.h
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef CPU_AS_GPU_MEMORY_H
#define CPU_AS_GPU_MEMORY_H

#include "cpu_as_gpu.h"
#include "arrays/job.h"

#include <string.h>

static gla_status of_copies; // what copies end with; they copy if it is GLA_OK
static int64_t copies;

static gla_status copy_bytes (gla_engine *engine, void *to, const void *from, size_t bytes)
{
  (void)engine;
  copies++;
  if (of_copies == GLA_OK)
    memcpy (to, from, bytes);
  return of_copies;
}

static void watch_nothing (gla_engine *engine, const gla_monitor *monitor)
{
  (void)engine, (void)monitor;
}

static gla_status wait_for_nothing (gla_engine *engine)
{
  (void)engine;
  return GLA_OK;
}

static int supports_all (const gla_job *job)
{
  (void)job;
  return 1;
}

// The GPU also does jobs with arrays in its memory. After make_gpu.
static void make_gpu_memory (void)
{
  static const gla_nd_ops nd = {
      .put = copy_bytes, .get = copy_bytes, .watch = watch_nothing, .wait = wait_for_nothing};
  gpu_backend.nd = &nd;
  gpu_ops.supports = supports_all;
}

#endif

// cpu_as_gpu.h: the CPU backend under another name, as a GPU of one operation
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef CPU_AS_GPU_H
#define CPU_AS_GPU_H

#include "backend.h"

enum { CHUNK = 4 }; // pages

static gla_batch_ops gpu_ops;
static gla_backend gpu_backend;
const gla_backend *const gla_backends[] = {&gpu_backend, &gla_backend_cpu, NULL};

static int device_count (char *why, size_t size)
{
  if (size > 0)
    why[0] = '\0';
  return 1;
}

static gla_status open_gpu (int device, gla_engine **engine)
{
  const gla_status status = gla_backend_cpu.open (device, engine);
  if (status == GLA_OK)
    (*engine)->backend = &gpu_backend;
  return status;
}

static int64_t chunk_pages (gla_engine *engine, const gla_job *job, int64_t pages)
{
  (void)engine, (void)job;
  return pages < CHUNK ? pages : CHUNK;
}

// The GPU submits and finishes chunks of the operation by these functions.
static void make_gpu (gla_batch_op row, gla_status (*submit) (gla_engine *, int, const void *),
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

#endif

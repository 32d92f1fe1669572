// backend.c: the CPU as a backend
// SPDX-License-Identifier: GPL-3.0-or-later

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "common/system.h"
#include "engine.h"
#include "isa.h"
#include "lanczos/job.h"

#define DECLARE(number, name) extern const gla_batch_ops gla_cpu_##name##_ops;
GLA_ROWS (DECLARE, DECLARE, GLA_ROW_NONE)
extern const gla_spmv_ops gla_cpu_spmv_ops;
extern const gla_krylov_ops gla_cpu_krylov_ops;
gla_status gla_cpu_finish_pages (gla_engine *engine, const gla_pages_job *job);

//------------------------------------------------------------------------------
// the device
//------------------------------------------------------------------------------

// Returns 0 if GPULINALG_ISA names an instruction set that cannot be used.
static int device_count (char *why, size_t why_size)
{
  if (why_size > 0)
    why[0] = '\0';
  return gla_cpu_isa_here (why, why_size) >= 0;
}

static gla_status device_query (int device, gla_device_info *info)
{
  (void)device;
  memset (info, 0, sizeof *info);
  if (!gla_processor_name (info->name, sizeof info->name))
    snprintf (info->name, sizeof info->name, "CPU");
  info->multiprocessors = gla_pool_threads ();
  info->memory_total = gla_memory_total ();
  info->memory_free = gla_memory_available ();
  return GLA_OK;
}

//------------------------------------------------------------------------------
// engines
//------------------------------------------------------------------------------

gla_status gla_cpu_engine_take (gla_cpu_engine *e, size_t bytes)
{
  const size_t total = bytes + 64;
  if (total > e->work_capacity) {
    free (e->work_block);
    e->work_capacity = 0;
    e->work_block = malloc (total);
    if (!e->work_block)
      return GLA_ERROR_OUT_OF_MEMORY;
    e->work_capacity = total;
  }
  e->work = (char *)(((uintptr_t)e->work_block + 63) / 64 * 64);
  return GLA_OK;
}

static gla_status open_engine (int device, gla_engine **engine)
{
  *engine = NULL;
  char why[128];
  const int isa = gla_cpu_isa_here (why, sizeof why);
  if (isa < 0)
    return GLA_ERROR_BAD_ARGUMENT;
  gla_cpu_engine *e = calloc (1, sizeof *e);
  if (!e)
    return GLA_ERROR_OUT_OF_MEMORY;
  e->base.backend = &gla_backend_cpu;
  e->base.device = device;
  e->isa = isa;
  e->threads_max = gla_pool_threads ();
  *engine = &e->base;
  return GLA_OK;
}

static void close_engine (gla_engine *engine)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  if (!e)
    return;
  gla_cpu_krylov_ops.end (engine);
  free (e->work_block);
  free (e);
}

#define ENTRY(number, name) [GLA_BATCH_##number] = &gla_cpu_##name##_ops,
const gla_backend gla_backend_cpu = {
    .name = "cpu",
    .device_count = device_count,
    .device_query = device_query,
    .open = open_engine,
    .close = close_engine,
    .slots = 1,
    .batch = {GLA_ROWS (ENTRY, ENTRY, GLA_ROW_NONE)},
    .spmv = &gla_cpu_spmv_ops,
    .krylov = &gla_cpu_krylov_ops,
    .finish_pages = gla_cpu_finish_pages,
};

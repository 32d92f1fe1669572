// backend.c: the CPU as a backend
// SPDX-License-Identifier: GPL-3.0-or-later

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine.h"
#include "isa.h"

//------------------------------------------------------------------------------
// the device
//------------------------------------------------------------------------------

// 0 where GPULINALG_ISA names an instruction set that cannot be used.
static int device_count (char *why, size_t why_size)
{
  if (why_size > 0)
    why[0] = '\0';
  return gla_cpu_isa_here (why, why_size) != NULL;
}

// Value of the first line of a file in /proc that starts with `key`, behind its colon.
static int read_line (const char *file, const char *key, char *value, size_t size)
{
  FILE *f = fopen (file, "r");
  if (!f)
    return 0;
  char line[512];
  int found = 0;
  while (!found && fgets (line, sizeof line, f))
    if (strncmp (line, key, strlen (key)) == 0) {
      char *p = strchr (line, ':');
      p = p ? p + 1 + strspn (p + 1, " \t") : line;
      p[strcspn (p, "\n")] = '\0';
      size_t length = strlen (p) < size ? strlen (p) : size - 1;
      memcpy (value, p, length);
      value[length] = '\0';
      found = 1;
    }
  fclose (f);
  return found;
}

static gla_status device_query (int device, gla_device_info *info)
{
  (void)device;
  memset (info, 0, sizeof *info);
  if (!read_line ("/proc/cpuinfo", "model name", info->name, sizeof info->name))
    snprintf (info->name, sizeof info->name, "CPU");
  info->multiprocessors = gla_pool_threads ();
  info->memory_total = (int64_t)sysconf (_SC_PHYS_PAGES) * sysconf (_SC_PAGESIZE);
  info->memory_free = (int64_t)sysconf (_SC_AVPHYS_PAGES) * sysconf (_SC_PAGESIZE);
  char text[64];
  if (read_line ("/proc/meminfo", "MemAvailable", text, sizeof text))
    info->memory_free = strtoll (text, NULL, 10) * 1024;
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
  const gla_cpu_isa *isa = gla_cpu_isa_here (why, sizeof why);
  if (!isa)
    return GLA_ERROR_BAD_ARGUMENT;
  gla_cpu_engine *e = calloc (1, sizeof *e);
  if (!e)
    return GLA_ERROR_OUT_OF_MEMORY;
  e->base.backend = &gla_backend_cpu;
  e->base.device = device;
  e->eig_kernels = isa->eig;
  e->qr_kernels = isa->qr;
  e->gsvd_kernels = isa->gsvd;
  e->least_squares_kernels = isa->least_squares;
  e->spmv_kernels = isa->spmv;
  e->product_kernels = isa->product;
  e->solve_kernels = isa->solve;
  e->pairs_kernels = isa->pairs;
  e->svd_kernels = isa->svd;
  e->geev_kernels = isa->geev;
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

const gla_backend gla_backend_cpu = {
    .name = "cpu",
    .device_count = device_count,
    .device_query = device_query,
    .open = open_engine,
    .close = close_engine,
    .slots = 1,
    .batch = {[GLA_BATCH_EIG] = &gla_cpu_eig_ops,
              [GLA_BATCH_QR] = &gla_cpu_qr_ops,
              [GLA_BATCH_GSVD] = &gla_cpu_gsvd_ops,
              [GLA_BATCH_PAGENORM] = &gla_cpu_pagenorm_ops,
              [GLA_BATCH_PAGEMUL] = &gla_cpu_pagemul_ops,
              [GLA_BATCH_PAGESOLVE] = &gla_cpu_pagesolve_ops,
              [GLA_BATCH_PENCIL] = &gla_cpu_pencil_ops,
              [GLA_BATCH_SVD] = &gla_cpu_svd_ops,
              [GLA_BATCH_GEEV] = &gla_cpu_geev_ops},
    .spmv = &gla_cpu_spmv_ops,
    .krylov = &gla_cpu_krylov_ops,
    .finish_pages = gla_cpu_finish_pages,
};

// backend.c: the CPU as a backend
// SPDX-License-Identifier: GPL-3.0-or-later

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine.h"

//------------------------------------------------------------------------------
// the device
//------------------------------------------------------------------------------

static int device_count (char *why, size_t why_size)
{
  if (why_size > 0)
    why[0] = '\0';
  return 1;
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
  info->multiprocessors = omp_get_max_threads ();
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

static const gla_cpu_eig_kernel *kernels_of_processor (void)
{
#ifdef GLA_CPU_X86
  __builtin_cpu_init ();
  if (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512dq") &&
      __builtin_cpu_supports ("avx512vl"))
    return gla_cpu_eig_avx512;
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    return gla_cpu_eig_avx2;
#endif
  return gla_cpu_eig_base;
}

static gla_status open_engine (int device, gla_engine **engine)
{
  gla_cpu_engine *e = calloc (1, sizeof *e);
  *engine = NULL;
  if (!e)
    return GLA_OUT_OF_MEMORY;
  e->base.backend = &gla_backend_cpu;
  e->base.device = device;
  e->kernels = kernels_of_processor ();
  e->threads_max = omp_get_max_threads ();
  *engine = &e->base;
  return GLA_OK;
}

static void close_engine (gla_engine *engine)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  if (!e)
    return;
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
    .eig_supports = gla_cpu_eig_supports,
    .eig_seconds = gla_cpu_eig_seconds,
    .eig_chunk_pages = gla_cpu_eig_chunk_pages,
    .eig_begin = gla_cpu_eig_begin,
    .eig_submit = gla_cpu_eig_submit,
    .eig_finish = gla_cpu_eig_finish,
    .eig_end = gla_cpu_eig_end,
};

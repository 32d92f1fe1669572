// backends.c: the CPU, and the GPUs where the plugin for them is there
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The plugin is opened by the first call of a process and stays. It is built where configure finds
// nvcc, and serves every Octave and every program with the library of its version.

#include "common/host_memory.h"
#include "common/plugin_file.h"
#include "common/system.h"
#include "plugin.h"
#include "threads/schedule.h"

#include <stdio.h>
#include <string.h>

#define PLUGIN_NAME "__gpulinalg_cuda__.oct"

static const gla_host host = {
    .host_threads = gla_host_threads,
    .host_prefault = gla_host_prefault,
    .host_is_touched = gla_host_is_touched,
    .pool_for = gla_pool_for,
    .pool_watched = gla_pool_watched,
    .yield = gla_yield,
};

static char about[4608]; // the file of the plugin, or why there is none

// The backend in the file, or NULL.
static const gla_backend *open_file (const char *path)
{
  void *file = gla_library_open (path);
  if (file == NULL) {
    snprintf (about, sizeof about, "the plugin for GPUs cannot be opened: %s",
              gla_library_error ());
    return NULL;
  }
  gla_plugin_function *function;
  void *symbol = gla_library_symbol (file, GLA_PLUGIN_SYMBOL);
  memcpy (&function, &symbol, sizeof function);
  if (symbol == NULL) {
    snprintf (about, sizeof about, "%s is no plugin of gpulinalg for GPUs", path);
    return NULL;
  }
  const gla_plugin *plugin = function (&host);
  if (strcmp (plugin->interface, GLA_INTERFACE) != 0) {
    snprintf (about, sizeof about, "the plugin for GPUs, %s, is of gpulinalg %s, and this is %s",
              path, plugin->interface, GLA_INTERFACE);
    return NULL;
  }
  gla_stay_loaded (&host);
  snprintf (about, sizeof about, "%s", path);
  return plugin->backend;
}

static const gla_backend *gpu;

static void find_gpu (void)
{
  char path[4096];
  if (gla_plugin_file (PLUGIN_NAME, "GPULINALG_CUDA_PLUGIN", path, sizeof path))
    gpu = open_file (path);
  else
    snprintf (about, sizeof about, "no plugin for GPUs: %s is not there", path);
}

gla_backend_list gla_backends (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, find_gpu);
  return (gla_backend_list){.cpu = &gla_backend_cpu, .gpu = gpu, .about = about};
}

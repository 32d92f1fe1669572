// plugin.c: the CUDA backend as a file of its own
// SPDX-License-Identifier: GPL-3.0-or-later
//
// src/backends.c opens it. What the kernels ask of the library goes to the library that opened the
// file first: its threads are those of the process.

#include "plugin.h"

#include "common/host_memory.h"
#include "threads/schedule.h"

static const gla_host *library;

__attribute__ ((visibility ("default"))) const gla_plugin *gla_plugin_cuda (const gla_host *host);

const gla_plugin *gla_plugin_cuda (const gla_host *host)
{
  static const gla_plugin plugin = {.interface = GLA_INTERFACE, .backend = &gla_backend_cuda};
  if (library == NULL)
    library = host;
  return &plugin;
}

int gla_host_threads (void)
{
  return library->host_threads ();
}

void gla_host_prefault (void *memory, size_t bytes)
{
  library->host_prefault (memory, bytes);
}

int gla_host_is_touched (const void *memory, size_t bytes)
{
  return library->host_is_touched (memory, bytes);
}

void gla_pool_for (int64_t pieces, int most, gla_pool_work work, void *user)
{
  library->pool_for (pieces, most, work, user);
}

void gla_pool_watched (int64_t pieces, int most, gla_pool_work work, void *user,
                       void (*watch) (void *), void *watch_user)
{
  library->pool_watched (pieces, most, work, user, watch, watch_user);
}

void gla_yield (void)
{
  library->yield ();
}

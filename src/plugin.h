// plugin.h: what the library and its plugin for GPUs tell each other
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The plugin is a file of its own with all CUDA code and the CUDA runtime. src/backends.c opens it
// and takes its backend; kernels/engine/plugin.c is the other side. The plugin has copies of those
// functions of the library that keep nothing, and is given those that do.

#ifndef GPULINALG_PLUGIN_H
#define GPULINALG_PLUGIN_H

#include "backend.h"
#include "threads/pool.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Functions of the library for the plugin; they stay for the life of the process.
typedef struct {
  int (*host_threads) (void);
  void (*host_prefault) (void *memory, size_t bytes);
  int (*host_is_touched) (const void *memory, size_t bytes);
  void (*pool_for) (int64_t pieces, int most, gla_pool_work work, void *user);
  void (*pool_watched) (int64_t pieces, int most, gla_pool_work work, void *user,
                        void (*watch) (void *), void *watch_user);
  void (*yield) (void);
} gla_host;

// `interface` names the version and the headers of src/, and is compared before the rest is read.
typedef struct {
  const char *interface;
  const gla_backend *backend;
} gla_plugin;

// The one symbol of the plugin.
#define GLA_PLUGIN_SYMBOL "gla_plugin_cuda"
typedef const gla_plugin *gla_plugin_function (const gla_host *host);

#ifdef __cplusplus
}
#endif

#endif

// context.h: the inside of gla_context, for src/ only
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CONTEXT_H
#define GPULINALG_CONTEXT_H

#include "backend.h"

enum { GLA_MAX_DEVICES = 64 };

typedef struct gla_costs gla_costs;

struct gla_context {
  // callbacks, each with its user pointer; NULL: none
  int (*stop) (void *);
  void *stop_user;
  void (*progress) (void *, int64_t, int64_t);
  void *progress_user;
  void (*swept) (void *, int64_t, int64_t, int);
  void *swept_user;
  void (*warning) (void *, const char *, const char *);
  void *warning_user;

  // where to run
  gla_place place;
  int devices[GLA_MAX_DEVICES];
  int n_devices;

  // engines, opened at first need and kept; a lost GPU is one that failed in this process
  gla_engine *cpu;
  gla_engine *gpus[GLA_MAX_DEVICES];
  char lost[GLA_MAX_DEVICES];
  const gla_backend *gpu_backend; // NULL where there is no GPU
  const gla_backend *cpu_backend;
  int n_gpus;

  // for "auto"
  gla_costs *costs; // what calls take here (costs.h), NULL until it is needed
  double spared;    // seconds of calls that the CPU did because no GPU was open

  char message[512];
  char note[512];
};

// Sets the message (printf style) and returns the status.
gla_status gla_fail (gla_context *ctx, gla_status status, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

// Hands a warning to the callback, if there is one.
void gla_warn (gla_context *ctx, const char *id, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

// Opens (once) the CPU or a GPU.
gla_status gla_context_cpu (gla_context *ctx, gla_engine **engine);
gla_status gla_context_gpu (gla_context *ctx, int device, gla_engine **engine);

// Closes a GPU that failed; later calls do not use it.
void gla_context_lose (gla_context *ctx, int device);

#endif

// start.h: starts a GPU in the background, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later
//
// In a fresh process the driver takes 0.1 s to count the GPUs, and as long again to open one. So it
// is called only when that is needed, and with "auto" a thread does it while the CPU works. The
// thread uses its gla_start only, never a context.

#ifndef GPULINALG_START_H
#define GPULINALG_START_H

#include "common/system.h"
#include "row.h"

#include <stdatomic.h>

// The GPUs of this machine.
typedef struct {
  const gla_backend *backend; // NULL where there is none
  int count;
  char why[384]; // why there is none
} gla_gpus;

void gla_gpus_query (gla_gpus *gpus);

// Whether this process was forked from one that had called the driver. Then it must not use a GPU,
// because the driver does not support that.
int gla_forked (void);

typedef enum { GLA_START_COUNTING, GLA_START_OPENING, GLA_START_DONE } gla_start_stage;

typedef struct gla_start {
  int device;        // to be opened
  double begun;      // by the system's clock
  _Atomic int stage; // a gla_start_stage
  gla_gpus gpus;     // from GLA_START_OPENING on
  gla_engine
      *engine; // from GLA_START_DONE on; NULL: it could not be opened, or the start was cancelled
  gla_status status;
  // for start.c
  _Atomic int cancelled;
  int joined;
  int64_t process;
  pthread_t thread;
  struct gla_start *next;
} gla_start;

// Returns NULL if there is no memory or no thread for it. gla_start_end ends it.
gla_start *gla_start_begin (int device);
// Waits for the thread, which opens no engine if it has not yet begun to, frees the start and
// returns the engine or NULL.
gla_engine *gla_start_end (gla_start *start);

#endif

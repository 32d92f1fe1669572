// start.h: starting a GPU beside the work, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later
//
// To ask the driver for its GPUs takes 0.1 s in a fresh process, and to open one as much again. So
// nobody asks before it matters, and "auto" has a thread do it while the CPU works. The thread
// touches its gla_start alone, never a context.

#ifndef GPULINALG_START_H
#define GPULINALG_START_H

#include "backend.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

// The GPUs of this machine.
typedef struct {
  const gla_backend *backend; // the first of the build's that has one, or NULL
  int count;
  char why[384]; // there is none
} gla_census;

void gla_census_take (gla_census *census);

// Whether this process was forked from one that had asked the driver: then it must not use a GPU,
// the driver does not survive a fork.
int gla_forked (void);

typedef enum { GLA_START_COUNTING, GLA_START_OPENING, GLA_START_DONE } gla_start_stage;

typedef struct gla_start {
  int device;         // to be opened
  double begun;       // by the system's clock
  _Atomic int stage;  // a gla_start_stage
  gla_census census;  // from GLA_START_OPENING on
  gla_engine *engine; // from GLA_START_DONE on; NULL: it could not be opened, or is wanted no more
  gla_status status;
  double seconds; // what all of it took
  // for start.c
  _Atomic int cancelled;
  int joined;
  pid_t process;
  pthread_t thread;
  struct gla_start *next;
} gla_start;

// NULL where there is no memory or no thread for it. To be ended by gla_start_end.
gla_start *gla_start_begin (int device);
// Waits for the thread, which opens no engine any more where it has not begun to, frees the start
// and returns the engine or NULL.
gla_engine *gla_start_end (gla_start *start);

double gla_now (void); // seconds of a clock that is never set

#endif

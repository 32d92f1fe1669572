// choose.h: chooses where a call runs, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Formulas of the backends predict the time of a call on the processors of this process, and on the
// GPU. They depend on the call alone, so the same call has the same place, and therefore the same
// bits, except once when the GPU has started.

#ifndef GPULINALG_CHOOSE_H
#define GPULINALG_CHOOSE_H

#include "context.h"

// What the choice of the place needs of an operation. `call` is its description of one call.
typedef struct {
  const char *unsupported; // message where the call needs a GPU that cannot do it
  int (*supports) (const gla_backend *backend, const void *call);
  double (*seconds) (gla_engine *engine, const void *call, int64_t pages);
} gla_placing;

// A call from the choice of its place to its end.
typedef struct {
  const gla_placing *placing;
  int64_t pages;
  int devices[GLA_MAX_DEVICES]; // GPUs to use; none: the CPU
  int count;
  // for choose.c
  int missed_gpu; // it runs on the CPU only because no GPU is open
  double on_gpu;  // predicted there
  double begun;
} gla_choice;

// Chooses for arrays on data_device (GLA_DEVICE_HOST or a GPU), by the context's place. With
// GLA_PLACE_AUTO a GPU may be started in the background, or waited for if that is much shorter than
// the call on the CPU. GLA_ERROR_STOPPED if the user stops the wait.
gla_status gla_choose (gla_context *ctx, const gla_placing *placing, const void *call,
                       int64_t pages, int data_device, gla_choice *choice);
// Must be called at the end of the call, also after an error.
void gla_choice_end (gla_context *ctx, const gla_choice *choice);

#endif

// place.h: runs a call in the place that is chosen for it, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PLACE_H
#define GPULINALG_PLACE_H

#include "choose.h"

// What GPUs have done of a call.
typedef struct {
  int device;         // the first GPU that worked, or GLA_DEVICE_HOST
  gla_status failure; // why one of them failed; GLA_OK: none did
  int undone;         // nonzero: something is left for the CPU
} gla_outcome;

// How a call is done, in either place. Work that a failed GPU leaves is no error.
typedef struct {
  // NULL: one GPU does all, by `on_engine`.
  gla_status (*on_gpus) (void *call, const int *devices, int count, gla_outcome *outcome);
  // Does the whole call, or what GPUs have left of it.
  gla_status (*on_engine) (void *call, gla_engine *engine);
} gla_placed_work;

typedef struct {
  const gla_placing *placing;
  const gla_placed_work *work;
  void *call; // the operation's description of the call
  int64_t pages;
  int data_device; // where the arrays are: GLA_DEVICE_HOST or a GPU
} gla_placed;

// Says what the status of a GPU's work means for the call. If the GPU failed or had too little
// memory the outcome says so, the GPU is closed if it failed, and GLA_OK leaves the call to the
// CPU.
gla_status gla_place_note (gla_context *ctx, gla_status status, int device, gla_outcome *outcome);

// Chooses the place and does the call there. What GPUs cannot do because they fail or have too
// little memory, the CPU does with one warning, unless the arrays are on a GPU. *device becomes the
// first GPU that worked, or GLA_DEVICE_HOST.
gla_status gla_place_call (gla_context *ctx, const gla_placed *placed, int *device);

#endif

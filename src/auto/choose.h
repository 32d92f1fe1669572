// choose.h: where a call runs, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Formulas of the backends predict the time of a call. They were fitted to one machine: they know
// where methods change and how time grows with the sizes and the number of pages, not how fast this
// machine is. So the time of each call is measured, and its ratio to the prediction is kept
// (costs.h) and corrects the formula from then on. An operation says which calls are alike.

#ifndef GPULINALG_CHOOSE_H
#define GPULINALG_CHOOSE_H

#include "context.h"

// A kind of calls: the key of its cost (one word), and the weight of the kind for a call between
// several; weights add up to 1.
typedef struct {
  char key[32];
  double weight;
} gla_kind;

enum { GLA_KINDS = 4 };

// What the choice of the place needs of an operation. `call` is its description of one call.
typedef struct {
  const char *name;        // one word
  const char *unsupported; // message where the call needs a GPU that cannot do it
  int (*supports) (const gla_backend *backend, const void *call);
  double (*seconds) (gla_engine *engine, const void *call, int64_t pages);
  // Lists the kinds of the call, at most GLA_KINDS, and returns their number. NULL: the formula
  // alone decides.
  int (*kinds) (const void *call, gla_kind *kinds);
} gla_placing;

// A call from the choice of its place to its end.
typedef struct {
  const gla_placing *placing;
  int64_t pages;
  int devices[GLA_MAX_DEVICES]; // GPUs to use; none: the CPU
  int count;
  // for choose.c
  int worth_noting; // whether its time is worth noting
  int place;        // GLA_DEVICE_HOST or the GPU
  int cold;         // the first of its kind on that GPU in this process
  int missed_gpu;   // it runs on the CPU only because no GPU is open
  double on_gpu;    // predicted there
  double formula;   // predicted where it runs, by the formula alone
  double expected;  // the same, corrected
  double begun;
  int64_t switches; // involuntary context switches of the process, when it began
  gla_kind kind;    // the nearest
} gla_choice;

// Chooses for arrays on data_device (GLA_DEVICE_HOST or a GPU), by the context's place. With
// GLA_PLACE_AUTO a GPU may be started in the background, or waited for where that is much shorter
// than the call on the CPU. GLA_ERROR_STOPPED where the user stops the wait.
gla_status gla_choose (gla_context *ctx, const gla_placing *placing, const void *call,
                       int64_t pages, int data_device, gla_choice *choice);
// To be called when the call has ended, well or not. `device` is the place that did all of it, or
// GLA_NOWHERE.
void gla_choice_end (gla_context *ctx, const gla_choice *choice, int device);
enum { GLA_NOWHERE = -2 };

// For `kinds`: the position of x in an ascending grid, from 0 to count-1, interpolated in the
// logarithm.
double gla_place_in (const int64_t *grid, int count, double x);
// Kinds for a size between two of 2, 4, 8, .. 256: keys are `before`, the number, and `behind`.
int gla_kinds_of_size (int64_t n, const char *before, const char *behind, gla_kind *kinds);

#endif

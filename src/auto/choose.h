// choose.h: where a call runs, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Formulas of the backends predict the time of a call. They were fitted to some machine; they know
// where methods change and how time grows with the sizes and the number of pages. How fast this
// machine is, the user's own calls tell: what they took over what was predicted is kept (costs.h)
// and corrects the formula from then on. An operation says which calls are alike.

#ifndef GPULINALG_CHOOSE_H
#define GPULINALG_CHOOSE_H

#include "context.h"

// What a call is like: the name of a cost (one word) and how near the call is to it; weights add up
// to 1.
typedef struct {
  char key[32];
  double weight;
} gla_kind;

enum { GLA_KINDS = 4 };

// An operation, as far as its place is concerned. `call` is its description of one call.
typedef struct {
  const char *name;        // one word
  const char *unsupported; // what to say where the call needs a GPU that does not serve it
  int (*supports) (const gla_backend *backend, const void *call);
  double (*seconds) (gla_engine *engine, const void *call, int64_t pages);
  // Lists what the call is like, at most GLA_KINDS; returns how many. NULL: the formula alone
  // counts.
  int (*kinds) (const void *call, gla_kind *kinds);
} gla_placing;

// A call from the choice of its place to its end.
typedef struct {
  const gla_placing *placing;
  int64_t pages;
  int devices[GLA_MAX_DEVICES]; // GPUs to use; none: the CPU
  int count;
  // for choose.c
  int noted;       // whether what it takes tells something
  int place;       // GLA_HOST or the GPU
  int cold;        // the first of its kind on that GPU in this process
  int rented;      // on the CPU because no GPU is open
  double on_gpu;   // predicted there
  double formula;  // predicted where it runs, as the formula has it
  double expected; // the same as corrected
  double begun;
  int64_t switches; // of the process, to others, when it began
  gla_kind kind;    // the nearest
} gla_choice;

// Chooses for arrays in the place data_device (GLA_HOST or a GPU), by what the context's place
// says. With GLA_AUTO a GPU may be started beside the work, or waited for where that is much
// shorter than to do without. GLA_STOPPED where the user wants to stop meanwhile.
gla_status gla_choose (gla_context *ctx, const gla_placing *placing, const void *call,
                       int64_t pages, int data_device, gla_choice *choice);
// To be called when the call has ended, however. `device` is where all of it was done well, or
// another number where that cannot be said.
void gla_choice_end (gla_context *ctx, const gla_choice *choice, int device);
enum { GLA_NOWHERE = -2 };

// For `kinds`: the place of x in an ascending grid, from 0 to count-1, between its numbers as in
// the logarithm.
double gla_place_in (const int64_t *grid, int count, double x);
// Kinds for a size between two of 2, 4, 8, .. 256: keys are `before`, the number, and `behind`.
int gla_kinds_of_size (int64_t n, const char *before, const char *behind, gla_kind *kinds);

#endif

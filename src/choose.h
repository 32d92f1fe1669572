// choose.h: whether a GPU is faster, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Formulas of the backends predict the time of a call. They were fitted to some machine; they know
// where methods change and how time grows with the sizes and the number of pages. How fast this
// machine is, is measured (costs.h): an operation names calls that stand for the one in question,
// and the ratio of measured to predicted time corrects the formula.

#ifndef GPULINALG_CHOOSE_H
#define GPULINALG_CHOOSE_H

#include "lanes.h"

enum { GLA_SAMPLES = 4 };

// A call that stands for others: of a certain size, with any number of pages.
typedef struct {
  char key[32];    // one word that tells it from the operation's other samples
  int64_t size[2]; // for the operation
  double weight;   // how near it is to the call in question; positive
} gla_sample;

// A sample while it is measured.
typedef struct {
  gla_context *ctx;
  const void *call;
  const gla_sample *sample;
  void *memory; // the operation's inputs, from malloc, for so many pages
  int64_t pages;
} gla_sample_run;

// For `prepare`: pages of so many bytes, a few different ones from `fill` again and again.
gla_status gla_sample_fill (gla_sample_run *r, int64_t pages, size_t bytes, const void *job,
                            void (*fill) (const void *job, void *page, uint64_t seed));
// For that: a random number in (-1, 1).
double gla_sample_random (uint64_t *seed);
// For `make`: results as from Octave, in memory that the call is the first to touch. From malloc.
void *gla_sample_results (size_t bytes);

// What an operation provides. `call` is its description of the call in question.
struct gla_sampling {
  const char *name; // one word
  // Lists the samples for this call, at most GLA_SAMPLES; returns how many.
  int (*list) (const void *call, gla_sample *samples);
  // The formula: seconds that so many pages of the sample take.
  double (*seconds) (gla_engine *engine, const void *call, const gla_sample *sample, int64_t pages);
  int64_t (*page_bytes) (const void *call, const gla_sample *sample);
  // Puts inputs of so many pages into r->memory, which is NULL.
  gla_status (*prepare) (gla_sample_run *r, int64_t pages);
  // Makes the call, where the context is told to, as a user would.
  gla_status (*make) (gla_sample_run *r, int64_t pages);
};

// Whether a GPU does the call, whose arrays are on the host, faster than the CPU; both can do it.
// Opens the GPU where that may pay, and measures what is not yet known. GLA_STOPPED where the user
// wants to stop meanwhile, else GLA_OK.
gla_status gla_gpu_is_faster (gla_context *ctx, int device, const gla_operation *operation,
                              const void *call, int64_t pages, int *faster);

#endif

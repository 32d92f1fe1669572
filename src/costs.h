// costs.h: what calls took on this machine, measured once and kept in a file
// SPDX-License-Identifier: GPL-3.0-or-later
//
// For "auto". A cost belongs to an operation, a key (what the operation distinguishes: type, size,
// method) and a place; it is a few points (count, time), where count says how many pages, or how
// much of anything, one call had. The operations say what to measure and make the calls
// (choose.c, eig_costs.c); here they are timed, kept and read again.

#ifndef GPULINALG_COSTS_H
#define GPULINALG_COSTS_H

#include "context.h"

enum { GLA_COST_POINTS = 12 };

typedef struct {
  int64_t count, nanoseconds;
} gla_cost_point;

// Words without spaces; the place is "cpu" or the name of a GPU. No points: it cannot be measured.
typedef struct {
  char operation[16], key[32], place[80];
  int rough; // measured on a busy machine: good for this context, and not kept in the file
  int n_points;
  gla_cost_point points[GLA_COST_POINTS]; // counts ascend
} gla_cost;

struct gla_costs {
  char machine[512]; // names version, processor and threads: what the file must be for
  char path[1024];   // "": no file is kept
  int in_file;       // whether the file was there when it was last looked at
  gla_cost *known;
  int n_known, capacity;
  char places[GLA_MAX_DEVICES][80]; // names of GPUs, "" where not yet asked for
};

//------------------------------------------------------------------------------
// for the operations
//------------------------------------------------------------------------------

typedef struct {
  const char *operation, *key; // one word each
  int device;                  // GLA_HOST, or a GPU that is open
  int64_t most;                // the largest count
  // Gets ready for a call of this count; its time does not count.
  gla_status (*prepare) (void *user, int64_t count);
  // Makes one call at the device, as a user would. It may set the context's place.
  gla_status (*call) (void *user, int64_t count);
  void *user;
} gla_cost_probe;

// The costs of this context, as far as they are known; reads the file at first need, and forgets
// what was in a file that somebody deleted. NULL when memory is short.
gla_costs *gla_costs_open (gla_context *ctx);
// NULL where nothing was measured. The answer holds until the next call of a function of this file.
const gla_cost *gla_costs_find (gla_context *ctx, const char *operation, const char *key,
                                int device);
// Measures in 10 to 200 ms and remembers. Tells nobody: no progress, no warning; the context is as
// before. GLA_STOPPED where the user wants to stop, else GLA_OK; a probe that fails is remembered
// with no points, and not tried again by this context.
gla_status gla_costs_measure (gla_context *ctx, const gla_cost_probe *probe);
// Writes what is known to the file, if it can be written.
void gla_costs_keep (gla_context *ctx);
void gla_costs_free (gla_costs *costs);

// The measured time for a count over the time that a formula gives, from the nearest points; the
// formula knows the shape of the curve, the points know the machine. 1 where cost is NULL or empty.
double gla_cost_over_formula (const gla_cost *cost, double (*formula) (void *user, int64_t count),
                              void *user, int64_t count);

//------------------------------------------------------------------------------
// the file, for costs.c
//------------------------------------------------------------------------------

// Where the file is, into path.
void gla_costs_locate (const gla_costs *costs, char *path, size_t size);
// Adds what the file knows; a file that is damaged or of another machine is as good as none.
void gla_costs_read (gla_costs *costs);
// Replaces the file in one step, so that others never see a part of it.
void gla_costs_write (gla_costs *costs);
// Adds a cost, unless one for the same call is there that is not rough. GLA_OUT_OF_MEMORY or
// GLA_OK.
gla_status gla_costs_add (gla_costs *costs, const gla_cost *cost);

#endif

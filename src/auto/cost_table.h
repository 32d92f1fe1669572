// costs.h: what calls took on this machine, kept in a file
// SPDX-License-Identifier: GPL-3.0-or-later
//
// For "auto". A cost belongs to an operation, a key (what the operation distinguishes: type, size,
// method) and a place; it is a few points (count, value). Of calls the count is the number of pages
// and the value what they took over what the backend's formula says, in millionths. Operations
// "start" (keys device0, device1 ..) and "load" (keys are operations) have one point with
// nanoseconds.

#ifndef GPULINALG_COSTS_H
#define GPULINALG_COSTS_H

#include "context.h"

enum { GLA_COST_POINTS = 12 };

typedef struct {
  int64_t count, value;
} gla_cost_point;

// Words without spaces; the place is "cpu" or the name of a GPU.
typedef struct {
  char operation[16], key[32], place[80];
  int n_points;
  gla_cost_point points[GLA_COST_POINTS]; // counts ascend; powers of 4
  // not in the file:
  int seen;     // whether this context has made such a call there
  double stake; // seconds that the place might have saved so far, had it been tried
} gla_cost;

struct gla_costs {
  char machine[512]; // names version, processor and threads: what the file must be for
  char path[1024];   // "": no file is kept
  int threads;
  int in_file; // whether the file was there when it was last looked at
  gla_cost *known;
  int n_known, capacity;
  double unwritten;                 // seconds of calls that the file does not know of
  char places[GLA_MAX_DEVICES][80]; // names of open GPUs, "" where not yet asked for
};

//------------------------------------------------------------------------------
// for choose.c
//------------------------------------------------------------------------------

// The costs of this context, as far as they are known; reads the file at first need, and forgets
// what was in a file that somebody deleted. NULL when memory is short. The functions below do
// nothing before it was called; what they return holds until the next of them is called.
gla_costs *gla_costs_open (gla_context *ctx);
// NULL where nothing is known. A GPU that is not open is the one that the file says it was.
const gla_cost *gla_costs_find (gla_context *ctx, const char *operation, const char *key,
                                int device);
// The same in any place.
const gla_cost *gla_costs_find_anywhere (gla_context *ctx, const char *operation, const char *key);
// The same, made where nothing is known. NULL where there is no memory or no name for the place.
gla_cost *gla_costs_entry (gla_context *ctx, const char *operation, const char *key, int device);
// Notes seconds, instead of what was known or as a mean with it.
void gla_costs_set (gla_context *ctx, const char *operation, const char *key, int device,
                    double seconds);
void gla_costs_mix (gla_context *ctx, const char *operation, const char *key, int device,
                    double seconds);
// Notes what a call of so many seconds took over the formula. What takes less than before is
// believed sooner than what takes more: others may have been in the way.
void gla_costs_note (gla_context *ctx, const char *operation, const char *key, int device,
                     int64_t count, double ratio, double seconds);
// The mean ratio of an operation's costs in a place; 1 where there are none.
double gla_costs_of_others (gla_context *ctx, const char *operation, int device);
// The ratio for a count, between the points and, less and less, beyond them.
double gla_cost_ratio (const gla_cost *cost, int64_t count);
// Whether there is a point for about this count.
int gla_cost_is_near (const gla_cost *cost, int64_t count);

// Writes what is known to the file, if it can be written and there is a GPU.
void gla_costs_keep (gla_context *ctx);
void gla_costs_free (gla_costs *costs);

//------------------------------------------------------------------------------
// the file, for costs.c
//------------------------------------------------------------------------------

// Where the file is, into path.
void gla_costs_locate (const gla_costs *costs, char *path, size_t size);
// Adds what the file knows; a file that is damaged or of another machine is as good as none.
void gla_costs_read (gla_costs *costs);
// Replaces the file in one step, so that others never see a part of it.
void gla_costs_write (gla_costs *costs);
// Adds a cost, or those of its points that are not there yet. GLA_OUT_OF_MEMORY or GLA_OK.
gla_status gla_costs_add (gla_costs *costs, const gla_cost *cost);

#endif

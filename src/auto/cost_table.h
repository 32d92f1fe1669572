// cost_table.h: the times of calls on a machine, as a table and as a file, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later
//
// For "auto". A cost belongs to an operation, a key (type, size, method: whatever the operation
// distinguishes) and a place, and is a few points (count, value). For calls, count is the number of
// pages, and value the time over the prediction of the backend's formula, in millionths. The
// operations "start" (keys device0, device1 ..) and "load" (keys are operations) have one point, in
// nanoseconds. Nothing here knows a context: costs.h measures.

#ifndef GPULINALG_COST_TABLE_H
#define GPULINALG_COST_TABLE_H

#include "common/limits.h"
#include "gpulinalg.h"

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
  int seen;             // whether this context has made such a call there
  double possible_gain; // seconds that the place may have saved so far, had it been tried
} gla_cost;

typedef struct gla_costs {
  char machine[512]; // version, processor and threads; a file with others is not read
  char path[1024];   // "": no file is kept
  int threads;
  int in_file; // whether the file was there when it was last looked at
  gla_cost *known;
  int n_known, capacity;
  double unwritten;                 // seconds of calls that the file does not know of
  char places[GLA_MAX_DEVICES][80]; // names of open GPUs, "" where not yet asked for
} gla_costs;

//------------------------------------------------------------------------------
// the table
//------------------------------------------------------------------------------

// NULL where nothing is known. place NULL: any.
gla_cost *gla_costs_look_up (const gla_costs *costs, const char *operation, const char *key,
                             const char *place);
// Adds a cost, or those of its points that are not there yet. GLA_ERROR_OUT_OF_MEMORY or GLA_OK.
gla_status gla_costs_add (gla_costs *costs, const gla_cost *cost);
// The point of this count, made where there is room for it (*made nonzero); else the nearest.
gla_cost_point *gla_cost_point_for (gla_cost *cost, int64_t count, int *made);
// The mean ratio of an operation's costs in a place; 1 where there are none.
double gla_costs_mean_ratio (const gla_costs *costs, const char *operation, const char *place);
// The ratio for a count, between the points and, less and less, beyond them.
double gla_cost_ratio (const gla_cost *cost, int64_t count);
// Whether there is a point for about this count.
int gla_cost_is_near (const gla_cost *cost, int64_t count);
// Empties the table.
void gla_costs_forget (gla_costs *costs);
void gla_costs_free (gla_costs *costs);

//------------------------------------------------------------------------------
// the file
//------------------------------------------------------------------------------

// Where the file is, into path.
void gla_costs_locate (const gla_costs *costs, char *path, size_t size);
// Adds what the file knows; a file that is damaged or of another machine is as good as none.
void gla_costs_read (gla_costs *costs);
// Adds what other processes have written meanwhile, and replaces the file in one step, so that
// others never see a part of it.
void gla_costs_write (gla_costs *costs);

#endif

// costs.h: measures the times of calls, for choose.c
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The table of a context (cost_table.h) is read from its file at first need, learns from calls, and
// is written back from time to time.

#ifndef GPULINALG_COSTS_H
#define GPULINALG_COSTS_H

#include "context.h"
#include "cost_table.h"

// The costs of this context. Reads the file at first need, and empties the table where somebody has
// deleted the file. NULL when memory is short. The functions below do nothing before this one was
// called; a pointer that they return is valid until the next call.
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
// Notes the ratio of a call's time to the formula's. A call that was faster than before counts more
// than a slower one, which other processes may have delayed.
void gla_costs_note (gla_context *ctx, const char *operation, const char *key, int device,
                     int64_t count, double ratio, double seconds);
// The mean ratio of all calls of an operation in a place; 1 where there were none.
double gla_costs_of_others (gla_context *ctx, const char *operation, int device);
// Writes what is known to the file, if it can be written and there is a GPU.
void gla_costs_keep (gla_context *ctx);

#endif

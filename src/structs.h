// structs.h: structs of callers that were compiled with another version of gpulinalg.h
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The first member of such a struct is its size in the caller's header. New members are added at
// the end, and 0 is the default of each, so the size tells which members the caller knows.

#ifndef GPULINALG_STRUCTS_H
#define GPULINALG_STRUCTS_H

#include "context.h"

// Copies options of the caller into `to`, a struct of this version with `size` bytes; members that
// the caller does not know become 0, and all of them where `from` is NULL. Returns 0, with a
// message that names the struct, where its size is wrong or where a member that this version does
// not know is not 0.
int gla_take_options (gla_context *ctx, const char *name, const void *from, void *to, size_t size);
// The same where `from` must not be NULL.
int gla_take_struct (gla_context *ctx, const char *name, const void *from, void *to, size_t size);

// Whether a struct that will be written has a size; NULL is right.
int gla_check_report (gla_context *ctx, const char *name, const void *report);
// Copies the members that the caller knows, but for its size; does nothing where `to` is NULL.
void gla_give_struct (void *to, const void *from, size_t size);

// What a call takes from its caller: results, which must not be NULL, into r, options into o, and
// the size of the report.
gla_status gla_take_structs (gla_context *ctx, const void *results, void *r, size_t r_size,
                             const void *options, void *o, size_t o_size, const void *report);
// The same as the first thing that a call does: ctx may be NULL, and its message becomes empty.
gla_status gla_begin_call (gla_context *ctx, const void *results, void *r, size_t r_size,
                           const void *options, void *o, size_t o_size, const void *report);

#endif

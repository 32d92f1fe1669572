// groups.h: calls that do groups of pages, each group by its own calls, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_GROUPS_H
#define GPULINALG_GROUPS_H

#include "context.h"

typedef struct {
  gla_callbacks callbacks; // of the caller
  int64_t pages;           // of all groups
  int64_t first;           // page of the current group
  char warned[2][24];      // ids of warnings that were given
} gla_groups;

void gla_groups_start (gla_groups *g, const gla_context *ctx, int64_t pages);
// Calls between this and gla_group_leave are for the group that begins with page `first`: their
// progress is reported as that of all pages, and a warning comes once for all groups.
void gla_group_enter (gla_context *ctx, gla_groups *g, int64_t first);
void gla_group_leave (gla_context *ctx, const gla_groups *g);

#endif

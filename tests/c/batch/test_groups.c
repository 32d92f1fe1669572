// test_groups.c: callbacks of a call that works on groups of pages
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: cuda

#include "frame/check.h"
#include "batch/groups.h"

#include <stdio.h>

static int warnings;
static char ids[64];
static int64_t done, total;

static void on_warning (void *user, const char *id, const char *text)
{
  (void)user, (void)text;
  warnings++;
  snprintf (ids + strlen (ids), sizeof ids - strlen (ids), "%s ", id);
}

static void on_progress (void *user, int64_t d, int64_t t)
{
  (void)user;
  done = d;
  total = t;
}

int main (void)
{
  gla_context *ctx;
  gla_groups groups;
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  gla_set_warning (ctx, on_warning, NULL);
  gla_set_progress (ctx, on_progress, NULL);
  gla_groups_start (&groups, ctx, 30);
  for (int64_t first = 0; first < 30; first += 10) {
    gla_group_enter (ctx, &groups, first);
    gla_report_progress (ctx, 4, 10);
    CHECK (done == first + 4 && total == 30, "progress %lld of %lld", (long long)done,
           (long long)total);
    gla_warn (ctx, "device-memory", "group %d", (int)first);
    if (first > 0)
      gla_warn (ctx, "device-failed", "group %d", (int)first);
    gla_group_leave (ctx, &groups);
    CHECK (ctx->callbacks.progress == on_progress && ctx->callbacks.warning == on_warning,
           "the caller's callbacks");
  }
  CHECK (warnings == 2 && strcmp (ids, "device-memory device-failed ") == 0, "%d warnings: %s",
         warnings, ids);

  gla_set_warning (ctx, NULL, NULL);
  gla_set_progress (ctx, NULL, NULL);
  gla_groups_start (&groups, ctx, 30);
  gla_group_enter (ctx, &groups, 0);
  CHECK (ctx->callbacks.progress == NULL && ctx->callbacks.warning == NULL, "without callbacks");
  gla_group_leave (ctx, &groups);
  gla_context_destroy (ctx);
  return check_report ("test_groups");
}

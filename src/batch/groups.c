// groups.c: callbacks of calls that work on groups of pages
// SPDX-License-Identifier: GPL-3.0-or-later

#include "groups.h"

#include <string.h>

void gla_groups_start (gla_groups *g, const gla_context *ctx, int64_t pages)
{
  *g = (gla_groups){.callbacks = ctx->callbacks, .pages = pages};
}

static void report (void *user, int64_t done, int64_t total)
{
  const gla_groups *g = user;
  (void)total;
  g->callbacks.progress (g->callbacks.progress_user, g->first + done, g->pages);
}

static void warn_once (void *user, const char *id, const char *text)
{
  gla_groups *g = user;
  for (int k = 0; k < 2; k++) {
    if (strcmp (g->warned[k], id) == 0)
      return;
    if (g->warned[k][0] == '\0') {
      strncpy (g->warned[k], id, sizeof g->warned[k] - 1);
      break;
    }
  }
  g->callbacks.warning (g->callbacks.warning_user, id, text);
}

void gla_group_enter (gla_context *ctx, gla_groups *g, int64_t first)
{
  g->first = first;
  if (g->callbacks.progress != NULL)
    gla_set_progress (ctx, report, g);
  if (g->callbacks.warning != NULL)
    gla_set_warning (ctx, warn_once, g);
}

void gla_group_leave (gla_context *ctx, const gla_groups *g)
{
  ctx->callbacks = g->callbacks;
}

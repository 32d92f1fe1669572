// callbacks.c: callbacks, messages and texts of a context
// SPDX-License-Identifier: GPL-3.0-or-later

#include "context.h"

#include <stdarg.h>
#include <stdio.h>

// The number as text, of a macro that holds it.
#define TEXT_OF(number) #number
#define TEXT(macro) TEXT_OF (macro)

//------------------------------------------------------------------------------
// callbacks
//------------------------------------------------------------------------------

void gla_set_stop (gla_context *ctx, int (*stop) (void *), void *user)
{
  if (ctx == NULL)
    return;
  ctx->callbacks.stop = stop;
  ctx->callbacks.stop_user = user;
}

void gla_set_progress (gla_context *ctx, void (*progress) (void *, int64_t, int64_t), void *user)
{
  if (ctx == NULL)
    return;
  ctx->callbacks.progress = progress;
  ctx->callbacks.progress_user = user;
}

void gla_set_sweeps (gla_context *ctx, void (*sweeps) (void *, int64_t, int64_t, int), void *user)
{
  if (ctx == NULL)
    return;
  ctx->callbacks.sweeps = sweeps;
  ctx->callbacks.sweeps_user = user;
}

void gla_set_warning (gla_context *ctx, void (*warning) (void *, const char *, const char *),
                      void *user)
{
  if (ctx == NULL)
    return;
  ctx->callbacks.warning = warning;
  ctx->callbacks.warning_user = user;
}

int gla_stop_wanted (gla_context *ctx)
{
  const gla_callbacks *c = &ctx->callbacks;
  return c->stop != NULL && c->stop (c->stop_user);
}

int gla_poll_stop (void *ctx, int64_t pages)
{
  (void)pages;
  return gla_stop_wanted (ctx);
}

void gla_report_progress (gla_context *ctx, int64_t done, int64_t total)
{
  const gla_callbacks *c = &ctx->callbacks;
  if (c->progress != NULL)
    c->progress (c->progress_user, done, total);
}

void gla_report_sweeps (gla_context *ctx, int64_t done, int64_t total, int sweeps)
{
  const gla_callbacks *c = &ctx->callbacks;
  if (c->sweeps != NULL)
    c->sweeps (c->sweeps_user, done, total, sweeps);
}

gla_callbacks gla_silence (gla_context *ctx)
{
  const gla_callbacks before = ctx->callbacks;
  ctx->callbacks.progress = NULL;
  ctx->callbacks.sweeps = NULL;
  return before;
}

//------------------------------------------------------------------------------
// messages
//------------------------------------------------------------------------------

gla_status gla_fail (gla_context *ctx, gla_status status, const char *format, ...)
{
  if (ctx == NULL)
    return status;
  va_list args;
  va_start (args, format);
  vsnprintf (ctx->message, sizeof ctx->message, format, args);
  va_end (args);
  return status;
}

gla_status gla_end_call (gla_context *ctx, gla_status status)
{
  if (status == GLA_OK)
    ctx->message[0] = '\0';
  else if (ctx->message[0] == '\0')
    gla_fail (ctx, status, "%s", gla_status_text (status));
  return status;
}

void gla_warn (gla_context *ctx, const char *id, const char *format, ...)
{
  if (ctx->callbacks.warning == NULL)
    return;
  char text[512];
  va_list args;
  va_start (args, format);
  vsnprintf (text, sizeof text, format, args);
  va_end (args);
  ctx->callbacks.warning (ctx->callbacks.warning_user, id, text);
}

const char *gla_message (const gla_context *ctx)
{
  return ctx != NULL ? ctx->message : "";
}

const char *gla_version (void)
{
  return TEXT (GLA_VERSION_MAJOR) "." TEXT (GLA_VERSION_MINOR) "." TEXT (GLA_VERSION_PATCH)
      GLA_VERSION_SUFFIX;
}

const char *gla_status_text (gla_status status)
{
  switch (status) {
  case GLA_OK:
    return "ok";
  case GLA_ERROR_BAD_ARGUMENT:
    return "bad argument";
  case GLA_ERROR_NOT_HERMITIAN:
    return "a page is not Hermitian";
  case GLA_ERROR_OUT_OF_MEMORY:
    return "out of memory";
  case GLA_ERROR_NO_DEVICE:
    return "no such GPU";
  case GLA_ERROR_DEVICE_FAILURE:
    return "the GPU failed";
  case GLA_ERROR_STOPPED:
    return "stopped";
  case GLA_ERROR_FORKED:
    return "no GPU in a forked process";
  case GLA_ERROR_NO_MPI:
    return "no MPI";
  case GLA_ERROR_RANKS_DIFFER:
    return "the ranks differ";
  case GLA_ERROR_RANK_LOST:
    return "a rank was lost";
  case GLA_ERROR_NO_LIBRARY:
    return "a library is missing";
  }
  return "unknown status";
}

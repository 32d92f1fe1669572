// structs.c: structs of callers that were compiled with another version of gpulinalg.h
// SPDX-License-Identifier: GPL-3.0-or-later

#include "structs.h"

#include <string.h>

// A size beyond this one was not set at all.
enum { MOST_BYTES = 4096 };

static size_t size_of (const void *sized)
{
  size_t size;
  memcpy (&size, sized, sizeof size);
  return size;
}

int gla_check_report (gla_context *ctx, const char *name, const void *report)
{
  if (report == NULL)
    return 1;
  const size_t size = size_of (report);
  if (size >= sizeof size && size <= MOST_BYTES)
    return 1;
  (void)gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                  "the size of %s is %zu, it must be set to that of its type", name, size);
  return 0;
}

int gla_take_struct (gla_context *ctx, const char *name, const void *from, void *to, size_t size)
{
  if (from != NULL)
    return gla_take_options (ctx, name, from, to, size);
  (void)gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not be NULL", name);
  return 0;
}

int gla_take_options (gla_context *ctx, const char *name, const void *from, void *to, size_t size)
{
  memset (to, 0, size);
  if (!gla_check_report (ctx, name, from))
    return 0;
  const size_t theirs = from != NULL ? size_of (from) : 0;
  for (size_t at = size; at < theirs; at++)
    if (((const char *)from)[at] != 0) {
      (void)gla_fail (
          ctx, GLA_ERROR_BAD_ARGUMENT,
          "%s has a member that is not 0 and that version %s of gpulinalg does not know", name,
          gla_version ());
      return 0;
    }
  if (theirs > 0)
    memcpy (to, from, theirs < size ? theirs : size);
  memcpy (to, &size, sizeof size);
  return 1;
}

void gla_give_struct (void *to, const void *from, size_t size)
{
  if (to == NULL)
    return;
  const size_t theirs = size_of (to), least = theirs < size ? theirs : size, after = sizeof theirs;
  memcpy ((char *)to + after, (const char *)from + after, least - after);
}

//------------------------------------------------------------------------------
// the structs of a call
//------------------------------------------------------------------------------

gla_status gla_take_structs (gla_context *ctx, const void *results, void *r, size_t r_size,
                             const void *options, void *o, size_t o_size, const void *report)
{
  return gla_take_struct (ctx, "results", results, r, r_size) &&
                 gla_take_options (ctx, "options", options, o, o_size) &&
                 gla_check_report (ctx, "report", report)
             ? GLA_OK
             : GLA_ERROR_BAD_ARGUMENT;
}

gla_status gla_begin_call (gla_context *ctx, const void *results, void *r, size_t r_size,
                           const void *options, void *o, size_t o_size, const void *report)
{
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  return gla_take_structs (ctx, results, r, r_size, options, o, o_size, report);
}

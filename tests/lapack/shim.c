// tests/lapack/shim.c: the context, the routines of the system, counts of calls
// SPDX-License-Identifier: GPL-3.0-or-later

#include <dlfcn.h>

#include "shim.h"

gla_context *shim_context;
int shim_inside;
int shim_method;
int shim_gsvd_method;

static shim_count *counts;

static void write_counts (void)
{
  const char *name = getenv ("GLA_SHIM_COUNT");
  FILE *f = name ? fopen (name, "w") : NULL;
  for (const shim_count *c = counts; f && c; c = c->next)
    fprintf (f, "%s %ld %ld\n", c->name, c->ours, c->theirs);
  if (f)
    fclose (f);
}

// The number of this word among three, of which the first is the default.
static int choice (const char *variable, const char *second, const char *third)
{
  const char *word = getenv (variable);
  if (!word || strcmp (word, "auto") == 0)
    return 0;
  if (strcmp (word, second) != 0 && strcmp (word, third) != 0) {
    fprintf (stderr, "shim: %s is \"%s\", not auto, %s or %s\n", variable, word, second, third);
    exit (98);
  }
  return strcmp (word, second) == 0 ? 1 : 2;
}

static void start (void)
{
  shim_method = choice ("GLA_SHIM_METHOD", "qr", "jacobi");
  shim_gsvd_method = choice ("GLA_SHIM_GSVD", "hz", "tangent");
  shim_inside++;
  shim_check (gla_context_create (&shim_context), "gla_context_create");
  shim_check (gla_set_place (shim_context, GLA_PLACE_CPU, NULL, 0), "gla_set_place");
  shim_inside--;
  atexit (write_counts);
}

shim_count *shim_counter (const char *name)
{
  if (!shim_context)
    start ();
  shim_count *c = calloc (1, sizeof *c);
  if (!c)
    shim_check (GLA_ERROR_OUT_OF_MEMORY, name);
  c->name = name;
  c->next = counts;
  return counts = c;
}

shim_routine shim_real (const char *name)
{
  shim_routine p = (shim_routine)dlsym (RTLD_NEXT, name);
  if (!p) {
    fprintf (stderr, "shim: the system has no %s\n", name);
    exit (98);
  }
  return p;
}

void shim_check (gla_status s, const char *where)
{
  if (s == GLA_OK)
    return;
  fprintf (stderr, "shim: %s: status %d: %s\n", where, (int)s, gla_message (shim_context));
  exit (99);
}

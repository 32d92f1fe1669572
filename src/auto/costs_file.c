// costs_file.c: the file that keeps the times of calls on this machine
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Text: a line that says what the file is, a line that says for which machine, then one line per
// cost: operation, key, place, and count:value for every point. Whole numbers, because a program
// may have set a locale with another decimal point.

#include "cost_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char title[] =
    "# What calls of gpulinalg took on this machine over what was predicted, "
    "for the choice of \"auto\". It may be deleted.";

//------------------------------------------------------------------------------
// where
//------------------------------------------------------------------------------

// $GPULINALG_CACHE, $XDG_CACHE_HOME/gpulinalg or $HOME/.cache/gpulinalg; 0 where there is none.
static int folder (char *path, size_t size)
{
  const char *own = getenv ("GPULINALG_CACHE"), *xdg = getenv ("XDG_CACHE_HOME"),
             *home = getenv ("HOME");
  int length = 0;
  if (own != NULL)
    length = snprintf (path, size, "%s", own);
  else if (xdg != NULL && xdg[0] == '/')
    length = snprintf (path, size, "%s/gpulinalg", xdg);
  else if (home != NULL && home[0] != '\0')
    length = snprintf (path, size, "%s/.cache/gpulinalg", home);
  return length > 0 && (size_t)length < size;
}

// The name tells processors apart, because several machines may share a home folder.
void gla_costs_locate (const gla_costs *costs, char *path, size_t size)
{
  memset (path, 0, size);
  char where[960];
  uint32_t hash = 2166136261u; // FNV-1a, of what follows the version
  const char *processor = strchr (costs->machine, ';');
  for (const char *p = processor; p != NULL && *p != '\0'; p++)
    hash = (hash ^ (unsigned char)*p) * 16777619u;
  if (folder (where, sizeof where))
    snprintf (path, size, "%s/costs-%08lx.txt", where, (unsigned long)hash);
}

// Makes the folders of a path; whether that worked shows when the file is written.
static void make_folders (const char *path)
{
  char part[1024];
  snprintf (part, sizeof part, "%s", path);
  for (char *p = part + 1; *p != '\0'; p++)
    if (*p == '/') {
      *p = '\0';
      (void)mkdir (part, 0700);
      *p = '/';
    }
}

//------------------------------------------------------------------------------
// read
//------------------------------------------------------------------------------

// "count:value" for every point, to the end of the line.
static int parse_points (const char *text, gla_cost *cost)
{
  while (*text == ' ') {
    char *end;
    if (cost->n_points == GLA_COST_POINTS)
      return 0;
    gla_cost_point *p = &cost->points[cost->n_points++];
    p->count = strtoll (text + 1, &end, 10);
    if (end == text + 1 || *end != ':')
      return 0;
    text = end + 1;
    p->value = strtoll (text, &end, 10);
    if (end == text || p->value < 1 || p->value > (int64_t)1 << 50 || p->count < 1 ||
        (cost->n_points > 1 && p->count <= p[-1].count))
      return 0;
    text = end;
  }
  return *text == '\n' && cost->n_points > 0;
}

static int parse_line (const char *line, gla_cost *cost)
{
  int length = 0;
  memset (cost, 0, sizeof *cost);
  return sscanf (line, "%15s %31s %79s%n", cost->operation, cost->key, cost->place, &length) == 3 &&
         length > 0 && parse_points (line + length, cost);
}

static int is_line (FILE *file, const char *expected)
{
  char line[1024];
  size_t length = strlen (expected);
  return fgets (line, sizeof line, file) != NULL && strncmp (line, expected, length) == 0 &&
         strcmp (line + length, "\n") == 0;
}

void gla_costs_read (gla_costs *costs)
{
  FILE *file = costs->path[0] != '\0' ? fopen (costs->path, "r") : NULL;
  if (file == NULL)
    return;
  costs->in_file = 1;
  const int before = costs->n_known;
  int good = is_line (file, title) && is_line (file, costs->machine);
  char line[1024];
  gla_cost cost;
  for (int lines = 0; good && lines < 10000 && fgets (line, sizeof line, file) != NULL; lines++)
    good = parse_line (line, &cost) && gla_costs_add (costs, &cost) == GLA_OK;
  if (!good) // nothing of it counts
    costs->n_known = before;
  fclose (file);
}

//------------------------------------------------------------------------------
// write
//------------------------------------------------------------------------------

static int print_costs (FILE *file, const gla_costs *costs)
{
  fprintf (file, "%s\n%s\n", title, costs->machine);
  for (int k = 0; k < costs->n_known; k++) {
    const gla_cost *c = &costs->known[k];
    if (c->n_points == 0)
      continue;
    fprintf (file, "%s %s %s", c->operation, c->key, c->place);
    for (int j = 0; j < c->n_points; j++)
      fprintf (file, " %lld:%lld", (long long)c->points[j].count, (long long)c->points[j].value);
    fputc ('\n', file);
  }
  return fflush (file) == 0 && !ferror (file);
}

static void replace_file (gla_costs *costs)
{
  if (costs->path[0] == '\0')
    return;
  char other[sizeof costs->path + 16];
  snprintf (other, sizeof other, "%s.XXXXXX", costs->path);
  make_folders (costs->path);
  int fd = mkstemp (other);
  if (fd < 0)
    return;
  FILE *file = fdopen (fd, "w");
  if (file == NULL)
    close (fd);
  int good = file != NULL && print_costs (file, costs);
  if (file != NULL)
    good = fclose (file) == 0 && good;
  if (good && rename (other, costs->path) == 0)
    costs->in_file = 1;
  else
    (void)unlink (other);
}

void gla_costs_write (gla_costs *costs)
{
  gla_costs_read (costs);
  replace_file (costs);
  costs->unwritten = 0;
}

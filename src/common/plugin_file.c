// plugin_file.c: where a plugin of this library lies
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plugin_file.h"
#include "system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_there (const char *path)
{
  FILE *file = fopen (path, "rb");
  return file != NULL && fclose (file) == 0;
}

// A program that the system does not give a folder for has the name alone: then the system looks.
static void beside_this (const char *name, char *path, size_t room)
{
  char *from = path;
  if (gla_file_of (&is_there, 0, path, room) && strrchr (path, '/') != NULL)
    from = strrchr (path, '/') + 1;
  snprintf (from, room - (size_t)(from - path), "%s", name);
}

int gla_plugin_file (const char *name, const char *variable, char *path, size_t room)
{
  const char *named = getenv (variable);
  if (named != NULL && named[0] != '\0') {
    snprintf (path, room, "%s", named);
    return is_there (path);
  }
  beside_this (name, path, room);
  char folder[3072], other[4096];
  if (is_there (path) || !gla_user_folder (folder, sizeof folder))
    return is_there (path);
  snprintf (other, sizeof other, "%s/gpulinalg/%s", folder, name);
  if (!is_there (other))
    return 0;
  snprintf (path, room, "%s", other);
  return 1;
}

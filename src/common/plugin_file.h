// plugin_file.h: where a plugin of this library lies
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PLUGIN_FILE_H
#define GPULINALG_PLUGIN_FILE_H

#include <stddef.h>

// The path of the plugin with this file name: what the environment variable says, or else the file
// beside this library, or else the one in the folder gpulinalg of gla_user_folder. Returns whether
// that file is there; where it is not, the path is one of those.
int gla_plugin_file (const char *name, const char *variable, char *path, size_t room);

#endif

// carve.h: pieces of a workspace
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_CARVE_H
#define GPULINALG_CPU_CARVE_H

#include <stddef.h>

// Returns the next `bytes` of a workspace, aligned to a cache line. Without a base it only counts.
static inline void *gla_carve (char *base, size_t *at, size_t bytes)
{
  void *here = base ? base + *at : NULL;
  *at += (bytes + 63) / 64 * 64;
  return here;
}

#endif

// anywhere.h: a register of real numbers at any address
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_COMMON_ANYWHERE_H
#define GPULINALG_CPU_COMMON_ANYWHERE_H

#include "lanes.h"

// As vec, aligned to a number only: for reading and writing numbers that stand side by side.
typedef real vec_anywhere
    __attribute__ ((vector_size (GLA_VECTOR_BYTES), aligned (sizeof (real)), may_alias));

// Every second lane of a and b, the first of them lane `odd` of a.
static inline __attribute__ ((always_inline)) vec every_second (vec a, vec b, int odd)
{
#ifdef __clang__
  vec r;
  for (int l = 0; l < GLA_LANES; l++)
    r[l] = 2 * l < GLA_LANES ? a[2 * l + odd] : b[2 * l + odd - GLA_LANES];
  return r;
#else
  mask from = {0};
  for (int l = 0; l < GLA_LANES; l++)
    from[l] = 2 * l + odd;
  return __builtin_shuffle (a, b, from);
#endif
}

// The lanes of a and b by turns, from lane `first` of both on.
static inline __attribute__ ((always_inline)) vec by_turns (vec a, vec b, int first)
{
#ifdef __clang__
  vec r;
  for (int l = 0; l < GLA_LANES; l++)
    r[l] = l & 1 ? b[first + l / 2] : a[first + l / 2];
  return r;
#else
  mask from = {0};
  for (int l = 0; l < GLA_LANES; l++)
    from[l] = first + l / 2 + (l & 1 ? GLA_LANES : 0);
  return __builtin_shuffle (a, b, from);
#endif
}

#endif

// yield.c: how a thread that polls lets others run
// SPDX-License-Identifier: GPL-3.0-or-later

#include "yield.h"

#include <sched.h>
#include <stdint.h>
#include <time.h>

enum { FIRST_NAPS = 100, MOST_NAPS = 100 << 8, NAP_NS = 20000, LONG_NS = 500000 };

static int64_t now_ns (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void gla_yield (void)
{
  static _Thread_local int naps, next = FIRST_NAPS; // naps: that are left
  if (naps > 0) {
    naps--;
    nanosleep (&(struct timespec){.tv_nsec = NAP_NS}, NULL);
    return;
  }
  const int64_t before = now_ns ();
  sched_yield ();
  const int is_long = now_ns () - before > LONG_NS;
  naps = is_long ? next : 0;
  next = !is_long ? FIRST_NAPS : next < MOST_NAPS ? 2 * next : MOST_NAPS;
}

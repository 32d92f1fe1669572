// schedule.c: how a thread that polls lets others run
// SPDX-License-Identifier: GPL-3.0-or-later

#include "schedule.h"
#include "common/system.h"

enum { FIRST_NAPS = 100, MOST_NAPS = 100 << 8, NAP_NS = 20000, LONG_NS = 500000 };

void gla_yield (void)
{
  static _Thread_local int naps, next = FIRST_NAPS; // naps: that are left
  if (naps > 0) {
    naps--;
    gla_nap (NAP_NS);
    return;
  }
  const int64_t before = gla_now_ns ();
  gla_yield_once ();
  const int is_long = gla_now_ns () - before > LONG_NS;
  naps = is_long ? next : 0;
  next = !is_long ? FIRST_NAPS : next < MOST_NAPS ? 2 * next : MOST_NAPS;
}

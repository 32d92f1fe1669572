// test_yield.c: a thread that polls sleeps where a yield costs it a time slice
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The clock, the yield and the sleep are those below: a yield takes as long as the test says.

#include "common/system.h"
#include "threads/schedule.h"
#include "frame/check.h"

#include <stdint.h>

static _Thread_local int64_t ticks, yield_ns = 1000; // ns
static _Thread_local int yields, naps;

int64_t gla_now_ns (void)
{
  return ticks;
}

void gla_yield_once (void)
{
  yields++;
  ticks += yield_ns;
}

void gla_nap (int64_t ns)
{
  naps++;
  ticks += ns;
}

static void look (int times)
{
  yields = naps = 0;
  for (int k = 0; k < times; k++)
    gla_yield ();
}

int main (void)
{
  look (1000);
  CHECK (yields == 1000 && naps == 0, "%d yields and %d naps where nobody else runs", yields, naps);

  yield_ns = 4000000; // a time slice of another thread
  look (1000);
  CHECK (yields == 4 && naps == 996, "%d yields and %d naps on a busy processor", yields, naps);
  const int64_t before = ticks;
  look (1000000);
  const double seconds = 1e-9 * (double)(ticks - before);
  CHECK (yields < 60 && yields > 20, "%d yields in a million looks", yields);
  CHECK (seconds < 20.3, "%g s instead of the 20 s of a million naps", seconds);

  yield_ns = 1000; // the other threads have ended
  int looks = yields = 0;
  for (; looks < 100000 && yields == 0; looks++)
    look (1);
  CHECK (looks < 30000, "the first yield comes at look %d", looks);
  yields = 0;
  look (1000);
  CHECK (yields == 1000, "%d yields after that", yields);

  yield_ns = 4000000;
  look (101);
  CHECK (yields == 1 && naps == 100, "%d yields and %d naps at first", yields, naps);
  return check_report ("test_yield");
}

// kinds.c: which calls are alike, for what "auto" has learned from them
// SPDX-License-Identifier: GPL-3.0-or-later

#include "choose.h"

#include <math.h>
#include <stdio.h>

double gla_place_in (const int64_t *grid, int count, double x)
{
  if (x <= (double)grid[0])
    return 0;
  for (int k = 1; k < count; k++)
    if (x <= (double)grid[k])
      return k - 1 + log (x / (double)grid[k - 1]) / log ((double)grid[k] / (double)grid[k - 1]);
  return count - 1;
}

int gla_kinds_of_size (int64_t n, const char *before, const char *behind, gla_kind *kinds)
{
  static const int64_t grid[] = {2, 4, 8, 16, 32, 64, 128, 256};
  const double at = gla_place_in (grid, (int)(sizeof grid / sizeof *grid), (double)n);
  int count = 0;
  for (int upper = 0; upper < 2; upper++) {
    const double part = at - floor (at), weight = upper ? part : 1 - part;
    if (weight <= 0)
      continue;
    kinds[count].weight = weight;
    snprintf (kinds[count].key, sizeof kinds[count].key, "%s,%lld,%s", before,
              (long long)grid[(int)at + upper], behind);
    count++;
  }
  return count;
}

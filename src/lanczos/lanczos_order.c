// lanczos_order.c: which eigenvalues are wanted more, and the order of the results
// SPDX-License-Identifier: GPL-3.0-or-later

#include "lanczos.h"

#include <math.h>
#include <stdlib.h>

void gla_eigs_rank (gla_eigs_which which, const double *theta, int64_t count, int64_t *order)
{
  int64_t low = 0, high = count - 1; // taken from both ends of the ascending values
  for (int64_t i = 0; i < count; i++) {
    int from_high = 1;
    if (which == GLA_EIGS_WHICH_SA)
      from_high = 0;
    else if (which == GLA_EIGS_WHICH_LM)
      from_high = fabs (theta[high]) >= fabs (theta[low]);
    else if (which == GLA_EIGS_WHICH_BE)
      from_high = i % 2 == 0;
    order[i] = from_high ? high-- : low++;
  }
}

double gla_eigs_ahead (gla_eigs_which which, double x, double y)
{
  switch (which) {
  case GLA_EIGS_WHICH_LM:
    return fabs (x) - fabs (y);
  case GLA_EIGS_WHICH_SA:
    return y - x;
  case GLA_EIGS_WHICH_LA:
  case GLA_EIGS_WHICH_BE:
    break;
  }
  return x - y;
}

// Whether x comes before y in the results.
static int before (gla_eigs_which which, int inverse, double x, double y)
{
  if (inverse) // sigma + 1/theta, descending
    return 1 / x > 1 / y;
  switch (which) {
  case GLA_EIGS_WHICH_LM:
    return fabs (x) != fabs (y) ? fabs (x) > fabs (y) : x > y;
  case GLA_EIGS_WHICH_LA:
    return x > y;
  case GLA_EIGS_WHICH_SA:
  case GLA_EIGS_WHICH_BE:
    break;
  }
  return x < y;
}

void gla_eigs_arrange (gla_eigs_which which, int inverse, const double *theta, int64_t k,
                       int64_t *order)
{
  for (int64_t i = 1; i < k; i++) {
    const int64_t x = order[i];
    int64_t j = i;
    for (; j > 0 && before (which, inverse, theta[x], theta[order[j - 1]]); j--)
      order[j] = order[j - 1];
    order[j] = x;
  }
}

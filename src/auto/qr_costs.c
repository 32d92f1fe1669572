// qr_costs.c: which calls of gla_qr are alike, for "auto"
// SPDX-License-Identifier: GPL-3.0-or-later

#include "choose.h"
#include "qr_run.h"

#include <math.h>
#include <stdio.h>

// Kinds have one of these for the smaller of m and n, and for the ratio of the larger to it.
static const int64_t widths[] = {4, 16, 64, 256, 1024}, aspects[] = {1, 8, 64, 512};
enum { WIDTHS = 5, ASPECTS = 4 };

static void fill_kind (gla_kind *kind, const gla_qr_job *job, int width, int aspect, double weight)
{
  const int64_t k = widths[width], longer = k * aspects[aspect];
  kind->weight = weight;
  snprintf (kind->key, sizeof kind->key, "%c,%lldx%lld,%s%s", (char)job->head.type,
            (long long)(job->m < job->n ? k : longer), (long long)(job->m < job->n ? longer : k),
            job->q_columns > 0 || job->wy ? "qr" : "r", job->pivot ? "p" : "");
}

// The corners of the grid's cell that the size is in, those with a weight.
int gla_qr_kinds (const void *call, gla_kind *kinds)
{
  const gla_qr_job *job = &((const gla_qr_run *)call)->job;
  const double m = (double)job->m, n = (double)job->n, k = fmin (m, n);
  const double at[2] = {gla_place_in (widths, WIDTHS, k),
                        gla_place_in (aspects, ASPECTS, fmax (m, n) / k)};
  int count = 0;
  for (int corner = 0; corner < 4; corner++) {
    double weight = 1;
    int where[2];
    for (int d = 0; d < 2; d++) {
      const int upper = d == 0 ? corner % 2 : corner / 2;
      const double below = floor (at[d]), part = at[d] - below;
      where[d] = (int)below + upper;
      weight *= upper ? part : 1 - part;
    }
    if (weight > 0)
      fill_kind (&kinds[count++], job, where[0], where[1], weight);
  }
  return count;
}

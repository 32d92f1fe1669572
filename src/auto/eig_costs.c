// eig_costs.c: which calls of batcheig are alike, for "auto"
// SPDX-License-Identifier: GPL-3.0-or-later

#include "choose.h"
#include "eig_run.h"

#include <stdio.h>

int gla_eig_kinds (const void *call, gla_kind *kinds)
{
  const gla_eig_job *job = &((const gla_eig_run *)call)->job;
  const char type[] = {(char)job->head.type, '\0'};
  const char *method = job->method == GLA_EIG_METHOD_QR       ? "qr"
                       : job->method == GLA_EIG_METHOD_JACOBI ? "jacobi"
                                                              : "auto";
  char behind[24];
  // what a part takes says nothing of all
  const char *part = job->range != GLA_EIG_ALL ? ",part" : "";
  snprintf (behind, sizeof behind, "%s,%s%s", job->vectors ? "vectors" : "values", method, part);
  return gla_kinds_of_size (job->n, type, behind, kinds);
}

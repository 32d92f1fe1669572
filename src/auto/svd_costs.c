// svd_costs.c: which calls of batchsvd are alike, for "auto"
// SPDX-License-Identifier: GPL-3.0-or-later

#include "choose.h"
#include "svd_run.h"

#include <stdio.h>

int gla_svd_kinds (const void *call, gla_kind *kinds)
{
  const gla_svd_job *job = &((const gla_svd_run *)call)->job;
  const int64_t least = job->m < job->n ? job->m : job->n, most = job->m + job->n - least;
  const char type[] = {'v', (char)job->head.type, '\0'};
  const char *method = job->method == GLA_SVD_METHOD_QR       ? "qr"
                       : job->method == GLA_SVD_METHOD_JACOBI ? "jacobi"
                                                              : "auto";
  const int vectors = job->u_columns > 0 || job->v_columns > 0;
  char behind[20];
  // long pages are mostly factored by QR
  snprintf (behind, sizeof behind, "%s%s,%s", most >= 4 * least ? "long," : "",
            vectors ? "usv" : "s", method);
  return gla_kinds_of_size (least, type, behind, kinds);
}

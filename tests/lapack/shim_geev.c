// tests/lapack/shim_geev.c: eigenvalues and eigenvectors of general matrices: xGEEV
// SPDX-License-Identifier: GPL-3.0-or-later

#include "shim.h"

// Arguments that LAPACK takes; wrong ones are left to it. Queries have *lwork -1.
#define IS_JOB(job, ld, n) (is (job, 'v') ? *(ld) >= (n) : is (job, 'n') && *(ld) >= 1)
#define SERVED(n)                                                                                  \
  ((n) > 0 && *lwork >= (CPLX ? 2 : 3 + (is (jobvl, 'v') || is (jobvr, 'v'))) * (n) &&             \
   *lda >= (n) && IS_JOB (jobvl, ldvl, n) && IS_JOB (jobvr, ldvr, n))

static int general (int n, T *a, int lda, T *lambda_c, void *vl, void *vr)
{
  gla_type z = CPLX ? TYPE : TYPE == GLA_TYPE_S ? GLA_TYPE_C : GLA_TYPE_Z;
  int32_t info = 0;
  gla_array A = shim_array (a, n, n, lda);
  gla_pageeig_results r = {.size = sizeof r, .info = &info};
  r.lambda = gla_array_packed (lambda_c, z, n, 1, 1, GLA_DEVICE_HOST);
  r.V = gla_array_packed (vr, z, n, n, 1, GLA_DEVICE_HOST);
  r.W = gla_array_packed (vl, z, n, n, 1, GLA_DEVICE_HOST);
  shim_inside++;
  shim_check (gla_pageeig (shim_context, &A, &r, NULL, NULL), "gla_pageeig");
  shim_inside--;
  return info;
}
#if CPLX
void LAPACK (geev) (char *jobvl, char *jobvr, int *n, T *a, int *lda, T *w, T *vl, int *ldvl, T *vr,
                    int *ldvr, T *work, int *lwork, REAL *rwork, int *info)
{
  OURS (SERVED (*n), jobvl, jobvr, n, a, lda, w, vl, ldvl, vr, ldvr, work, lwork, rwork, info)
  T *l = shim_room ((int64_t)*n * *n), *r = shim_room ((int64_t)*n * *n);
  *info = general (*n, a, *lda, w, is (jobvl, 'v') ? l : NULL, is (jobvr, 'v') ? r : NULL);
  if (is (jobvl, 'v'))
    shim_copy (*n, *n, l, *n, vl, *ldvl);
  if (is (jobvr, 'v'))
    shim_copy (*n, *n, r, *n, vr, *ldvr);
  free (l), free (r);
}
#else
void LAPACK (geev) (char *jobvl, char *jobvr, int *n_, T *a, int *lda, T *wr, T *wi, T *vl,
                    int *ldvl, T *vr, int *ldvr, T *work, int *lwork, int *info)
{
  OURS (SERVED (*n_), jobvl, jobvr, n_, a, lda, wr, wi, vl, ldvl, vr, ldvr, work, lwork, info)
  int n = *n_;
  T *l = shim_room (2L * n * n), *r = shim_room (2L * n * n), *w = shim_room (2 * n);
  *info = general (n, a, *lda, w, is (jobvl, 'v') ? l : NULL, is (jobvr, 'v') ? r : NULL);
  for (int j = 0; j < n; j++)
    wr[j] = w[2 * j], wi[j] = w[2 * j + 1];
  for (int side = 0; side < 2; side++) {
    T *from = side ? r : l, *to = side ? vr : vl;
    size_t ld = side ? *ldvr : *ldvl;
    if (!is (side ? jobvr : jobvl, 'v'))
      continue;
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        to[i + j * ld] = from[2 * (i + (size_t)j * n)];
        if (wi[j] > 0 && j + 1 < n)
          to[i + (j + 1) * ld] = from[2 * (i + (size_t)j * n) + 1];
        if (wi[j] > 0 && i == n - 1) {
          j++;
          break;
        }
      }
  }
  free (l), free (r), free (w);
}
#endif

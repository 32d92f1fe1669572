// tests/lapack/shim_eig.c: eigenproblems: Hermitian ones, alone and in pairs, and general ones
// SPDX-License-Identifier: GPL-3.0-or-later

#include "shim.h"

//------------------------------------------------------------------------------
// xSYEV, xSYEVD, xSYEVR, xSYEVX, xSYGV, xSYGVD, xSYGVX, their two-stage forms, and xHE
//------------------------------------------------------------------------------

typedef struct {
  int itype; // 0: without B
  char jobz, range, uplo;
  int n;
  T *a;
  int lda;
  T *b;
  int ldb;
  REAL vl, vu;
  int il, iu;
  REAL *w;
  T *z;
  int ldz;
} eig_job;

static gla_status decompose (const eig_job *job, gla_array A, gla_eig_results r)
{
  const gla_triangle triangle = is (&job->uplo, 'l') ? GLA_TRIANGLE_LOWER : GLA_TRIANGLE_UPPER;
  const gla_eig_range range = is (&job->range, 'i')   ? GLA_EIG_INDICES
                              : is (&job->range, 'v') ? GLA_EIG_INTERVAL
                                                      : GLA_EIG_ALL;
  if (job->itype == 0) {
    gla_eig_options o = {
        .size = sizeof o, .method = shim_method, .triangle = triangle, .range = range};
    o.il = job->il, o.iu = job->iu, o.vl = job->vl, o.vu = job->vu;
    return gla_batcheig (shim_context, &A, &r, &o, NULL);
  }
  gla_array B = shim_array (job->b, job->n, job->n, job->ldb);
  gla_eig_pairs_options o = {.size = sizeof o, .method = shim_method, .itype = job->itype};
  o.triangle = triangle, o.range = range;
  o.il = job->il, o.iu = job->iu, o.vl = job->vl, o.vu = job->vu;
  gla_eig_pairs_results p = {.size = sizeof p, .lambda = r.lambda, .V = r.V, .info = r.info};
  p.count = r.count;
  return gla_batcheig_pairs (shim_context, &A, &B, &p, &o, NULL);
}

// m is the number of values that were found. Returns info.
static int eig (const eig_job *job, int *m)
{
  const int n = job->n, k = is (&job->range, 'i') ? job->iu - job->il + 1 : n;
  int32_t info = 0;
  int64_t count = k;
  *m = 0;
  if (n == 0)
    return 0;
  T *v = shim_room ((int64_t)n * n);
  REAL *lambda = shim_room (n);
  gla_eig_results r = {.size = sizeof r, .lambda = shim_column (lambda, k)};
  r.info = &info, r.count = &count;
  if (is (&job->jobz, 'v'))
    r.V = shim_array (v, n, k, n);
  shim_inside++;
  shim_check (decompose (job, shim_array (job->a, n, n, job->lda), r), "eigenvalues");
  shim_inside--;
  *m = is (&job->range, 'a') ? n : (int)count;
  if (info == 0 || info > n) {
    memcpy (job->w, lambda, *m * sizeof (REAL));
    if (is (&job->jobz, 'v'))
      shim_copy (n, *m, v, n, job->z, job->ldz);
  }
  free (v);
  free (lambda);
  return info;
}

#define EV(name)                                                                                   \
  void SYMMETRIC (name) (char *jobz, char *uplo, int *n, T *a, int *lda, REAL *w, T *work,         \
                         int *lwork RWORK, int *info)                                              \
  {                                                                                                \
    OURS (*n >= 0 && *lwork != -1, jobz, uplo, n, a, lda, w, work, lwork RWORK_, info)             \
    int m;                                                                                         \
    const eig_job job = {.jobz = *jobz,                                                            \
                         .range = 'a',                                                             \
                         .uplo = *uplo,                                                            \
                         .n = *n,                                                                  \
                         .a = a,                                                                   \
                         .lda = *lda,                                                              \
                         .w = w,                                                                   \
                         .z = a,                                                                   \
                         .ldz = *lda};                                                             \
    *info = eig (&job, &m);                                                                        \
  }
#define EVD(name)                                                                                  \
  void SYMMETRIC (name) (char *jobz, char *uplo, int *n, T *a, int *lda, REAL *w, T *work,         \
                         int *lwork LRWORK, int *iwork, int *liwork, int *info)                    \
  {                                                                                                \
    OURS (*n >= 0 && !IS_QUERY, jobz, uplo, n, a, lda, w, work, lwork LRWORK_, iwork, liwork,      \
          info)                                                                                    \
    int m;                                                                                         \
    const eig_job job = {.jobz = *jobz,                                                            \
                         .range = 'a',                                                             \
                         .uplo = *uplo,                                                            \
                         .n = *n,                                                                  \
                         .a = a,                                                                   \
                         .lda = *lda,                                                              \
                         .w = w,                                                                   \
                         .z = a,                                                                   \
                         .ldz = *lda};                                                             \
    *info = eig (&job, &m);                                                                        \
  }
#define EVR(name)                                                                                  \
  void SYMMETRIC (name) (char *jobz, char *range, char *uplo, int *n, T *a, int *lda, REAL *vl,    \
                         REAL *vu, int *il, int *iu, REAL *abstol, int *m, REAL *w, T *z,          \
                         int *ldz, int *isuppz, T *work, int *lwork LRWORK, int *iwork,            \
                         int *liwork, int *info)                                                   \
  {                                                                                                \
    OURS (*n >= 0 && !IS_QUERY, jobz, range, uplo, n, a, lda, vl, vu, il, iu, abstol, m, w, z,     \
          ldz, isuppz, work, lwork LRWORK_, iwork, liwork, info)                                   \
    const eig_job job = {.jobz = *jobz,                                                            \
                         .range = *range,                                                          \
                         .uplo = *uplo,                                                            \
                         .n = *n,                                                                  \
                         .a = a,                                                                   \
                         .lda = *lda,                                                              \
                         .vl = *vl,                                                                \
                         .vu = *vu,                                                                \
                         .il = *il,                                                                \
                         .iu = *iu,                                                                \
                         .w = w,                                                                   \
                         .z = z,                                                                   \
                         .ldz = *ldz};                                                             \
    *info = eig (&job, m);                                                                         \
  }
#define EVX(name)                                                                                  \
  void SYMMETRIC (name) (char *jobz, char *range, char *uplo, int *n, T *a, int *lda, REAL *vl,    \
                         REAL *vu, int *il, int *iu, REAL *abstol, int *m, REAL *w, T *z,          \
                         int *ldz, T *work, int *lwork RWORK, int *iwork, int *ifail, int *info)   \
  {                                                                                                \
    OURS (*n >= 0 && *lwork != -1, jobz, range, uplo, n, a, lda, vl, vu, il, iu, abstol, m, w, z,  \
          ldz, work, lwork RWORK_, iwork, ifail, info)                                             \
    const eig_job job = {.jobz = *jobz,                                                            \
                         .range = *range,                                                          \
                         .uplo = *uplo,                                                            \
                         .n = *n,                                                                  \
                         .a = a,                                                                   \
                         .lda = *lda,                                                              \
                         .vl = *vl,                                                                \
                         .vu = *vu,                                                                \
                         .il = *il,                                                                \
                         .iu = *iu,                                                                \
                         .w = w,                                                                   \
                         .z = z,                                                                   \
                         .ldz = *ldz};                                                             \
    *info = eig (&job, m);                                                                         \
    memset (ifail, 0, *n * sizeof *ifail);                                                         \
  }
EV (ev)
EVD (evd)
EVR (evr)
EVX (evx)
EV (ev_2stage)
EVD (evd_2stage)
EVR (evr_2stage)
EVX (evx_2stage)

#define GV(name)                                                                                   \
  void SYMMETRIC (name) (int *itype, char *jobz, char *uplo, int *n, T *a, int *lda, T *b,         \
                         int *ldb, REAL *w, T *work, int *lwork RWORK, int *info)                  \
  {                                                                                                \
    OURS (*n >= 0 && *lwork != -1, itype, jobz, uplo, n, a, lda, b, ldb, w, work, lwork RWORK_,    \
          info)                                                                                    \
    int m;                                                                                         \
    const eig_job job = {.itype = *itype,                                                          \
                         .jobz = *jobz,                                                            \
                         .range = 'a',                                                             \
                         .uplo = *uplo,                                                            \
                         .n = *n,                                                                  \
                         .a = a,                                                                   \
                         .lda = *lda,                                                              \
                         .b = b,                                                                   \
                         .ldb = *ldb,                                                              \
                         .w = w,                                                                   \
                         .z = a,                                                                   \
                         .ldz = *lda};                                                             \
    *info = eig (&job, &m);                                                                        \
  }
GV (gv)
GV (gv_2stage)
void SYMMETRIC (gvd) (int *itype, char *jobz, char *uplo, int *n, T *a, int *lda, T *b, int *ldb,
                      REAL *w, T *work, int *lwork LRWORK, int *iwork, int *liwork, int *info)
{
  OURS (*n >= 0 && !IS_QUERY, itype, jobz, uplo, n, a, lda, b, ldb, w, work, lwork LRWORK_, iwork,
        liwork, info)
  int m;
  const eig_job job = {.itype = *itype,
                       .jobz = *jobz,
                       .range = 'a',
                       .uplo = *uplo,
                       .n = *n,
                       .a = a,
                       .lda = *lda,
                       .b = b,
                       .ldb = *ldb,
                       .w = w,
                       .z = a,
                       .ldz = *lda};
  *info = eig (&job, &m);
}

void SYMMETRIC (gvx) (int *itype, char *jobz, char *range, char *uplo, int *n, T *a, int *lda, T *b,
                      int *ldb, REAL *vl, REAL *vu, int *il, int *iu, REAL *abstol, int *m, REAL *w,
                      T *z, int *ldz, T *work, int *lwork RWORK, int *iwork, int *ifail, int *info)
{
  OURS (*n >= 0 && *lwork != -1, itype, jobz, range, uplo, n, a, lda, b, ldb, vl, vu, il, iu,
        abstol, m, w, z, ldz, work, lwork RWORK_, iwork, ifail, info)
  const eig_job job = {.itype = *itype,
                       .jobz = *jobz,
                       .range = *range,
                       .uplo = *uplo,
                       .n = *n,
                       .a = a,
                       .lda = *lda,
                       .b = b,
                       .ldb = *ldb,
                       .vl = *vl,
                       .vu = *vu,
                       .il = *il,
                       .iu = *iu,
                       .w = w,
                       .z = z,
                       .ldz = *ldz};
  *info = eig (&job, m);
  memset (ifail, 0, *n * sizeof *ifail);
}

//------------------------------------------------------------------------------
// general matrices: xGEEV
//------------------------------------------------------------------------------

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

// tests/lapack/shim_eig.c: Hermitian eigenproblems, alone and in pairs
// SPDX-License-Identifier: GPL-3.0-or-later
//
// xSYEV, xSYEVD, xSYEVR, xSYEVX, xSYGV, xSYGVD, xSYGVX, their two-stage forms, and xHE the same.

#include "shim.h"

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

// tests/lapack/shim_svd.c: singular values: xGESVD, xGESDD, xGESVDX, xGESVJ, xGEJSV
// SPDX-License-Identifier: GPL-3.0-or-later

#include "shim.h"

// U is m x ucols, V n x vcols, each left out where it is NULL.
int SHIM_SVD (int m, int n, T *a, int lda, REAL *s, T *u, int ucols, T *v, int vcols, int which)
{
  int k = MIN (m, n);
  int32_t info = 0;
  gla_array A = shim_array (a, m, n, lda), none = {0};
  gla_svd_options o = {.size = sizeof o, .method = which};
  gla_svd_results r = {.size = sizeof r, .info = &info, .S = shim_column (s, k)};
  r.U = u ? shim_array (u, m, ucols, m) : none;
  r.V = v ? shim_array (v, n, vcols, n) : none;
  shim_inside++;
  shim_check (gla_batchsvd (shim_context, &A, &r, &o, NULL), "gla_batchsvd");
  shim_inside--;
  return info;
}

static void adjoint (int n, int k, const T *v, T *vt, int ldvt)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < k; i++)
      vt[i + (size_t)j * ldvt] = CONJ (v[j + (size_t)i * n]);
}

static int svd_jobs (char ju, char jv, int m, int n, T *a, int lda, REAL *s, T *u, int ldu, T *vt,
                     int ldvt)
{
  int k = MIN (m, n);
  ju |= 32, jv |= 32;
  int uc = ju == 'a' ? m : k, vc = jv == 'a' ? n : k;
  T *U = shim_room ((int64_t)m * m), *V = shim_room ((int64_t)n * n);
  int info =
      SHIM_SVD (m, n, a, lda, s, ju == 'n' ? NULL : U, uc, jv == 'n' ? NULL : V, vc, shim_method);
  if (ju == 'o')
    shim_copy (m, k, U, m, a, lda);
  else if (ju != 'n')
    shim_copy (m, uc, U, m, u, ldu);
  if (jv == 'o')
    adjoint (n, k, V, a, lda);
  else if (jv != 'n')
    adjoint (n, vc, V, vt, ldvt);
  free (U), free (V);
  return info;
}

void LAPACK (gesvd) (char *jobu, char *jobvt, int *m, int *n, T *a, int *lda, REAL *s, T *u,
                     int *ldu, T *vt, int *ldvt, T *work, int *lwork RWORK, int *info)
{
  OURS (*m > 0 && *n > 0 && *lwork != -1, jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work,
        lwork RWORK_, info)
  *info = svd_jobs (*jobu, *jobvt, *m, *n, a, *lda, s, u, *ldu, vt, *ldvt);
}

void LAPACK (gesdd) (char *jobz, int *m, int *n, T *a, int *lda, REAL *s, T *u, int *ldu, T *vt,
                     int *ldvt, T *work, int *lwork RWORK, int *iwork, int *info)
{
  OURS (*m > 0 && *n > 0 && *lwork != -1, jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work,
        lwork RWORK_, iwork, info)
  char ju = *jobz | 32, jv = ju;
  if (ju == 'o' && *m >= *n)
    jv = 'a';
  else if (ju == 'o')
    ju = 'a';
  *info = svd_jobs (ju, jv, *m, *n, a, *lda, s, u, *ldu, vt, *ldvt);
}

void LAPACK (gesvdx) (char *jobu, char *jobvt, char *range, int *m_, int *n_, T *a, int *lda,
                      REAL *vl, REAL *vu, int *il, int *iu, int *ns, REAL *s, T *u, int *ldu, T *vt,
                      int *ldvt, T *work, int *lwork RWORK, int *iwork, int *info)
{
  OURS (*m_ > 0 && *n_ > 0 && *lwork != -1, jobu, jobvt, range, m_, n_, a, lda, vl, vu, il, iu, ns,
        s, u, ldu, vt, ldvt, work, lwork RWORK_, iwork, info)
  int m = *m_, n = *n_, k = MIN (m, n);
  T *U = shim_room ((int64_t)m * k), *V = shim_room ((int64_t)n * k),
    *V2 = shim_room ((int64_t)n * k);
  REAL *all = shim_room (k);
  *info = SHIM_SVD (m, n, a, *lda, all, is (jobu, 'v') ? U : NULL, k, is (jobvt, 'v') ? V : NULL, k,
                    shim_method);
  *ns = 0;
  for (int j = 0; j < k; j++)
    if (is (range, 'a') || (is (range, 'i') && j + 1 >= *il && j + 1 <= *iu) ||
        (is (range, 'v') && all[j] > *vl && all[j] <= *vu)) {
      s[*ns] = all[j];
      if (is (jobu, 'v'))
        memcpy (u + (size_t)*ns * *ldu, U + (size_t)j * m, m * sizeof (T));
      memcpy (V2 + (size_t)*ns * n, V + (size_t)j * n, n * sizeof (T));
      ++*ns;
    }
  if (is (jobvt, 'v'))
    adjoint (n, *ns, V2, vt, *ldvt);
  free (U), free (V), free (V2), free (all);
}
#if CPLX
void LAPACK (gesvj) (char *joba, char *jobu, char *jobv, int *m, int *n, T *a, int *lda, REAL *sva,
                     int *mv, T *v, int *ldv, T *work, int *lwork, REAL *rwork, int *lrwork,
                     int *info)
{
  OURS (*m > 0 && *n > 0 && *lwork != -1 && *lrwork != -1 && is (jobu, 'u') && is (jobv, 'v'), joba,
        jobu, jobv, m, n, a, lda, sva, mv, v, ldv, work, lwork, rwork, lrwork, info)
  REAL *stat = rwork;
#else
void LAPACK (gesvj) (char *joba, char *jobu, char *jobv, int *m, int *n, T *a, int *lda, REAL *sva,
                     int *mv, T *v, int *ldv, T *work, int *lwork, int *info)
{
  OURS (*m > 0 && *n > 0 && *lwork != -1 && is (jobu, 'u') && is (jobv, 'v'), joba, jobu, jobv, m,
        n, a, lda, sva, mv, v, ldv, work, lwork, info)
  REAL *stat = work;
#endif
  T *U = shim_room ((int64_t)*m * *n), *V = shim_room ((int64_t)*n * *n);
  *info = SHIM_SVD (*m, *n, a, *lda, sva, U, *n, V, *n, GLA_SVD_METHOD_JACOBI);
  shim_copy (*m, *n, U, *m, a, *lda);
  shim_copy (*n, *n, V, *n, v, *ldv);
  memset (stat, 0, 6 * sizeof (REAL));
  stat[0] = 1, stat[1] = *n, stat[2] = *n;
  free (U), free (V);
}
#if CPLX
void LAPACK (gejsv) (char *joba, char *jobu, char *jobv, char *jobr, char *jobt, char *jobp, int *m,
                     int *n, T *a, int *lda, REAL *sva, T *u, int *ldu, T *v, int *ldv, T *work,
                     int *lwork, REAL *rwork, int *lrwork, int *iwork, int *info)
{
  OURS (*m > 0 && *n > 0 && *lwork != -1 && *lrwork != -1 && is (jobu, 'u') && is (jobv, 'v'), joba,
        jobu, jobv, jobr, jobt, jobp, m, n, a, lda, sva, u, ldu, v, ldv, work, lwork, rwork, lrwork,
        iwork, info)
  REAL *stat = rwork;
#else
void LAPACK (gejsv) (char *joba, char *jobu, char *jobv, char *jobr, char *jobt, char *jobp, int *m,
                     int *n, T *a, int *lda, REAL *sva, T *u, int *ldu, T *v, int *ldv, T *work,
                     int *lwork, int *iwork, int *info)
{
  OURS (*m > 0 && *n > 0 && *lwork != -1 && is (jobu, 'u') && is (jobv, 'v'), joba, jobu, jobv,
        jobr, jobt, jobp, m, n, a, lda, sva, u, ldu, v, ldv, work, lwork, iwork, info)
  REAL *stat = work;
#endif
  T *U = shim_room ((int64_t)*m * *n), *V = shim_room ((int64_t)*n * *n);
  *info = SHIM_SVD (*m, *n, a, *lda, sva, U, *n, V, *n, GLA_SVD_METHOD_QR);
  shim_copy (*m, *n, U, *m, u, *ldu);
  shim_copy (*n, *n, V, *n, v, *ldv);
  stat[0] = 1, stat[1] = 1, stat[2] = 1;
  iwork[0] = iwork[1] = *n, iwork[2] = 0;
  free (U), free (V);
}

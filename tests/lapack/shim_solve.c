// tests/lapack/shim_solve.c: systems and inverses: xGESV, xPOSV, xGETRF, xGETRI
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Factors are LAPACK's, solutions and inverses the library's.

#include "shim.h"

static int solve (int n, int nrhs, T *a, int lda, T *b, int ldb)
{
  int32_t info = 0;
  T *x = shim_room ((int64_t)n * nrhs);
  gla_array A = shim_array (a, n, n, lda), B = shim_array (b, n, nrhs, ldb);
  gla_pagesolve_results r = {.size = sizeof r, .X = shim_array (x, n, nrhs, n), .info = &info};
  shim_inside++;
  shim_check (gla_pagesolve (shim_context, &A, &B, &r, NULL, NULL), "gla_pagesolve");
  shim_inside--;
  if (!info)
    shim_copy (n, nrhs, x, n, b, ldb);
  free (x);
  return info;
}

void LAPACK (gesv) (int *n, int *nrhs, T *a, int *lda, int *ipiv, T *b, int *ldb, int *info)
{
  OURS (*n > 0 && *nrhs > 0, n, nrhs, a, lda, ipiv, b, ldb, info)
  int mine = solve (*n, *nrhs, a, *lda, b, *ldb);
  static void (*factor) ();
  if (!factor)
    factor = shim_real (TEXT (LAPACK (getrf)));
  shim_inside++;
  factor (n, n, a, lda, ipiv, info);
  shim_inside--;
  if (mine != *info)
    fprintf (stderr, "shim: gesv n %d info %d, of LAPACK %d\n", *n, mine, *info);
}

void LAPACK (posv) (char *uplo, int *n, int *nrhs, T *a, int *lda, T *b, int *ldb, int *info)
{
  OURS (*n > 0 && *nrhs > 0, uplo, n, nrhs, a, lda, b, ldb, info)
  T *full = shim_room ((int64_t)*n * *n);
  for (int j = 0; j < *n; j++)
    for (int i = 0; i < *n; i++) {
      int stored = is (uplo, 'u') ? i <= j : i >= j;
      T x = stored ? a[i + (size_t)j * *lda] : CONJ (a[j + (size_t)i * *lda]);
      full[i + (size_t)j * *n] = i == j ? creal (x) : x;
    }
  static void (*factor) ();
  if (!factor)
    factor = shim_real (TEXT (LAPACK (potrf)));
  shim_inside++;
  factor (uplo, n, a, lda, info, 1L);
  shim_inside--;
  if (*info == 0)
    solve (*n, *nrhs, full, *n, b, *ldb);
  free (full);
}

static T *lu_a, *lu_f;
static int lu_n;
void LAPACK (getrf) (int *m, int *n, T *a, int *lda, int *ipiv, int *info)
{
  OURS (*m == *n && *n > 0, m, n, a, lda, ipiv, info)
  free (lu_a), free (lu_f);
  lu_a = shim_room ((int64_t)*n * *n), lu_f = shim_room ((int64_t)*n * *n);
  lu_n = *n;
  shim_copy (*n, *n, a, *lda, lu_a, *n);
  shim_inside++;
  theirs (m, n, a, lda, ipiv, info);
  shim_inside--;
  shim_copy (*n, *n, a, *lda, lu_f, *n);
}

void LAPACK (getri) (int *n, T *a, int *lda, int *ipiv, T *work, int *lwork, int *info)
{
  int last = !shim_inside && *lwork != -1 && *n > 0 && *n == lu_n;
  for (int j = 0; last && j < *n; j++)
    last &= !memcmp (a + (size_t)j * *lda, lu_f + (size_t)j * *n, *n * sizeof (T));
  OURS (last, n, a, lda, ipiv, work, lwork, info)
  int32_t mine = 0;
  T *x = shim_room ((int64_t)*n * *n);
  gla_array A = shim_array (lu_a, *n, *n, *n);
  gla_pagesolve_results r = {.size = sizeof r, .X = shim_array (x, *n, *n, *n), .info = &mine};
  shim_inside++;
  shim_check (gla_pagesolve (shim_context, &A, NULL, &r, NULL, NULL), "gla_pagesolve");
  shim_inside--;
  *info = mine;
  if (!mine)
    shim_copy (*n, *n, x, *n, a, *lda);
  free (x);
}

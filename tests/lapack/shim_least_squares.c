// tests/lapack/shim_least_squares.c: least squares: xGELS, xGELSY, xGELSS, xGELSD
// SPDX-License-Identifier: GPL-3.0-or-later
//
// xGELS, xGELSY and xGELSS give the library's solution beside LAPACK's other results; xGELSD is
// made of the library's singular values and vectors.

#include "shim.h"

static T *lsq_before (char *trans, int m, int n, int nrhs, T *a, int lda, T *b, int ldb)
{
  int t = trans && !is (trans, 'n'), rows = t ? n : m, cols = t ? m : n;
  T *op = shim_room ((int64_t)rows * cols), *x = shim_room ((int64_t)cols * nrhs);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      if (t)
        op[j + (size_t)i * rows] = CONJ (a[i + (size_t)j * lda]);
      else
        op[i + (size_t)j * rows] = a[i + (size_t)j * lda];
  gla_array A = shim_array (op, rows, cols, rows), B = shim_array (b, rows, nrhs, ldb);
  gla_least_squares_results r = {.size = sizeof r, .X = shim_array (x, cols, nrhs, cols)};
  shim_inside++;
  shim_check (gla_least_squares (shim_context, &A, &B, &r, NULL, NULL), "gla_least_squares");
  shim_inside--;
  free (op);
  return x;
}

static void lsq_after (char *trans, int m, int n, int nrhs, T *x, T *b, int ldb)
{
  int t = trans && !is (trans, 'n'), cols = t ? m : n;
  shim_copy (cols, nrhs, x, cols, b, ldb);
  free (x);
}
#define LS(trans, ...)                                                                             \
  T *x = lsq_before (trans, *m, *n, *nrhs, a, *lda, b, *ldb);                                      \
  shim_inside++;                                                                                   \
  theirs (__VA_ARGS__, 1L);                                                                        \
  shim_inside--;                                                                                   \
  lsq_after (trans, *m, *n, *nrhs, x, b, *ldb);
#define LS_OK *m > 0 && *n > 0 && *nrhs > 0 && *lwork != -1
void LAPACK (gels) (char *trans, int *m, int *n, int *nrhs, T *a, int *lda, T *b, int *ldb, T *work,
                    int *lwork, int *info)
{
  OURS (LS_OK, trans, m, n, nrhs, a, lda, b, ldb, work, lwork, info)
  LS (trans, trans, m, n, nrhs, a, lda, b, ldb, work, lwork, info)
}

void LAPACK (gelsy) (int *m, int *n, int *nrhs, T *a, int *lda, T *b, int *ldb, int *jpvt,
                     REAL *rcond, int *rank, T *work, int *lwork RWORK, int *info)
{
  OURS (LS_OK, m, n, nrhs, a, lda, b, ldb, jpvt, rcond, rank, work, lwork RWORK_, info)
  LS (NULL, m, n, nrhs, a, lda, b, ldb, jpvt, rcond, rank, work, lwork RWORK_, info)
}

void LAPACK (gelss) (int *m, int *n, int *nrhs, T *a, int *lda, T *b, int *ldb, REAL *sv,
                     REAL *rcond, int *rank, T *work, int *lwork RWORK, int *info)
{
  OURS (LS_OK, m, n, nrhs, a, lda, b, ldb, sv, rcond, rank, work, lwork RWORK_, info)
  LS (NULL, m, n, nrhs, a, lda, b, ldb, sv, rcond, rank, work, lwork RWORK_, info)
}

// gelsd: by the singular value decomposition of gpulinalg
void LAPACK (gelsd) (int *m_, int *n_, int *nrhs_, T *a, int *lda, T *b, int *ldb, REAL *sv,
                     REAL *rcond, int *rank, T *work, int *lwork RWORK, int *iwork, int *info)
{
  OURS (*m_ > 0 && *n_ > 0 && *nrhs_ > 0 && *lwork != -1, m_, n_, nrhs_, a, lda, b, ldb, sv, rcond,
        rank, work, lwork RWORK_, iwork, info)
  int m = *m_, n = *n_, k = MIN (m, n);
  T *U = shim_room ((int64_t)m * k), *V = shim_room ((int64_t)n * k), *x = shim_room (n);
  *info = SHIM_SVD (m, n, a, *lda, sv, U, k, V, k, shim_method);
  *rank = 0;
  REAL least = (*rcond < 0 ? (REAL)(gla_type_eps (TYPE) / 2) : *rcond) * sv[0];
  while (*rank < k && sv[*rank] > least)
    ++*rank;
  for (int j = 0; j < *nrhs_; j++) {
    memset (x, 0, n * sizeof (T));
    for (int l = 0; l < *rank; l++) {
      T c = 0;
      for (int i = 0; i < m; i++)
        c += CONJ (U[i + (size_t)l * m]) * b[i + (size_t)j * *ldb];
      for (int i = 0; i < n; i++)
        x[i] += V[i + (size_t)l * n] * (c / sv[l]);
    }
    memcpy (b + (size_t)j * *ldb, x, n * sizeof (T));
  }
  free (U), free (V), free (x);
}

// tests/lapack/shim_qr.c: QR factors and least squares
// SPDX-License-Identifier: GPL-3.0-or-later

#include "shim.h"

//------------------------------------------------------------------------------
// xGEQRF, xGEQR2, xGEQP3, and xORGQR, xUNGQR of the last factors
//------------------------------------------------------------------------------

static T *saved_a, *saved_f, *saved_tau;
static int saved_m, saved_n;

// The reflectors of Q = I + W*Y' are the columns of Y, and tau the diagonal of T = -inv (Y1)*W1.
static void reflect (int m, int n, T *a, int lda, T *tau, int64_t *jpvt)
{
  int k = MIN (m, n);
  T *w = shim_room ((int64_t)m * k), *y = shim_room ((int64_t)m * k),
    *r = shim_room ((int64_t)m * n);
  free (saved_a), free (saved_f);
  saved_a = shim_room ((int64_t)m * n), saved_f = shim_room ((int64_t)m * n);
  saved_m = m, saved_n = n;
  shim_copy (m, n, a, lda, saved_a, m);
  gla_array A = shim_array (a, m, n, lda);
  gla_qr_options o = {.size = sizeof o, .pivot = jpvt != NULL};
  gla_qr_results q = {.size = sizeof q, .jpvt = jpvt};
  q.W = shim_array (w, m, k, m), q.Y = shim_array (y, m, k, m), q.R = shim_array (r, m, n, m);
  shim_inside++;
  shim_check (gla_qr (shim_context, &A, NULL, &q, &o, NULL), "gla_qr");
  shim_inside--;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      a[i + (size_t)j * lda] = i <= j ? r[i + (size_t)j * m] : y[i + (size_t)j * m];
  for (int j = 0; j < k; j++) // column j of -inv (Y1)*W1 down to row j
  {
    for (int i = 0; i <= j; i++)
      for (int l = 0; l < i; l++)
        w[i + (size_t)j * m] -= y[i + (size_t)l * m] * w[l + (size_t)j * m];
    tau[j] = -w[j + (size_t)j * m];
  }
  shim_copy (m, n, a, lda, saved_f, m);
  free (saved_tau);
  saved_tau = shim_room (k);
  memcpy (saved_tau, tau, k * sizeof (T));
  if (jpvt)
    for (int j = 0; j < n; j++)
      memcpy (r + (size_t)j * m, saved_a + (size_t)jpvt[j] * m, m * sizeof (T));
  if (jpvt)
    memcpy (saved_a, r, (size_t)m * n * sizeof (T));
  free (w), free (y), free (r);
}

void LAPACK (geqrf) (int *m, int *n, T *a, int *lda, T *tau, T *work, int *lwork, int *info)
{
  OURS (*m > 0 && *n > 0 && *lwork != -1, m, n, a, lda, tau, work, lwork, info)
  reflect (*m, *n, a, *lda, tau, NULL);
  *info = 0;
}

void LAPACK (geqr2) (int *m, int *n, T *a, int *lda, T *tau, T *work, int *info)
{
  OURS (*m > 0 && *n > 0, m, n, a, lda, tau, work, info)
  reflect (*m, *n, a, *lda, tau, NULL);
  *info = 0;
}

void LAPACK (geqp3) (int *m, int *n, T *a, int *lda, int *jpvt, T *tau, T *work, int *lwork RWORK,
                     int *info)
{
  int free_columns = 1;
  if (*n > 0 && !shim_inside && *lwork != -1)
    for (int j = 0; j < *n; j++)
      free_columns &= jpvt[j] == 0;
  OURS (*m > 0 && *n > 0 && *lwork != -1 && free_columns, m, n, a, lda, jpvt, tau, work,
        lwork RWORK_, info)
  int64_t p[*n];
  reflect (*m, *n, a, *lda, tau, p);
  for (int j = 0; j < *n; j++)
    jpvt[j] = p[j] + 1;
  *info = 0;
}

// Q of the matrix that was factored last, formed anew from that matrix.
#if CPLX
void LAPACK (ungqr) (int *m, int *n, int *k, T *a, int *lda, T *tau, T *work, int *lwork, int *info)
#else
void LAPACK (orgqr) (int *m, int *n, int *k, T *a, int *lda, T *tau, T *work, int *lwork, int *info)
#endif
{
  int last =
      !shim_inside && *lwork != -1 && *m > 0 && *n > 0 && *m == saved_m && *k == MIN (*m, saved_n);
  for (int j = 0; last && j < MIN (*k, *n); j++)
    last &= !memcmp (a + (size_t)j * *lda + j + 1, saved_f + (size_t)j * *m + j + 1,
                     (*m - j - 1) * sizeof (T));
  last = last && !memcmp (tau, saved_tau, *k * sizeof (T));
  OURS (last, m, n, k, a, lda, tau, work, lwork, info)
  int columns = *n <= *k ? *k : *m;
  T *q = shim_room ((int64_t)*m * columns), *r = shim_room ((int64_t)columns * saved_n);
  gla_array A = shim_array (saved_a, *m, saved_n, *m);
  gla_qr_results res = {.size = sizeof res, .Q = shim_array (q, *m, columns, *m)};
  res.R = shim_array (r, columns, saved_n, columns);
  shim_inside++;
  shim_check (gla_qr (shim_context, &A, NULL, &res, NULL, NULL), "gla_qr");
  shim_inside--;
  shim_copy (*m, *n, q, *m, a, *lda);
  *info = 0;
  free (q), free (r);
}

//------------------------------------------------------------------------------
// least squares: xGELS, xGELSY, xGELSS, xGELSD
//------------------------------------------------------------------------------

// xGELS, xGELSY and xGELSS give the library's solution beside LAPACK's other results; xGELSD is
// made of the library's singular values and vectors.

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
